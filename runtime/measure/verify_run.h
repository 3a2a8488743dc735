// The memory in which one config is verified, and one scan in it.
#pragma once

#include <string>

#include "measure/device_buffer.h"
#include "measure/prepared_scan.h"
#include "measure/reference.h"
#include "measure/staging.h"

namespace scantune {

// One scan of a config, and how it is run.
struct VerifyCase {
  u64 n;
  InputPattern pattern = InputPattern::exact;
  bool in_place = false;
};

class VerifyRun {
 public:
  // Room for scans of up to most_items items. The staging lives longer.
  VerifyRun(Device& device, Staging& staging, const Config& config, ScanRequest request, u64 most_items);

  // Scans into poisoned memory and compares; out of place again and again, on the workspace of all scans before. Throws
  // WrongResult.
  void run(const PreparedScan& scan, const VerifyCase& which, const KnownInput& input, const Reference& reference);

  // Scans twice by a kernel whose results the CPU does not know. Throws WrongResult if it writes where it must not, or
  // if the request asks for equal bits and the second scan returns others.
  void run_unchecked(const PreparedScan& scan, const KnownInput& input);

  // Throws WrongResult if any scan has written behind the workspace.
  void check_workspace_guard(const PreparedScan& scan);

 private:
  // Where a kernel's input and output lie: on a vector's boundary, or off it by different distances.
  std::byte* input_of(const PreparedScan& scan) const;
  std::byte* output_of(const PreparedScan& scan) const;
  void poison(std::byte* output, u64 bytes);
  // Text saying what is wrong; empty if nothing is.
  std::string fault_in_output(const Reference& reference, std::byte* output, u64 bytes);
  std::string fault_in_input(const KnownInput& input, std::byte* on_device);
  std::string fault_in_guard(std::byte* guard, const char* where);

  Device& device_;
  Staging& staging_;
  u64 workspace_bytes_;
  DeviceBuffer input_;
  DeviceBuffer output_;
  DeviceBuffer workspace_;
};

}  // namespace scantune
