#include "cub_scan.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <climits>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <cuda/functional>

namespace scantune::bench {
namespace {

template <Operator kOperator, class In, class Out, class Count>
cudaError_t counted_scan(void* temporary, std::size_t& temporary_bytes, const In* input, Out* output, Count n,
                         cudaStream_t stream) {
  using Scan = cub::DeviceScan;
  if constexpr (kOperator == Operator::max) {
    return Scan::InclusiveScan(temporary, temporary_bytes, input, output, cuda::maximum<>{}, n, stream);
  } else if constexpr (kOperator == Operator::min) {
    return Scan::InclusiveScan(temporary, temporary_bytes, input, output, cuda::minimum<>{}, n, stream);
  } else if constexpr (sizeof(Out) > sizeof(In{} + In{})) {
    return Scan::InclusiveScanInit(temporary, temporary_bytes, input, output, cuda::std::plus<Out>{}, Out{}, n, stream);
  } else {
    return Scan::InclusiveSum(temporary, temporary_bytes, input, output, n, stream);
  }
}

template <Operator kOperator, class In, class Out>
cudaError_t scan(void* temporary, std::size_t& temporary_bytes, const void* input, void* output, u64 n,
                 cudaStream_t stream) {
  const auto* from = static_cast<const In*>(input);
  auto* to = static_cast<Out*>(output);
  // A 32-bit count wherever it suffices, as callers of CUB do: its kernels are faster with one.
  if (n <= INT_MAX) return counted_scan<kOperator>(temporary, temporary_bytes, from, to, static_cast<int>(n), stream);
  return counted_scan<kOperator>(temporary, temporary_bytes, from, to, static_cast<i64>(n), stream);
}

struct Built {
  ValueType input;
  ValueType output;
  Operator op;
  CubScan scan;
};

#define SCANTUNE_BENCH_OPERATOR(op, in, In, out, Out) \
  {ValueType::in, ValueType::out, Operator::op, scan<Operator::op, In, Out>}
#define SCANTUNE_BENCH_TYPES(in, In, out, Out)                                                    \
  SCANTUNE_BENCH_OPERATOR(sum, in, In, out, Out), SCANTUNE_BENCH_OPERATOR(min, in, In, out, Out), \
      SCANTUNE_BENCH_OPERATOR(max, in, In, out, Out)
#define SCANTUNE_BENCH_TYPE(type, Type) SCANTUNE_BENCH_TYPES(type, Type, type, Type)

constexpr Built kBuilt[] = {
    SCANTUNE_BENCH_TYPE(i8, i8),
    SCANTUNE_BENCH_TYPE(i16, i16),
    SCANTUNE_BENCH_TYPE(i32, i32),
    SCANTUNE_BENCH_TYPE(i64, i64),
    SCANTUNE_BENCH_TYPE(u8, u8),
    SCANTUNE_BENCH_TYPE(u16, u16),
    SCANTUNE_BENCH_TYPE(u32, u32),
    SCANTUNE_BENCH_TYPE(u64, u64),
    SCANTUNE_BENCH_TYPE(f16, __half),
    SCANTUNE_BENCH_TYPE(bf16, __nv_bfloat16),
    SCANTUNE_BENCH_TYPE(f32, f32),
    SCANTUNE_BENCH_TYPE(f64, f64),
    SCANTUNE_BENCH_TYPES(i8, i8, i32, i32),
    SCANTUNE_BENCH_TYPES(u8, u8, u32, u32),
    SCANTUNE_BENCH_TYPES(i32, i32, i64, i64),
    SCANTUNE_BENCH_TYPES(f16, __half, f32, f32),
};

}  // namespace

CubScan find_cub_scan(ValueType input, ValueType output, Operator op) {
  for (const Built& built : kBuilt)
    if (built.input == input && built.output == output && built.op == op) return built.scan;
  return nullptr;
}

int cub_version() { return CUB_VERSION; }

}  // namespace scantune::bench
