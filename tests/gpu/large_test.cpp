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
  // In place where items and results are of one size.
  void check_sum(const FamilyModel& family, const ScanRequest& request) {
    if (family.unsupported_reason(request, device_->identity().sm) != nullptr) return;
    const PreparedScan scan(*device_, request, family.default_config(request, device_->identity().sm));
    const InputSpec spec{.request = request};
    const u64 n = request.n, part = u64{1} << 26;  // items per transfer
    const u64 item_bytes = static_cast<u64>(request.input_bytes()),
              result_bytes = static_cast<u64>(request.output_bytes());
    const bool in_place = item_bytes == result_bytes;
    std::vector<std::byte> staging(part * result_bytes);

    DeviceBuffer items(*device_, n * item_bytes), separate(*device_, in_place ? 0 : n * result_bytes),
        workspace(*device_, scan.workspace_bytes(n));
    std::byte* const results = in_place ? items.data() : separate.data();
    device_->zero(workspace.data(), scan.workspace_bytes(n));
    for (u64 first = 0; first < n; first += part) {
      const std::span<std::byte> filled(staging.data(), std::min(part, n - first) * item_bytes);
      fill_input(spec, first, filled);
      device_->upload(items.data() + first * item_bytes, filled.data(), filled.size());
    }
    scan.enqueue(items.data(), results, n, workspace.data(), nullptr);
    const auto reference = make_reference(spec);
    for (u64 first = 0; first < n; first += part) {
      const std::span<std::byte> found(staging.data(), std::min(part, n - first) * result_bytes);
      device_->download(found.data(), results + first * result_bytes, found.size());
      const auto mismatch = reference->check(first, found);
      ASSERT_FALSE(mismatch) << family.name() << " of " << to_string(request) << ", item " << mismatch->index
                             << ": expected " << mismatch->expected << ", found " << mismatch->found;
    }
  }
};

TEST_F(LargeOnGpu, EveryFamilyScansPast2To32Items) {
  for (const FamilyModel* family : families()) check_sum(*family, {.n = (u64{1} << 32) + 1});
}

TEST_F(LargeOnGpu, EveryFamilyScansAround2To31Items) {
  for (const FamilyModel* family : families()) check_sum(*family, {.n = (u64{1} << 31) - 1});
}

TEST_F(LargeOnGpu, EveryFamilyScansPast2To32BytesIntoWiderItems) {
  for (const FamilyModel* family : families())
    check_sum(*family, {.input_type = ValueType::i8, .output_type = ValueType::i16, .n = (u64{1} << 32) + 1});
}

}  // namespace
}  // namespace scantune
