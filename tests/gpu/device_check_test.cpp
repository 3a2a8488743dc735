// Outputs checked against their inputs by kernels on the GPU.
#include "measure/device_check.h"
#include "checked_problems.h"
#include "core/contract/check.h"
#include "gpu_test.h"
#include "measure/device_buffer.h"

namespace scantune {
namespace {

class DeviceCheckOnGpu : public GpuTest {};

// The constructor compares a right output and spoiled ones, and throws.
TEST_F(DeviceCheckOnGpu, SaysOfEverySortOfProblemWhatTheCpuSays) {
  for (const Request& request : checked_problems())
    EXPECT_NO_THROW(DeviceCheck(*device_, request)) << to_string(request);
}

class DeviceCheckLargeOnGpu : public GpuTest {
 protected:
  static constexpr u64 kItems = (u64{1} << 32) + kCheckedItems + 5;

  void put(std::byte* to, std::byte value) { device_->upload(to, &value, 1); }
};

// The running maximum of zeros, with one wrong item.
TEST_F(DeviceCheckLargeOnGpu, FindsAWrongItemAndAWrongCarryBeyondFourGibibytes) {
  const DeviceBuffer input(*device_, kItems), output(*device_, kItems);
  for (const DeviceBuffer* buffer : {&input, &output}) device_->zero(buffer->data(), kItems);
  const DeviceCheck check(*device_, scan_of(ValueType::u8, Operator::max));
  EXPECT_EQ(check.first_wrong(input.data(), output.data(), kItems), kItems);
  for (const u64 wrong : {kItems - 1, u64{1} << 32, (u64{1} << 32) - 1, u64{1} << 31}) {
    put(output.data() + wrong, std::byte{1});
    EXPECT_EQ(check.first_wrong(input.data(), output.data(), kItems), wrong);
  }
  device_->zero(output.data(), kItems);
  put(input.data() + 17, std::byte{1});
  device_->fill(output.data() + 17, std::byte{1}, (u64{1} << 32) - 17);  // after these items the carry is lost
  EXPECT_EQ(check.first_wrong(input.data(), output.data(), kItems), u64{1} << 32);
}

}  // namespace
}  // namespace scantune
