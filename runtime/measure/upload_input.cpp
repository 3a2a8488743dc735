#include "measure/upload_input.h"

#include "measure/references/algorithm_reference.h"

namespace scantune {

void upload_input(Staging& staging, const KnownInput& input, std::byte* to, int count, u64 stride_bytes) {
  const u64 item_bytes = input.item_bytes();
  const auto parts = parts_of(to, input.bytes(), item_bytes);
  const auto make = [&](u64 part, std::span<std::byte> bytes) {
    input.write(static_cast<u64>(parts[part].on_device - to) / item_bytes, bytes);
  };
  staging.upload(parts, make, count, stride_bytes);
}

void upload_beside(Staging& staging, const InputSpec& input, const RequestOperand& operand, std::byte* to, int count,
                   u64 stride_bytes) {
  if (operand.role == OperandRole::input || is_written(operand.role) || is_argument(operand.role)) return;
  const auto item_bytes = static_cast<u64>(operand.item_bytes);
  const auto parts = parts_of(to, operand.bytes(), item_bytes);
  const auto make = [&](u64 part, std::span<std::byte> bytes) {
    const u64 first = static_cast<u64>(parts[part].on_device - to) / item_bytes;
    reference_of(input.request.algorithm()).fill_beside(input, operand.role, first, bytes);
  };
  staging.upload(parts, make, count, stride_bytes);
}

}  // namespace scantune
