// One config compiled and loaded for one problem, without selector or database: what verifying and measuring launch.
#pragma once

#include <memory>

#include "device/device.h"
#include "measure/device_buffer.h"
#include "space/space.h"

namespace scantune {

// The kernels of a config for a request. custom: the caller's own operator; null, or without source, where the
// request's is built-in or its stand-in is to take its place.
Instantiation instantiate_measured(const ScanRequest& request, const Config& config, const CustomOperator* custom);

class PreparedScan {
 public:
  // request.alignment_bytes says what both pointers are multiples of. custom as above. Throws RequestError if the
  // config is not legal for the request, CompileError and DeviceError.
  PreparedScan(Device& device, const ScanRequest& request, const Config& config,
               const CustomOperator* custom = nullptr);

  const ScanRequest& request() const { return request_; }
  const Config& config() const { return config_; }

  u64 workspace_bytes(u64 n) const;  // for scans of up to n items
  // The workspace starts as zeros and belongs to one stream; scans in it follow each other without clearing.
  void enqueue(const void* input, void* output, u64 n, void* workspace, Stream stream) const;

 private:
  ScanRequest with(u64 n) const;

  Device& device_;
  ScanRequest request_;
  Config config_;
  KernelArguments arguments_{};  // with the initial value, fill_init()'s
  DeviceBuffer init_memory_;     // likewise, for Init::memory
  std::unique_ptr<Module> module_;
};

}  // namespace scantune
