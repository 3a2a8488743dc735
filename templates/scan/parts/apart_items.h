#pragma once

#include "scan/parts/any_pointers.h"

namespace scantune {

// The problem for rows whose items are a stride apart, which comes with the launch.
template <class Problem>
struct ApartItems : AnyPointers<Problem> {
  using InputItems = Apart<typename Problem::InputItems>;
  using OutputItems = Apart<typename Problem::OutputItems>;

  SCANTUNE_DEVICE static InputItems input_row(const KernelArguments& arguments, u64 row, u64 first) {
    if constexpr (kIsMapped<InputItems>)
      return scantune::apart(Problem::input_row(arguments, row, first), arguments.layout.input.item);
    else
      return {Problem::input_row(arguments, row, first), arguments.layout.input.item};
  }
  SCANTUNE_DEVICE static OutputItems output_row(const KernelArguments& arguments, u64 row, u64 first) {
    if constexpr (kIsMapped<OutputItems>)
      return scantune::apart(Problem::output_row(arguments, row, first), arguments.layout.output.item);
    else
      return {Problem::output_row(arguments, row, first), arguments.layout.output.item};
  }
};

}  // namespace scantune
