// The problem as kernels see it: types and operator of a request.
#pragma once

#include "core/parts/convert.h"
#include "core/parts/mapped_items.h"
#include "core/parts/operator_of_request.h"
#include "core/parts/type_of.h"
#include "scan/config/scan.h"

namespace scantune {

// first_tile: the tile at which a launch starts, so that item indices past 2^32 can be tested without that many items.
// The items before it are taken not to exist. Maps: the caller's Load and Store, and Equality where it is a source; the
// request is as behind_maps() makes it.
template <ScanRequest request, Variant variant, u64 first_tile = 0, class Operation = OperatorOfRequest<request>,
          class Maps = NoMaps>
struct Problem {
  using Op = Operation;
  using Accumulator = typename Op::Value;
  using Input = typename TypeOf<request.input_type, Accumulator>::Type;
  using Output = typename TypeOf<request.output_type, Accumulator>::Type;
  using Sources = Maps;
  using InputItems = InputItemsOf<typename Maps::Load, Input, request.direction>;
  using OutputItems = OutputItemsOf<typename Maps::Store, Output, request.direction>;
  static constexpr ScanVariant kRequest = {request, variant};
  static constexpr Run kRun = run_of(request);
  static constexpr bool kExclusive = request.kind == Kind::exclusive;
  static constexpr bool kHasInit = request.has_init();
  static constexpr bool kInitOfEach = request.init == Init::each;
  static constexpr bool kReadsN = request.reads_n();
  static constexpr bool kStrided = request.layout.is_strided();
  static constexpr u64 kFirstTile = first_tile;

  // The items in the order of the scan.
  SCANTUNE_DEVICE static InputItems input(const KernelArguments& arguments) {
    if constexpr (kIsMapped<InputItems>)
      return scantune::first_mapped<InputItems, request.direction>(
          arguments.operand<const typename Maps::Load::Item>(OperandRole::input), arguments,
          scantune::load_state<typename Maps::Load>(arguments));
    else
      return scantune::first_of<InputItems, request.direction>(arguments.operand<const Input>(OperandRole::input),
                                                               arguments);
  }
  SCANTUNE_DEVICE static OutputItems output(const KernelArguments& arguments) {
    if constexpr (kIsMapped<OutputItems>)
      return scantune::first_mapped<OutputItems, request.direction>(
          arguments.operand<typename Maps::Store::Item>(OperandRole::output), arguments,
          scantune::store_state<typename Maps::Store>(arguments));
    else
      return scantune::first_of<OutputItems, request.direction>(arguments.operand<Output>(OperandRole::output),
                                                                arguments);
  }
  // The items of a row, the first of which is item `first` of dense rows.
  SCANTUNE_DEVICE static InputItems input_row(const KernelArguments& arguments, u64 row, u64 first) {
    if constexpr (!kStrided)
      return input(arguments) + first;
    else if constexpr (kIsMapped<InputItems>)
      return input(arguments) + arguments.layout.input.begin(row, arguments.layout.plane_sequences);
    else  // in one expression, of which the compiler makes other code
      return arguments.operand<const Input>(OperandRole::input) +
             arguments.layout.input.begin(row, arguments.layout.plane_sequences);
  }
  SCANTUNE_DEVICE static OutputItems output_row(const KernelArguments& arguments, u64 row, u64 first) {
    if constexpr (!kStrided)
      return output(arguments) + first;
    else if constexpr (kIsMapped<OutputItems>)
      return output(arguments) + arguments.layout.output.begin(row, arguments.layout.plane_sequences);
    else
      return arguments.operand<Output>(OperandRole::output) +
             arguments.layout.output.begin(row, arguments.layout.plane_sequences);
  }
  SCANTUNE_DEVICE static Accumulator init(const KernelArguments& arguments) {
    if constexpr (request.init == Init::memory)
      return scantune::load_global<CacheHint::normal>(arguments.operand<const Accumulator>(OperandRole::init));
    return scantune::from_bytes<Accumulator>(arguments.init);
  }

  // Returns the initial value of a row or column, which are counted in the order of the scan.
  SCANTUNE_DEVICE static Accumulator init_of(const KernelArguments& arguments, u64 sequence, u64 sequences) {
    if constexpr (!kInitOfEach) return init(arguments);
    const u64 place = request.direction == Direction::reverse ? sequences - 1 - sequence : sequence;
    return scantune::load_global<CacheHint::normal>(arguments.operand<const Accumulator>(OperandRole::init) + place);
  }

  // The arguments with the actual number of items as n, which may be read from memory: call it after begin_kernel().
  // Also reports, if requested, whether the number in memory was greater than that of the launch.
  SCANTUNE_DEVICE static decltype(auto) counted(const KernelArguments& arguments) {
    if constexpr (kReadsN) {
      using Count = typename UnsignedOfWidth<request.n_width>::Type;
      const u64 n = scantune::load_global<CacheHint::normal>(arguments.operand<const Count>(OperandRole::n));
      auto* const clamped = arguments.operand<u32>(OperandRole::clamped);
      if (clamped != nullptr && block_rank() == 0 && thread_rank() == 0)
        scantune::store_global<CacheHint::normal>(clamped, u32{n > arguments.n});
      KernelArguments counted = arguments;
      if (n < counted.n) counted.n = n;
      return counted;
    } else {
      return (arguments);
    }
  }
};

}  // namespace scantune
