#include "device/device.h"

namespace scantune {

std::string Device::argument_problem(std::span<const NamedMemory> arguments, Stream stream) {
  for (const NamedMemory& named : arguments)
    if (const auto problem = pointer_problem(named.memory, named.bytes); !problem.empty())
      return std::string(named.argument) + ": " + problem;
  if (const auto problem = stream_problem(stream); !problem.empty()) return "stream: " + problem;
  return {};
}

}  // namespace scantune
