// Whether memory that a caller names is memory that a kernel of a context may use.
#pragma once

#include <string>

#include "device/cuda/context.h"

namespace scantune {

// The context must be current while it lives.
class PointerCheck {
 public:
  PointerCheck(const CudaContext& context, int device_ordinal) : context_(context), device_ordinal_(device_ordinal) {}

  // Empty if kernels may use all of the bytes; else what is wrong. They may use pinned host memory and managed memory;
  // plain host memory is refused even where the GPU could reach it: it is a mistake far more often.
  std::string fault(const void* pointer, u64 bytes, unsigned item_bytes);

 private:
  std::string fault_of_unknown(const void* pointer, u64 bytes, unsigned item_bytes);

  const CudaContext& context_;
  int device_ordinal_;
  // The allocation found last: input and output often share one, and a query of the driver costs more than the rest of
  // the check.
  u64 known_start_ = 0;
  u64 known_bytes_ = 0;
};

}  // namespace scantune
