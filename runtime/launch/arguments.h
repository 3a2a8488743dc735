// What can be said against the arguments of a scan.
#pragma once

#include <span>
#include <string>

#include "device/device.h"

namespace scantune {

// The pointers of one call.
struct ScanPointers {
  const void* input;
  void* output;
  const void* init_memory;  // of Init::memory
};

// The memory that they name.
class NamedArguments {
 public:
  NamedArguments(const ScanRequest& request, const ScanPointers& pointers)
      : memory_{items("input", pointers.input, request.n, request.input_bytes()),
                items("output", pointers.output, request.n, request.output_bytes()),
                items("device_init", pointers.init_memory, 1, request.accumulator_bytes())},
        count_(request.init == Init::memory ? 3 : 2) {}

  std::span<const NamedMemory> list() const { return {memory_, count_}; }

 private:
  static NamedMemory items(const char* argument, const void* memory, u64 n, int item_bytes) {
    const auto bytes = static_cast<unsigned>(item_bytes);
    return {argument, memory, n * bytes, bytes};
  }

  NamedMemory memory_[3];
  std::size_t count_;
};

// False if null, alignment, the end of the address space or an overlap says that a pointer of a scan of n > 0 items is
// wrong. Asks nobody: small enough for every call of a plan.
bool arguments_are_plausible(const ScanRequest& request, const ScanPointers& pointers);

// Throws RequestError that says what is wrong with arguments that are not plausible. What the device knows of their
// memory comes before an overlap, since too large an n makes the ranges of neighbouring allocations overlap.
[[noreturn]] void refuse_arguments(Device& device, const ScanRequest& request, const ScanPointers& pointers,
                                   Stream stream);

// What is wrong with a request apart from having no kernel; empty if nothing is.
std::string size_problem(const ScanRequest& request);

}  // namespace scantune
