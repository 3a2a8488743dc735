#include "measure/ordinary_kernel.h"

#include <array>
#include <string>

namespace scantune {
namespace {

constexpr int kBlockThreads = 256;

Launch launch_on(const DeviceIdentity& identity) {
  return {.grid_blocks = static_cast<u32>(identity.sm_count), .block_threads = kBlockThreads};
}

u64 bytes_of_words(const Launch& launch) {
  return u64{launch.grid_blocks} * static_cast<u64>(launch.block_threads) * sizeof(u32);
}

Instantiation instantiation() {
  const std::string threads = std::to_string(kBlockThreads);
  return {"#include \"core/parts/ordinary_kernel.h\"\nSCANTUNE_KERNEL(ordinary, " + threads +
              ", 1) {\n  scantune::touch_words<" + threads + ">(arguments);\n}\n",
          {"core/parts/ordinary_kernel.h"},
          {"ordinary"},
          "the kernel between isolated scans"};
}

}  // namespace

OrdinaryKernel::OrdinaryKernel(Device& device)
    : device_(device), launch_(launch_on(device.identity())), words_(device, bytes_of_words(launch_)) {
  device.zero(words_.data(), bytes_of_words(launch_));
  const Instantiation kernel = instantiation();
  module_ = device.load(device.compiler().compile(kernel, device.identity().arch), kernel.kernels, std::array{0});
}

void OrdinaryKernel::enqueue(Stream stream) const {
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::output, words_.data());
  device_.launch(*module_, launch_, arguments, stream);
}

}  // namespace scantune
