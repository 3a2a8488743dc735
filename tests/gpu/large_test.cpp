// Sizes past 2^32 items, where 32-bit arithmetic would wrap.
#include "gpu_test.h"
#include "measure/device_buffer.h"
#include "measure/inputs.h"
#include "measure/prepared_scan.h"
#include "measure/reference.h"
#include "space/space.h"

namespace scantune {
namespace {

class LargeOnGpu : public GpuTest {
 protected:
  void check_sum(const FamilyModel& family, u64 n) {
    const ScanRequest request{.n = n};
    if (family.unsupported_reason(request, device_->identity().sm) != nullptr) return;
    const PreparedScan scan(*device_, request, family.default_config(request, device_->identity().sm));
    const InputSpec spec{.n = n};
    const u64 part = u64{1} << 26;  // items per transfer
    std::vector<std::byte> staging(part * 4);

    DeviceBuffer data(*device_, n * 4), workspace(*device_, scan.workspace_bytes(n));
    device_->zero(workspace.data(), scan.workspace_bytes(n));
    for (u64 first = 0; first < n; first += part) {
      const std::span<std::byte> items(staging.data(), std::min(part, n - first) * 4);
      fill_input(spec, first, items);
      device_->upload(data.data() + first * 4, items.data(), items.size());
    }
    scan.enqueue(data.data(), data.data(), n, workspace.data(), nullptr);
    const auto reference = make_reference(request, spec);
    for (u64 first = 0; first < n; first += part) {
      const std::span<std::byte> items(staging.data(), std::min(part, n - first) * 4);
      device_->download(items.data(), data.data() + first * 4, items.size());
      const auto mismatch = reference->check(first, items);
      ASSERT_FALSE(mismatch) << family.name() << " of " << n << " items, item " << mismatch->index << ": expected "
                             << mismatch->expected << ", found " << mismatch->found;
    }
  }
};

TEST_F(LargeOnGpu, EveryFamilyScansPast2To32Items) {
  for (const FamilyModel* family : families()) check_sum(*family, (u64{1} << 32) + 1);
}

TEST_F(LargeOnGpu, EveryFamilyScansAround2To31Items) {
  for (const FamilyModel* family : families()) check_sum(*family, (u64{1} << 31) - 1);
}

}  // namespace
}  // namespace scantune
