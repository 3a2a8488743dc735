// What scans of segments by offsets must return, of offsets that are drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "measure/reference.h"
#include "measure/references/algorithm_reference.h"

namespace scantune {
namespace {

constexpr u64 kScanned = 3 * Reference::kChunkItems + 100;
constexpr u64 kSegments = 700;

std::vector<std::byte> bytes_of(const InputSpec& input, OperandRole role, u64 bytes) {
  std::vector<std::byte> all(bytes);
  if (role == OperandRole::input)
    fill_input(input, 0, all);
  else
    reference_of(input.request.algorithm()).fill_beside(input, role, 0, all);
  return all;
}

template <class T>
std::vector<T> values_of(const InputSpec& input, OperandRole role, u64 count) {
  std::vector<T> values(count);
  const auto bytes = bytes_of(input, role, count * sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

struct DrawnScan {
  InputSpec input;
  std::vector<u32> items = {}, results = {};
  std::vector<int> segments_of = {};  // of each item
  int empty = 0;
};

// By a loop over the offsets as they are written.
template <class Offset>
DrawnScan drawn_scan(OffsetType type, OffsetForm form, Direction direction, Kind kind) {
  const ScanRequest request{.kind = kind,
                            .init = kind == Kind::exclusive ? Init::value : Init::none,
                            .direction = direction,
                            .segments = Segments::offsets,
                            .offset_type = type,
                            .offset_form = form,
                            .n = kScanned,
                            .segment_count = kSegments};
  DrawnScan scan{.input = {.request = request}};
  const bool has_ends = form == OffsetForm::begins_and_ends;
  const auto begins = values_of<Offset>(scan.input, OperandRole::begins, has_ends ? kSegments : kSegments + 1);
  const auto ends = has_ends ? values_of<Offset>(scan.input, OperandRole::ends, kSegments)
                             : std::vector<Offset>(begins.begin() + 1, begins.end());
  scan.items = values_of<u32>(scan.input, OperandRole::input, kScanned);
  scan.results.resize(kScanned);
  std::memset(scan.results.data(), static_cast<int>(kUnwritten), kScanned * sizeof(u32));
  scan.segments_of.resize(kScanned);
  unsigned char init[kMaxValueBytes] = {};
  fill_init(request, init);
  for (u64 segment = 0; segment < kSegments; ++segment) {
    const auto begin = std::max<i64>(static_cast<i64>(begins[segment]), 0);
    const auto end = std::min<i64>(static_cast<i64>(ends[segment]), static_cast<i64>(kScanned));
    if (begin >= end) ++scan.empty;
    u32 sum = 0;
    std::memcpy(&sum, init, sizeof sum);
    for (i64 step = 0; step < end - begin; ++step) {
      const auto item = static_cast<u64>(direction == Direction::reverse ? end - 1 - step : begin + step);
      scan.results[item] = kind == Kind::exclusive ? sum : sum + scan.items[item];
      sum += scan.items[item];
      ++scan.segments_of[item];
    }
  }
  return scan;
}

std::optional<Mismatch> wrong_of(const DrawnScan& scan) {
  return make_reference(scan.input)->check(0, std::as_bytes(std::span(scan.results)));
}

void check(DrawnScan scan) {
  SCOPED_TRACE(to_string(scan.input.request));
  EXPECT_LE(*std::ranges::max_element(scan.segments_of), 1) << "segments have items in common";
  const auto wrong = wrong_of(scan);
  EXPECT_FALSE(wrong) << "item " << wrong->index << ": " << wrong->expected << ", " << wrong->found;
  for (u64 item = 0; item < kScanned; ++item)
    if (scan.segments_of[item] == 0) scan.results[item] = scan.items[item];
  EXPECT_FALSE(wrong_of(scan)) << "in place";
  std::vector<u64> spoiled = {0, kScanned / 2, kScanned - 1};
  const auto outside = std::ranges::find(scan.segments_of, 0);
  if (outside != scan.segments_of.end()) spoiled.push_back(static_cast<u64>(outside - scan.segments_of.begin()));
  for (const u64 item : spoiled) {
    scan.results[item] ^= 1u << 20;
    const auto found = wrong_of(scan);
    ASSERT_TRUE(found) << item;
    EXPECT_EQ(found->index, item);
    scan.results[item] ^= 1u << 20;
  }
}

TEST(ReferenceOfOffsets, AgreesWithALoopOverTheOffsets) {
  for (const Direction direction : {Direction::forward, Direction::reverse})
    for (const Kind kind : {Kind::inclusive, Kind::exclusive}) {
      check(drawn_scan<i32>(OffsetType::i32, OffsetForm::begins_and_ends, direction, kind));
      check(drawn_scan<u64>(OffsetType::u64, OffsetForm::begins_and_ends, direction, kind));
      check(drawn_scan<u32>(OffsetType::u32, OffsetForm::bounds, direction, kind));
      check(drawn_scan<i64>(OffsetType::i64, OffsetForm::bounds, direction, kind));
    }
}

TEST(ReferenceOfOffsets, DrawsGapsAndWrongOffsets) {
  const DrawnScan scan =
      drawn_scan<i64>(OffsetType::i64, OffsetForm::begins_and_ends, Direction::forward, Kind::inclusive);
  EXPECT_GT(std::ranges::count(scan.segments_of, 0), 10);
  EXPECT_GT(scan.empty, 10);
  const auto begins = values_of<i64>(scan.input, OperandRole::begins, kSegments);
  const auto ends = values_of<i64>(scan.input, OperandRole::ends, kSegments);
  EXPECT_FALSE(std::ranges::is_sorted(begins));
  EXPECT_LT(*std::ranges::min_element(begins), 0);
  EXPECT_GT(*std::ranges::max_element(ends), static_cast<i64>(kScanned));
  EXPECT_NE(std::ranges::mismatch(begins, ends, [](i64 begin, i64 end) { return begin <= end; }).in1, begins.end());
}

}  // namespace
}  // namespace scantune
