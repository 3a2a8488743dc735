// Scans of segments by offsets on the GPU: of every average length, on eight streams and in graphs.
#include <algorithm>
#include <memory>

#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

class OffsetScansOnGpu : public FamiliesOnGpu {
 protected:
  OffsetScansOnGpu() : FamiliesOnGpu(std::chrono::minutes(9)) {}

  static ScanRequest request_of(const Types& types, u64 n, u64 segments, unsigned turn) {
    ScanRequest request = types.request(operators_of(types).front(), n);
    request.segments = Segments::offsets;
    request.segment_count = segments;
    request.offset_type = static_cast<OffsetType>(turn % 4);
    request.offset_form = static_cast<OffsetForm>(turn / 2 % 2);
    request.count_source = static_cast<CountSource>(turn % 3);
    request.direction = static_cast<Direction>(turn / 3 % 2);
    if (turn % 5 < 2) request.determinism = Determinism::run_to_run;
    return request;
  }
};

TEST_F(OffsetScansOnGpu, AreRightOfSegmentsOfEveryLength) {
  unsigned turn = 0;
  for (const Types& types :
       {same("i32"), same("u8"), same("f64"), from_to("i8", "i64"), same("f16"), same("f32"), custom(12), custom(32)})
    for (const u64 segments : {1, 7, 300, 30'000, 900'000}) {
      const ScanRequest request = request_of(types, 1'500'007, segments, turn);
      for (const FamilyModel* const family : {find_family("scan_segments"), find_family("lookback_segments")}) {
        if (family->unsupported_reason(request, sm()) != nullptr) continue;
        verify(request, family->default_config(request, sm()), turn % 8 == 0);
        for (const Config& config : drawn_configs(*family, request, sm(), 1, turn)) verify(request, config, false);
        ASSERT_EQ(device_->failure(), "");
      }
      ++turn;
    }
}

// Segments of a few items, of thousands and of a third of the input, in no order, in place, on eight streams at once
// and in a graph on each: those on the list of one launch are not on that of another.
TEST_F(OffsetScansOnGpu, AreRightInGraphsOnEightStreamsAtOnce) {
  constexpr u64 kItems = 2'000'003, kSegments = 5'003;
  const auto items = random_items(kItems, 8);
  std::vector<std::int64_t> begins(kSegments), ends(kSegments);
  std::vector<std::int32_t> once(items), twice;
  u64 place = 0;
  for (u64 number = 0; number < kSegments; ++number) {
    const u64 length = number == 700 ? kItems / 3 : number % 250 == 7 ? 30'000 : number % 60;
    const u64 begin = std::min(place, kItems), end = std::min(begin + length, kItems),
              segment = number * 37 % kSegments;
    begins[segment] = static_cast<std::int64_t>(begin);
    ends[segment] = static_cast<std::int64_t>(end);
    place = end + number % 3;
  }
  const auto scan = [&](std::vector<std::int32_t> values) {
    for (u64 segment = 0; segment < kSegments; ++segment)
      for (auto item = static_cast<u64>(begins[segment]) + 1; item < static_cast<u64>(ends[segment]); ++item)
        values[item] = static_cast<std::int32_t>(static_cast<u32>(values[item]) + static_cast<u32>(values[item - 1]));
    return values;
  };
  once = scan(items);
  twice = scan(once);
  const runtime::Buffer<std::int64_t> first(begins), last(ends);
  const auto plan =
      runtime::segmented_scan_ranges_plan<std::int32_t, std::int64_t>(kItems, kSegments, {.captured_launches = 16});
  const std::vector<TestStream> streams(8);
  const runtime::Buffer<std::int32_t> input(items);
  std::vector<runtime::Buffer<std::int32_t>> outputs;
  std::vector<std::unique_ptr<TestGraph>> graphs;
  for (const TestStream& stream : streams) {
    const runtime::Buffer<std::int32_t>& output = outputs.emplace_back(items);
    graphs.push_back(std::make_unique<TestGraph>(stream, [&] {
      plan(input.data(), first.data(), last.data(), output.data(), stream);
      plan(output.data(), first.data(), last.data(), output.data(), stream);
    }));
  }
  for (int round = 0; round < 20; ++round)
    for (std::size_t index = 0; index < streams.size(); ++index) {
      plan(input.data(), first.data(), last.data(), outputs[index].data(), streams[index]);
      graphs[index]->launch(streams[index]);
    }
  for (std::size_t index = 0; index < streams.size(); ++index) {
    streams[index].synchronize();
    EXPECT_TRUE(downloaded(outputs[index]) == twice) << "stream " << index;
  }
}

// More items than 32 bits count, and the last segment has the last of them.
TEST_F(OffsetScansOnGpu, AreRightPast2To32Items) {
  constexpr u64 kItems = (u64{1} << 32) + 5, kSegments = 3;
  if (2 * kItems + kItems / 50 > free_device_bytes()) GTEST_SKIP() << "needs more memory than the GPU has free";
  const runtime::Buffer<std::int8_t> input(kItems), output(kItems);
  device_->fill(input.data(), std::byte{1}, kItems);
  const runtime::Buffer<std::uint64_t> bounds(std::vector<std::uint64_t>{7, kItems - 9, kItems - 9, kItems});
  runtime::segmented_scan(input.data(), bounds.data(), output.data(), kItems, kSegments);
  std::vector<std::int8_t> found(20);
  device_->download(found.data(), output.data() + kItems - found.size(), found.size());
  for (u64 item = 0; item < found.size(); ++item)
    EXPECT_EQ(found[item], static_cast<std::int8_t>(item < 11 ? kItems - 7 - found.size() + item + 1 : item - 10));
}

// A few of them are on the list.
TEST_F(OffsetScansOnGpu, OfFewItemsRunUnderTheSanitizers) {
  const FamilyModel &family = *find_family("scan_segments"), &in_one_pass = *find_family("lookback_segments");
  unsigned turn = 0;
  for (const Types& types : {same("i32"), same("f16"), custom(12)}) {
    const ScanRequest bounded = request_of(types, 40'007, 11, 4);  // by bounds, in reverse
    ASSERT_EQ(in_one_pass.unsupported_reason(bounded, sm()), nullptr);
    verify(bounded, in_one_pass.default_config(bounded, sm()), false);
    for (const char* threads : {"2", "32", "1024"}) {
      const ScanRequest request = request_of(types, 40'007, 11, turn++);
      Config config = family.default_config(request, sm());
      for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index) {
        const std::string_view name = family.parameters()[static_cast<std::size_t>(index)].name;
        if (name == "segment_threads") config[index] = std::stoi(threads);
        if (name == "warp_segments") config[index] = threads == std::string_view("1024") ? 0 : 4;
        if (name == "long_tiles") config[index] = 4;
      }
      verify(request, config, false);
    }
  }
}

}  // namespace
}  // namespace scantune
