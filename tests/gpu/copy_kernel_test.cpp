// The copy kernels that scans are held against.
#include <algorithm>

#include "gpu_test.h"
#include "measure/copy_kernel.h"
#include "measure/device_buffer.h"

namespace scantune {
namespace {

class CopyKernelsOnGpu : public GpuTest {
 protected:
  static constexpr u64 kItems = 1'000'007;

  // What a kernel makes of the input in a poisoned output.
  std::vector<std::byte> moved(const CopyKernel& copy, const std::vector<std::byte>& items, u64 output_bytes) {
    const DeviceBuffer input(*device_, items.size()), output(*device_, output_bytes);
    std::vector<std::byte> found(output_bytes, kPoison);
    device_->upload(input.data(), items.data(), items.size());
    device_->upload(output.data(), found.data(), output_bytes);
    copy.enqueue(input.data(), output.data(), kItems, nullptr);
    device_->download(found.data(), output.data(), output_bytes);
    return found;
  }

  static std::vector<std::byte> items_of(u64 bytes) {
    std::vector<std::byte> items(bytes);
    for (u64 index = 0; index < bytes; ++index) items[index] = static_cast<std::byte>(index * 7919 >> 4 & 0x7f);
    return items;
  }

  static constexpr std::byte kPoison{0xa5};  // in no item, nor in any combination of items
};

TEST_F(CopyKernelsOnGpu, CopyEveryWholeVectorWhereBothSidesAreEqual) {
  const std::vector<std::byte> items = items_of(kItems * 4);
  const auto whole = static_cast<std::ptrdiff_t>(items.size() / 16 * 16);
  for (const CopyKernel& copy : CopyKernel::all(*device_, 4, 4)) {
    const std::vector<std::byte> found = moved(copy, items, items.size());
    EXPECT_TRUE(std::equal(found.begin(), found.begin() + whole, items.begin()));
    EXPECT_TRUE(std::all_of(found.begin() + whole, found.end(), [](std::byte byte) { return byte == kPoison; }));
  }
}

TEST_F(CopyKernelsOnGpu, WriteEveryWholeVectorAndNoneBeyondWhereTheyAreNot) {
  for (const auto& [item_bytes, result_bytes] : {std::pair(1, 8), std::pair(2, 4), std::pair(8, 1)}) {
    const std::vector<std::byte> items = items_of(kItems * static_cast<u64>(item_bytes));
    const u64 bytes = kItems * static_cast<u64>(result_bytes);
    for (const CopyKernel& copy : CopyKernel::all(*device_, item_bytes, result_bytes)) {
      const std::vector<std::byte> found = moved(copy, items, bytes);
      const auto whole = found.begin() + static_cast<std::ptrdiff_t>(bytes / 16 * 16);
      EXPECT_EQ(std::find(found.begin(), whole, kPoison), whole) << item_bytes << " to " << result_bytes << " bytes";
      EXPECT_TRUE(std::all_of(whole, found.end(), [](std::byte byte) { return byte == kPoison; }));
    }
  }
}

}  // namespace
}  // namespace scantune
