// The memory in which one config is verified, and one scan in it.
#pragma once

#include <string>
#include <vector>

#include "measure/device_buffer.h"
#include "measure/prepared_scan.h"
#include "measure/reference.h"

namespace scantune {

// One scan of a config, and how it is run.
struct VerifyCase {
  u64 n;
  InputPattern pattern = InputPattern::exact;
  bool aligned = true;  // to vectors, else to items only
  bool in_place = false;

  u64 input_offset(u64 item_bytes) const { return aligned ? 0 : item_bytes; }
  // Another distance from a vector boundary than the input's, where the type has one.
  u64 output_offset(u64 item_bytes) const { return aligned ? 0 : kVectorAlignmentBytes - item_bytes; }
};

class VerifyRun {
 public:
  // Room for scans of up to most_items items.
  VerifyRun(Device& device, const Config& config, ScanRequest request, u64 most_items);

  // Scans into poisoned memory and compares; out of place again and again, on the workspace of all scans before. Throws
  // WrongResult.
  void run(const PreparedScan& scan, const VerifyCase& which, const InputSpec& input, const Reference& reference);

  // Throws WrongResult if any scan has written behind the workspace.
  void check_workspace_guard(const PreparedScan& scan);

 private:
  void poison(std::byte* output, u64 bytes);
  void upload_input(const InputSpec& input, std::byte* to, u64 bytes);
  // Text saying what is wrong; empty if nothing is.
  std::string problem_with_output(const Reference& reference, const std::byte* output, u64 bytes);
  std::string problem_with_input(const InputSpec& input, const std::byte* on_device, u64 bytes);
  std::string problem_with_guard(const std::byte* guard, const char* where);
  std::span<const std::byte> download(const std::byte* from, u64 bytes);

  Device& device_;
  u64 workspace_bytes_;
  DeviceBuffer input_;
  DeviceBuffer output_;
  DeviceBuffer workspace_;
  std::vector<std::byte> staging_;
};

}  // namespace scantune
