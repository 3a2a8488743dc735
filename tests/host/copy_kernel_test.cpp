// The bulk copy kernels that scans are held against, under any schedule.
#include <gtest/gtest.h>

#include <numeric>

#include "kernel_fixture.h"
#include "measure/copy_kernel.h"

namespace scantune {
namespace {

constexpr u64 kSeeds = 100;
constexpr u32 kPoison = 0xa5a5a5a5;

class BulkCopies : public KernelFixture {};

TEST_F(BulkCopies, CopyEveryWholeVectorAndNothingElse) {
  // Of 64 items a stage: less than a vector, one ragged stage, fewer stages than the ring has, several rounds of it.
  for (const u64 items : {3, 61, 512, 4093}) {
    const CopyKernel copy(device_, BulkCopyShape{.stage_bytes = 256, .stages = 2, .ctas_per_sm = 1}, 4, 4);
    DeviceArray<u32> input(device_, items), output(device_, items);
    std::iota(input.data(), input.data() + items, 1u);
    for (u64 seed = 0; seed < kSeeds; ++seed) {
      device_.set_seed(seed);
      output.fill(kPoison);
      copy.enqueue(input.data(), output.data(), items, nullptr);
      for (u64 item = 0; item < items; ++item)
        ASSERT_EQ(output[item], item < items / 4 * 4 ? item + 1 : kPoison) << "seed " << seed << ", item " << item;
    }
  }
}

}  // namespace
}  // namespace scantune
