#include "c_api/sorting.h"

#include <string>
#include <type_traits>

#include "c_api/members.h"
#include "c_api/struct_version.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_ASCENDING, Order::ascending) && same(SCANTUNE_DESCENDING, Order::descending));
static_assert(same(SCANTUNE_SORTED_KEYS, Sorted::keys) && same(SCANTUNE_SORTED_PAIRS, Sorted::pairs) &&
              same(SCANTUNE_SORTED_INDICES, Sorted::indices) &&
              same(SCANTUNE_SORTED_KEYS_AND_INDICES, Sorted::keys_and_indices));

// A member that fell into padding would not make its struct grow, and no size would show it.
static_assert(std::has_unique_object_representations_v<scantune_sorting> &&
              std::has_unique_object_representations_v<scantune_sorting_arrays>);

constexpr scantune_sorting kDefaultSorting = SCANTUNE_SORTING_INIT;
constexpr scantune_sorting_arrays kNoSortingArrays = SCANTUNE_SORTING_ARRAYS_INIT;
constexpr StructVersion kSortingVersion = {"struct_bytes", "scantune_sorting", "start from SCANTUNE_SORTING_INIT",
                                           sizeof(scantune_sorting), sizeof(scantune_sorting)};
constexpr StructVersion kSortingArraysVersion = {"arrays.struct_bytes", "scantune_sorting_arrays",
                                                 "start from SCANTUNE_SORTING_ARRAYS_INIT",
                                                 sizeof(scantune_sorting_arrays), sizeof(scantune_sorting_arrays)};
static_assert(kSortingVersion.oldest_bytes == 80 && kSortingArraysVersion.oldest_bytes == 48);

const char* constant_of(Sorted sorted) {
  constexpr const char* kConstants[] = {"SCANTUNE_SORTED_KEYS", "SCANTUNE_SORTED_PAIRS", "SCANTUNE_SORTED_INDICES",
                                        "SCANTUNE_SORTED_KEYS_AND_INDICES"};
  return kConstants[static_cast<int>(sorted)];
}

ValueType checked_value_type(const scantune_sorting& asked, const SortRequest& request) {
  const bool is_given = number_in(asked.value_type) != SCANTUNE_DEFAULT_TYPE;
  if (!request.has_payload()) {
    if (is_given)
      fail("value_type",
           "given, and sorted is SCANTUNE_SORTED_KEYS, which has neither values nor indices: leave it "
           "SCANTUNE_DEFAULT_TYPE");
    return request.value_type;
  }
  if (is_given) return checked_type("value_type", asked.value_type);
  if (request.has_values())
    fail("value_type", "SCANTUNE_DEFAULT_TYPE, and sorted is SCANTUNE_SORTED_PAIRS: name the type of the values");
  return ValueType::u64;
}

// Bits that are all of the key are asked for as none named are: the kernels and records are the same.
void take_bits(const scantune_sorting& asked, SortRequest& request) {
  if ((asked.begin_bit | asked.end_bit) == 0) return;
  const int key_bits = 8 * request.input_bytes(), begin = asked.begin_bit;
  const int end = asked.end_bit == 0 ? key_bits : asked.end_bit;
  if (end < 0 || end > key_bits)
    fail("end_bit", std::to_string(end) + ", and a key has " + std::to_string(key_bits) +
                        " bits: pass the number of the bit behind the last one that is compared, or 0 for all");
  if (begin < 0) fail("begin_bit", std::to_string(begin) + "; the lowest bit has the number 0");
  if (begin >= end)
    fail("begin_bit", std::to_string(begin) + ", and the bits that are compared end before bit " + std::to_string(end) +
                          ": pass a lesser one, so that there is a bit to compare");
  if (begin == 0 && end == key_bits) return;
  request.key_bits = KeyBits::some;
  request.end_bit = static_cast<u64>(end);
  request.bits = static_cast<u64>(end - begin);
}

SortRequest request_of(const scantune_sorting& asked) {
  SortRequest request;
  request.n = asked.n;
  request.input_type = checked_type("key_type", asked.key_type);
  if (request.input_type == ValueType::custom)
    fail("key_type",
         "SCANTUNE_CUSTOM_TYPE; keys are numbers: sort a number that stands for each, and pass the items "
         "as values");
  request.sorted =
      static_cast<Sorted>(checked_enum("sorted", "scantune_sorted", asked.sorted, 0, SCANTUNE_SORTED_KEYS_AND_INDICES));
  request.value_type = checked_value_type(asked, request);
  check_custom_type({"value_bytes", "value_alignment"}, request.value_type, asked.value_bytes, asked.value_alignment);
  request.custom_bytes = static_cast<int>(asked.value_bytes);
  request.custom_alignment = static_cast<int>(asked.value_alignment);
  request.order = static_cast<Order>(checked_enum("order", "scantune_order", asked.order, 0, SCANTUNE_DESCENDING));
  take_bits(asked, request);
  request.segments = checked_segments(asked.segments);
  request.rows = asked.rows;
  check_count(request, Segments::rows, {"rows", "SCANTUNE_ROWS"}, asked.rows);
  request.forward_progress = static_cast<ForwardProgress>(
      checked_enum("forward_progress", "scantune_forward_progress", asked.forward_progress, 0, SCANTUNE_DOCUMENTED));
  request.latency =
      static_cast<Latency>(checked_enum("latency", "scantune_latency", asked.latency, 0, SCANTUNE_ISOLATED));
  return request;
}

void refuse_unsorted(const char* member, const void* given, Sorted sorted) {
  if (given != nullptr) fail(member, std::string("given, and sorted is ") + constant_of(sorted) + ": leave it NULL");
}

}  // namespace

SortingProblem checked_sort(const scantune_sorting* caller) {
  if (caller == nullptr) fail("sorting", "NULL; it must point to a scantune_sorting");
  scantune_sorting storage;
  const scantune_sorting& asked = *as_known(kSortingVersion, caller, kDefaultSorting, storage);
  const SortRequest request = request_of(asked);
  check_supported(request);
  check_captured_launches(asked.captured_launches);
  return {.problem = {.request = request,
                      .custom = {},
                      .init = {},
                      .captured_launches = asked.captured_launches,
                      .config = checked_config(asked.config)},
          .sorted = request.sorted};
}

Pointers checked_arrays(Sorted its, const scantune_sorting_arrays* caller) {
  if (caller == nullptr) fail("arrays", "NULL; it must point to a scantune_sorting_arrays");
  scantune_sorting_arrays storage;
  const scantune_sorting_arrays& given = *as_known(kSortingArraysVersion, caller, kNoSortingArrays, storage);
  if (its == Sorted::indices) refuse_unsorted("output", given.output, its);
  if (its != Sorted::pairs) {
    refuse_unsorted("values", given.values, its);
    refuse_unsorted("values_output", given.values_output, its);
  }
  if (its == Sorted::keys || its == Sorted::pairs) refuse_unsorted("indices", given.indices, its);
  switch (its) {
    case Sorted::keys:
      return {given.input, given.output};
    case Sorted::pairs:
      return {given.input, given.output, given.values, given.values_output};
    case Sorted::indices:
      return {given.input, given.indices};
    case Sorted::keys_and_indices:
      break;
  }
  return {given.input, given.output, given.indices};
}

}  // namespace scantune::c_api
