// How fast configs are on a device.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "measure/device_buffer.h"
#include "measure/ordinary_kernel.h"
#include "measure/prepared_config.h"
#include "measure/race.h"
#include "measure/staging.h"
#include "scantune/error.hpp"

namespace scantune {

// The timing of scans does not work here. This says nothing about a config.
struct NoInstrument : Error {
  using Error::Error;
};

struct Measurements {
  std::vector<MeasureOutcome> configs;  // in the order given
  std::optional<double> ceiling_us;     // the fastest copy of as many bytes, where the policy has one
};

class Measurer {
 public:
  explicit Measurer(Device& device) : device_(device) {}

  // Times configs for one problem, in the surroundings that its latency names: runs that follow each other in one
  // graph, or each between two ordinary kernels whose own time is taken off. An input that is consumed is copied from
  // elsewhere before each run instead, as a program makes a new one, and the copy's own time is taken off. Items are
  // random and not zero. Arrays begin `offset` items past a vector boundary. Throws OutOfDeviceMemory if memory for the
  // buffers is short, and NoInstrument.
  Measurements measure(std::span<const PreparedConfig* const> configs, const MeasurePolicy& policy, u64 offset = 0);

  // Frees the buffers, which are kept from call to call. Returns false if there are no buffers.
  bool release() { return std::exchange(buffers_, nullptr) != nullptr; }

 private:
  // Sets of the request's arrays that are taken in turn.
  struct Buffers {
    Request request;
    int count;
    u64 offset;  // items
    struct Array {
      u64 offset_bytes;
      u64 stride_bytes;
      DeviceBuffer memory;
      u64 given_bytes;     // of an input that is consumed; else 0
      DeviceBuffer given;  // what it holds before each run

      std::byte* at(int index) const;
    };
    std::vector<Array> arrays;  // in the order of the operands

    Pointers pointers(int index) const;
    bool are_consumed() const;
    void give(Device& device, Stream stream, int index) const;
  };

  Batch batch_of(const Request& request, const MeasurePolicy& policy);
  const Buffers& buffers_for(const Request& request, int count, u64 offset);
  std::span<const PreparedConfig> copies_beside(const Request& request);
  const OrdinaryKernel& neighbour();

  Device& device_;
  Staging staging_{device_};
  std::unique_ptr<Buffers> buffers_;
  std::vector<PreparedConfig> copies_;         // those of one request
  std::unique_ptr<OrdinaryKernel> neighbour_;  // made for the first isolated run
};

}  // namespace scantune
