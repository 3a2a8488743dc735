// The families' kernels on the host device, launched without the runtime above it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/host/host_device.h"
#include "instantiation/instantiation.h"

namespace scantune {

// Whether tests run only to tell which kernels they take, which are then compiled together (rehearsal.h). Kernels must
// not run: what launches them returns before it does.
bool is_rehearsal();

// Says that the test at hand is none of kernels. Others fail where they take none.
void needs_no_kernel();

// Loaded kernels, each compiled once per process and source. In a rehearsal they cannot be launched.
class ScanKernels {
 public:
  const Module& get(const Instantiation& instantiation);
  const Module& get(const ScanRequest& request, const Config& config, const CustomOperator* custom = nullptr,
                    Variant variant = Variant::aligned) {
    return get(instantiate(request, config, variant, custom));
  }
};

// A workspace as the runtime would lease it: zeroed before its first use, and never again.
class Workspace {
 public:
  Workspace(HostDevice& device, const WorkspaceNeed& need);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { device_.free(memory_); }

  void* data() const { return memory_; }
  WorkspaceHeader& header() const { return *static_cast<WorkspaceHeader*>(memory_); }

 private:
  HostDevice& device_;
  void* memory_;
};

// Poisoned memory of the device, some bytes away from the alignment of a vector. The room around it must stay
// unchanged.
class GuardedMemory {
 public:
  static constexpr unsigned char kPoison = 0xcb;

  GuardedMemory(HostDevice& device, u64 bytes, u64 misaligned_bytes = 0);
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { device_.free(memory_); }

  unsigned char* data() const { return memory_ + before_; }
  u64 size() const { return bytes_; }
  bool surroundings_intact() const;

 private:
  HostDevice& device_;
  u64 before_;
  u64 bytes_;
  unsigned char* memory_;
};

struct ScanBuffers {
  const void* input;
  void* output;
  void* workspace;
  const void* init;         // an accumulator or null; it is memory of the device if the request says so
  const void* n = nullptr;  // a u64 in memory of the device, if the request reads it
  void* clamped = nullptr;  // a u32 there, or null
};

// The launches of one scan, as the runtime would put them into a stream. `first_item` is the index of the item that the
// buffers start with, for kernels made with that first tile; it is a multiple of the config's tile.
std::vector<HostLaunch> scan_launches(const Module& module, const Config& config, const ScanRequest& request,
                                      const ScanBuffers& buffers, Variant variant = Variant::aligned,
                                      u64 first_item = 0);

// How far behind a vector boundary an array of the request begins that kernels for aligned pointers serve.
u64 aligned_offset(const ScanRequest& request, u64 bytes);

// The request forward or in reverse, where it does not ask for reverse and the family takes both.
ScanRequest in_drawn_direction(const FamilyModel& family, ScanRequest request, Random& random);

// A config of the family with these parameters; the others are those of the default for the request.
Config config_of(const FamilyModel& family, const Request& request,
                 const std::vector<std::pair<std::string, std::string>>& values = {});

// A legal config with a tile of at most max_tile_items items, every parameter drawn from its table or from values still
// smaller than those. Throws if it finds none.
Config random_config(const FamilyModel& family, const Request& request, int max_tile_items, Random& random);

}  // namespace scantune
