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
  // Where memory says how many items there are: for how many the kernels are launched, if not for n.
  u64 launched = 0;
  u64 draw = 0;  // which of several inputs it is given
};

// What an output is compared with.
struct Expected {
  std::function<std::shared_ptr<const Reference>()> on_cpu;  // called only if it is needed: it may take seconds
  const DeviceCheck* on_device;                              // null: the CPU checks every item
};

class VerifyRun {
 public:
  // Makes room for each of these requests, which are of one algorithm. The staging must live longer.
  VerifyRun(Device& device, Staging& staging, const Config& config, std::span<const Request> requests);

  // Runs into poisoned memory and compares, several times where it is out of place, on the workspace of all runs
  // before. Throws WrongResult and NoCheck.
  void run(const PreparedConfig& prepared, const VerifyCase& which, const KnownInput& input, const Expected& expected);

  // Runs a kernel that is launched for some items when memory says n is 0.
  void run_empty(const PreparedConfig& prepared, u64 launched);

  // Runs a kernel twice whose results the CPU does not know. Throws WrongResult if it writes where it must not, or if
  // the request requires equal bits and the second run returns others.
  void run_unchecked(const PreparedConfig& prepared, const KnownInput& input);

  // Throws WrongResult if any run has written past the workspace.
  void check_workspace_guard(const PreparedConfig& prepared);

 private:
  // An array between guard zones. For a kernel it begins on a vector's boundary or off it, at different distances for
  // inputs and outputs.
  struct Arena {
    RequestOperand operand;
    DeviceBuffer memory;

    std::byte* begin(Variant variant, const RequestOperand& stored) const;
  };

  struct Beside {
    RequestOperand operand;
    std::byte* memory;
  };

  // What an input gave.
  struct KeptBits {
    InputSpec input;
    bool keeps_input;  // where nothing is a result
    std::vector<std::byte> output;

    bool is_of_same_input(const KeptBits& other) const {
      return input == other.input && keeps_input == other.keeps_input;
    }
  };

  // A complete input that no kernel under test sees.
  struct KeptInput {
    InputSpec spec;
    DeviceBuffer memory;
  };

  const std::byte* kept(const KnownInput& input);  // null if there is no room for it
  const Arena& arena(OperandRole role) const;
  Pointers pointers(const PreparedConfig& prepared, u64 n, bool in_place) const;
  void poison(std::byte* output, u64 bytes);
  // The operands beside input and output, where a kernel finds them.
  std::vector<Beside> beside(Variant variant, const Request& request) const;
  // Fills those that are read, and poisons those that are written.
  void prepare_beside(Variant variant, const InputSpec& input);
  // Each returns a text that says what is wrong, empty if nothing is.
  std::string fault_in_output(const Expected& expected, const std::byte* input, std::byte* output,
                              const KnownInput& known, bool in_place);
  std::string fault_in_rest(const KnownInput& input, const std::byte* output, u64 written);
  std::string fault_in_items(const Reference& reference, std::byte* output, u64 bytes);
  // Where the request asks for equal bits: whether the same input gave others, by these kernels or those for other
  // pointers.
  std::string difference_in_bits(const InputSpec& input, bool in_place, const std::byte* output, u64 bytes);
  std::string fault_beside(const Expected& expected, Variant variant, const Request& request);
  std::string fault_found_on_cpu(const Reference& reference, std::byte* output, u64 bytes);
  std::string fault_in_guards(std::byte* array, u64 bytes, const std::string& name = "output");
  std::string fault_behind(std::byte* items, u64 bytes, const char* what);
  std::string fault_in_input(const KnownInput& input, std::byte* on_device);
  std::string fault_in_guard(std::byte* guard, const std::string& where);

  Device& device_;
  Staging& staging_;
  u64 workspace_bytes_;
  std::vector<Arena> arenas_;  // one of each role; of an argument it has no memory
  DeviceBuffer workspace_;
  std::unique_ptr<const KeptInput> kept_;
  std::vector<KeptBits> bits_;
};

}  // namespace scantune
