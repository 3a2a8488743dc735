// A kernel that holds a part of the GPU until it is told to leave, and what tests ask beside it.
#pragma once

#include <chrono>
#include <thread>

#include "core/contract/arch.h"
#include "gpu_test.h"
#include "test_kernel.h"

namespace scantune {

// Waits for a condition until a deadline: if it never came, nothing else would end the wait.
template <class Condition>
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

inline bool is_idle(CUstream stream) {
  const CUresult result = SCANTUNE_TEST_DRIVER(cuStreamQuery)(stream);
  if (result != CUDA_ERROR_NOT_READY) check(result, "cuStreamQuery");
  return result == CUDA_SUCCESS;
}

// Two CTAs with so much shared memory do not fit one SM, so each has an SM of its own.
inline int half_of_shared_bytes(int sm) { return limits_of(sm).shared_bytes_per_block / 2; }

// CTAs that stay on the GPU until they are released.
class Occupant {
 public:
  Occupant(Device& device, u32 ctas, int shared_bytes)
      : kernel_(device,
                "extern \"C\" __global__ void kernel(scantune::KernelArguments arguments) {\n"
                "  volatile unsigned* const released = arguments.operand<volatile "
                "unsigned>(scantune::OperandRole::output);\n"
                "  released[1 + blockIdx.x] = 1;\n"
                "  while (*released == 0) __nanosleep(1000);\n"
                "}\n",
                shared_bytes),
        launch_{.grid_blocks = ctas, .block_threads = 32, .shared_bytes = shared_bytes} {
    // Otherwise SMs would reserve no more shared memory than this kernel needs, and could not change that while it
    // runs.
    check(Driver::instance().cuFuncSetAttribute(kernel_.function(), CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                                CU_SHAREDMEM_CARVEOUT_MAX_SHARED),
          "cuFuncSetAttribute");
    void* memory = nullptr;
    check(SCANTUNE_TEST_DRIVER(cuMemAllocHost)(&memory, (1 + u64{ctas}) * sizeof(unsigned)), "cuMemAllocHost");
    words_ = static_cast<volatile unsigned*>(memory);
    for (u32 word = 0; word <= ctas; ++word) words_[word] = 0;
  }
  ~Occupant() {
    leave();
    Driver::instance().cuStreamSynchronize(stream_);
    SCANTUNE_TEST_DRIVER(cuMemFreeHost)(const_cast<unsigned*>(words_));
  }
  Occupant(const Occupant&) = delete;

  // Leaves no shared memory of the SMs that it holds, so that no other CTA starts there.
  static Occupant of_all_sms_but(Device& device, u32 left_over) {
    return {device, static_cast<u32>(device.identity().sm_count) - left_over,
            limits_of(device.identity().sm).shared_bytes_per_block};
  }
  static Occupant of_half_of_every_sms_shared_memory(Device& device) {
    return {device, static_cast<u32>(device.identity().sm_count), half_of_shared_bytes(device.identity().sm)};
  }

  // Starts the kernel; false if its CTAs do not all become resident.
  bool enter() {
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::output, const_cast<unsigned*>(words_));
    kernel_.enqueue(launch_, arguments, stream_);
    return comes_true([&] {
      for (u32 cta = 0; cta < launch_.grid_blocks; ++cta)
        if (words_[1 + cta] == 0) return false;
      return true;
    });
  }
  bool is_there() const { return !is_idle(stream_); }
  void leave() { *words_ = 1; }

 private:
  TestKernel kernel_;
  Launch launch_;
  TestStream stream_;
  volatile unsigned* words_;
};

}  // namespace scantune
