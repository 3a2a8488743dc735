// Copies vectors. No CTA or thread waits for another.
#pragma once

#include "copy/config/copy_vectors.h"
#include "copy/parts/copy_problem.h"
#include "core/machine/memory.h"
#include "core/parts/convert.h"

namespace scantune {

template <class Unit, int kUnits>
struct alignas(kUnits * sizeof(Unit)) CopiedVector {
  Unit units[kUnits];
};

// What a thread holds: units that are to be converted, otherwise words, since each byte would take a register and
// instructions.
template <class Problem, class Unit, int kUnits>
struct HeldVector {
  using Type = CopiedVector<Unit, kUnits>;
};
template <class Problem, class Unit, int kUnits>
  requires(!Problem::kRequest.converts() && kUnits > 1)
struct HeldVector<Problem, Unit, kUnits> {
  using Type = CopiedVector<u64, kVectorAlignmentBytes / sizeof(u64)>;
};

template <class Output>
struct Converted {
  template <class Input>
  SCANTUNE_DEVICE static Output from(Input value) {
    if constexpr (kIsHalf<Input>)  // no conversion goes from one such type to another
      return scantune::convert<Output>(scantune::convert<f32>(value));
    else
      return scantune::convert<Output>(value);
  }
};

template <class Problem, CopyVectorsConfig kConfig>
SCANTUNE_DEVICE void copy_vectors(const KernelArguments& arguments) {
  constexpr int kUnits = vector_units(Problem::kRequest, Problem::kVariant);
  using Read = typename HeldVector<Problem, typename Problem::Input, kUnits>::Type;
  using Written = typename HeldVector<Problem, typename Problem::Output, kUnits>::Type;
  const auto* input = Problem::input(arguments);
  auto* output = Problem::output(arguments);
  const u64 vectors = arguments.n / kUnits;
  const u64 first = static_cast<u64>(block_rank()) * (kConfig.block_threads * kConfig.unroll) + thread_rank();

  Read held[kConfig.unroll];
#pragma unroll
  for (int step = 0; step < kConfig.unroll; ++step)
    if (const u64 index = first + step * kConfig.block_threads; index < vectors)
      held[step] = scantune::load_global<kConfig.hint>(reinterpret_cast<const Read*>(input) + index);
#pragma unroll
  for (int step = 0; step < kConfig.unroll; ++step)
    if (const u64 index = first + step * kConfig.block_threads; index < vectors) {
      auto* to = reinterpret_cast<Written*>(output) + index;
      if constexpr (Problem::kRequest.converts()) {
        Written vector;
#pragma unroll
        for (int unit = 0; unit < kUnits; ++unit)
          vector.units[unit] = Converted<typename Problem::Output>::from(held[step].units[unit]);
        scantune::store_global<kConfig.hint>(to, vector);
      } else {
        scantune::store_global<kConfig.hint>(to, held[step]);
      }
    }

  // The units after the last whole vector, fewer than a warp has threads.
  if constexpr (kUnits > 1)
    if (const u64 index = vectors * kUnits + thread_rank(); block_rank() == 0 && index < arguments.n)
      scantune::store_global<kConfig.hint>(output + index, Converted<typename Problem::Output>::from(
                                                               scantune::load_global<kConfig.hint>(input + index)));
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig) \
  SCANTUNE_KERNEL(copy_vectors, kConfig.block_threads, 1) { ::scantune::copy_vectors<Problem, kConfig>(arguments); }
