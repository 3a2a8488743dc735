// Tiles of packed items that the input does not fill: their padding must change nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "scan_kernels.h"

namespace scantune::packed_tiles_test {
namespace {

struct PaddedProblem {
  const char* name;
  Operator op;
  int smallest, largest;  // the range of items, which has no value that padding may have by chance
};

constexpr PaddedProblem kProblems[] = {
    {"sum", Operator::sum, -128, 127}, {"min", Operator::min, 1, 127}, {"max", Operator::max, -128, -1}};

// Sizes around words, vectors, rows and the tile of 2048.
constexpr std::size_t kCounts[] = {1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 511, 513, 1022, 1023, 1024, 1025, 2045, 2047};

using Sample = std::tuple<PaddedProblem, const char*, u64>;

class PackedTiles : public testing::TestWithParam<Sample> {
 protected:
  static int combined(int earlier, int later) {
    switch (std::get<PaddedProblem>(GetParam()).op) {
      case Operator::min:
        return std::min(earlier, later);
      case Operator::max:
        return std::max(earlier, later);
      default:
        return earlier + later;
    }
  }

  // The aggregate of one tile, which three_phase leaves in its workspace.
  int aggregate(ScanRequest request, const Config& config, const std::vector<i8>& items, u64 misaligned_bytes) {
    request.n = items.size();
    const Variant variant = misaligned_bytes == 0 ? Variant::aligned : Variant::any;
    const Module& module = kernels_.get(request, config, nullptr, variant);
    if (is_rehearsal()) return 0;
    const GuardedMemory input(device_, items.size(), misaligned_bytes), output(device_, items.size(), misaligned_bytes);
    std::copy(items.begin(), items.end(), reinterpret_cast<i8*>(input.data()));
    const Workspace workspace(device_, config.family().workspace(config, request));
    const auto launches =
        scan_launches(module, config, request, {input.data(), output.data(), workspace.data(), nullptr}, variant);
    device_.run(launches, Schedule::from_seed(1));
    return *static_cast<const i32*>(workspace.data());
  }

 private:
  HostDevice device_;
  ScanKernels kernels_;
};

TEST_P(PackedTiles, HaveTheAggregateOfTheirItems) {
  const auto& [problem, layout, misaligned_bytes] = GetParam();
  const ScanRequest request{.input_type = ValueType::i8, .output_type = ValueType::i8, .op = problem.op};
  const Config config = config_of(*find_family("three_phase"), request,
                                  {{"block_threads", "64"}, {"items_per_thread", "32"}, {"layout", layout}});
  std::mt19937 random(1);
  std::uniform_int_distribution<int> item(problem.smallest, problem.largest);
  for (const std::size_t count : kCounts) {
    std::vector<i8> items(count);
    for (i8& value : items) value = static_cast<i8>(item(random));
    int expected = items[0];
    for (std::size_t index = 1; index < count; ++index) expected = combined(expected, items[index]);
    const int found = aggregate(request, config, items, misaligned_bytes);
    if (!is_rehearsal()) {
      EXPECT_EQ(found, expected) << count << " items";
    }
  }
}

std::string name_of(const testing::TestParamInfo<Sample>& tested) {
  const auto& [problem, layout, misaligned_bytes] = tested.param;
  return std::string(problem.name) + '_' + layout + (misaligned_bytes == 0 ? "_aligned" : "_unaligned");
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, PackedTiles,
                         testing::Combine(testing::ValuesIn(kProblems),
                                          testing::Values("direct", "striped", "warp_transposed"),
                                          testing::Values(u64{0}, u64{1})),
                         name_of);

}  // namespace
}  // namespace scantune::packed_tiles_test
