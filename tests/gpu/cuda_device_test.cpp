// CudaDevice with the real driver.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "device/cuda/cuda_module.h"
#include "gpu_test.h"

namespace scantune {
namespace {

constexpr u64 kBytes = 1 << 20;
constexpr int kNoShared[] = {0};

// A small kernel, whose output tells which arguments it was given.
Instantiation kernel(const std::string& body) {
  return {"#include \"core/contract/launch.h\"\nextern \"C\" __global__ void probe(scantune::KernelArguments a) { " +
              body + " }\n",
          {"core/contract/launch.h"},
          {"probe"},
          "a probe"};
}

const char* const kWritesArguments =
    "scantune::u64* out = a.operand<scantune::u64>(scantune::OperandRole::output);"
    "out[0] = a.n; out[1] = a.extents[0]; out[2] = a.extents[1]; out[3] = a.init[0];";

void launch_without_arguments(Device& device, const Module& module, const Launch& launch, Stream stream) {
  KernelArguments arguments{};
  device.launch(module, launch, arguments, stream);
}

class CudaDeviceTest : public GpuTest {
 protected:
  std::unique_ptr<Module> loaded(const std::string& body, int shared_bytes = 0) {
    const Instantiation probe = kernel(body);
    const int shared[] = {shared_bytes};
    return device_->load(device_->compiler().compile(probe, device_->identity().arch), probe.kernels, shared);
  }

  // Device memory that is freed with the test.
  void* memory(u64 bytes = kBytes) {
    void* allocated = device_->allocate(bytes);
    allocated_.push_back(allocated);
    return allocated;
  }

  void TearDown() override {
    for (void* allocated : allocated_) device_->free(allocated);
  }

 private:
  std::vector<void*> allocated_;
};

TEST_F(CudaDeviceTest, IdentifiesTheGpu) {
  EXPECT_EQ(device_->identity().arch, "sm_" + std::to_string(device_->identity().sm));
  EXPECT_GT(device_->identity().sm_count, 0);
  EXPECT_FALSE(device_->identity().name.empty());
  EXPECT_GT(device_->l2_bytes(), 0u);
  EXPECT_NE(device_->driver_version().find('.'), std::string::npos);
}

TEST_F(CudaDeviceTest, IsTheSameForOneContextOnEveryThread) {
  std::shared_ptr<Device> elsewhere;
  std::jthread([&] { elsewhere = cuda_device(); }).join();
  EXPECT_EQ(elsewhere, device_);
  EXPECT_EQ(cuda_device(), device_);
}

TEST_F(CudaDeviceTest, LaunchesWithTheLaunchsItemsAndOffsets) {
  const auto module = loaded(kWritesArguments);
  for (const bool pdl : {false, device_->identity().sm >= 90}) {
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::output, memory());
    arguments.init[0] = 77;
    const Launch launch{.n = 11, .extents = {22, 33}, .pdl = pdl};
    device_->launch(*module, launch, arguments, nullptr);
    u64 written[4] = {};
    device_->download(written, arguments.operand(OperandRole::output), sizeof written);
    EXPECT_EQ(written[0], 11u);
    EXPECT_EQ(written[1], 22u);
    EXPECT_EQ(written[2], 33u);
    EXPECT_EQ(written[3], 77u);
  }
}

TEST_F(CudaDeviceTest, LaunchesFromAThreadThatHasNoContextAndLeavesItSo) {
  const auto module = loaded(kWritesArguments);
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::output, memory());
  CUcontext left_current = nullptr;
  std::jthread([&] {
    device_->launch(*module, Launch{.n = 5}, arguments, nullptr);
    Driver::instance().cuCtxGetCurrent(&left_current);
  }).join();
  u64 n = 0;
  device_->download(&n, arguments.operand(OperandRole::output), sizeof n);
  EXPECT_EQ(n, 5u);
  EXPECT_EQ(left_current, nullptr);
}

TEST_F(CudaDeviceTest, AllowsAllTheSharedMemoryThatConfigsMayUse) {
  const int most = limits_of(device_->identity().sm).shared_bytes_per_block;
  const auto module = loaded("extern __shared__ char shared[]; shared[threadIdx.x] = 1;", most);
  launch_without_arguments(*device_, *module, Launch{.block_threads = 32, .shared_bytes = most}, nullptr);
  device_->synchronize();
  EXPECT_THROW(loaded("", 1 << 20), DeviceError);
}

TEST_F(CudaDeviceTest, KnowsTheRegistersOfAKernel) {
  const auto module = loaded(kWritesArguments);
  const KernelResources resources = static_cast<const CudaModule&>(*module).resources(0);
  EXPECT_GT(resources.registers, 0);
  EXPECT_EQ(resources.local_bytes, 0);
}

TEST_F(CudaDeviceTest, NamesTheKernelThatAModuleLacks) {
  const Instantiation probe = kernel("");
  const std::string kernels[] = {"absent"};
  try {
    device_->load(device_->compiler().compile(probe, device_->identity().arch), kernels, kNoShared);
    FAIL() << "loaded";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("absent"), std::string::npos) << error.what();
  }
}

TEST_F(CudaDeviceTest, RefusesMoreMemoryThanThereIs) {
  try {
    device_->allocate(u64{1} << 50);
    FAIL() << "allocated";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos) << error.what();
  }
  EXPECT_EQ(device_->failure(), "");
  device_->synchronize();
}

TEST_F(CudaDeviceTest, AllocatesAndZeroesWhileAnotherThreadCaptures) {
  const TestStream stream;
  SCANTUNE_CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  std::string problem;
  std::jthread([&] {
    try {
      void* words = device_->allocate(kBytes);
      device_->zero(words, kBytes);
      device_->free(words);
    } catch (const DeviceError& error) {
      problem = error.what();
    }
  }).join();
  CUgraph graph = nullptr;
  SCANTUNE_CHECK(cuStreamEndCapture(stream, &graph));
  SCANTUNE_CHECK(cuGraphDestroy(graph));
  EXPECT_EQ(problem, "");
}

TEST_F(CudaDeviceTest, FillsEveryByteAndNoOther) {
  auto* const bytes = static_cast<std::byte*>(memory());
  const std::vector<std::byte> ones(kBytes, std::byte{1});
  for (const std::byte value : {std::byte{0}, std::byte{0xa5}}) {
    std::vector<std::byte> read(kBytes);
    device_->upload(bytes, ones.data(), kBytes);
    device_->fill(bytes + 1, value, kBytes - 2);
    device_->download(read.data(), bytes, kBytes);
    EXPECT_EQ(std::ranges::count(read, value), static_cast<std::ptrdiff_t>(kBytes - 2));
    EXPECT_EQ(read.front(), std::byte{1});
    EXPECT_EQ(read.back(), std::byte{1});
  }
}

TEST_F(CudaDeviceTest, CopiesThroughStagingMemory) {
  auto* const staging = static_cast<std::byte*>(device_->allocate_staging(2 * kBytes));
  void* const words = memory();
  std::fill_n(staging, kBytes, std::byte{7});
  std::fill_n(staging + kBytes, kBytes, std::byte{8});
  device_->begin_upload(words, staging, kBytes);
  device_->begin_download(staging + kBytes, words, kBytes);
  device_->synchronize();
  EXPECT_EQ(std::count(staging + kBytes, staging + 2 * kBytes, std::byte{7}), static_cast<std::ptrdiff_t>(kBytes));
  device_->free_staging(staging);
}

TEST_F(CudaDeviceTest, TellsStreamsApartAndSeesACapture) {
  const TestStream one, other;
  EXPECT_NE(device_->stream_state(one).id, device_->stream_state(other).id);
  EXPECT_NE(device_->stream_state(nullptr).id, device_->stream_state(one).id);
  EXPECT_EQ(device_->stream_state(one).capturing_graph, nullptr);
  void* captured = nullptr;
  const TestGraph graph(one, [&] { captured = device_->stream_state(one).capturing_graph; });
  EXPECT_NE(captured, nullptr);
}

TEST_F(CudaDeviceTest, ReleasesATokenOnceTheGraphAndItsExecutablesAreGone) {
  std::atomic<bool> released = false;
  const auto release = [](void* token) { *static_cast<std::atomic<bool>*>(token) = true; };
  {
    const TestStream stream;
    const auto module = loaded("");
    const TestGraph graph(stream, [&] {
      device_->retain_until_graph_dies(device_->stream_state(stream).capturing_graph, release, &released);
      launch_without_arguments(*device_, *module, Launch{}, stream);
    });
    graph.launch(stream);
    stream.synchronize();
    EXPECT_FALSE(released);
  }
  for (int wait = 0; wait < 500 && !released; ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(released);
}

TEST_F(CudaDeviceTest, AcceptsItsOwnPinnedAndManagedMemory) {
  void* own = memory();
  EXPECT_EQ(device_->pointer_fault(own, kBytes, 1), "");
  EXPECT_EQ(device_->pointer_fault(static_cast<char*>(own) + 16, kBytes - 16, 1), "");
  void* pinned = nullptr;
  check(SCANTUNE_TEST_DRIVER(cuMemAllocHost)(&pinned, kBytes), "cuMemAllocHost");
  EXPECT_EQ(device_->pointer_fault(pinned, kBytes, 1), "");
  check(SCANTUNE_TEST_DRIVER(cuMemFreeHost)(pinned), "cuMemFreeHost");
  CUdeviceptr managed = 0;
  check(SCANTUNE_TEST_DRIVER(cuMemAllocManaged)(&managed, kBytes, CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged");
  EXPECT_EQ(device_->pointer_fault(reinterpret_cast<void*>(managed), kBytes, 1), "");
  SCANTUNE_CHECK(cuMemFree(managed));
}

TEST_F(CudaDeviceTest, AcceptsMemoryOfAPool) {
  const TestStream stream;
  CUdeviceptr pooled = 0;
  check(SCANTUNE_TEST_DRIVER(cuMemAllocAsync)(&pooled, kBytes, stream), "cuMemAllocAsync");
  EXPECT_EQ(device_->pointer_fault(reinterpret_cast<void*>(pooled), kBytes, 1), "");
  check(SCANTUNE_TEST_DRIVER(cuMemFreeAsync)(pooled, stream), "cuMemFreeAsync");
  stream.synchronize();
}

TEST_F(CudaDeviceTest, SaysWhatIsWrongWithAPointer) {
  std::vector<char> host(kBytes);
  EXPECT_NE(device_->pointer_fault(host.data(), kBytes, 1).find("host memory"), std::string::npos);
  EXPECT_NE(device_->pointer_fault(reinterpret_cast<void*>(u64{0x123456789000}), kBytes, 1), "");
  const std::string too_short = device_->pointer_fault(memory(), u64{1} << 40, 1);
  EXPECT_NE(too_short.find("the scan needs 1099511627776"), std::string::npos) << too_short;
}

TEST_F(CudaDeviceTest, KnowsTheStreamsAndMemoryOfAnotherContext) {
  EXPECT_EQ(device_->stream_fault(nullptr), "");
  const TestStream own;
  EXPECT_EQ(device_->stream_fault(own), "");
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  check(SCANTUNE_TEST_DRIVER(cuCtxCreate)(&context, nullptr, 0, 0), "cuCtxCreate");
#else
  check(SCANTUNE_TEST_DRIVER(cuCtxCreate)(&context, 0, 0), "cuCtxCreate");
#endif
  CUstream foreign = nullptr;
  SCANTUNE_CHECK(cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING));
  EXPECT_NE(device_->stream_fault(foreign), "");
  EXPECT_EQ(device_->stream_fault(own), "");
  CUdeviceptr memory_of_other = 0;
  SCANTUNE_CHECK(cuMemAlloc(&memory_of_other, kBytes));
  EXPECT_NE(device_->pointer_fault(reinterpret_cast<void*>(memory_of_other), kBytes, 1), "");
  EXPECT_NE(cuda_device(), device_);
  EXPECT_EQ(cuda_device()->pointer_fault(reinterpret_cast<void*>(memory_of_other), kBytes, 1), "");
  check(SCANTUNE_TEST_DRIVER(cuCtxDestroy)(context), "cuCtxDestroy");
}

TEST_F(CudaDeviceTest, TimesInProportionToTheWork) {
  const auto module = loaded("const long long start = clock64(); while (clock64() - start < 200000) {}");
  const auto launches = [&](int count) {
    return device_->time_us(
        [&](Stream stream) {
          for (int launch = 0; launch < count; ++launch) launch_without_arguments(*device_, *module, Launch{}, stream);
        },
        3);
  };
  const double one = launches(1), ten = launches(10);
  EXPECT_GT(one, 50);  // 200,000 cycles take so long at no more than 4 GHz
  EXPECT_NEAR(ten / one, 10, 2);
}

TEST_F(CudaDeviceTest, PassesOnWhatEnqueueThrowsAndTimesAgain) {
  struct Mistake {};
  EXPECT_THROW(device_->time_us([](Stream) { throw Mistake(); }, 1), Mistake);
  const auto module = loaded("");
  EXPECT_GT(device_->time_us([&](Stream stream) { launch_without_arguments(*device_, *module, Launch{}, stream); }, 2),
            0);
}

// Runs in a process of its own, since it destroys the context. Returns 0 if every call failed as it should.
int use_a_failed_context() {
  const auto device = cuda_device();
  const Instantiation probe = kernel("*reinterpret_cast<int*>(16) = 1;");
  const auto module =
      device->load(device->compiler().compile(probe, device->identity().arch), probe.kernels, kNoShared);
  launch_without_arguments(*device, *module, Launch{}, nullptr);
  try {
    device->synchronize();
    return 1;
  } catch (const DeviceError&) {
  }
  if (device->failure().find("CUDA_ERROR_ILLEGAL_ADDRESS") == std::string::npos) return 2;
  try {
    launch_without_arguments(*device, *module, Launch{}, nullptr);
    return 3;
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    return text.find("has failed") != std::string::npos && text.find("ILLEGAL_ADDRESS") != std::string::npos ? 0 : 4;
  }
}

TEST_F(CudaDeviceTest, RefusesCallsAndSaysWhyOnceTheContextHasFailed) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(std::_Exit(use_a_failed_context()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace scantune
