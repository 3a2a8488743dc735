// Loaded modules in memory: each kernel is compiled once, however many threads ask for it.
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "device/module_cache.h"
#include "jit_counting_compiler.h"

namespace scantune {
namespace {

class EmptyModule : public Module {};

// A device that loads everything and runs nothing.
class LoadingDevice : public Device {
 public:
  const DeviceIdentity& identity() const override { return identity_; }
  Compiler& compiler() override { return compiler_; }
  std::string driver_version() const override { return "none"; }
  std::unique_ptr<Module> load(const Binary&, std::span<const std::string>, std::span<const int>) override {
    ++loads;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // long enough for every thread to ask meanwhile
    return std::make_unique<EmptyModule>();
  }
  void launch(const Module&, const Launch&, KernelArguments&, Stream) override { refuse(); }
  void* allocate(u64) override { refuse(); }
  void free(void*) noexcept override {}
  void fill(void*, std::byte, u64) override { refuse(); }
  void upload(void*, const void*, u64) override { refuse(); }
  void download(void*, const void*, u64) override { refuse(); }
  void copy(void*, const void*, u64) override { refuse(); }
  void synchronize() override {}
  StreamState stream_state(Stream) override { return {}; }
  std::string pointer_fault(const void*, u64, unsigned) override { return {}; }
  std::string stream_fault(Stream) override { return {}; }
  void retain_until_graph_dies(void*, void (*)(void*), void*) override { refuse(); }
  double time_us(const std::function<void(Stream)>&, int) override { refuse(); }
  std::optional<int> sm_clock_mhz() override { return std::nullopt; }
  u64 l2_bytes() override { return 0; }

  std::atomic<int> compilations = 0;
  std::atomic<int> loads = 0;

 private:
  [[noreturn]] static void refuse() { throw DeviceError("this device only loads"); }

  DeviceIdentity identity_{"sm_90", 90, "a device that only loads", 1};
  CountingCompiler compiler_{compilations};
};

constexpr int kShared[] = {1024};

class ModuleCacheTest : public testing::Test {
 protected:
  LoadingDevice device_;
  ModuleCache cache_{device_};

  // Runs the body in many threads at once.
  template <class Body>
  static void in_threads(Body body) {
    constexpr int kThreads = 8;
    std::barrier start(kThreads);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&] {
        start.arrive_and_wait();
        body();
      });
  }
};

TEST_F(ModuleCacheTest, LoadsAKernelOnce) {
  const auto first = cache_.get(instantiation_of("a"), kShared);
  EXPECT_EQ(cache_.get(instantiation_of("a"), kShared), first);
  EXPECT_EQ(device_.loads, 1);
  EXPECT_EQ(first->compiler, "counting 1.0");
  EXPECT_EQ(first->log, "no remarks");
  EXPECT_EQ(first->key.size(), 64u);
}

TEST_F(ModuleCacheTest, TellsKernelsApartBySourceAndSharedMemory) {
  constexpr int kMore[] = {2048};
  const auto first = cache_.get(instantiation_of("a"), kShared);
  EXPECT_NE(cache_.get(instantiation_of("b"), kShared), first);
  EXPECT_NE(cache_.get(instantiation_of("a"), kMore), first);
}

TEST_F(ModuleCacheTest, CompilesOnceForManyThreads) {
  in_threads([&] { EXPECT_TRUE(cache_.get(instantiation_of("a"), kShared)->module); });
  EXPECT_EQ(device_.compilations, 1);
  EXPECT_EQ(device_.loads, 1);
}

TEST_F(ModuleCacheTest, ThrowsTheCompilersErrorInEveryThreadAndTriesAgainLater) {
  std::atomic<int> errors = 0;
  in_threads([&] {
    try {
      cache_.get(instantiation_of("wrong"), kShared);
    } catch (const CompileError&) {
      ++errors;
    }
  });
  EXPECT_EQ(errors, 8);
  const int before = device_.compilations;
  EXPECT_THROW(cache_.get(instantiation_of("wrong"), kShared), CompileError);
  EXPECT_EQ(device_.compilations, before + 1);
}

}  // namespace
}  // namespace scantune
