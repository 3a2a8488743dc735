// The reduction as kernels see it: types and operator of a request.
#pragma once

#include "core/parts/convert.h"
#include "core/parts/mapped_items.h"
#include "core/parts/neutral_item.h"
#include "core/parts/operator_of_request.h"
#include "core/parts/stored_extreme.h"
#include "core/parts/type_of.h"
#include "reduce/config/reduce.h"
#include "reduce/parts/placed.h"

namespace scantune {

// What a store takes: a value, or an extreme with its position.
template <class Output, bool kTellsPosition>
struct StoredResult {
  using Type = Output;
};
template <class Output>
struct StoredResult<Output, true> {
  using Type = StoredExtreme<Output>;
};

// first_item: the index of the input's first item, so that indices past 2^32 can be tested without that many items.
// Maps: as of Problem.
template <ReduceRequest request, Variant variant, u64 first_item = 0, class ValueOperation = OperatorOfRequest<request>,
          class Maps = NoMaps>
struct ReduceProblem {
  using Operation = ValueOperation;
  using Item = typename Operation::Value;  // an item as it is combined
  using Op = typename SelectReducedBy<request, Operation>::Op;
  using Accumulator = typename Op::Value;
  using Input = typename TypeOf<request.input_type, Item>::Type;
  using Output = typename TypeOf<request.output_type, Item>::Type;
  using InputItems = InputItemsOf<typename Maps::Load, Input>;
  using Result = typename StoredResult<Output, request.has_position() && request.store != Store::none>::Type;
  using OutputItems = OutputItemsOf<typename Maps::Store, Result>;
  static constexpr ReduceRequest kRequest = request;
  static constexpr Variant kVariant = variant;
  static constexpr bool kInOrder = is_custom(request.op);
  static constexpr bool kHasInit = request.has_init();
  static constexpr bool kHasPosition = request.has_position();
  static constexpr bool kHasBoth = request.extremes == ExtremeSet::both;
  static constexpr bool kBySource = request.ordered_by == OrderedBy::less;
  static constexpr bool kStrided = request.layout.is_strided();

  SCANTUNE_DEVICE static InputItems input(const KernelArguments& arguments) {
    if constexpr (kIsMapped<InputItems>)
      return scantune::first_mapped<InputItems, Direction::forward>(
          arguments.operand<const typename Maps::Load::Item>(OperandRole::input), arguments,
          scantune::load_state<typename Maps::Load>(arguments));
    else
      return arguments.operand<const Input>(OperandRole::input);
  }

  // What an accumulator is before anything is combined with it by a built-in operator, or by a comparison.
  SCANTUNE_DEVICE static Accumulator neutral() {
    if constexpr (kHasBoth)
      return {nothing<Operator::min>(), nothing<Operator::max>()};
    else if constexpr (kHasPosition)
      return nothing<request.op>();
    else
      return neutral_item<request.op, Item, Item>();
  }
  template <Operator kOperator>
  SCANTUNE_DEVICE static Placed<Item> nothing() {
    if constexpr (kBySource) {
      return {Item(), kNoPlace};
    } else {
      constexpr Item kNeutral = neutral_item<kOperator, Item, Item>();
      return {kNeutral, kNoPlace};
    }
  }

  // The item at an index of the input as an accumulator.
  SCANTUNE_DEVICE static Accumulator accumulator_of(Input item, u64 index) {
    if constexpr (kHasBoth)
      return {placed(scantune::convert<Item>(item), index), placed(scantune::convert<Item>(item), index)};
    else if constexpr (kHasPosition)
      return placed(scantune::convert<Item>(item), index);
    else
      return scantune::convert<Item>(item);
  }
  SCANTUNE_DEVICE static Placed<Item> placed(Item value, u64 index) {
    return {value, place_of<request.position>(first_item + index)};
  }

  // Puts the initial value before the total, if there is one, and stores the result of a row. Called by one thread.
  // Where there are no items the initial value alone is the result.
  SCANTUNE_DEVICE static void store(const KernelArguments& arguments, Accumulator total, bool exists = true,
                                    u64 row = 0) {
    const auto output = ReduceProblem::output(arguments, OperandRole::output) + row;
    if constexpr (kHasBoth) {
      store_placed<Operator::min>(arguments, output, OperandRole::indices, total.least, exists, row);
      store_placed<Operator::max>(arguments, ReduceProblem::output(arguments, OperandRole::second) + row,
                                  OperandRole::second_indices, total.greatest, exists, row);
    } else if constexpr (kHasPosition) {
      store_placed<request.op>(arguments, output, OperandRole::indices, total, exists, row);
    } else {
      if constexpr (kHasInit) total = exists ? Op::combine(init(arguments, row), total) : init(arguments, row);
      scantune::store_global<CacheHint::normal>(output, scantune::convert<Output>(total));
    }
  }

 private:
  // Where there are no items, the identity is the value. less() has no identity, and the value in memory stays.
  template <Operator kOperator>
  SCANTUNE_DEVICE static void store_placed(const KernelArguments& arguments, auto output, OperandRole indices,
                                           Placed<Item> total, bool exists, u64 row) {
    using Index = typename UnsignedOfWidth<request.index_width>::Type;
    const bool is_nothing = kHasInit && (!exists || total.place == kNoPlace);
    if constexpr (kHasInit && !kBySource)
      if (is_nothing) total.value = scantune::convert<Item>(neutral_item<kOperator, Input, Item>());
    if (is_nothing) total.place = kNoPlace;
    const u64 index = index_of<request.position>(total.place);
    if constexpr (!kIsMapped<OutputItems>)
      scantune::store_global<CacheHint::normal>(arguments.operand<Index>(indices) + row, static_cast<Index>(index));
    if (kBySource && is_nothing) return;
    if constexpr (kIsMapped<OutputItems>)
      scantune::store_global<CacheHint::normal>(output, Result{scantune::convert<Output>(total.value), index});
    else
      scantune::store_global<CacheHint::normal>(output, scantune::convert<Output>(total.value));
  }

  SCANTUNE_DEVICE static OutputItems output(const KernelArguments& arguments, OperandRole role) {
    if constexpr (kIsMapped<OutputItems>)
      return scantune::first_mapped<OutputItems, Direction::forward>(
          arguments.operand<typename Maps::Store::Item>(role), arguments,
          scantune::store_state<typename Maps::Store>(arguments));
    else
      return arguments.operand<Output>(role);
  }

  SCANTUNE_DEVICE static Accumulator init(const KernelArguments& arguments, [[maybe_unused]] u64 row) {
    if constexpr (request.init == Init::each)
      return scantune::load_global<CacheHint::normal>(arguments.operand<const Accumulator>(OperandRole::init) + row);
    if constexpr (request.init == Init::memory)
      return scantune::load_global<CacheHint::normal>(arguments.operand<const Accumulator>(OperandRole::init));
    return scantune::from_bytes<Accumulator>(arguments.init);
  }
};

}  // namespace scantune
