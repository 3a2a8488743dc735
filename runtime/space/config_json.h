// Configs as JSON: the one place that spells them, for the worker protocol and for database rows.
#pragma once

#include <string>
#include <string_view>

#include "space/request_json.h"
#include "space/space.h"

namespace scantune {

Json to_json(const Config& config);  // {"family": ..., "parameters": {...}}
Json value_json(const ParameterModel& parameter, int value);
// {"name", "value", "becomes": {name: value} or {}}
Json to_json(const FamilyModel& family, const FormerValue& former);

// The parameters alone, as a database keeps them: in table order, no spaces. One that was added later is left out where
// it has the value that rows without it mean, so that older rows stay as they would be written now, and older libraries
// read newer rows.
std::string canonical_parameters(const Config& config);

// These throw RequestError, naming the parameter that is missing, unknown or out of range. A config that parses has
// every parameter of its family: those that were added later may be left out, and a removed one may be given with a
// value that became another. reject_reason() says whether a config is legal for a request.
Config config_from_json(const Json& json);
Config config_of(const FamilyModel& family, const Json& parameters);
// Reads the config in the columns of a database row, whose text may be anything.
Config parse_config(std::string_view family, std::string_view parameters);

// Reads a handwritten config: omitted parameters are those of the family's default for the request. Parameters may also
// be next to the family, without "parameters". Throws RequestError, naming the family's parameters, unless the config
// runs the request.
Config given_config(std::string_view text, const Request& request, int sm);

}  // namespace scantune
