// The items that CUB takes for scantune's value types.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/contract/value.h"

namespace scantune::bench {

template <ValueType kType>
struct ItemOf;
#define SCANTUNE_BENCH_ITEM(type, Item) \
  template <>                           \
  struct ItemOf<ValueType::type> {      \
    using Type = Item;                  \
  }
SCANTUNE_BENCH_ITEM(i8, i8);
SCANTUNE_BENCH_ITEM(i16, i16);
SCANTUNE_BENCH_ITEM(i32, i32);
SCANTUNE_BENCH_ITEM(i64, i64);
SCANTUNE_BENCH_ITEM(u8, u8);
SCANTUNE_BENCH_ITEM(u16, u16);
SCANTUNE_BENCH_ITEM(u32, u32);
SCANTUNE_BENCH_ITEM(u64, u64);
SCANTUNE_BENCH_ITEM(f16, __half);
SCANTUNE_BENCH_ITEM(bf16, __nv_bfloat16);
SCANTUNE_BENCH_ITEM(f32, f32);
SCANTUNE_BENCH_ITEM(f64, f64);
#undef SCANTUNE_BENCH_ITEM

}  // namespace scantune::bench
