#include "c_api/balance.h"

#include <string>
#include <type_traits>

#include "c_api/members.h"
#include "c_api/struct_version.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_SEGMENT_OF, Assigned::segments) && same(SCANTUNE_RANK_OF, Assigned::ranks) &&
              same(SCANTUNE_SEGMENT_AND_RANK, Assigned::segments_and_ranks) &&
              same(SCANTUNE_VALUE_OF, Assigned::values));

// A member that fell into padding would not make its struct grow, and no size would show it.
static_assert(std::has_unique_object_representations_v<scantune_balance> &&
              std::has_unique_object_representations_v<scantune_balance_arrays>);

constexpr scantune_balance kDefaultBalance = SCANTUNE_BALANCE_INIT;
constexpr scantune_balance_arrays kNoBalanceArrays = SCANTUNE_BALANCE_ARRAYS_INIT;
constexpr StructVersion kBalanceVersion = {"struct_bytes", "scantune_balance", "start from SCANTUNE_BALANCE_INIT",
                                           sizeof(scantune_balance), sizeof(scantune_balance)};
constexpr StructVersion kBalanceArraysVersion = {"arrays.struct_bytes", "scantune_balance_arrays",
                                                 "start from SCANTUNE_BALANCE_ARRAYS_INIT",
                                                 sizeof(scantune_balance_arrays), sizeof(scantune_balance_arrays)};
static_assert(kBalanceVersion.oldest_bytes == 64 && kBalanceArraysVersion.oldest_bytes == 48);

ValueType checked_output_type(const scantune_balance& asked, Assigned assigned) {
  if (number_in(asked.output_type) != SCANTUNE_DEFAULT_TYPE) return checked_type("output_type", asked.output_type);
  if (assigned == Assigned::values)
    fail("output_type", "SCANTUNE_DEFAULT_TYPE, and assigned is SCANTUNE_VALUE_OF: name the type of the values");
  return ValueType::u64;
}

LoadBalanceRequest request_of(const scantune_balance& asked) {
  LoadBalanceRequest request;
  request.n = asked.n;
  request.segments = asked.segments;
  request.input_type = checked_type("offset_type", asked.offset_type);
  if (request.input_type == ValueType::custom)
    fail("offset_type", "SCANTUNE_CUSTOM_TYPE; offsets are integers of 4 or 8 bytes");
  request.assigned =
      static_cast<Assigned>(checked_enum("assigned", "scantune_assigned", asked.assigned, 0, SCANTUNE_VALUE_OF));
  request.output_type = checked_output_type(asked, request.assigned);
  check_custom_type({"value_bytes", "value_alignment"}, request.output_type, asked.value_bytes, asked.value_alignment);
  request.custom_bytes = static_cast<int>(asked.value_bytes);
  request.custom_alignment = static_cast<int>(asked.value_alignment);
  request.latency =
      static_cast<Latency>(checked_enum("latency", "scantune_latency", asked.latency, 0, SCANTUNE_ISOLATED));
  return request;
}

void refuse_unassigned(const char* member, const void* given, const char* assigned) {
  if (given != nullptr) fail(member, std::string("given, and assigned is ") + assigned + ": leave it NULL");
}

}  // namespace

BalanceProblem checked_balance(const scantune_balance* caller) {
  if (caller == nullptr) fail("balance", "NULL; it must point to a scantune_balance");
  scantune_balance storage;
  const scantune_balance& asked = *as_known(kBalanceVersion, caller, kDefaultBalance, storage);
  const LoadBalanceRequest request = request_of(asked);
  check_supported(request);
  if (asked.check > 1) fail("check", std::to_string(asked.check) + "; it must be 0 or 1");
  return {.problem = {.request = request, .custom = {}, .init = {}, .config = checked_config(asked.config)},
          .assigned = request.assigned,
          .checks_offsets = asked.check == 1};
}

Pointers checked_arrays(Assigned its, const scantune_balance_arrays* caller) {
  if (caller == nullptr) fail("arrays", "NULL; it must point to a scantune_balance_arrays");
  scantune_balance_arrays storage;
  const scantune_balance_arrays& given = *as_known(kBalanceArraysVersion, caller, kNoBalanceArrays, storage);
  constexpr const char* kConstants[] = {"SCANTUNE_SEGMENT_OF", "SCANTUNE_RANK_OF", "SCANTUNE_SEGMENT_AND_RANK",
                                        "SCANTUNE_VALUE_OF"};
  const char* const assigned = kConstants[static_cast<int>(its)];
  const bool has_segments = its == Assigned::segments || its == Assigned::segments_and_ranks;
  const bool has_ranks = its == Assigned::ranks || its == Assigned::segments_and_ranks;
  if (!has_segments) refuse_unassigned("segment_of", given.segment_of, assigned);
  if (!has_ranks) refuse_unassigned("rank_of", given.rank_of, assigned);
  if (its != Assigned::values) {
    refuse_unassigned("values", given.values, assigned);
    refuse_unassigned("output", given.output, assigned);
  }
  switch (its) {
    case Assigned::segments:
      return {given.offsets, given.segment_of};
    case Assigned::ranks:
      return {given.offsets, given.rank_of};
    case Assigned::segments_and_ranks:
      return {given.offsets, given.segment_of, given.rank_of};
    case Assigned::values:
      break;
  }
  return {given.offsets, given.output, given.values};
}

}  // namespace scantune::c_api
