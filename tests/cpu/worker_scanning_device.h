// A device that scans on the CPU by a plain loop, and can be told to make one mistake. It understands kernels of
// look-back and of rows only: one launch with all items.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "core/contract/check.h"
#include "device/device.h"
#include "scantune/error.hpp"
#include "worker_plain_scan.h"

namespace scantune::testing {

// What a mistake may change after a scan.
struct Scanned {
  ScanRequest request;  // includes n, which memory may say
  u64 launched_items;   // n of the launch
  Variant variant;      // that of the kernel
  const std::byte* input;
  std::byte* output;
  std::byte* workspace;
  u64 workspace_bytes;  // its allocated size
  int scans;            // on this device so far, this one included
  const std::string& source;

  u64 bytes() const { return request.n * static_cast<u64>(request.output_bytes()); }
  bool runs(const CustomOperator& op) const { return source.find(op.source) != std::string::npos; }
  void flip(u64 item) const { output[item * static_cast<u64>(request.output_bytes())] ^= std::byte{4}; }
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
  bool computes = true;  // false leaves outputs alone, for tests of what is launched
  std::function<double(int launches)> microseconds = [](int launches) { return 10.0 * launches; };
  u64 memory_bytes = u64{1} << 32;  // limit to one allocation
  u64 total_bytes = u64{1} << 34;   // limit to all of them
  std::string lost;                 // once set, the device refuses everything
  u64 l2 = 0;
  std::optional<double> peak;  // bandwidth, as Device says it
  int scans = 0;
  int other_launches = 0;  // launches of kernels that scans are timed beside
  int checks = 0;          // checks of outputs by kernels
  u64 uploaded_bytes = 0;
  // What the check returns for an output of n items in place of its first wrong item, which is n where there is none.
  std::function<u64(u64 n, u64 first_wrong)> verdict = [](u64, u64 first_wrong) { return first_wrong; };

  const DeviceIdentity& identity() const override { return identity_; }
  DeviceIdentity& mutable_identity() { return identity_; }
  ScanningCompiler& compiler() override { return compiler_; }
  std::string driver_version() const override { return "1.0"; }

  std::unique_ptr<Module> load(const Binary& binary, std::span<const std::string>, std::span<const int>) override {
    require_well();
    return std::make_unique<PlainModule>(std::string(binary.image.begin(), binary.image.end()));
  }

  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream) override {
    require_well();
    const auto& source = static_cast<const PlainModule&>(module).source;
    if (source.find("ScanRequest") == std::string::npos) {
      ++other_launches;
      return;
    }
    ScanRequest request = request_of(source);
    request.n = launch.n;
    if (request.segments == Segments::rows) request.rows = ceil_div(launch.n, launch.extents[0]);
    if (request.segments == Segments::columns) request.columns = launch.extents[0];
    if (source.find("SCANTUNE_INSTANTIATE_CHECK") != std::string::npos) {
      if (launch.kernel == kLastCheckKernel) check(request, arguments);
      return;
    }
    if (request.reads_n()) request.n = std::min(request.n, *arguments.operand<const u64>(OperandRole::n));
    const bool aligned = source.find("scantune::Variant::aligned") != std::string::npos;
    const Variant variant = aligned ? Variant::aligned : Variant::any;
    if (computes)
      plain_scan(request, arguments.operand<const std::byte>(OperandRole::input),
                 request.init == Init::memory ? arguments.operand(OperandRole::init) : arguments.init,
                 arguments.operand<std::byte>(OperandRole::output));
    ++scans;
    auto* workspace = static_cast<std::byte*>(arguments.workspace);
    mistake({request, launch.n, variant, arguments.operand<const std::byte>(OperandRole::input),
             arguments.operand<std::byte>(OperandRole::output), workspace,
             workspace == nullptr ? 0 : bytes_from(workspace), scans, source});
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
  void fill(void* memory, std::byte value, u64 bytes) override {
    if (bytes > 0) std::memset(memory, std::to_integer<int>(value), bytes);
  }
  void upload(void* destination, const void* source, u64 bytes) override {
    copy(destination, source, bytes);
    uploaded_bytes += bytes;
  }
  void download(void* destination, const void* source, u64 bytes) override { copy(destination, source, bytes); }
  void copy(void* destination, const void* source, u64 bytes) override {
    if (bytes > 0) std::memcpy(destination, source, bytes);
  }
  void synchronize() override { require_well(); }

  StreamState stream_state(Stream) override { return {}; }
  std::string pointer_fault(const void*, u64, unsigned) override { return {}; }
  std::string stream_fault(Stream) override { return {}; }
  void retain_until_graph_dies(void*, void (*)(void*), void*) override {}

  double time_us(const std::function<void(Stream)>& enqueue, int replays) override {
    const int before = scans;
    for (int replay = 0; replay < replays; ++replay) enqueue(nullptr);
    return microseconds((scans - before) / replays);
  }
  std::optional<int> sm_clock_mhz() override { return 1980; }
  u64 l2_bytes() override { return l2; }
  std::optional<double> peak_gigabytes_per_second() override { return peak; }

  u64 allocated_bytes() const {
    u64 sum = 0;
    for (const auto& [data, memory] : allocations_) sum += memory.size();
    return sum;
  }
  std::size_t live_allocations() const { return allocations_.size(); }

 protected:
  struct PlainModule : Module {
    explicit PlainModule(std::string text) : source(std::move(text)) {}
    std::string source;
  };

 private:
  static constexpr int kLastCheckKernel = 2;

  void check(const ScanRequest& request, const KernelArguments& arguments) {
    const u64 item_bytes = static_cast<u64>(request.output_bytes());
    std::vector<std::byte> expected(request.n * item_bytes);
    plain_scan(request, arguments.operand<const std::byte>(OperandRole::input), arguments.init, expected.data());
    const auto* const found = arguments.operand<const std::byte>(OperandRole::output);
    const auto wrong = std::ranges::mismatch(expected, std::span(found, expected.size())).in1 - expected.begin();
    const u64 right = verdict(request.n, static_cast<u64>(wrong) / item_bytes);
    const auto workspace = CheckWorkspace::of(request.n);
    auto* const counts = reinterpret_cast<u32*>(static_cast<std::byte*>(arguments.workspace) + workspace.counts());
    for (u64 chunk = 0; chunk < workspace.chunks; ++chunk)
      counts[chunk] = static_cast<u32>(std::clamp(right, chunk * kCheckedItems, (chunk + 1) * kCheckedItems) -
                                       chunk * kCheckedItems);
    ++checks;
  }

  void require_well() const {
    if (!lost.empty()) throw DeviceError(lost);
  }

  // How many bytes there are to the end of the allocation that the pointer lies in.
  u64 bytes_from(std::byte* pointer) const {
    const auto& [data, memory] = *std::prev(allocations_.upper_bound(pointer));
    return memory.size() - static_cast<u64>(pointer - static_cast<std::byte*>(data));
  }

  static std::string after(const std::string& source, const std::string& before) {
    const std::size_t place = source.find(before);
    if (place == std::string::npos) throw Error("the source does not say " + before);
    return source.substr(place + before.size(), source.find_first_of(",}", place) - place - before.size());
  }
  static int mentioned(const std::string& source, const MemberModel& member) {
    const std::string name = member.name;
    const std::string value = after(source, "." + name + " = decltype(scantune::ScanRequest::" + name + ")::");
    const auto found = std::ranges::find(member.tokens, value);
    if (found == member.tokens.end()) throw Error("there is no " + name + " " + value);
    return static_cast<int>(found - member.tokens.begin());
  }

  static ScanRequest request_of(const std::string& source) {
    Request request{ScanRequest{}};
    for (const MemberModel& member : request.members())
      if (member.is_compiled) request.set(member, mentioned(source, member));
    if (source.find(".custom_bytes") == std::string::npos) return typed<ScanRequest>(request);
    request.custom_bytes = std::stoi(after(source, ".custom_bytes = "));
    request.custom_alignment = std::stoi(after(source, ".custom_alignment = "));
    return typed<ScanRequest>(request);
  }

  DeviceIdentity identity_{"sm_90", 90, "plain", 4};
  ScanningCompiler compiler_;
  std::map<void*, std::vector<std::byte>> allocations_;
};

}  // namespace scantune::testing
