// Checks offsets on the device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launch/arguments.h"
#include "launch/launch_context.h"

namespace scantune {

class OffsetsCheck {
 public:
  OffsetsCheck(const std::shared_ptr<Device>& device, const Request& request);

  // Compiles and loads the kernel, as a first check would. Throws what that throws.
  void load();

  // Waits for the stream. pointers: in the order of the request's operands. Throws a RequestError that names the first
  // invalid offset, or the argument that prevents the check: offsets outside the device's memory, or a stream that is
  // being captured.
  void check(const Pointers& pointers, Stream stream) const;

 private:
  // An array of offsets, or the number of them in memory.
  struct Read {
    RequestOperand operand;
    std::size_t place;  // among the request's operands
  };

  void check_arguments(const Pointers& pointers, Stream stream) const;
  std::shared_ptr<const LoadedModule> loaded() const;
  u64 first_wrong(const Module& module, const Pointers& pointers, Stream stream) const;  // if none is, their number
  std::string fault_at(const Pointers& pointers, u64 index, Stream stream) const;
  std::string fault_of_segment(const Pointers& pointers, u64 segment, Stream stream) const;

  LaunchContext& context_;
  Request request_;
  std::vector<Read> read_;  // the offsets, or begins and ends, come first
  bool has_ends_ = false;
  bool covers_all_;  // whether the offsets are those of all items: from 0 to n
  std::shared_ptr<const LoadedModule> module_;
};

}  // namespace scantune
