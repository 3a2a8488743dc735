// One config compiled and loaded for one problem, without selector or database, for verifying and measuring.
#pragma once

#include <memory>

#include "device/device.h"
#include "launch/arguments.h"
#include "measure/device_buffer.h"
#include "space/space.h"

namespace scantune {

// The kernels of a config for a request. custom: the caller's own operator; null, or without source, where the
// request's is built-in or its stand-in is to take its place.
Instantiation instantiate_measured(const Request& request, const Config& config, Variant variant,
                                   const CustomOperator* custom);

class PreparedConfig {
 public:
  // custom is as above. Throws RequestError if the config is not legal for the request, CompileError and DeviceError.
  PreparedConfig(Device& device, const Request& request, const Config& config, Variant variant = Variant::aligned,
                 const CustomOperator* custom = nullptr);

  const Request& request() const { return request_; }
  const Config& config() const { return config_; }
  Variant variant() const { return variant_; }

  u64 workspace_bytes(u64 n) const;  // enough for up to n items
  // The workspace starts as zeros and belongs to one stream; runs in it follow each other without clearing. An operand
  // in the place of an argument is its own. Where memory says how many items there are, that is n.
  void enqueue(const Pointers& pointers, u64 n, void* workspace, Stream stream) const;
  bool reads_n() const { return n_memory_.data() != nullptr; }
  // Sets the number in that memory for all later runs. Does nothing if it is not read.
  void put_n(u64 n) const;
  // The same of how many results there are.
  bool reads_k() const { return k_memory_.data() != nullptr; }
  void put_k(u64 k) const;

 private:
  Request with(u64 n) const;

  Device& device_;
  Request request_;
  Config config_;
  Variant variant_;
  Arguments operands_;
  KernelArguments arguments_{};  // they hold the initial value, fill_init()'s
  DeviceBuffer init_memory_;     // the same, where it is read from memory, for each row or column where each has one
  DeviceBuffer n_memory_;        // how many items there are, where that is read from memory
  DeviceBuffer count_memory_;    // how many segments, likewise
  DeviceBuffer k_memory_;        // how many results, likewise
  std::unique_ptr<Module> module_;
};

}  // namespace scantune
