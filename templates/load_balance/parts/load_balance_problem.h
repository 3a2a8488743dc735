// The load balance as kernels see it: the types of a request.
#pragma once

#include "core/machine/kernel.h"
#include "core/parts/opaque_item.h"
#include "core/parts/type_of.h"
#include "load_balance/config/load_balance.h"

namespace scantune {

template <LoadBalanceRequest request, Variant variant>
struct LoadBalanceProblem {
  using Offset = typename TypeOf<request.input_type>::Type;
  // A value of a custom type is moved and not looked into.
  using Output = typename TypeOf<request.output_type,
                                 OpaqueItem<request.custom_bytes == 0 ? 1 : request.custom_bytes,
                                            request.custom_alignment == 0 ? 1 : request.custom_alignment>>::Type;
  static constexpr LoadBalanceRequest kRequest = request;
  static constexpr Variant kVariant = variant;

  SCANTUNE_DEVICE static const Offset* offsets(const KernelArguments& arguments) {
    return arguments.operand<const Offset>(OperandRole::input);
  }
  SCANTUNE_DEVICE static u64 segments(const KernelArguments& arguments) { return arguments.extents[0]; }
  SCANTUNE_DEVICE static Output* output(const KernelArguments& arguments) {
    return arguments.operand<Output>(OperandRole::output);
  }
  // Where ranks go that are written beside segments.
  SCANTUNE_DEVICE static Output* ranks(const KernelArguments& arguments) {
    return arguments.operand<Output>(OperandRole::indices);
  }
  SCANTUNE_DEVICE static const Output* values(const KernelArguments& arguments) {
    return arguments.operand<const Output>(OperandRole::values);
  }
};

}  // namespace scantune
