// What a scan costs on the CPU: a warm plan's call beside the bare driver launch of the same kernel, and the first call
// of a process whose kernels are in the disk cache. Needs a GPU.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "config/arch.h"
#include "device/cuda/driver.h"
#include "device/cuda/launch_attributes.h"
#include "device/device.h"
#include "measure/statistics.h"
#include "scantune/runtime.hpp"
#include "select/layers.h"
#include "select/selector.h"

namespace scantune::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCallsPerBatch = 200;  // fits the driver's queue, so no call waits for the GPU
constexpr int kBatches = 101;
constexpr int kProcesses = 7;

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "unknown error";
  Driver::instance().cuGetErrorString(result, &text);
  throw DeviceError(std::string(call) + ": " + text);
}
#define SCANTUNE_BENCH_DRIVER(call) check(Driver::instance().call, #call)

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The launches of a plan, put together beforehand and handed to the driver one after the other.
class BareLaunches {
 public:
  BareLaunches(Device& device, const ScanRequest& request, CUdeviceptr input, CUdeviceptr output, CUstream stream) {
    const Selection selection = select(*tuning_table(), device.identity(), request);
    const FamilyModel& family = selection.config.family();
    const Instantiation instantiation = instantiate(request, selection.config);
    const Binary binary = device.compiler().compile(instantiation, device.identity().arch);
    SCANTUNE_BENCH_DRIVER(cuModuleLoadData(&module_, binary.image.data()));
    const WorkspaceNeed need = family.workspace(selection.config, request);
    void* workspace = nullptr;
    if (need.bytes != 0) {
      workspace = device.allocate(need.bytes);
      device.zero(workspace, need.bytes);
    }
    const LaunchList list = family.launches(selection.config, request);
    for (int index = 0; index < list.count; ++index) {
      const Launch& launch = list.launches[index];
      Bare bare;
      SCANTUNE_BENCH_DRIVER(cuModuleGetFunction(
          &bare.function, module_, instantiation.kernels[static_cast<std::size_t>(launch.kernel)].c_str()));
      if (launch.shared_bytes > 48 * 1024)
        SCANTUNE_BENCH_DRIVER(
            cuFuncSetAttribute(bare.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, launch.shared_bytes));
      if (launch.cluster_blocks > kMaxPortableClusterBlocks)
        SCANTUNE_BENCH_DRIVER(
            cuFuncSetAttribute(bare.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
      bare.config.gridDimX = launch.grid_blocks;
      bare.config.blockDimX = static_cast<unsigned>(launch.block_threads);
      bare.config.gridDimY = bare.config.gridDimZ = bare.config.blockDimY = bare.config.blockDimZ = 1;
      bare.config.sharedMemBytes = static_cast<unsigned>(launch.shared_bytes);
      bare.config.hStream = stream;
      bare.attributes = LaunchAttributes(launch);
      bare.arguments.input = reinterpret_cast<const void*>(input);
      bare.arguments.output = reinterpret_cast<void*>(output);
      bare.arguments.workspace = workspace;
      bare.arguments.n = launch.n;
      bare.arguments.source_offset = launch.source_offset;
      bare.arguments.destination_offset = launch.destination_offset;
      launches_.push_back(bare);
    }
  }

  void operator()() {
    for (Bare& bare : launches_) {
      bare.config.attrs = bare.attributes.list();
      bare.config.numAttrs = bare.attributes.count();
      void* arguments = &bare.arguments;
      SCANTUNE_BENCH_DRIVER(cuLaunchKernelEx(&bare.config, bare.function, &arguments, nullptr));
    }
  }

  std::size_t count() const { return launches_.size(); }

 private:
  struct Bare {
    CUfunction function = nullptr;
    CUlaunchConfig config{};
    LaunchAttributes attributes{Launch{}};
    KernelArguments arguments{};
  };
  CUmodule module_ = nullptr;
  std::vector<Bare> launches_;
};

template <class Call>
double batch_us(CUstream stream, const Call& call) {
  SCANTUNE_BENCH_DRIVER(cuStreamSynchronize(stream));
  const auto start = Clock::now();
  for (int index = 0; index < kCallsPerBatch; ++index) call();
  return us_since(start) / kCallsPerBatch;
}

void compare_calls(u64 n) {
  const auto device = cuda_device();
  CUstream stream = nullptr;
  CUdeviceptr input = 0, output = 0;
  SCANTUNE_BENCH_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  SCANTUNE_BENCH_DRIVER(cuMemAlloc(&input, n * sizeof(i32)));
  SCANTUNE_BENCH_DRIVER(cuMemAlloc(&output, n * sizeof(i32)));
  BareLaunches bare(*device, {.n = n}, input, output, stream);
  const auto plan = runtime::plan<i32>(n);
  const auto* from = reinterpret_cast<const i32*>(input);
  auto* to = reinterpret_cast<i32*>(output);

  std::vector<double> bare_us, plan_us;
  for (int batch = 0; batch < kBatches; ++batch) {
    bare_us.push_back(batch_us(stream, [&] { bare(); }));
    plan_us.push_back(batch_us(stream, [&] { plan(from, to, stream); }));
  }
  const double bare_median = quantile(bare_us, 0.5), plan_median = quantile(plan_us, 0.5);
  std::printf(
      "i32 sum of %9llu items, %zu launches: bare %.3f us, plan %.3f us, plan adds %.3f us of CPU time per call\n", n,
      bare.count(), bare_median, plan_median, plan_median - bare_median);
}

// In a process of its own. Prints the milliseconds of the first scan() after the context was made.
void time_first_call(u64 n) {
  const Driver& driver = Driver::instance();
  CUdevice gpu = 0;
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  check(driver.cuDeviceGet(&gpu, 0), "cuDeviceGet");
  check(driver.cuDevicePrimaryCtxRetain(&context, gpu), "cuDevicePrimaryCtxRetain");
  check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(driver.cuMemAlloc(&memory, n * sizeof(i32)), "cuMemAlloc");
  auto* data = reinterpret_cast<i32*>(memory);
  const auto start = Clock::now();
  runtime::scan(data, data, n);
  const double returned_ms = us_since(start) / 1000;
  check(driver.cuCtxSynchronize(), "cuCtxSynchronize");
  std::printf("%.3f %.3f\n", returned_ms, us_since(start) / 1000);
}

void compare_first_calls(u64 n) {
  std::vector<double> returned_ms, done_ms;
  for (int process = 0; process <= kProcesses; ++process) {
    const std::string command = "/proc/" + std::to_string(getpid()) + "/exe --first-call " + std::to_string(n);
    FILE* child = popen(command.c_str(), "r");
    double returned = 0, done = 0;
    const int found = child == nullptr ? 0 : std::fscanf(child, "%lf %lf", &returned, &done);
    if (child == nullptr || pclose(child) != 0 || found != 2) throw Error("the first call failed: " + command);
    if (process == 0) continue;  // it filled the disk cache
    returned_ms.push_back(returned);
    done_ms.push_back(done);
  }
  std::printf(
      "i32 sum of %9llu items, first call of a process, disk cache warm: returns after %.2f ms, done after %.2f ms "
      "(slowest %.2f)\n",
      n, quantile(returned_ms, 0.5), quantile(done_ms, 0.5), std::ranges::max(done_ms));
}

}  // namespace
}  // namespace scantune::bench

int main(int count, char** arguments) {
  using namespace scantune::bench;
  try {
    if (count == 3 && std::strcmp(arguments[1], "--first-call") == 0) {
      time_first_call(std::strtoull(arguments[2], nullptr, 10));
      return 0;
    }
    for (const scantune::u64 n : {1u << 10, 1u << 16, 1u << 20}) compare_calls(n);
    for (const scantune::u64 n : {1u << 10, 1u << 20}) compare_first_calls(n);
  } catch (const std::exception& error) {
    std::cerr << "host_path_bench: " << error.what() << std::endl;
    return 1;
  }
}
