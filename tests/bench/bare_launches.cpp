#include "bare_launches.h"

#include "driver_check.h"
#include "instantiation/instantiation.h"
#include "launch/loading.h"
#include "select/records_in_use.h"
#include "select/selector.h"

namespace scantune::bench {
namespace {

void* zeroed(Device& device, u64 bytes) {
  if (bytes == 0) return nullptr;
  void* const memory = device.allocate(bytes);
  device.zero(memory, bytes);
  return memory;
}

CUmodule loaded(Device& device, const Instantiation& instantiation) {
  const Binary binary = device.compiler().compile(instantiation, device.identity().arch);
  CUmodule module = nullptr;
  SCANTUNE_BENCH_DRIVER(cuModuleLoadData(&module, binary.image.data()));
  return module;
}

CUfunction function_of(CUmodule module, const std::string& kernel, const Launch& launch) {
  CUfunction function = nullptr;
  SCANTUNE_BENCH_DRIVER(cuModuleGetFunction(&function, module, kernel.c_str()));
  SCANTUNE_BENCH_DRIVER(
      cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, launch.shared_bytes));
  if (launch.cluster_blocks > kMaxPortableClusterBlocks)
    SCANTUNE_BENCH_DRIVER(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  return function;
}

CUlaunchConfig config_of(const Launch& launch, int sm_count, Stream stream) {
  CUlaunchConfig config{};
  config.gridDimX = grid_blocks(launch, sm_count);
  config.blockDimX = static_cast<unsigned>(launch.block_threads);
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(launch.shared_bytes);
  config.hStream = stream;
  return config;
}

}  // namespace

BareLaunches::BareLaunches(Device& device, const ScanRequest& request, const void* input, void* output, Stream stream) {
  const Config config = select(*records_in_use(), device.identity(), request).config;
  const Instantiation instantiation = instantiate(request, config, Variant::aligned);
  const CUmodule module = loaded(device, instantiation);
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, input);
  arguments.set_operand(OperandRole::output, output);
  arguments.workspace = zeroed(device, config.family().workspace(config, request).bytes);
  const LaunchList list = config.family().launches(config, request, Variant::aligned);
  for (int index = 0; index < list.count; ++index) {
    const Launch& launch = list.launches[index];
    set_launch(arguments, launch);
    const std::string& kernel = instantiation.kernels[static_cast<std::size_t>(launch.kernel)];
    launches_.push_back({function_of(module, kernel, launch), config_of(launch, device.identity().sm_count, stream),
                         LaunchAttributes(launch), arguments});
  }
}

void BareLaunches::enqueue() {
  for (Bare& bare : launches_) {
    bare.config.attrs = bare.attributes.list();
    bare.config.numAttrs = bare.attributes.count();
    void* arguments = &bare.arguments;
    SCANTUNE_BENCH_DRIVER(cuLaunchKernelEx(&bare.config, bare.function, &arguments, nullptr));
  }
}

}  // namespace scantune::bench
