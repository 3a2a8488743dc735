// The memory in which one config is verified, and one run in it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/device_buffer.h"
#include "measure/device_check.h"
#include "measure/prepared_config.h"
#include "measure/reference.h"
#include "measure/staging.h"

namespace scantune {

// One run of a config.
struct VerifyCase {
  u64 n;
  InputPattern pattern = InputPattern::exact;
  bool in_place = false;
};

// What an output is held against.
struct Expected {
  std::function<std::shared_ptr<const Reference>()> on_cpu;  // asked for only if it is needed: it may take seconds
  const DeviceCheck* on_device;                              // null: the CPU looks at every item
};

class VerifyRun {
 public:
  // Room for each of these requests, which are of one algorithm, and for fewer items. The staging lives longer.
  VerifyRun(Device& device, Staging& staging, const Config& config, std::span<const Request> largest);

  // Runs into poisoned memory and compares; out of place again and again, on the workspace of all runs before. Throws
  // WrongResult and NoCheck.
  void run(const PreparedConfig& prepared, const VerifyCase& which, const KnownInput& input, const Expected& expected);

  // Runs twice a kernel whose results the CPU does not know. Throws WrongResult if it writes where it must not, or
  // if the request asks for equal bits and the second run returns others.
  void run_unchecked(const PreparedConfig& prepared, const KnownInput& input);

  // Throws WrongResult if any run has written behind the workspace.
  void check_workspace_guard(const PreparedConfig& prepared);

 private:
  // An array between guard zones. Where it lies for a kernel: on a vector's boundary, or off it, inputs and outputs by
  // different distances.
  struct Arena {
    RequestOperand operand;
    DeviceBuffer memory;

    std::byte* begin(Variant variant) const;
  };

  // A whole input that no kernel under test sees.
  struct KeptInput {
    InputSpec spec;
    DeviceBuffer memory;
  };

  const std::byte* kept(const KnownInput& input);  // null if there is no room for it
  const Arena& arena(OperandRole role) const;
  Pointers pointers(Variant variant, bool in_place) const;
  void poison(std::byte* output, u64 bytes);
  // Text saying what is wrong; empty if nothing is.
  std::string fault_in_output(const Expected& expected, const std::byte* input, std::byte* output,
                              const Request& request);
  std::string fault_found_on_cpu(const Reference& reference, std::byte* output, u64 bytes);
  std::string fault_in_guards(std::byte* output, u64 bytes);
  std::string fault_in_input(const KnownInput& input, std::byte* on_device);
  std::string fault_in_guard(std::byte* guard, const char* where);

  Device& device_;
  Staging& staging_;
  u64 workspace_bytes_;
  std::vector<Arena> arenas_;  // in the order of the operands; of one item: without memory
  DeviceBuffer workspace_;
  std::unique_ptr<const KeptInput> kept_;
};

}  // namespace scantune
