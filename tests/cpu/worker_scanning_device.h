// A device that really scans, on the CPU and in the plainest way, and can be told to make one mistake. It understands
// look-back kernels only: one launch with all items.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "device/device.h"
#include "measure/value_types.h"
#include "scantune/error.hpp"

namespace scantune::testing {

// What a faulty kernel may touch, after it has scanned.
struct Scanned {
  ScanRequest request;  // with n and alignment
  const std::byte* input;
  std::byte* output;
  std::byte* workspace;
  u64 workspace_bytes;  // as allocated
  int scans;            // on this device so far, this one included

  u64 bytes() const { return request.n * static_cast<u64>(request.accumulator_bytes()); }
  void flip(u64 item) const { output[item * static_cast<u64>(request.accumulator_bytes())] ^= std::byte{4}; }
};

class ScanningCompiler : public Compiler {
 public:
  std::string fingerprint() const override { return "plain"; }
  Binary compile(const Instantiation& instantiation, const std::string&) override {
    sources.push_back(instantiation.source);
    instantiations.push_back(instantiation);
    if (refuses && refuses(instantiation.source)) throw CompileError(instantiation.label + " does not compile");
    return {{instantiation.source.begin(), instantiation.source.end()}, "plain 1.0", "a log", 2.0};
  }

  std::vector<std::string> sources;
  std::vector<Instantiation> instantiations;
  std::function<bool(const std::string& source)> refuses;
};

class ScanningDevice : public Device {
 public:
  std::function<void(const Scanned&)> mistake = [](const Scanned&) {};
  std::function<double(int launches)> microseconds = [](int launches) { return 10.0 * launches; };
  u64 memory_bytes = u64{1} << 32;  // of one allocation
  u64 total_bytes = u64{1} << 34;   // of all
  std::string lost;                 // once set, the device refuses everything
  u64 l2 = 0;
  int scans = 0;

  const DeviceIdentity& identity() const override { return identity_; }
  DeviceIdentity& mutable_identity() { return identity_; }
  ScanningCompiler& compiler() override { return compiler_; }
  std::string driver_version() const override { return "1.0"; }

  std::unique_ptr<Module> load(const Binary& binary, std::span<const std::string>, std::span<const int>) override {
    require_well();
    return std::make_unique<PlainModule>(std::string(binary.image.begin(), binary.image.end()));
  }

  void launch(const Module& module, const Launch& launch, const KernelArguments& arguments, Stream) override {
    require_well();
    const auto& source = static_cast<const PlainModule&>(module).source;
    if (source.find("copy_vectors") != std::string::npos) return;
    ScanRequest request = request_of(source);
    request.n = launch.n;
    visit_type(request.accumulator_type, [&]<class T>(std::type_identity<T>) { scan<T>(request, arguments); });
    ++scans;
    auto* workspace = static_cast<std::byte*>(arguments.workspace);
    mistake({request, static_cast<const std::byte*>(arguments.input), static_cast<std::byte*>(arguments.output),
             workspace, workspace == nullptr ? 0 : allocations_.at(workspace).size(), scans});
    require_well();
  }

  void* allocate(u64 bytes) override {
    require_well();
    if (bytes > memory_bytes || allocated_bytes() + bytes > total_bytes) throw DeviceError("out of memory");
    std::vector<std::byte> memory(bytes, std::byte{0x5c});
    void* data = memory.data();
    allocations_[data] = std::move(memory);
    return data;
  }
  void free(void* memory) noexcept override { allocations_.erase(memory); }
  void zero(void* memory, u64 bytes) override { std::memset(memory, 0, bytes); }
  void upload(void* destination, const void* source, u64 bytes) override { std::memcpy(destination, source, bytes); }
  void download(void* destination, const void* source, u64 bytes) override { std::memcpy(destination, source, bytes); }
  void synchronize() override { require_well(); }

  StreamState stream_state(Stream) override { return {}; }
  std::string pointer_problem(const void*, u64) override { return {}; }
  std::string stream_problem(Stream) override { return {}; }
  void retain_until_graph_dies(void*, void (*)(void*), void*) override {}

  double time_us(const std::function<void(Stream)>& enqueue, int replays) override {
    const int before = scans;
    for (int replay = 0; replay < replays; ++replay) enqueue(nullptr);
    return microseconds((scans - before) / replays);
  }
  std::optional<int> sm_clock_mhz() override { return 1980; }
  u64 l2_bytes() override { return l2; }

  u64 allocated_bytes() const {
    u64 sum = 0;
    for (const auto& [data, memory] : allocations_) sum += memory.size();
    return sum;
  }
  std::size_t live_allocations() const { return allocations_.size(); }

 private:
  struct PlainModule : Module {
    explicit PlainModule(std::string text) : source(std::move(text)) {}
    std::string source;
  };

  void require_well() const {
    if (!lost.empty()) throw DeviceError(lost);
  }

  template <class Enum>
  static Enum mentioned(const std::string& source, const std::string& before) {
    for (std::size_t value = 0; value < std::size(Tokens<Enum>::kNames); ++value)
      if (source.find(before + Tokens<Enum>::kNames[value]) != std::string::npos) return static_cast<Enum>(value);
    throw Error("the source does not say " + before);
  }

  static ScanRequest request_of(const std::string& source) {
    ScanRequest request;
    request.input_type = request.accumulator_type = request.output_type =
        mentioned<ValueType>(source, ".accumulator_type = scantune::ValueType::");
    request.op = mentioned<Operator>(source, ".op = scantune::Operator::");
    request.kind = mentioned<Kind>(source, ".kind = scantune::Kind::");
    request.init = source.find("Init::value") != std::string::npos ? Init::value : Init::none;
    request.alignment_bytes = source.find(".alignment_bytes = 16") != std::string::npos ? 16 : 4;
    return request;
  }

  template <class T>
  static T combine(Operator op, T a, T b) {
    if (op == Operator::sum) {
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
      else
        return a + b;
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
      if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
  }

  template <class T>
  static void scan(const ScanRequest& request, const KernelArguments& arguments) {
    const auto* input = static_cast<const T*>(arguments.input);
    auto* output = static_cast<T*>(arguments.output);
    T running{};
    bool any = request.has_init();
    if (any) std::memcpy(&running, arguments.init, sizeof running);
    for (u64 index = 0; index < request.n; ++index) {
      const T item = input[index];
      const T next = any ? combine(request.op, running, item) : item;
      output[index] = request.kind == Kind::exclusive ? running : next;
      running = next;
      any = true;
    }
  }

  DeviceIdentity identity_{"sm_90", 90, "plain", 4};
  ScanningCompiler compiler_;
  std::map<void*, std::vector<std::byte>> allocations_;
};

}  // namespace scantune::testing
