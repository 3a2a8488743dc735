// A device that selects on the CPU by a plain loop, and can be told to make one mistake. All its kernels are of one
// request.
#pragma once

#include "worker_plain_selection.h"
#include "worker_scanning_device.h"

namespace scantune::testing {

// What a mistake may change after a selection.
struct Ran {
  SelectRequest request;  // with n
  const KernelArguments& arguments;
  u64 kept;

  bool in_place() const { return arguments.operand(OperandRole::input) == arguments.operand(OperandRole::output); }
  // Item `item` of an output, or of what is written beside it.
  std::byte* at(void* array, u64 item, int bytes) const {
    return static_cast<std::byte*>(array) + item * static_cast<u64>(bytes);
  }
};

class SelectingDevice : public ScanningDevice {
 public:
  explicit SelectingDevice(const SelectRequest& request) : request_(request) {}

  std::function<void(const Ran&)> spoil = [](const Ran&) {};
  int selections = 0;

  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream) override {
    if (static_cast<const PlainModule&>(module).source.find("SelectRequest") == std::string::npos)
      throw Error("this is no kernel of a selection");
    const auto& source = static_cast<const PlainModule&>(module).source;
    if (source.find("SelectTwoPassConfig") != std::string::npos && launch.kernel == 0) return;  // it would count
    SelectRequest request = request_;
    request.n = launch.n;
    // The verifier also runs what else a record serves.
    if (source.find("SelectRequest::room)::limited") != std::string::npos) {
      request.room = OutputRoom::limited;
      request.capacity = launch.extents[1];
      request.second_capacity = launch.scratch[0];
      request.rejected_capacity = launch.scratch[1];
    }
    const auto* const items = arguments.operand<const std::byte>(OperandRole::input);
    const Selection right = plain_selection(request, items, arguments.operand<const std::byte>(OperandRole::flags),
                                            arguments.operand<const std::byte>(OperandRole::values),
                                            static_cast<const void*>(arguments.init));
    const auto write = [&](OperandRole role, void* to) {
      const Bytes bytes = right.of(request, role);
      if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    };
    write(OperandRole::output, arguments.operand(OperandRole::output));
    if (request.selected == Selected::items_and_indices)
      write(OperandRole::indices, arguments.operand(OperandRole::indices));
    if (request.has_values()) write(OperandRole::values_output, arguments.operand(OperandRole::values_output));
    if (request.rejected == Rejected::apart) {
      write(OperandRole::rejected, arguments.operand(OperandRole::rejected));
      if (request.parts() == 3) write(OperandRole::second, arguments.operand(OperandRole::second));
    }
    std::memcpy(arguments.operand(OperandRole::count), right.counts,
                static_cast<u64>(request.parts() - 1) * sizeof(u64));
    ++selections;
    spoil({request, arguments, right.counts[0]});
  }

 private:
  SelectRequest request_;
};

}  // namespace scantune::testing
