#include "measure/references/drawn_offsets.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "measure/parallel.h"
#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

constexpr u64 kOfOrder = 0x0ff5e7;      // a seed apart from that of the items
constexpr u64 kMostStep = 0x4000'0000;  // times the number of a segment, it must fit

u64 bytes_of(OffsetType type) { return type == OffsetType::i32 || type == OffsetType::u32 ? 4 : 8; }

}  // namespace

void DrawnOffsets::fill(OperandRole role, u64 first, std::span<std::byte> out) const {
  const u64 bytes = bytes_of(type_), count = out.size() / bytes;
  const auto put = [&](u64 segment, i64 offset) { std::memcpy(&out[(segment - first) * bytes], &offset, bytes); };
  if (form_ == OffsetForm::begins_and_ends) {
    parallel_for(ceil_div(count, kOffsetsAtOnce), [&](u64 part) {
      const u64 begin = first + part * kOffsetsAtOnce, end = std::min(begin + kOffsetsAtOnce, first + count);
      for (u64 segment = begin; segment < end; ++segment)
        put(segment, role == OperandRole::begins ? written(segment).begin : written(segment).end);
    });
    return;
  }
  segments_.visit_segments(first, std::min(first + count, count_),
                           [&](u64 segment, u64 begin, u64) { put(segment, static_cast<i64>(begin)); });
  if (first + count > count_) put(count_, static_cast<i64>(n_));
}

void DrawnOffsets::place(u64 first, std::span<ItemPlace> places) const {
  std::ranges::fill(places, ItemPlace::outside);
  const u64 end = first + places.size();
  const u64 low = is_turned_ ? all_items_ - end : first, high = is_turned_ ? all_items_ - first : end;
  segments_.visit_items(low, high, [&](u64 number, u64 begin, u64 its_end) {
    Written offsets{static_cast<i64>(begin), static_cast<i64>(its_end)};
    if (form_ == OffsetForm::begins_and_ends) offsets = apart(number, offsets);
    Items its = within(offsets);
    if (is_turned_) its = {all_items_ - its.end, all_items_ - its.begin};
    for (u64 item = std::max(first, its.begin); item < std::min(end, its.end); ++item)
      places[item - first] = item == its.begin ? ItemPlace::first_of_segment : ItemPlace::in_segment;
  });
}

DrawnOffsets::Written DrawnOffsets::written(u64 segment) const {
  if (form_ == OffsetForm::bounds) return drawn(segment);
  if (share_items_) return shared(segment);
  const u64 number = in_no_order(segment);
  return apart(number, drawn(number));
}

DrawnOffsets::Written DrawnOffsets::shared(u64 segment) const {
  const i64 n = static_cast<i64>(n_);
  if (segment == 1) return {is_signed() ? -3 : 0, beyond()};
  if (segment == 2) return {n / 2, n / 3};
  if (segment == 3) return {beyond(), n};
  const u64 bits = random_bits(seed_ + kOfOrder, segment);
  Written offsets = drawn(bits % count_);
  if (offsets.end - offsets.begin > 8)
    offsets.begin += static_cast<i64>(bits >> 61), offsets.end -= static_cast<i64>(bits >> 60 & 1);
  return offsets;
}

// Of segments without items some end before they begin, and others begin beyond n.
DrawnOffsets::Written DrawnOffsets::apart(u64 number, Written offsets) const {
  const u64 bits = random_bits(seed_ + kOfOrder, number);
  const i64 n = static_cast<i64>(n_);
  if (offsets.begin == offsets.end) {
    if (bits % 3 == 1) return {n / 2, n / 3};
    return bits % 3 == 2 ? Written{beyond(), n} : offsets;
  }
  if (offsets.end == n) offsets.end = beyond();
  if (offsets.begin == 0 && is_signed()) offsets.begin = -3;
  if (offsets.end - offsets.begin > 16)
    offsets.begin += static_cast<i64>(bits >> 61), offsets.end -= static_cast<i64>(bits >> 60 & 1);
  return offsets;
}

// Each number occurs once.
u64 DrawnOffsets::in_no_order(u64 segment) const {
  u64 step = 1 + random_bits(seed_, kOfOrder) % std::min(count_, kMostStep);
  while (std::gcd(step, count_) != 1) ++step;
  return (segment * step + seed_) % count_;
}

DrawnOffsets::Written DrawnOffsets::drawn(u64 segment) const {
  Written offsets{};
  segments_.visit_segments(segment, segment + 1, [&](u64, u64 begin, u64 end) {
    offsets = {static_cast<i64>(begin), static_cast<i64>(end)};
  });
  return offsets;
}

DrawnOffsets::Items DrawnOffsets::within(Written offsets) const {
  const auto item = [&](i64 offset) { return std::min(static_cast<u64>(std::max<i64>(offset, 0)), all_items_); };
  const u64 begin = item(offsets.begin);
  return {begin, std::max(begin, item(offsets.end))};
}

}  // namespace scantune
