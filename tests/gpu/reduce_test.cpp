// Reductions on the GPU: every family at edge sizes, at 2^28 and past 2^32 items, in graphs and on two streams.
#include "edge_sizes.h"
#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

ReduceRequest reduction_of(const Types& types, Operator op, u64 n, Position position = Position::none) {
  const ScanRequest scan = types.request(op, n);
  return {.input_type = scan.input_type,
          .accumulator_type = scan.accumulator_type,
          .output_type = scan.output_type,
          .op = op,
          .position = position,
          .init = position == Position::none ? Init::value : Init::none,
          .custom_bytes = scan.custom_bytes,
          .custom_alignment = scan.custom_alignment,
          .n = n};
}

std::vector<ReduceRequest> reductions(u64 n) {
  return {reduction_of(same("i32"), Operator::sum, n),
          reduction_of(from_to("i8", "i64"), Operator::sum, n),
          reduction_of(same("u16"), Operator::max, n),
          reduction_of(same("f32"), Operator::sum, n),
          reduction_of(same("f16"), Operator::min, n),
          reduction_of(same("f64"), Operator::product, n),
          reduction_of(custom(12), Operator::custom_cheap, n),
          reduction_of(custom(32), Operator::custom_expensive, n),
          reduction_of(same("f32"), Operator::min, n, Position::first),
          reduction_of(same("i8"), Operator::max, n, Position::first)};
}

class ReductionsOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  ReductionsOnGpu() : FamiliesOnGpu(std::chrono::minutes(9)) {}

  // Returns a request that the family is for: a family of rows or columns gets three, of one item or more, one of short
  // rows as many as make them short, and one of segments three of any.
  static ReduceRequest asked_of_family(ReduceRequest request) {
    if (is_of("reduce_columns")) {
      request.segments = Segments::columns;
      request.columns = request.n < 3 ? 1 : 3;
      return request;
    }
    if (is_of("reduce_segments")) {
      request.segments = Segments::offsets;
      request.segment_count = 3;
      if (request.has_position()) request.init = Init::value;
      return request;
    }
    if (!has_rows()) return request;
    request.segments = Segments::rows;
    request.rows = is_of("reduce_short_rows") ? ceil_div(request.n, kShortRowItems) : 3;
    if (unsupported_reason(request) != nullptr) request.rows = 1;
    return request;
  }

  static constexpr u64 kShortRowItems = 48;  // whole vectors of any type
  static bool is_of(std::string_view family) { return GetParam()->name() == family; }
  static bool has_rows() { return is_of("reduce_rows") || is_of("reduce_short_rows") || is_of("reduce_segments"); }
  // All items as the family takes them: as one column.
  static runtime::Segments segments(u64 n) {
    return is_of("reduce_columns") ? runtime::Segments::columns(1, n) : runtime::Segments();
  }

  bool supports(const ReduceRequest& request) const {
    return GetParam()->unsupported_reason(asked_of_family(request), sm()) == nullptr;
  }

  // The family's own config, as programs give it.
  static std::string config() { return std::string(R"({"family": ")") + GetParam()->name() + "\"}"; }

  // Reduces so many ones, among which a nine stands at each of the places, and then all of them but the first. A one
  // more behind them belongs to neither.
  void expect_right_of_ones_and_nines(u64 items, const std::vector<u64>& places) {
    const runtime::Buffer<std::int8_t> input(items + 1);
    device_->fill(input.data(), std::byte{1}, items + 1);
    const std::int8_t nine = 9;
    for (const u64 place : places) device_->upload(input.data() + place, &nine, 1);
    for (const u64 offset : {u64{0}, u64{1}}) {
      SCOPED_TRACE(std::to_string(offset) + " items left out");
      const u64 n = items - offset, total = n + 8 * places.size();
      expect_sum<std::int32_t>(input.data() + offset, n, total);  // of every family; it wraps
      if (supports(reduction_of(from_to("i8", "i64"), Operator::sum, n)))
        expect_sum<std::int64_t>(input.data() + offset, n, total);
      if (supports(reduction_of(same("i8"), Operator::max, n, Position::first)))
        expect_first_nine(input.data() + offset, n, places.front() - offset);
    }
  }

 private:
  template <class Sum>
  static void expect_sum(const std::int8_t* items, u64 n, u64 expected) {
    const runtime::Buffer<Sum> sum(1);
    runtime::reduce(items, sum.data(), n, {.segments = segments(n), .config = config()});
    Sum found = 0;
    sum.download(&found);
    EXPECT_EQ(found, static_cast<Sum>(expected));
  }

  static void expect_first_nine(const std::int8_t* items, u64 n, u64 place) {
    const runtime::Buffer<std::int8_t> greatest(1);
    const runtime::Buffer<std::uint64_t> index(1);
    runtime::argmax(items, greatest.data(), index.data(), n, {.segments = segments(n), .config = config()});
    std::int8_t most = 0;
    std::uint64_t found = 0;
    greatest.download(&most);
    index.download(&found);
    EXPECT_EQ(most, 9);
    EXPECT_EQ(found, place);
    if (n <= u64{1} << 31) {
      const runtime::Buffer<std::int32_t> narrow(1);
      runtime::argmax(items, greatest.data(), narrow.data(), n, {.segments = segments(n), .config = config()});
      std::int32_t found_narrow = 0;
      narrow.download(&found_narrow);
      EXPECT_EQ(static_cast<u64>(found_narrow), place);
    }
    runtime::reduce(items, greatest.data(), n, {.op = runtime::Op::max, .segments = segments(n), .config = config()});
    greatest.download(&most);
    EXPECT_EQ(most, 9);
  }
};

TEST_P(ReductionsOnGpu, AreRightAtEdgeSizes) {
  int verified = 0;
  for (const ReduceRequest& of : reductions(100'000)) {
    if (!supports(of)) continue;
    ReduceRequest request = asked_of_family(of);
    std::vector<Config> configs = drawn_configs(*GetParam(), request, sm(), 3);
    configs.push_back(GetParam()->default_config(request, sm()));
    for (const Config& config : configs)
      for (const u64 n : edge_sizes(static_cast<u64>(GetParam()->tile_items(config, request)))) {
        request.n = n;
        request = asked_of_family(request);
        if (reject_reason(config, request, sm()) != nullptr) continue;
        verify(request, config, n == 1);
        ++verified;
      }
  }
  EXPECT_GT(verified, 0);
}

TEST_P(ReductionsOnGpu, AreRightOfManyItems) {
  if (has_rows()) GTEST_SKIP() << "its requests have rows or segments";
  constexpr u64 kItems = (u64{1} << 28) + 5;
  expect_right_of_ones_and_nines(kItems, {kItems / 2 + 3, kItems - 1});
}

// Sums of floats have the same bits in every replay, whatever the items before them were.
TEST_P(ReductionsOnGpu, AreRightInEveryReplayOfAGraph) {
  constexpr u64 kItems = 3'000'001;
  if (has_rows()) GTEST_SKIP() << "its requests have rows or segments";
  const auto integers = random_items(kItems, 5), others = random_items(kItems, 6);
  std::vector<float> numbers(kItems);
  for (u64 item = 0; item < kItems; ++item) numbers[item] = static_cast<float>(integers[item]);
  const TestStream stream;
  runtime::Buffer<std::int32_t> items(integers);
  const runtime::Buffer<std::int32_t> sum(1);
  const runtime::Buffer<float> floats(numbers), rounded(1);
  const bool of_f32 = supports(reduction_of(same("f32"), Operator::sum, kItems));
  const auto plan = runtime::reduce_plan<std::int32_t>(kItems, {.segments = segments(kItems), .config = config()});
  std::optional<runtime::ScanPlan<float>> of_floats;
  if (of_f32) of_floats = runtime::reduce_plan<float>(kItems, {.segments = segments(kItems), .config = config()});
  const TestGraph graph(stream, [&] {
    for (int repeat = 0; repeat < 4; ++repeat) plan(items.data(), sum.data(), stream);
    if (of_floats) (*of_floats)(floats.data(), rounded.data(), stream);
  });
  std::optional<float> first;
  for (int replay = 0; replay < 100; ++replay) {
    const auto& given = replay % 2 == 0 ? integers : others;
    if (replay < 6) items.upload(given.data());
    graph.launch(stream);
    stream.synchronize();
    if (replay < 6) {
      EXPECT_EQ(downloaded(sum).front(), inclusive_sum(given).back());
    }
    if (!of_f32) continue;
    float total = 0;
    rounded.download(&total);
    if (!first) first = total;
    EXPECT_EQ(total, *first) << "replay " << replay;
  }
}

TEST_P(ReductionsOnGpu, AreRightOnTwoStreamsAtOnce) {
  if (has_rows()) GTEST_SKIP() << "its requests have rows or segments";
  const auto items = random_items(2'000'003, 7);
  const runtime::Buffer<std::int32_t> input(items), large(1), small(1);
  const auto of_all =
      runtime::reduce_plan<std::int32_t>(items.size(), {.segments = segments(items.size()), .config = config()});
  const auto of_some = runtime::reduce_plan<std::int32_t>(5'000, {.segments = segments(5'000), .config = config()});
  const TestStream first, second;
  for (int round = 0; round < 300; ++round) {
    of_all(input.data(), large.data(), first);
    of_some(input.data(), small.data(), second);
    of_some(input.data() + 1, small.data(), first);
    of_some(input.data(), small.data(), first);
    of_all(input.data(), large.data(), second);
  }
  first.synchronize();
  second.synchronize();
  const auto sums = inclusive_sum(items);
  EXPECT_EQ(downloaded(large).front(), sums.back());
  EXPECT_EQ(downloaded(small).front(), sums[4'999]);
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, ReductionsOnGpu,
                         testing::ValuesIn(families_of<ReduceRequest>(Standing::library)), name_of_family);

// Short rows of many lengths, from an item past a vector boundary on, and from one on it.
class ShortRowsOnGpu : public ReductionsOnGpu {};

TEST_P(ShortRowsOnGpu, AreSummedAndSearchedFromAnyItemOn) {
  if (!is_of("reduce_rows") && !is_of("reduce_short_rows")) GTEST_SKIP() << "it takes no rows";
  constexpr u64 kRows = 20'011;
  for (const u64 length : {3, 7, 31, 188})
    for (const u64 offset : {u64{0}, u64{1}}) {
      SCOPED_TRACE(std::to_string(length) + " items from item " + std::to_string(offset) + " on");
      const u64 n = kRows * length;
      const auto items = random_items(n + offset, static_cast<unsigned>(length));
      const runtime::Buffer<std::int32_t> input(items), sums(kRows), greatest(kRows);
      const runtime::Buffer<std::uint64_t> indices(kRows);
      const auto segments = runtime::Segments::rows(kRows, length);
      runtime::reduce(input.data() + offset, sums.data(), n, {.segments = segments, .config = config()});
      runtime::argmax(input.data() + offset, greatest.data(), indices.data(), n,
                      {.segments = segments, .config = config()});
      const auto found_sums = downloaded(sums), found_greatest = downloaded(greatest);
      std::vector<std::uint64_t> found_indices(kRows);
      indices.download(found_indices.data());
      for (u64 row = 0; row < kRows; ++row) {
        const auto begin = items.begin() + static_cast<std::ptrdiff_t>(offset + row * length);
        const auto end = begin + static_cast<std::ptrdiff_t>(length), best = std::max_element(begin, end);
        u32 sum = 0;
        for (auto item = begin; item != end; ++item) sum += static_cast<u32>(*item);
        ASSERT_EQ(static_cast<u32>(found_sums[row]), sum) << "row " << row;
        ASSERT_EQ(found_greatest[row], *best) << "row " << row;
        ASSERT_EQ(found_indices[row], static_cast<u64>(best - begin)) << "row " << row;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, ShortRowsOnGpu,
                         testing::ValuesIn(families_of<ReduceRequest>(Standing::library)), name_of_family);

class ShortRowsLargeOnGpu : public ShortRowsOnGpu {};

// Half of an index would lead to another row: only the last one has another sum.
TEST_P(ShortRowsLargeOnGpu, AreRightOfMoreThan2To32Items) {
  if (!is_of("reduce_rows") && !is_of("reduce_short_rows")) GTEST_SKIP() << "it takes no rows";
  constexpr u64 kLength = 48, kRows = (u64{1} << 32) / kLength + 1'000, kItems = kRows * kLength;
  constexpr u64 kBytes = kItems + kRows;
  if (kBytes + kBytes / 50 > free_device_bytes()) GTEST_SKIP() << "needs more memory than the GPU has free";
  const runtime::Buffer<std::int8_t> input(kItems), sums(kRows);
  device_->fill(input.data(), std::byte{1}, kItems);
  const std::int8_t nine = 9;
  device_->upload(input.data() + kItems - 1, &nine, 1);
  runtime::reduce(input.data(), sums.data(), kItems,
                  {.segments = runtime::Segments::rows(kRows, kLength), .config = config()});
  std::vector<std::int8_t> found(kRows), expected(kRows, kLength);
  expected.back() += 8;
  sums.download(found.data());
  EXPECT_EQ(std::ranges::mismatch(found, expected).in1, found.end());
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, ShortRowsLargeOnGpu,
                         testing::ValuesIn(families_of<ReduceRequest>(Standing::library)), name_of_family);

class LongRowsOnGpu : public FamiliesOnGpu {
 protected:
  LongRowsOnGpu() : FamiliesOnGpu(std::chrono::minutes(5)) {}
};

// Two rows that begin anywhere, of which many CTAs reduce shares. The greatest item is in two shares.
TEST_F(LongRowsOnGpu, AreRightPast2To32ItemsEach) {
  constexpr u64 kLength = (u64{1} << 32) + 5, kApart = kLength + 3, kRows = 2;
  if (kRows * kApart + kRows * kApart / 50 > free_device_bytes()) GTEST_SKIP() << "needs more memory than the GPU has";
  const runtime::Buffer<std::int8_t> input(kRows * kApart), greatest(kRows);
  device_->fill(input.data(), std::byte{1}, kRows * kApart);
  const std::int8_t nine = 9;
  for (u64 row = 0; row < kRows; ++row)
    for (const u64 place : {kLength / 2 + row, kLength - 1})
      device_->upload(input.data() + 1 + row * kApart + place, &nine, 1);
  const auto segments = runtime::Segments::rows({.count = kRows, .length = kLength, .row_stride = kApart});
  const runtime::Buffer<std::int64_t> sums(kRows);
  const runtime::Buffer<std::uint64_t> indices(kRows);
  runtime::reduce(input.data() + 1, sums.data(), kRows * kLength, {.segments = segments});
  runtime::argmax(input.data() + 1, greatest.data(), indices.data(), kRows * kLength, {.segments = segments});
  const std::int64_t sum = static_cast<std::int64_t>(kLength) + 16;
  std::vector<std::int64_t> found_sums(kRows);
  std::vector<std::uint64_t> found_indices(kRows);
  sums.download(found_sums.data());
  indices.download(found_indices.data());
  EXPECT_EQ(found_sums, (std::vector<std::int64_t>{sum, sum}));
  EXPECT_EQ(found_indices, (std::vector<std::uint64_t>{kLength / 2, kLength / 2 + 1}));
}

class SegmentsOnGpu : public FamiliesOnGpu {
 protected:
  SegmentsOnGpu() : FamiliesOnGpu(std::chrono::minutes(5)) {}
};

// Segments of a few items, of thousands and of most of the input, in no order, on eight streams at once and in a graph
// on each: those on the list of one launch are not on that of another.
TEST_F(SegmentsOnGpu, AreRightInGraphsOnEightStreamsAtOnce) {
  constexpr u64 kItems = 2'000'003, kSegments = 5'000;
  const auto items = random_items(kItems, 8), sums = inclusive_sum(items);
  std::vector<std::int64_t> begins, ends;
  std::vector<std::int32_t> expected;
  for (u64 segment = 0; segment < kSegments; ++segment) {
    const u64 begin = segment * 7919 * 31 % kItems;
    const u64 length = segment % 1'000 == 5 ? kItems / 2 : segment % 100 == 7 ? 30'000 : segment % 60;
    begins.push_back(static_cast<std::int64_t>(begin));
    ends.push_back(static_cast<std::int64_t>(std::min(begin + length, kItems)));
    const auto before = [&](u64 end) { return end == 0 ? 0u : static_cast<u32>(sums[end - 1]); };
    expected.push_back(
        static_cast<std::int32_t>(before(static_cast<u64>(ends.back())) - before(static_cast<u64>(begins.back()))));
  }
  const runtime::Buffer<std::int32_t> input(items);
  const runtime::Buffer<std::int64_t> first(begins), last(ends);
  const auto plan =
      runtime::segmented_reduce_ranges_plan<std::int32_t, std::int64_t>(kItems, kSegments, {.captured_launches = 16});
  const std::vector<TestStream> streams(8);
  std::vector<runtime::Buffer<std::int32_t>> outputs;
  std::vector<std::unique_ptr<TestGraph>> graphs;
  for (const TestStream& stream : streams) {
    const runtime::Buffer<std::int32_t>& output = outputs.emplace_back(2 * kSegments);
    graphs.push_back(std::make_unique<TestGraph>(stream, [&] {
      for (int half = 0; half < 2; ++half)
        plan(input.data(), first.data(), last.data(), output.data() + static_cast<u64>(half) * kSegments, stream);
    }));
  }
  for (int round = 0; round < 50; ++round)
    for (std::size_t index = 0; index < streams.size(); ++index) {
      graphs[index]->launch(streams[index]);
      plan(input.data(), first.data(), last.data(), outputs[index].data(), streams[index]);
    }
  for (std::size_t index = 0; index < streams.size(); ++index) {
    streams[index].synchronize();
    const std::vector<std::int32_t> found = downloaded(outputs[index]);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin())) << "stream " << index;
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin() + kSegments)) << "stream " << index;
  }
}

// More items than 32 bits count, and the last segment has the last of them.
TEST_F(SegmentsOnGpu, AreRightPast2To32Items) {
  constexpr u64 kItems = (u64{1} << 32) + 5, kSegments = 3;
  if (kItems + kItems / 50 > free_device_bytes()) GTEST_SKIP() << "needs more memory than the GPU has free";
  const runtime::Buffer<std::int8_t> input(kItems);
  device_->fill(input.data(), std::byte{1}, kItems);
  const runtime::Buffer<std::uint64_t> bounds(std::vector<std::uint64_t>{7, kItems - 9, kItems - 9, kItems});
  const runtime::Buffer<std::int64_t> sums(kSegments);
  runtime::segmented_reduce(input.data(), bounds.data(), sums.data(), kItems, kSegments);
  std::vector<std::int64_t> found(kSegments);
  sums.download(found.data());
  EXPECT_EQ(found, (std::vector<std::int64_t>{static_cast<std::int64_t>(kItems) - 16, 0, 9}));
}

class SegmentsLargeOnGpu : public SegmentsOnGpu {};

// The last segment, past all that 32 bits count, has all items.
TEST_F(SegmentsLargeOnGpu, AreRightOfMoreThan2To32Segments) {
  constexpr u64 kItems = 9, kSegments = (u64{1} << 32) + 5, kBounds = kSegments + 1;
  constexpr u64 kBytes = kBounds * sizeof(std::uint32_t) + kSegments;
  if (kBytes + kBytes / 50 > free_device_bytes()) GTEST_SKIP() << "needs more memory than the GPU has free";
  const runtime::Buffer<std::int8_t> input(std::vector<std::int8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}), sums(kSegments);
  const runtime::Buffer<std::uint32_t> bounds(kBounds);
  device_->fill(bounds.data(), std::byte{0}, kBounds * sizeof(std::uint32_t));
  device_->fill(sums.data(), std::byte{99}, kSegments);
  const std::uint32_t last = kItems;
  device_->upload(bounds.data() + kSegments, &last, sizeof last);
  runtime::segmented_reduce(input.data(), bounds.data(), sums.data(), kItems, kSegments);
  std::vector<std::int8_t> found(7);
  device_->download(found.data(), sums.data() + kSegments - found.size(), found.size());
  EXPECT_EQ(found, (std::vector<std::int8_t>{0, 0, 0, 0, 0, 0, 45}));
  device_->download(found.data(), sums.data(), found.size());
  EXPECT_EQ(found, std::vector<std::int8_t>(7, 0));
}

class ReductionsLargeOnGpu : public ReductionsOnGpu {};

// Half of the index, or a count of 32 bits, would lead elsewhere: all other items are the same.
TEST_P(ReductionsLargeOnGpu, AreRightOfMoreThan2To32Items) {
  if (has_rows()) GTEST_SKIP() << "its requests have rows or segments";
  constexpr u64 kItems = (u64{1} << 32) + 5;
  if (kItems + kItems / 50 > free_device_bytes()) GTEST_SKIP() << "needs more memory than the GPU has free";
  expect_right_of_ones_and_nines(kItems, {kItems - 3});
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, ReductionsLargeOnGpu,
                         testing::ValuesIn(families_of<ReduceRequest>(Standing::library)), name_of_family);

class SmallReductionsOnGpu : public ReductionsOnGpu {};

TEST_P(SmallReductionsOnGpu, RunUnderTheSanitizers) {
  bool reduced = false;
  for (const ReduceRequest& of : reductions(20'001)) {
    if (!supports(of)) continue;
    const ReduceRequest request = asked_of_family(of);
    verify(request, GetParam()->default_config(request, sm()), true);
    for (const Config& config : drawn_configs(*GetParam(), request, sm(), 1)) verify(request, config, false);
    reduced = true;
  }
  EXPECT_TRUE(reduced);
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, SmallReductionsOnGpu,
                         testing::ValuesIn(families_of<ReduceRequest>(Standing::library)), name_of_family);

}  // namespace
}  // namespace scantune
