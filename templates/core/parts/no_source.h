// The source of a request without one of the caller's: the type of its items alone.
#pragma once

#include "core/parts/opaque_item.h"

namespace scantune {

template <auto kRequest>
struct NoSource {
  using Value = OpaqueItem<kRequest.custom_bytes == 0 ? 1 : kRequest.custom_bytes,
                           kRequest.custom_alignment == 0 ? 1 : kRequest.custom_alignment>;
};

}  // namespace scantune
