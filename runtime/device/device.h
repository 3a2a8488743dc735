// A device runs compiled kernels. Two exist: a CUDA GPU through the driver, and the host device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/contract/launch.h"
#include "jit/compiler.h"

struct CUstream_st;

namespace scantune {

using Stream = CUstream_st*;

struct DeviceIdentity {
  std::string arch;  // "sm_90", or "host"
  int sm = kHostSm;
  std::string name;  // as the driver reports it
  int sm_count = 1;

  bool operator==(const DeviceIdentity&) const = default;
};

// A loaded binary. Its kernels are ready to launch: loaded eagerly, shared-memory attributes set.
class Module {
 public:
  virtual ~Module() = default;
};

// What a stream means for a workspace. Handles of streams are reused; ids are not.
struct StreamState {
  u64 id = 0;                       // not known while the stream is being captured
  void* capturing_graph = nullptr;  // non-null while the stream is being captured
};

// Memory that a caller names, under the name of the argument that names it.
struct NamedMemory {
  const char* argument;
  const void* memory;
  u64 bytes;
  unsigned item_bytes;
};

// What is wrong with memory whose allocation holds fewer bytes than the items need.
std::string shortage(u64 held_bytes, u64 needed_bytes, unsigned item_bytes);

// The peak bandwidth of a memory that transfers on both clock edges; nullopt if clock or bus width is 0, that is,
// unknown.
std::optional<double> peak_gigabytes_per_second(int memory_clock_khz, int bus_width_bits);

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceIdentity& identity() const = 0;
  virtual Compiler& compiler() = 0;
  virtual std::string driver_version() const = 0;

  // max_shared_bytes: the largest dynamic shared memory that each kernel will be launched with.
  virtual std::unique_ptr<Module> load(const Binary& binary, std::span<const std::string> kernels,
                                       std::span<const int> max_shared_bytes) = 0;

  // Throws DeviceError if launches of this shape do not fit the device even when idle: a cluster may need more
  // neighbouring SMs than a part of a GPU has.
  virtual void check_fits(const Module&, const Launch&) {}

  // Enqueues one kernel. Writes n and the offsets of the launch into the arguments, which are copied only once. Throws
  // DeviceError; after an error that destroyed the context every further call throws too.
  virtual void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) = 0;

  // Whether a failing kernel leaves the device usable, with the writes of some of its CTAs.
  virtual bool outlives_failed_kernels() const { return false; }

  // The number of a GPU as CUDA counts those that the process sees; -1 of the host device.
  virtual int ordinal() const { return -1; }
  // Calls the program's function with the device's context current, while streams are captured, too.
  virtual void in_context(const std::function<void()>& call) { call(); }

  virtual void* allocate(u64 bytes) = 0;  // throws OutOfMemoryError
  virtual void free(void* memory) noexcept = 0;
  // Lets kernels use memory of the program's, in place, until as many calls of unwrap(). A device that cannot throws
  // RequestError.
  virtual void wrap(void* memory, u64 bytes);
  virtual void unwrap(void*, u64) noexcept {}
  // Sets every byte to value. It is complete on return, and legal while other streams are captured. Here and in the
  // copies below, pointers to no bytes may be null.
  virtual void fill(void* memory, std::byte value, u64 bytes) = 0;
  void zero(void* memory, u64 bytes) { fill(memory, std::byte{0}, bytes); }
  // Enqueues the zeroing of bytes, which becomes part of the graph where the stream is being captured. On devices whose
  // launches are complete on return it is, too.
  virtual void enqueue_zero(void* memory, u64 bytes, Stream) { zero(memory, bytes); }
  virtual void upload(void* destination, const void* source, u64 bytes) = 0;    // synchronous
  virtual void download(void* destination, const void* source, u64 bytes) = 0;  // synchronous
  virtual void copy(void* destination, const void* source, u64 bytes) = 0;      // within the device; synchronous
  // Enqueues the copy, as enqueue_zero() does the zeroing.
  virtual void enqueue_copy(void* destination, const void* source, u64 bytes, Stream) {
    copy(destination, source, bytes);
  }
  // Downloads after the work in that stream, and waits for no other stream.
  virtual void download_behind(Stream, void* destination, const void* source, u64 bytes) {
    download(destination, source, bytes);
  }
  virtual void synchronize() = 0;

  // Pinned host memory, which is copied at the full speed of the bus. Throws OutOfMemoryError.
  virtual void* allocate_staging(u64 bytes);
  virtual void free_staging(void* memory) noexcept;
  // Copies that may still be under way on return, until synchronize(). They wait for no launch before them.
  virtual void begin_upload(void* destination, const void* staging, u64 bytes) { upload(destination, staging, bytes); }
  virtual void begin_download(void* staging, const void* source, u64 bytes) { download(staging, source, bytes); }

  // Whether the program has destroyed the context in which the device was made, and all memory with it.
  virtual bool is_gone() const { return false; }
  // Why the device refuses every further call: the error that destroyed its context. The text is empty while the device
  // works.
  virtual std::string failure() const { return {}; }

  virtual StreamState stream_state(Stream stream) = 0;
  // Empty if memory is the device's and the stream belongs to its context; else what is wrong. scan()'s full checks
  // call both. item_bytes serves a message that says how many items fit.
  virtual std::string pointer_fault(const void* pointer, u64 bytes, unsigned item_bytes) = 0;
  virtual std::string stream_fault(Stream stream) = 0;
  // The first fault of these arguments and of the stream, after the name of the argument; empty without a fault.
  virtual std::string argument_fault(std::span<const NamedMemory> arguments, Stream stream);
  // Calls release(token) once the graph and every executable made from it are gone, from any thread, where no call of a
  // device is allowed. It is called during capture. If it throws, release(token) has been or will be called all the
  // same.
  virtual void retain_until_graph_dies(void* graph, void (*release)(void*), void* token) = 0;

  // One sample: microseconds that one run of what enqueue puts into the stream takes, the mean of replays runs back to
  // back. A GPU captures it into a graph once and replays that; the host device calls enqueue(nullptr) every time.
  virtual double time_us(const std::function<void(Stream)>& enqueue, int replays) = 0;
  virtual std::optional<int> sm_clock_mhz() = 0;  // the clock at this moment; nullopt where it cannot be read
  virtual u64 l2_bytes() = 0;                     // 0 on the host device
  // The peak memory bandwidth, from clock and bus width; nullopt if these are unknown.
  virtual std::optional<double> peak_gigabytes_per_second() { return std::nullopt; }

 protected:
  // The first fault of several pointers and a stream, given the check of one of each.
  template <class PointerFault, class StreamFault>
  static std::string first_fault(std::span<const NamedMemory> arguments, const PointerFault& pointer_fault,
                                 const StreamFault& stream_fault) {
    for (const NamedMemory& named : arguments)
      if (named.bytes == 0)  // if n is 0, nobody reads or writes there
        continue;
      else if (const auto fault = pointer_fault(named.memory, named.bytes, named.item_bytes); !fault.empty())
        return std::string(named.argument) + ": " + fault;
    if (const auto fault = stream_fault(); !fault.empty()) return "stream: " + fault;
    return {};
  }
};

// The device that scans run on: SCANTUNE_DEVICE=host selects the host device; otherwise the GPU of the calling thread's
// current CUDA context, or GPU 0's primary context, which is then made current. Throws DeviceError without a device.
// Devices live as long as the process, so a call need not count references.
const std::shared_ptr<Device>& current_device();
const std::shared_ptr<Device>& host_device();  // its seed is 0 unless SCANTUNE_HOST_SEED says otherwise
const std::shared_ptr<Device>& cuda_device();

}  // namespace scantune
