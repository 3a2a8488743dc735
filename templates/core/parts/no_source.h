// What stands for the caller's source where a request has none.
#pragma once

#include "core/parts/opaque_item.h"

namespace scantune {

template <auto kRequest>
struct NoSource {
  using Value = OpaqueItem<kRequest.custom_bytes == 0 ? 1 : kRequest.custom_bytes,
                           kRequest.custom_alignment == 0 ? 1 : kRequest.custom_alignment>;
};

}  // namespace scantune
