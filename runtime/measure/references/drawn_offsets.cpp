#include "measure/references/drawn_offsets.h"

#include <algorithm>
#include <cstring>

#include "measure/parallel.h"
#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

constexpr u64 kOfOrder = 0x0ff5e7;  // a seed apart from that of the items

bool is_signed(OffsetType type) { return type == OffsetType::i32 || type == OffsetType::i64; }
u64 bytes_of(OffsetType type) { return type == OffsetType::i32 || type == OffsetType::u32 ? 4 : 8; }

}  // namespace

DrawnOffsets::DrawnOffsets(const InputSpec& spec)
    : request_(typed<ReduceRequest>(spec.request)),
      seed_(spec.seed),
      n_(std::min(request_.n, greatest_of(request_.offset_type))),
      segments_(request_.segment_count, n_, spec.seed,
                request_.offset_form == OffsetForm::begins_and_ends || spec.pattern == InputPattern::specials) {}

DrawnOffsets::Items DrawnOffsets::within(const Written& offsets) const {
  const auto within = [&](i64 offset) { return std::min(static_cast<u64>(std::max<i64>(offset, 0)), request_.n); };
  const u64 begin = within(offsets.begin);
  return {begin, std::max(begin, within(offsets.end))};
}

void DrawnOffsets::fill(OperandRole role, u64 first, std::span<std::byte> out) const {
  const u64 bytes = bytes_of(request_.offset_type), count = out.size() / bytes;
  const auto put = [&](u64 segment, i64 offset) { std::memcpy(&out[(segment - first) * bytes], &offset, bytes); };
  if (request_.offset_form == OffsetForm::begins_and_ends) {
    parallel_for(ceil_div(count, kOffsetsAtOnce), [&](u64 part) {
      const u64 begin = first + part * kOffsetsAtOnce, end = std::min(begin + kOffsetsAtOnce, first + count);
      for (u64 segment = begin; segment < end; ++segment)
        put(segment, role == OperandRole::begins ? written(segment).begin : written(segment).end);
    });
    return;
  }
  segments_.visit_segments(first, std::min(first + count, request_.segment_count),
                           [&](u64 segment, u64 begin, u64) { put(segment, static_cast<i64>(begin)); });
  if (first + count > request_.segment_count) put(request_.segment_count, static_cast<i64>(n_));
}

DrawnOffsets::Written DrawnOffsets::written(u64 segment) const {
  if (request_.offset_form == OffsetForm::bounds) return drawn(segment);
  const u64 count = request_.segment_count;
  const i64 n = static_cast<i64>(n_), beyond = n + (n_ + 9 < greatest_of(request_.offset_type) ? 7 : 0);
  if (segment == 1) return {is_signed(request_.offset_type) ? -3 : 0, beyond};
  if (segment == 2) return {n / 2, n / 3};
  if (segment == 3) return {beyond, n};
  const u64 bits = random_bits(seed_ + kOfOrder, segment);
  Written offsets = drawn(bits % count);
  if (offsets.end - offsets.begin > 8)
    offsets.begin += static_cast<i64>(bits >> 61), offsets.end -= static_cast<i64>(bits >> 60 & 1);
  return offsets;
}

DrawnOffsets::Written DrawnOffsets::drawn(u64 segment) const {
  Written offsets{};
  segments_.visit_segments(segment, segment + 1, [&](u64, u64 begin, u64 end) {
    offsets = {static_cast<i64>(begin), static_cast<i64>(end)};
  });
  return offsets;
}

}  // namespace scantune
