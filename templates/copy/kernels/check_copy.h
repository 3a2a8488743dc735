// Checks the output of a copy against its input, as scan/kernels/check_scan.h does for a scan. A check, not a family.
#pragma once

#include "copy/parts/copy_problem.h"
#include "core/parts/checked_chunk.h"
#include "core/parts/convert.h"

namespace scantune {

template <class Problem>
struct CopyCheck {
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  // Units of an item, which may have several where nothing is converted.
  static constexpr u64 kUnits = Problem::kRequest.converts() ? 1 : Problem::kRequest.input_bytes() / sizeof(Input);

  SCANTUNE_DEVICE static Output converted(Input value) {
    if constexpr (kIsHalf<Input>)  // no conversion goes from one such type to another
      return scantune::convert<Output>(scantune::convert<f32>(value));
    else
      return scantune::convert<Output>(value);
  }

  SCANTUNE_DEVICE static bool is_right(const KernelArguments& arguments, u64 unit) {
    const Input from = scantune::load_global<CacheHint::normal>(Problem::input(arguments) + unit);
    const Output to = scantune::load_global<CacheHint::normal>(Problem::output(arguments) + unit);
    return scantune::have_equal_bits(to, converted(from));
  }

  // Each thread walks a chunk as far as the outputs are right.
  SCANTUNE_DEVICE static void check_chunks(const KernelArguments& arguments) {
    const CheckedChunk chunk = CheckedChunk::of_thread(arguments);
    if (!chunk.exists()) return;
    u64 unit = chunk.first * kUnits;
    while (unit < chunk.end * kUnits && is_right(arguments, unit)) ++unit;
    chunk.report(arguments, unit / kUnits);
  }
};

}  // namespace scantune

#define SCANTUNE_INSTANTIATE_CHECK(Problem)                     \
  SCANTUNE_KERNEL(check_chunks, ::scantune::kCheckThreads, 1) { \
    ::scantune::CopyCheck<Problem>::check_chunks(arguments);    \
  }
