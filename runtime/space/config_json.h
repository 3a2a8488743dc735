// Requests and configs as JSON: the one place that spells them, for the worker protocol and for database rows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "space/custom_operator.h"
#include "space/space.h"

namespace scantune {

inline constexpr int kLargestMagnitude = 48;  // more than any memory holds, and bytes cannot overflow
inline constexpr u64 kMostItems = u64{1} << kLargestMagnitude;

using Json = nlohmann::ordered_json;  // keeps parameters in the order of the family's table

// A request as it is stated in JSON: with what is known of a custom operator.
struct StatedRequest {
  Request request;
  CustomOperator custom;  // without source: any operator of the cost class

  bool operator==(const StatedRequest&) const = default;
};

Json to_json(const StatedRequest& stated);
Json to_json(const Config& config);  // {"family": ..., "parameters": {...}}
Json value_json(const ParameterModel& parameter, int value);
// {"name", "value", "becomes": {name: value} or {}}
Json to_json(const FamilyModel& family, const FormerValue& former);

// The parameters alone, as a database keeps them: in table order, no spaces. One that was added later is left out where
// it has the value that rows without it mean, so that older rows stay as they would be written now, and older libraries
// read newer rows.
std::string canonical_parameters(const Config& config);

// A request without its extents, as a database keeps it: recorded members in the order of their table, without spaces.
// Types are always named; other members are left out at their default, so one that is added later changes no row. A
// custom operator's name stands in op.
std::string canonical_request(const StatedRequest& stated);
// The magnitudes of a request's extents beside n in the same form; empty where there are none.
std::string canonical_shape(const Request& request);

// These throw RequestError, naming the member that is missing, unknown or out of range. A config that parses has every
// parameter of its family: those that were added later may be left out, and a removed one may be given with a value
// that became another. reject_reason() says whether a config is legal for a request, and whether a request can be
// solved.
StatedRequest stated_request(const Json& json);
Config config_from_json(const Json& json);
Config config_of(const FamilyModel& family, const Json& parameters);

// A config that somebody wrote by hand: what it leaves out is as in the family's default for the request. Its
// parameters may also stand beside the family. It throws RequestError, naming what the family has, unless the config
// runs the request.
Config given_config(std::string_view text, const Request& request, int sm);

// A request and a config from the columns of a database row. They throw RequestError like those above, also when the
// text is not JSON.
StatedRequest parse_request(const AlgorithmModel& algorithm, std::string_view text);
// Gives the request the extents that a shape stands for.
void adopt_shape(Request& request, std::string_view text);
Config parse_config(std::string_view family, std::string_view parameters);

}  // namespace scantune
