// A device, streams and graphs for the GPU tests. Without a GPU every test is skipped, and says why.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/cuda/driver.h"
#include "device/device.h"
#include "scantune/error.hpp"
#include "scantune/runtime.hpp"
#include "support/dynamic_library.h"
#include "watchdog.h"

namespace scantune {

inline void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown error";
  Driver::instance().cuGetErrorName(result, &name);
  throw DeviceError(std::string(call) + ": " + name);
}
#define SCANTUNE_CHECK(call) ::scantune::check(::scantune::Driver::instance().call, #call)

#define SCANTUNE_TEST_TEXT(name) #name
#define SCANTUNE_TEST_EXPANDED_TEXT(name) SCANTUNE_TEST_TEXT(name)
// A driver function that the library itself does not use.
#define SCANTUNE_TEST_DRIVER(function) \
  ::scantune::DynamicLibrary({"libcuda.so.1"}).find_as<decltype(&::function)>(SCANTUNE_TEST_EXPANDED_TEXT(function))

inline std::size_t free_device_bytes() {
  std::size_t free = 0, total = 0;
  check(SCANTUNE_TEST_DRIVER(cuMemGetInfo)(&free, &total), "cuMemGetInfo");
  return free;
}

// The test that is running, as a filter names it.
inline std::string name_of_test() {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test.test_suite_name()) + "." + test.name();
}

// A fixture with a limit of time: CTAs that wait for each other would wait for ever if one of them were wrong, and the
// driver with them.
class GpuTest : public ::testing::Test {
 protected:
  explicit GpuTest(std::chrono::seconds limit = std::chrono::minutes(4)) : watchdog_(name_of_test(), limit) {}

  void SetUp() override {
    try {
      device_ = cuda_device();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << "needs a GPU: " << error.what();
    }
  }

  std::shared_ptr<Device> device_;

 private:
  const Watchdog watchdog_;
};

class TestStream {
 public:
  TestStream() { SCANTUNE_CHECK(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING)); }
  ~TestStream() {
    runtime::release(stream_);
    Driver::instance().cuStreamDestroy(stream_);
  }
  TestStream(const TestStream&) = delete;
  operator CUstream() const { return stream_; }
  void synchronize() const { SCANTUNE_CHECK(cuStreamSynchronize(stream_)); }

 private:
  CUstream stream_ = nullptr;
};

// An executable graph of what `enqueue` puts into the stream.
class TestGraph {
 public:
  template <class Enqueue>
  TestGraph(CUstream stream, const Enqueue& enqueue) {
    SCANTUNE_CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CUgraph graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      Driver::instance().cuStreamEndCapture(stream, &graph);
      if (graph != nullptr) Driver::instance().cuGraphDestroy(graph);
      throw;
    }
    SCANTUNE_CHECK(cuStreamEndCapture(stream, &graph));
    SCANTUNE_CHECK(cuGraphInstantiate(&executable_, graph, 0));
    SCANTUNE_CHECK(cuGraphDestroy(graph));
  }
  ~TestGraph() { Driver::instance().cuGraphExecDestroy(executable_); }
  TestGraph(const TestGraph&) = delete;
  void launch(CUstream stream) const { SCANTUNE_CHECK(cuGraphLaunch(executable_, stream)); }

 private:
  CUgraphExec executable_ = nullptr;
};

inline std::vector<std::int32_t> random_items(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> items(n);
  for (auto& item : items) item = static_cast<std::int32_t>(random());
  return items;
}

inline std::vector<std::int32_t> inclusive_sum(const std::vector<std::int32_t>& items) {
  std::vector<std::int32_t> sums(items.size());
  std::uint32_t sum = 0;
  for (std::size_t index = 0; index < items.size(); ++index)
    sums[index] = static_cast<std::int32_t>(sum += static_cast<std::uint32_t>(items[index]));
  return sums;
}

inline std::vector<std::int32_t> downloaded(const runtime::Buffer<std::int32_t>& buffer) {
  std::vector<std::int32_t> items(buffer.size());
  buffer.download(items.data());
  return items;
}

}  // namespace scantune
