#include "measure/upload_input.h"

namespace scantune {

void upload_input(Staging& staging, const KnownInput& input, std::byte* to, int count, u64 stride_bytes) {
  const u64 item_bytes = input.item_bytes();
  const auto parts = parts_of(to, input.bytes(), item_bytes);
  const auto make = [&](u64 part, std::span<std::byte> bytes) {
    input.write(static_cast<u64>(parts[part].on_device - to) / item_bytes, bytes);
  };
  staging.upload(parts, make, count, stride_bytes);
}

}  // namespace scantune
