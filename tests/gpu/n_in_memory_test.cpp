// Graphs of scans whose number of items lies in memory, and is another one at every replay.
#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

using runtime::Buffer;

class NInMemoryOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {};

ScanRequest reading_n(u64 most) { return {.n_source = NSource::memory, .n = most}; }

template <class T>
std::vector<T> contents_of(const Buffer<T>& buffer, std::size_t items) {
  std::vector<T> contents(items);
  buffer.download(contents.data());
  return contents;
}

// The second scan goes on from the last result of the first, and in place, so that both overlap where they may.
TEST_P(NInMemoryOnGpu, MayChangeBetweenReplaysOfOneGraph) {
  constexpr std::int32_t kPoison = 0x5a5a5a5a;
  bool scanned = false;
  const char* unsupported = nullptr;
  for (const u64 most : {u64{3'000}, u64{100'003}, (u64{1} << 22) + 77}) {
    if (const char* reason = GetParam()->unsupported_reason(reading_n(most), sm())) {
      unsupported = reason;
      continue;
    }
    const TestStream stream;
    const auto items = random_items(most, 7);
    const auto sums = inclusive_sum(items);
    const auto sums_of_sums = inclusive_sum(sums);
    const Buffer<std::int32_t> input(items);
    Buffer<std::int32_t> output(most), twice(most);
    Buffer<std::uint64_t> n(1);
    Buffer<std::uint32_t> narrow(1);
    const Buffer<std::uint32_t> clamped(1);
    const std::vector<std::int32_t> poison(most, kPoison);
    const std::string config = std::string("{\"family\": \"") + GetParam()->name() + "\"}";
    runtime::ScanOptions<std::int32_t> options{
        .device_n = n.data(), .device_clamped = clamped.data(), .config = config};
    if (most == 100'003) options.device_n = narrow.data();
    const auto plan = runtime::plan<std::int32_t>(most, options);
    const TestGraph graph(stream, [&] {
      plan(input.data(), output.data(), stream);
      plan(output.data(), twice.data(), stream);
      plan(twice.data(), twice.data(), stream);
    });
    const auto sums_of_those = inclusive_sum(sums_of_sums);
    for (const std::uint64_t items_now :
         {most, u64{0}, u64{1}, most - 1, most / 3, u64{1025}, most + 5, u64{9}, most}) {
      output.upload(poison.data());
      twice.upload(poison.data());
      n.upload(&items_now);
      const auto narrow_now = static_cast<std::uint32_t>(items_now);
      narrow.upload(&narrow_now);
      graph.launch(stream);
      stream.synchronize();
      const auto end = static_cast<std::ptrdiff_t>(std::min<u64>(items_now, most));
      auto expected = sums, expected_twice = sums_of_those;
      std::fill(expected.begin() + end, expected.end(), kPoison);
      std::fill(expected_twice.begin() + end, expected_twice.end(), kPoison);
      ASSERT_EQ(downloaded(output), expected) << items_now << " of " << most;
      ASSERT_EQ(downloaded(twice), expected_twice) << items_now << " of " << most;
      ASSERT_EQ(contents_of(clamped, 1).front(), items_now > most ? 1u : 0u);
    }
    scanned = true;
  }
  if (!scanned) GTEST_SKIP() << unsupported;
}

// Every replay's number comes from the scan before, as a count that a kernel has written just now.
TEST_P(NInMemoryOnGpu, MayComeFromTheScanRightBefore) {
  constexpr u64 kMost = 200'000;
  ScanRequest request = reading_n(kMost);
  request.input_type = request.accumulator_type = request.output_type = ValueType::u64;
  if (const char* reason = GetParam()->unsupported_reason(request, sm())) GTEST_SKIP() << reason;
  const TestStream stream;
  const std::vector<std::uint64_t> ones(kMost, 1);
  const Buffer<std::uint64_t> input(ones);
  Buffer<std::uint64_t> n(1);
  const std::vector<std::uint64_t> zeros(kMost);
  const std::string config = std::string("{\"family\": \"") + GetParam()->name() + "\"}";
  const std::vector<std::uint64_t> numbers{kMost, 131'072, 131'071, 60'001, 4'097, 4'096, 1'000, 33, 2};
  std::vector<Buffer<std::uint64_t>> outputs;
  for (std::size_t scan = 0; scan < numbers.size(); ++scan) outputs.emplace_back(kMost);
  std::vector<runtime::ScanPlan<std::uint64_t>> plans;
  for (std::size_t scan = 0; scan < numbers.size(); ++scan)
    plans.push_back(runtime::plan<std::uint64_t>(
        kMost, {.device_n = scan == 0 ? n.data() : outputs[scan - 1].data() + numbers[scan] - 1, .config = config}));
  const auto scan_all = [&] {
    for (std::size_t scan = 0; scan < plans.size(); ++scan) plans[scan](input.data(), outputs[scan].data(), stream);
  };
  const TestGraph graph(stream, scan_all);
  n.upload(&numbers.front());
  for (int replay = 0; replay < 20; ++replay) {
    for (auto& output : outputs) output.upload(zeros.data());
    graph.launch(stream);
    stream.synchronize();
    for (std::size_t scan = 0; scan < outputs.size(); ++scan) {
      const auto found = contents_of(outputs[scan], kMost);
      for (u64 item = 0; item < kMost; ++item)
        ASSERT_EQ(found[item], item < numbers[scan] ? item + 1 : 0) << "scan " << scan << ", replay " << replay;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, NInMemoryOnGpu, testing::ValuesIn(scan_families()), name_of_family);

}  // namespace
}  // namespace scantune
