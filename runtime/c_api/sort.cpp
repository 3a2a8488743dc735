#include <string>

#include "c_api/maps.h"
#include "c_api/offsets.h"
#include "c_api/payload.h"

namespace scantune::c_api {
namespace {

static_assert(SCANTUNE_ALL_BITS < 0 && SCANTUNE_NO_BITS < 0, "they must be the number of no bit");
static_assert(same(SCANTUNE_ASCENDING, Order::ascending) && same(SCANTUNE_DESCENDING, Order::descending));
static_assert(same(SCANTUNE_KEEP_INPUT, InputUse::kept) && same(SCANTUNE_CONSUME_INPUT, InputUse::consumed));
static_assert(same(SCANTUNE_SORTED_KEYS, Sorted::keys) && same(SCANTUNE_SORTED_PAIRS, Sorted::pairs) &&
              same(SCANTUNE_SORTED_INDICES, Sorted::indices) &&
              same(SCANTUNE_SORTED_KEYS_AND_INDICES, Sorted::keys_and_indices));

// The number of the bit after the last one that is compared.
int end_of_bits(int end_bit, int key_bits) {
  if (end_bit == 0 || end_bit == SCANTUNE_ALL_BITS) return key_bits;
  return end_bit == SCANTUNE_NO_BITS ? 0 : end_bit;
}

// All bits by their numbers are all bits, and no bits the same wherever they are: kernels and records are the same.
void take_bits(const scantune_sort_request& said, SortRequest& request) {
  const int key_bits = 8 * request.input_bytes(), begin = said.begin_bit;
  const int end = end_of_bits(said.end_bit, key_bits);
  if (end < 0 || end > key_bits)
    fail("end_bit", std::to_string(end) + ", and a key has " + std::to_string(key_bits) +
                        " bits: pass the number of the bit after the last one that is compared, or "
                        "SCANTUNE_ALL_BITS (in C++ KeyBits::all)");
  if (begin < 0) fail("begin_bit", std::to_string(begin) + "; the lowest bit has the number 0");
  if (begin > end)
    fail("begin_bit", std::to_string(begin) + ", and the bits that are compared end before bit " + std::to_string(end) +
                          ": pass a lesser one, or this number to compare no bit");
  if (begin == 0 && end == key_bits) return;
  request.key_bits = begin == end ? KeyBits::none : KeyBits::some;
  if (begin == end) return;
  request.end_bit = static_cast<u64>(end);
  request.bits = static_cast<u64>(end - begin);
}

// Takes the type in memory of values that a load makes.
void take_loaded(const scantune_sort_request& said, SortRequest& request) {
  if (number_in(said.loaded_type) == SCANTUNE_DEFAULT_TYPE) {
    if (converts(request.load)) request.memory.loaded = request.value_type;
    return;
  }
  const ValueType type = checked_type("loaded_type", said.loaded_type);
  if (converts(request.load))
    request.memory.loaded = type;
  else
    fail("loaded_type", "given, and load takes no values: leave it out");
}

// Takes the order of the keys. Its state goes the way of an operator's.
void take_less(const scantune_sort_request& said, SortRequest& request, std::optional<CustomOperatorView>& custom,
               Room& room, const CallStates*& states) {
  if (said.less == nullptr) {
    if (request.input_type == ValueType::custom)
      fail("less",
           std::string("NULL, and input_type is SCANTUNE_CUSTOM_TYPE: structs are in no order of their own, so ") +
               (said.segments == SCANTUNE_NO_SEGMENTS ? "point it to one, or " : "") +
               "sort a number that stands for each and pass the structs as values");
    return;
  }
  scantune_function storage;
  const scantune_function& less = checked_function(kLess, said.less, storage);
  request.comparison = Comparison::source;
  if (!custom) custom.emplace();
  custom->source = less.source;
  custom->state_bytes = static_cast<int>(less.state_bytes);
  if (!has_state(less)) return;
  if (states == nullptr) room.states = {};
  states = &room.states;
  std::memcpy(room.states.combine, less.state, less.state_bytes);
}

}  // namespace

Asked checked_request(const scantune_sort_request& said, Room& room) {
  SortRequest request;
  std::optional<CustomOperatorView> custom;
  take_head(said.head, request);
  const CallStates* states = nullptr;
  if (has_maps(said)) {
    room.states = {};
    states = &room.states;
    take_maps(said, request, custom, room);
  }
  request.input_type = checked_type("input_type", said.input_type);
  take_less(said, request, custom, room, states);
  request.sorted = checked<Sorted>("sorted", said.sorted);
  request.value_type = checked_payload(said, request);
  take_loaded(said, request);
  const bool has_structs = request.input_type == ValueType::custom || request.value_type == ValueType::custom;
  take_custom_type(said, has_structs || request.memory.has(ValueType::custom), request);
  request.order = checked<Order>("order", said.order);
  take_bits(said, request);
  request.input_use = checked<InputUse>("input_use", said.input_use);
  request.segments = checked<Segments>("segments", said.segments);
  request.rows = said.rows;
  check_count(request, Segments::rows, {"rows", "SCANTUNE_ROWS"}, said.rows);
  take_offsets(said, request);
  check_supported(request);
  return {.request = request,
          .custom = custom,
          .device_segment_count = said.device_segment_count,
          .states = states,
          .checks_offsets = said.check == 1,
          .refuses_overlap = true};
}

}  // namespace scantune::c_api
