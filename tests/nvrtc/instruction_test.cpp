// Instructions that make kernels fast, but do not change results, are in the machine code.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cubin.h"
#include "host/scan_kernels.h"
#include "kept_compiler.h"
#include "machine_headers.h"
#include "problems.h"

namespace scantune {
namespace {

constexpr unsigned kReductionOfLanes = 0x3c4;  // REDUX
constexpr unsigned kPrefetch = 0x3bc;          // UBLKPF, made of cp.async.bulk.prefetch.L2
constexpr unsigned kWait = 0x82e;              // ACQBULK, made of griddepcontrol.wait
constexpr unsigned kLoadShared = 0x984;        // LDS
constexpr unsigned kMeeting = 0x348;           // WARPSYNC.COLLECTIVE, where diverged lanes meet for a shuffle

using Opcodes = std::vector<unsigned>;

Opcodes opcodes_of_kernel(const Instantiation& instantiation, const std::string& kernel, int sm) {
  return opcodes_of(compile_with_nvrtc(instantiation, "sm_" + std::to_string(sm)).image, kernel);
}

// If an opcode were another, the tests below would look for the wrong instruction.
TEST(Opcodes, AreThoseOfTheIntrinsics) {
  const auto opcodes = [](const std::string& body) {
    const Instantiation kernel{machine_includes() +
                                   "using namespace scantune;\nSCANTUNE_KERNEL(kernel, 32, 1) {\n"
                                   "u32* const out = arguments.operand<u32>(OperandRole::output) + thread_rank();\nu32 "
                                   "value = thread_rank();\n" +
                                   body + "\n*out = value;\n}",
                               machine_headers(),
                               {"kernel"},
                               "an intrinsic"};
    Opcodes found;
    std::ranges::copy_if(opcodes_of_kernel(kernel, "kernel", 90), std::back_inserter(found), [](unsigned opcode) {
      return opcode == kReductionOfLanes || opcode == kPrefetch || opcode == kWait || opcode == kMeeting;
    });
    return found;
  };
  EXPECT_EQ(opcodes(""), Opcodes{});
  EXPECT_EQ(opcodes("value = reduce_lanes<Operator::sum>(*out);"), Opcodes{kReductionOfLanes});
  EXPECT_EQ(opcodes("prefetch_to_l2(arguments.operand(OperandRole::input), 64);"), Opcodes{kPrefetch});
  EXPECT_EQ(opcodes("wait_for_predecessor();"), Opcodes{kWait});
  const Opcodes apart = opcodes(
      "value = *out; if (value == 0) value = scantune::shuffle_up(*out, 1); else value = scantune::shuffle_up(value, "
      "2) / 3;");
  EXPECT_GT(std::ranges::count(apart, kMeeting), 0);
}

// Scans took five times as long where the compiler had made two loops over rows, one for the first lane.
TEST(OneShot, ScansRowsByShufflesOfWholeWarpsWithEveryWindow) {
  const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
  for (const char* const window : {"32", "256"}) {
    const Config config = config_of(*find_family("one_shot"), request,
                                    {{"block_threads", "128"},
                                     {"items_per_thread", "16"},
                                     {"layout", "striped"},
                                     {"cluster_blocks", "8"},
                                     {"window", window}});
    const Opcodes opcodes = opcodes_of_kernel(instantiate(request, config, Variant::aligned), "scan_by_clusters", 90);
    EXPECT_EQ(std::ranges::count(opcodes, kMeeting), 0) << "window " << window;
  }
}

TEST(OneShot, ReducesLanesOfIntegersByOneInstructionWhereThereIsOne) {
  const auto reductions = [](ValueType type, int sm) {
    const ScanRequest request = request_of(type, Operator::sum, Kind::inclusive, kTestedItems);
    const Config config = find_family("one_shot")->default_config(request, sm);
    return std::ranges::count(opcodes_of_kernel(instantiate(request, config, Variant::aligned), "scan_by_ctas", sm),
                              kReductionOfLanes);
  };
  // The compiler makes one of store_max(), whatever is summed.
  for (const int sm : {80, 120})
    EXPECT_GT(reductions(ValueType::i32, sm), reductions(ValueType::f32, sm)) << "sm_" << sm;
  EXPECT_EQ(reductions(ValueType::i32, 75), 0);
}

// Groups would read the same banks if each word of a vector was loaded by itself.
TEST(ReduceShortRows, ReadsVectorsByOneInstructionEach) {
  const ReduceRequest request{.input_type = ValueType::f32,
                              .accumulator_type = ValueType::f32,
                              .output_type = ValueType::f32,
                              .segments = Segments::rows,
                              .n = 16 * kTestedItems,
                              .rows = kTestedItems};
  const auto loads = [&](const char* items_per_read) {
    const Config config = config_of(*find_family("reduce_short_rows"), request, {{"items_per_read", items_per_read}});
    return std::ranges::count(
        opcodes_of_kernel(instantiate(request, config, Variant::aligned), "reduce_short_rows", 90), kLoadShared);
  };
  ASSERT_GT(loads("1"), 0);
  EXPECT_LT(loads("4"), 2 * loads("1"));
}

struct PrefetchingKernel {
  const char* family;
  const char* kernel;
  std::vector<std::pair<std::string, std::string>> values;  // parameters and their values
};

std::ostream& operator<<(std::ostream& out, const PrefetchingKernel& kernel) {
  return out << kernel.kernel << " of " << kernel.family;
}

const PrefetchingKernel kPrefetchingKernels[] = {
    {"one_shot", "scan_by_ctas", {{"cluster_blocks", "1"}}},
    {"one_shot", "scan_by_clusters", {{"cluster_blocks", "8"}}},
    {"single_block", "scan_one_tile", {}},
    {"lookback", "lookback_scan", {}},
    {"pipelined", "pipelined_scan", {}},
};

class Prefetch : public testing::TestWithParam<PrefetchingKernel> {
 protected:
  static Opcodes opcodes_with_pdl(const char* pdl) {
    const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
    auto values = GetParam().values;
    values.emplace_back("pdl", pdl);
    const Config config = config_of(*find_family(GetParam().family), request, values);
    return opcodes_of_kernel(instantiate(request, config, Variant::aligned), GetParam().kernel, 90);
  }
};

TEST_P(Prefetch, ComesBeforeTheWaitForTheKernelBefore) {
  const Opcodes opcodes = opcodes_with_pdl("1");
  const auto wait = std::ranges::find(opcodes, kWait);
  ASSERT_NE(wait, opcodes.end());
  EXPECT_GT(std::count(opcodes.begin(), wait, kPrefetch), 0);
  EXPECT_EQ(std::count(wait, opcodes.end(), kPrefetch), 0);
}

TEST_P(Prefetch, IsNoneWithoutProgrammaticDependentLaunch) {
  const Opcodes opcodes = opcodes_with_pdl("0");
  EXPECT_EQ(std::ranges::count(opcodes, kPrefetch), 0);
  EXPECT_EQ(std::ranges::count(opcodes, kWait), 0);
}

INSTANTIATE_TEST_SUITE_P(OfInput, Prefetch, testing::ValuesIn(kPrefetchingKernels),
                         [](const auto& tested) { return std::string(tested.param.kernel); });

}  // namespace
}  // namespace scantune
