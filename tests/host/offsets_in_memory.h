// Segments by offsets that are drawn, and these in memory of the device: empty and uneven ones, gaps, items of several
// segments of a reduction or a top-k, and offsets that are below 0, beyond the items or before the ones that they
// follow.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/contract/launch.h"
#include "core/contract/offsets.h"
#include "device/host/random.h"
#include "reduce/config/reduce.h"
#include "scan_kernels.h"
#include "top_k/config/top_k.h"

namespace scantune {

// Begins, or bounds, and ends, as they are in memory.
struct WrittenOffsets {
  std::vector<i64> begins, ends;
};

// Draws for some ascending bounds whether one segment has most of the items, and whether those of the last segments
// come before those of the first, so that they do not ascend. Either way no segments have items in common.
inline void vary(std::vector<i64>& bounds, i64 n, Random& random) {
  const auto drawn = static_cast<std::ptrdiff_t>(random.below(static_cast<u32>(bounds.size())));
  if (random.chance(25))
    for (auto bound = bounds.begin(); bound != bounds.end(); ++bound)
      *bound = bound - bounds.begin() <= drawn ? *bound / 16 : n - (n - *bound) / 16;
  if (random.chance(25)) std::rotate(bounds.begin(), bounds.begin() + drawn, bounds.end());
}

// Draws offsets of segments without items in common, in no order or one after the other. Only begins and ends have
// gaps; some empty segments end before they begin.
template <class R>
WrittenOffsets offsets_apart(const R& request, Random& random) {
  const u64 count = request.segment_count;
  const bool is_signed = request.offset_type == OffsetType::i32 || request.offset_type == OffsetType::i64;
  const bool has_ends = request.offset_form == OffsetForm::begins_and_ends;
  std::vector<i64> bounds(has_ends ? 2 * count : count + 1);
  for (i64& bound : bounds) bound = random.below(static_cast<u32>(request.n + 1));
  std::ranges::sort(bounds);
  for (std::size_t bound = 1; bound < bounds.size(); ++bound)
    if (random.chance(20)) bounds[bound] = bounds[bound - 1];
  if (random.chance(50)) bounds.front() = is_signed ? -2 : 0;
  if (random.chance(50)) bounds.back() = static_cast<i64>(request.n) + 3;
  if constexpr (std::is_same_v<R, ScanRequest>)
    if (!has_ends) vary(bounds, static_cast<i64>(request.n), random);
  if (!has_ends) return {bounds, {}};
  WrittenOffsets offsets{std::vector<i64>(count), std::vector<i64>(count)};
  std::vector<u64> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (random.chance(50)) {  // most follow each other
    for (u64 segment = 1; segment < count; ++segment)
      if (random.chance(90)) bounds[2 * segment] = bounds[2 * segment - 1];
  } else {
    for (u64 place = count; place > 1; --place)
      std::swap(order[place - 1], order[random.below(static_cast<u32>(place))]);
  }
  for (u64 segment = 0; segment < count; ++segment) {
    const u64 place = 2 * order[segment];
    offsets.begins[segment] = bounds[place];
    offsets.ends[segment] = bounds[place + 1];
    if (bounds[place] == bounds[place + 1] && random.chance(50)) offsets.ends[segment] = bounds[place] / 2;
  }
  return offsets;
}

// Those of a request are always the same.
template <class R>
WrittenOffsets offsets_of(const R& request) {
  Random random(request.n + 31 * request.segment_count);
  if constexpr (!std::is_same_v<R, ReduceRequest> && !std::is_same_v<R, TopKRequest>)
    return offsets_apart(request, random);
  const u64 count = request.segment_count;
  const i64 n = static_cast<i64>(request.n);
  const bool is_signed = request.offset_type == OffsetType::i32 || request.offset_type == OffsetType::i64;
  const auto drawn = [&](i64 below) { return static_cast<i64>(random.below(static_cast<u32>(below))); };
  WrittenOffsets offsets;
  if (request.offset_form == OffsetForm::begins_and_ends) {
    const i64 most = std::min(n, 6 * n / static_cast<i64>(count + 1)) + 2;
    const bool follow = random.chance(50);  // most follow each other
    for (u64 segment = 0; segment < count; ++segment) {
      i64 begin = drawn(n + 4) - (is_signed ? 2 : 0);
      if (follow && segment > 0 && random.chance(80)) begin = offsets.ends.back();
      offsets.begins.push_back(begin);
      offsets.ends.push_back(segment % 7 == 3 ? begin / 2 : begin + drawn(most));
    }
    return offsets;
  }
  for (u64 bound = 0; bound <= count; ++bound) offsets.begins.push_back(drawn(n + 1));
  std::ranges::sort(offsets.begins);
  for (u64 bound = 1; bound <= count; ++bound)
    if (random.chance(20)) offsets.begins[bound] = offsets.begins[bound - 1];
  if (random.chance(50)) offsets.begins.front() = is_signed ? -2 : 0;
  if (random.chance(50)) offsets.begins.back() = n + 3;
  if (count > 3) std::swap(offsets.begins[1], offsets.begins[2]);
  return offsets;
}

// The first item of each segment and the one after its last.
template <class R>
std::vector<std::pair<u64, u64>> segments_of(const R& request) {
  const WrittenOffsets offsets = offsets_of(request);
  const auto item = [&](i64 offset) { return std::min(offset < 0 ? 0 : static_cast<u64>(offset), request.n); };
  std::vector<std::pair<u64, u64>> all;
  for (u64 segment = 0; segment < request.segment_count; ++segment) {
    const u64 begin = item(offsets.begins[segment]);
    const u64 end = item(offsets.ends.empty() ? offsets.begins[segment + 1] : offsets.ends[segment]);
    all.emplace_back(begin, std::max(begin, end));
  }
  return all;
}

// How many segments there are: where memory says so one less than the request's, or as many though it says more.
template <class R>
u64 count_of_segments(const R& request) {
  const bool has_fewer = request.count_source != CountSource::call && request.n % 2 == 0;
  return has_fewer ? request.segment_count - 1 : request.segment_count;
}

class OffsetsInMemory {
 public:
  template <class R>
  OffsetsInMemory(HostDevice& device, const R& request) {
    const WrittenOffsets offsets = offsets_of(request);
    const bool is_narrow = request.offset_type == OffsetType::i32 || request.offset_type == OffsetType::u32;
    begins_ = written(device, offsets.begins, is_narrow ? 4 : 8);
    ends_ = written(device, offsets.ends, is_narrow ? 4 : 8);
    const u64 count = count_of_segments(request);
    const u64 told = count < request.segment_count ? count : count + 5;
    count_ = written(device, {static_cast<i64>(told)}, request.count_source == CountSource::memory_32 ? 4 : 8);
  }

  void set(KernelArguments& arguments) const {
    arguments.set_operand(OperandRole::begins, begins_->data());
    arguments.set_operand(OperandRole::ends, ends_->data());
    arguments.set_operand(OperandRole::segment_count, count_->data());
  }

 private:
  // No array lies on a vector boundary.
  static std::unique_ptr<GuardedMemory> written(HostDevice& device, const std::vector<i64>& numbers, u64 bytes) {
    auto memory = std::make_unique<GuardedMemory>(device, numbers.size() * bytes, bytes);
    for (std::size_t place = 0; place < numbers.size(); ++place)
      std::memcpy(memory->data() + place * bytes, &numbers[place], bytes);
    return memory;
  }

  std::unique_ptr<GuardedMemory> begins_, ends_, count_;
};

}  // namespace scantune
