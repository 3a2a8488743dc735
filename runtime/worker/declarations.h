// The declarations of algorithms and families as JSON of the protocol.
#pragma once

#include "space/config_json.h"

namespace scantune {

// The members and extents of an algorithm's requests: a default is null if other members decide it.
Json algorithm_json(const AlgorithmModel& algorithm);

// The parameters of a family, as rows store them: absent and former values included.
Json table_json(const FamilyModel& family);

// The search space of a family that supports the request.
Json family_json(const FamilyModel& family, const Request& request, int sm, bool with_configs);

}  // namespace scantune
