// This file is compiled once for every build of CUB (SCANTUNE_BENCH_CUB) and input type (SCANTUNE_BENCH_TYPE), each
// time in a namespace of its own (SCANTUNE_BENCH_OBJECT). Unnamed namespaces would differ in nvcc's process id alone,
// and the linker would take one CUB for the other where that is the same.
#include "cub_scan.h"

#include <climits>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#include "cub_items.h"

namespace scantune::bench {
namespace SCANTUNE_BENCH_OBJECT {

namespace cub = CUB_NS_QUALIFIER;

constexpr CubBuild kBuild = CubBuild::SCANTUNE_BENCH_CUB;
constexpr ValueType kInput = ValueType::SCANTUNE_BENCH_TYPE;

template <Operator kOperator>
struct Combine {
  using Type = ::cuda::std::plus<>;
};
template <>
struct Combine<Operator::min> {
  using Type = ::cuda::minimum<>;
};
template <>
struct Combine<Operator::max> {
  using Type = ::cuda::maximum<>;
};

// Every combination costs seconds of compilation, so only what the comparisons ask for is built.
constexpr bool is_built(ValueType output, Operator op, Kind kind) {
  if (op == Operator::sum && kind == Kind::inclusive) return true;
  if (kBuild == CubBuild::lookahead || output != kInput) return false;
  return is_floating(kInput) ? kInput != ValueType::bf16 : kInput < ValueType::u8;
}
constexpr bool counts_in_64_bits(ValueType output, Operator op, Kind kind) {
  return size_of(kInput) == 1 && output == kInput && op == Operator::sum && kind == Kind::inclusive;
}

#ifdef SCANTUNE_BENCH_LOOKAHEAD
// The policy that CUB has tuned for the first architecture on which it chooses the algorithm.
template <class Default>
struct Lookahead {
  constexpr auto operator()(::cuda::compute_capability) const { return Default{}(::cuda::compute_capability{10, 0}); }
};

template <Operator kOperator, Kind kKind, class In, class Out, class Count>
cudaError_t counted_scan(void* temporary, std::size_t& temporary_bytes, const In* input, Out* output, Count n,
                         const In*, cudaStream_t stream) {
  using Operation = typename Combine<kOperator>::Type;
  using Offset = cub::detail::choose_offset_t<Count>;
  using Default =
      cub::detail::scan::policy_selector_from_types<const In*, Out*, ::cuda::std::__accumulator_t<Operation, In, In>,
                                                    Offset, Operation>;
  static_assert(Default{}(::cuda::compute_capability{10, 0}).algorithm == cub::ScanAlgorithm::lookahead);
  return cub::detail::scan::dispatch(temporary, temporary_bytes, input, output, Operation{}, cub::NullType{},
                                     static_cast<Offset>(n), stream, Lookahead<Default>{});
}
#else
template <Operator kOperator, Kind kKind, class In, class Out, class Count>
cudaError_t counted_scan(void* temporary, std::size_t& temporary_bytes, const In* input, Out* output, Count n,
                         const In* init, cudaStream_t stream) {
  using Scan = cub::DeviceScan;
  using Operation = typename Combine<kOperator>::Type;
  if constexpr (kKind == Kind::exclusive) {
    const In first = init == nullptr ? In{} : *init;
    return Scan::ExclusiveScan(temporary, temporary_bytes, input, output, Operation{}, first, n, stream);
  } else if constexpr (kOperator != Operator::sum) {
    return Scan::InclusiveScan(temporary, temporary_bytes, input, output, Operation{}, n, stream);
  } else if constexpr (sizeof(Out) > sizeof(In{} + In{})) {
    return Scan::InclusiveScanInit(temporary, temporary_bytes, input, output, ::cuda::std::plus<Out>{}, Out{}, n,
                                   stream);
  } else {
    return Scan::InclusiveSum(temporary, temporary_bytes, input, output, n, stream);
  }
}
#endif

template <ValueType kOutput, Operator kOperator, Kind kKind>
cudaError_t scan(void* temporary, std::size_t& temporary_bytes, const void* input, void* output, u64 n,
                 const void* init, cudaStream_t stream) {
  using In = typename ItemOf<kInput>::Type;
  const auto* from = static_cast<const In*>(input);
  auto* to = static_cast<typename ItemOf<kOutput>::Type*>(output);
  const auto* first = static_cast<const In*>(init);
  // The count has 32 bits wherever they suffice, as in programs that call CUB: its kernels are faster with one.
  if constexpr (counts_in_64_bits(kOutput, kOperator, kKind))
    if (n > INT_MAX)
      return counted_scan<kOperator, kKind>(temporary, temporary_bytes, from, to, static_cast<i64>(n), first, stream);
  return counted_scan<kOperator, kKind>(temporary, temporary_bytes, from, to, static_cast<int>(n), first, stream);
}

template <ValueType kOutput, Operator kOperator, Kind kKind>
CubScan one_if_asked(const ScanRequest& request) {
  if constexpr (is_built(kOutput, kOperator, kKind)) {
    const bool fits = request.n <= INT_MAX || counts_in_64_bits(kOutput, kOperator, kKind);
    if (fits && request.output_type == kOutput && request.op == kOperator && request.kind == kKind)
      return scan<kOutput, kOperator, kKind>;
  }
  return nullptr;
}

template <ValueType kOutput, Operator kOperator>
CubScan of_operator(const ScanRequest& request) {
  const CubScan inclusive = one_if_asked<kOutput, kOperator, Kind::inclusive>(request);
  return inclusive != nullptr ? inclusive : one_if_asked<kOutput, kOperator, Kind::exclusive>(request);
}

template <ValueType kOutput>
CubScan of_output(const ScanRequest& request) {
  if (const CubScan sum = of_operator<kOutput, Operator::sum>(request)) return sum;
  if (const CubScan least = of_operator<kOutput, Operator::min>(request)) return least;
  return of_operator<kOutput, Operator::max>(request);
}

CubScan find(const ScanRequest& request) {
  if (const CubScan same = of_output<kInput>(request)) return same;
#ifdef SCANTUNE_BENCH_WIDE_TYPE
  return of_output<ValueType::SCANTUNE_BENCH_WIDE_TYPE>(request);
#else
  return nullptr;
#endif
}

}  // namespace SCANTUNE_BENCH_OBJECT

template <>
CubScans cub_scans<CubBuild::SCANTUNE_BENCH_CUB, ValueType::SCANTUNE_BENCH_TYPE>() {
  return {CUB_VERSION, SCANTUNE_BENCH_OBJECT::find};
}

}  // namespace scantune::bench
