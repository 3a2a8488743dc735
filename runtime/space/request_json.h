// Requests as JSON: the one place that spells them, for the worker protocol and for database rows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "space/custom_operator.h"
#include "space/request.h"

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

// A request without its extents, as a database keeps it: recorded members in the order of their table, without spaces.
// Types are always named; other members are left out at their default, so one that is added later changes no row. A
// custom operator's name is in op.
std::string canonical_request(const StatedRequest& stated);
// The classes of a request's extents other than n in the same form; empty without such extents.
std::string canonical_shape(const Request& request);

// Throws RequestError, naming the member that is missing, unknown or out of range. reject_reason() says whether a
// request can be solved.
StatedRequest stated_request(const Json& json);

// The same of the columns of a database row. They throw RequestError also when the text is not JSON.
StatedRequest parse_request(const AlgorithmModel& algorithm, std::string_view text);
// Gives the request the extents that a shape stands for, and the items of one row if it tells how long rows are.
void adopt_shape(Request& request, std::string_view text);

}  // namespace scantune
