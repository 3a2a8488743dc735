#include "measure/upload_input.h"

#include <algorithm>
#include <vector>

#include "measure/parallel.h"

namespace scantune {
namespace {

constexpr u64 kTransferItems = u64{1} << 22;  // of one copy to the device
constexpr u64 kFillItems = u64{1} << 16;      // that one thread makes at a time

}  // namespace

void upload_input(Device& device, const InputSpec& input, std::byte* to, int count, u64 stride_bytes) {
  const u64 item_bytes = static_cast<u64>(input.request.input_bytes());
  std::vector<std::byte> staging;
  for (u64 done = 0; done < input.request.n; done += kTransferItems) {
    const u64 items = std::min(kTransferItems, input.request.n - done);
    staging.resize(items * item_bytes);
    parallel_for(ceil_div(items, kFillItems), [&](u64 part) {
      const u64 begin = part * kFillItems, size = std::min(kFillItems, items - begin);
      fill_input(input, done + begin, std::span(staging).subspan(begin * item_bytes, size * item_bytes));
    });
    for (int place = 0; place < count; ++place)
      device.upload(to + done * item_bytes + static_cast<u64>(place) * stride_bytes, staging.data(), staging.size());
  }
}

}  // namespace scantune
