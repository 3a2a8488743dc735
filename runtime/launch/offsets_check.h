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
  // refuses_overlap: an item must not be in several segments.
  OffsetsCheck(const std::shared_ptr<Device>& device, const Request& request, bool refuses_overlap = false);

  // Compiles and loads the kernels, as a first check would. Throws what that throws.
  void load();

  // Waits for the stream. pointers: in the order of the request's operands. Throws a RequestError that names the first
  // invalid offset, or the first segment with items of another, or the argument that prevents the check: offsets
  // outside the device's memory, or a stream that is being captured.
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
  u64 first_overlapping(const Module& module, const Pointers& pointers, Stream stream) const;  // likewise
  KernelArguments arguments_of(const Pointers& pointers, void* workspace) const;
  // The begin of a segment, or its end, as text.
  struct Found {
    std::string text;
    bool is_within;  // the items
  };
  Found found_at(std::size_t which, const Pointers& pointers, u64 segment, Stream stream) const;
  std::string segment_at(const Pointers& pointers, u64 segment, Stream stream) const;
  std::string fault_at(const Pointers& pointers, u64 index, Stream stream) const;
  std::string fault_of_segment(const Pointers& pointers, u64 segment, Stream stream) const;

  LaunchContext& context_;
  Request request_;
  std::vector<Read> read_;  // the offsets, or begins and ends, come first
  bool has_ends_ = false;
  bool refuses_overlap_;
  bool covers_all_;  // whether the offsets are those of all items: from 0 to n
  std::shared_ptr<const LoadedModule> module_;
};

}  // namespace scantune
