// A copy with strides as its kernels see it.
#pragma once

#include "copy/config/copy_strided.h"
#include "copy/parts/copy_problem.h"
#include "core/parts/opaque_item.h"

namespace scantune {

template <class Problem>
struct StridedProblem {
  static constexpr CopyRequest kRequest = Problem::kRequest;
  static constexpr int kBytes = kRequest.input_bytes(), kUnitBytes = copy_unit_bytes(kRequest);
  using Item = OpaqueItem<kBytes, kUnitBytes>;

  SCANTUNE_DEVICE static CopyAxes axes(const KernelArguments& arguments) {
    return CopyAxes::from_launch(arguments.layout, arguments.extents[0], arguments.extents[1], arguments.n);
  }
  // The first item of the first row.
  SCANTUNE_DEVICE static const Item* input(const KernelArguments& arguments) {
    return arguments.operand<const Item>(OperandRole::input) + arguments.layout.input.first;
  }
  SCANTUNE_DEVICE static Item* output(const KernelArguments& arguments) {
    return arguments.operand<Item>(OperandRole::output) + arguments.layout.output.first;
  }
};

}  // namespace scantune
