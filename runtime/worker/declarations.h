// The declarations of algorithms and families as JSON of the protocol.
#pragma once

#include "space/config_json.h"

namespace scantune {

// What requests of an algorithm may say: values by default are null where other members decide them.
Json algorithm_json(const AlgorithmModel& algorithm);

// What rows of a family may hold beside the parameters that it has.
Json table_json(const FamilyModel& family);

// What a search explores of a family that supports the request.
Json family_json(const FamilyModel& family, const Request& request, int sm, bool with_configs);

}  // namespace scantune
