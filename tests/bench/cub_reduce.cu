// This file is compiled as cub_scan.cu is: once for every build of CUB and input type, each in a namespace of its own.
#include "cub_reduce.h"

#include <climits>
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>

#include "cub_items.h"

namespace scantune::bench {
namespace SCANTUNE_BENCH_OBJECT {

namespace cub = CUB_NS_QUALIFIER;

constexpr ValueType kInput = ValueType::SCANTUNE_BENCH_TYPE;
using In = ItemOf<kInput>::Type;

template <ValueType kOutput>
cudaError_t sum(void* temporary, std::size_t& bytes, const void* input, void* output, u64*, u64 n,
                cudaStream_t stream) {
  using Out = typename ItemOf<kOutput>::Type;
  const auto* from = static_cast<const In*>(input);
  auto* to = static_cast<Out*>(output);
  // The count has 32 bits, as in programs that call CUB: its kernels are faster with one.
  const auto count = static_cast<int>(n);
  if constexpr (sizeof(Out) > sizeof(In{} + In{}))
    return cub::DeviceReduce::Reduce(temporary, bytes, from, to, count, ::cuda::std::plus<Out>{}, Out{}, stream);
  else
    return cub::DeviceReduce::Sum(temporary, bytes, from, to, count, stream);
}

template <Operator kOperator>
cudaError_t extreme(void* temporary, std::size_t& bytes, const void* input, void* output, u64*, u64 n,
                    cudaStream_t stream) {
  const auto* from = static_cast<const In*>(input);
  auto* to = static_cast<In*>(output);
  if constexpr (kOperator == Operator::min)
    return cub::DeviceReduce::Min(temporary, bytes, from, to, static_cast<int>(n), stream);
  else
    return cub::DeviceReduce::Max(temporary, bytes, from, to, static_cast<int>(n), stream);
}

template <Operator kOperator>
cudaError_t place_of_extreme(void* temporary, std::size_t& bytes, const void* input, void* output, u64* index, u64 n,
                             cudaStream_t stream) {
  const auto* from = static_cast<const In*>(input);
  auto* to = static_cast<In*>(output);
  auto* place = reinterpret_cast<::cuda::std::int64_t*>(index);
  const auto count = static_cast<::cuda::std::int64_t>(n);
  if constexpr (kOperator == Operator::min)
    return cub::DeviceReduce::ArgMin(temporary, bytes, from, to, place, count, stream);
  else
    return cub::DeviceReduce::ArgMax(temporary, bytes, from, to, place, count, stream);
}

CubReduce sum_into(ValueType output) {
  if (output == kInput) return sum<kInput>;
#ifdef SCANTUNE_BENCH_WIDE_TYPE
  if (output == ValueType::SCANTUNE_BENCH_WIDE_TYPE) return sum<ValueType::SCANTUNE_BENCH_WIDE_TYPE>;
#endif
  return nullptr;
}

// Every call costs seconds of compilation, so only what the comparisons ask for is built.
constexpr bool kHasExtremes = is_floating(kInput) ? kInput != ValueType::bf16 : kInput < ValueType::u8;

template <Operator kOperator>
CubReduce extreme_at(Position position) {
  if constexpr (kHasExtremes) return position == Position::first ? place_of_extreme<kOperator> : extreme<kOperator>;
  return nullptr;
}

CubReduce find(const ReduceRequest& request) {
  if (request.n > INT_MAX || request.has_init()) return nullptr;
  if (request.op == Operator::sum && !request.has_position()) return sum_into(request.output_type);
  if (request.output_type != kInput) return nullptr;
  if (request.op == Operator::min) return extreme_at<Operator::min>(request.position);
  if (request.op == Operator::max) return extreme_at<Operator::max>(request.position);
  return nullptr;
}

}  // namespace SCANTUNE_BENCH_OBJECT

template <>
CubReductions cub_reductions<CubBuild::SCANTUNE_BENCH_CUB, ValueType::SCANTUNE_BENCH_TYPE>() {
  return {CUB_VERSION, SCANTUNE_BENCH_OBJECT::find};
}

}  // namespace scantune::bench
