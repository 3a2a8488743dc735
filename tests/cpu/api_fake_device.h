// A device that records what it is asked, for the tests of launching. Its memory is the process's; streams are numbers.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "device/device.h"
#include "scantune/error.hpp"

namespace scantune::testing {

class FakeCompiler : public Compiler {
 public:
  std::string fingerprint() const override { return "fake"; }
  Binary compile(const Instantiation& instantiation, const std::string&) override {
    ++compilations;
    sources.push_back(instantiation.source);
    if (!refused.empty() && instantiation.source.find(refused) != std::string::npos)
      throw CompileError("the fake compiler refuses " + instantiation.label);
    return {{}, "fake 1.0", "", 1.0};
  }

  int compilations = 0;
  std::vector<std::string> sources;
  std::string refused;  // sources that contain this do not compile
};

struct FakeModule : Module {
  std::vector<std::string> kernels;
  std::vector<int> max_shared_bytes;
};

struct FakeLaunch {
  const FakeModule* module;
  Launch launch;
  KernelArguments arguments;
  Stream stream;
};

struct FakeZeroing {
  void* memory;
  u64 bytes;
  Stream stream;
  std::size_t launches_before;
};

class FakeDevice : public Device {
 public:
  static constexpr u64 kMemoryBytes = u64{1} << 40;

  struct StreamFake {
    u64 id;
    void* capturing_graph = nullptr;
    std::string problem{};
  };

  ~FakeDevice() override {
    for (void* memory : allocations) std::free(memory);
  }

  Stream make_stream() {
    const auto handle = reinterpret_cast<Stream>(static_cast<std::uintptr_t>(++handles_) * 64);
    streams[handle] = {.id = next_id_++};
    return handle;
  }
  void begin_capture(Stream stream, int graph) { streams.at(stream).capturing_graph = graph_of(graph); }
  void end_capture(Stream stream) { streams.at(stream).capturing_graph = nullptr; }
  void destroy_graph(int graph) {
    const auto held = std::exchange(held_by_graph[graph_of(graph)], {});
    in_callback = true;
    for (const auto& [release, token] : held) release(token);
    in_callback = false;
  }

  const DeviceIdentity& identity() const override { return identity_; }
  FakeCompiler& compiler() override { return compiler_; }
  std::string driver_version() const override { return "0"; }

  std::unique_ptr<Module> load(const Binary&, std::span<const std::string> kernels,
                               std::span<const int> max_shared_bytes) override {
    if (before_load) before_load();
    auto module = std::make_unique<FakeModule>();
    module->kernels.assign(kernels.begin(), kernels.end());
    module->max_shared_bytes.assign(max_shared_bytes.begin(), max_shared_bytes.end());
    return module;
  }
  void check_fits(const Module&, const Launch& launch) override {
    if (launch.cluster_blocks > most_cluster_blocks) throw DeviceError("no such cluster fits the fake device");
  }
  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) override {
    const std::lock_guard lock(mutex);
    launched.push_back({static_cast<const FakeModule*>(&module), launch, arguments, stream});
    set_launch(launched.back().arguments, launch);
  }

  void* allocate(u64 bytes) override {
    called_driver();
    if (out_of_memory || bytes > kMemoryBytes) throw OutOfMemoryError("the fake device is out of memory");
    void* memory = std::aligned_alloc(256, round_up(bytes, 256));
    std::memset(memory, 0xa5, bytes);
    const std::lock_guard lock(mutex);
    allocations.insert(memory);
    return memory;
  }
  void free(void* memory) noexcept override {
    called_driver();
    const std::lock_guard lock(mutex);
    allocations.erase(memory);
    std::free(memory);
  }
  void fill(void* memory, std::byte value, u64 bytes) override {
    called_driver();
    if (bytes > 0) std::memset(memory, std::to_integer<int>(value), bytes);
  }
  void enqueue_zero(void* memory, u64 bytes, Stream stream) override {
    const std::lock_guard lock(mutex);
    zeroed.push_back({memory, bytes, stream, launched.size()});
  }
  void upload(void* destination, const void* source, u64 bytes) override { copy(destination, source, bytes); }
  void download(void* destination, const void* source, u64 bytes) override { copy(destination, source, bytes); }
  // No kernel runs, so that none has left anything but zeroes.
  void download_behind(Stream stream, void* destination, const void*, u64 bytes) override {
    waited_for.push_back(stream);
    std::memset(destination, 0, bytes);
  }
  void copy(void* destination, const void* source, u64 bytes) override {
    if (bytes > 0) std::memcpy(destination, source, bytes);
  }
  void synchronize() override {
    ++synchronizations;
    if (cannot_synchronize) throw DeviceError("the fake device is being captured on");
  }
  bool is_gone() const override { return gone; }
  bool outlives_failed_kernels() const override { return outlives; }
  std::string failure() const override { return lost; }

  StreamState stream_state(Stream stream) override {
    const std::lock_guard lock(mutex);
    ++stream_queries;
    if (stream == nullptr) return {0, nullptr};
    const StreamFake& fake = streams.at(stream);
    return {fake.id, fake.capturing_graph};
  }
  std::string pointer_fault(const void* pointer, u64, unsigned) override {
    return pointer == host_pointer ? "is memory of the host" : "";
  }
  std::string stream_fault(Stream stream) override { return stream == nullptr ? "" : streams.at(stream).problem; }
  void retain_until_graph_dies(void* graph, void (*release)(void*), void* token) override {
    if (fail_to_retain) {
      release(token);
      throw DeviceError("the fake device cannot retain");
    }
    held_by_graph[graph].emplace_back(release, token);
  }
  double time_us(const std::function<void(Stream)>&, int) override { return 1; }
  std::optional<int> sm_clock_mhz() override { return std::nullopt; }
  u64 l2_bytes() override { return 0; }

  bool outlives = false;  // kernels that fail
  std::vector<FakeLaunch> launched;
  std::vector<FakeZeroing> zeroed;  // in streams
  std::vector<Stream> waited_for;
  std::set<void*> allocations;
  int driver_calls = 0;  // how many calls a capture would forbid
  int stream_queries = 0;
  std::map<Stream, StreamFake> streams;
  std::map<void*, std::vector<std::pair<void (*)(void*), void*>>> held_by_graph;
  const void* host_pointer = reinterpret_cast<const void*>(0xdead0000);
  int most_cluster_blocks = 16;
  int synchronizations = 0;
  bool cannot_synchronize = false;
  bool gone = false;
  bool fail_to_retain = false;
  bool out_of_memory = false;
  std::string lost;                   // why the device refuses every further call
  std::function<void()> before_load;  // may throw
  bool in_callback = false;
  bool driver_called_in_callback = false;
  std::mutex mutex;

 private:
  static void* graph_of(int graph) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(graph) * 4096); }
  void called_driver() noexcept {
    const std::lock_guard lock(mutex);
    ++driver_calls;
    driver_called_in_callback |= in_callback;
  }

  DeviceIdentity identity_{"sm_90", 90, "NVIDIA H200", 132};
  FakeCompiler compiler_;
  int handles_ = 0;
  u64 next_id_ = 1;
};

inline void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

}  // namespace scantune::testing
