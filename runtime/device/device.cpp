#include "device/device.h"

namespace scantune {

std::string Device::argument_problem(std::span<const NamedMemory> arguments, Stream stream) {
  return first_problem(
      arguments, [&](const void* memory, u64 bytes) { return pointer_problem(memory, bytes); },
      [&] { return stream_problem(stream); });
}

}  // namespace scantune
