// The copy as kernels see it: the types of a request, or opaque bytes if nothing is converted.
#pragma once

#include "copy/config/copy.h"
#include "core/contract/variant.h"
#include "core/machine/kernel.h"
#include "core/parts/type_of.h"

namespace scantune {

template <int kBytes>
struct UnitOfBytes;
template <>
struct UnitOfBytes<1> {
  using Type = u8;
};
template <>
struct UnitOfBytes<2> {
  using Type = u16;
};
template <>
struct UnitOfBytes<4> {
  using Type = u32;
};
template <>
struct UnitOfBytes<8> {
  using Type = u64;
};

template <CopyRequest request, bool kConverts = request.converts()>
struct CopiedTypes {
  using Input = typename UnitOfBytes<request.unit_bytes()>::Type;
  using Output = Input;
};
template <CopyRequest request>
struct CopiedTypes<request, true> {
  using Input = typename TypeOf<request.input_type>::Type;
  using Output = typename TypeOf<request.output_type>::Type;
};

template <CopyRequest request, Variant variant>
struct CopyProblem {
  using Input = typename CopiedTypes<request>::Input;
  using Output = typename CopiedTypes<request>::Output;
  static constexpr CopyRequest kRequest = request;
  static constexpr Variant kVariant = variant;

  SCANTUNE_DEVICE static const Input* input(const KernelArguments& arguments) {
    return arguments.operand<const Input>(OperandRole::input);
  }
  SCANTUNE_DEVICE static Output* output(const KernelArguments& arguments) {
    return arguments.operand<Output>(OperandRole::output);
  }
};

}  // namespace scantune
