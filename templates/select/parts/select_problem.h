// The selection as kernels see it: types and criterion of a request.
#pragma once

#include "core/machine/numbers.h"
#include "core/parts/mapped_items.h"
#include "core/parts/no_source.h"
#include "core/parts/type_of.h"
#include "select/config/select.h"

namespace scantune {

// Of items where the source takes flags.
template <SelectRequest request, class Source, bool = request.subject == Subject::flag>
struct SourceOfItems {
  using Type = Source;
};
template <SelectRequest request, class Source>
struct SourceOfItems<request, Source, true> {
  using Type = NoSource<request>;
};

// A unit of a value.
template <Values kValues>
struct ValueOf {
  using Type = u8;  // unused without values
};
template <>
struct ValueOf<Values::bytes_2> {
  using Type = u16;
};
template <>
struct ValueOf<Values::bytes_4> {
  using Type = u32;
};
template <>
struct ValueOf<Values::bytes_8> {
  using Type = u64;
};
template <>
struct ValueOf<Values::bytes_16> {
  using Type = OpaqueItem<16, 16>;
};

// Source: the caller's predicate, equality or rule of parts. The number is in the place of other problems' first tile
// or item. Maps: as of Problem.
template <SelectRequest request, Variant variant, u64 = 0, class Source = NoSource<request>, class Maps = NoMaps>
struct SelectProblem {
  using Item = typename TypeOf<request.input_type, typename SourceOfItems<request, Source>::Type::Value>::Type;
  using Flag = typename TypeOf<value_type(request.flag_type)>::Type;
  using Index = typename TypeOf<request.index_type>::Type;
  using Count = typename UnsignedOfWidth<request.count_width>::Type;
  using Value = typename ValueOf<request.values>::Type;
  using InputItems = InputItemsOf<typename Maps::Load, Item>;
  using OutputItems = OutputItemsOf<typename Maps::Store, Item>;
  static constexpr SelectRequest kRequest = request;
  static constexpr Variant kVariant = variant;
  static constexpr bool kComparesNeighbours = compares_neighbours(request.criterion);

  SCANTUNE_DEVICE static InputItems input(const KernelArguments& arguments) {
    if constexpr (kIsMapped<InputItems>)
      return scantune::first_mapped<InputItems, Direction::forward>(
          arguments.operand<const typename Maps::Load::Item>(OperandRole::input), arguments,
          scantune::load_state<typename Maps::Load>(arguments));
    else
      return arguments.operand<const Item>(OperandRole::input);
  }

  // An output of items, of which each is told its place in it.
  SCANTUNE_DEVICE static OutputItems output(OperandRole role, const KernelArguments& arguments) {
    if constexpr (kIsMapped<OutputItems>)
      return scantune::first_mapped<OutputItems, Direction::forward>(
          arguments.operand<typename Maps::Store::Item>(role), arguments,
          scantune::store_state<typename Maps::Store>(arguments));
    else
      return arguments.operand<Item>(role);
  }

  // The part that an item is in, by its value or that of its flag. The first is kept.
  template <class T>
  SCANTUNE_DEVICE static int part(const T& item, const KernelArguments& arguments) {
    if constexpr (request.criterion == Criterion::parts) {
      return Source::part(item, arguments.init);
    } else if constexpr (request.criterion == Criterion::around) {
      const auto a = number(item), b = number(scantune::from_bytes<T>(arguments.init));
      return a < b ? 0 : a == b ? 1 : 2;
    } else {
      return keeps(item, arguments) ? 0 : 1;
    }
  }

  // Whether an item is kept, given the one before it.
  SCANTUNE_DEVICE static bool differs(const Item& before, const Item& item, const KernelArguments& arguments) {
    if constexpr (request.criterion == Criterion::unique_by)
      return !Source::equals(before, item, arguments.init);
    else
      return number(before) != number(item);
  }

 private:
  template <class T>
  SCANTUNE_DEVICE static bool keeps(const T& item, const KernelArguments& arguments) {
    if constexpr (request.criterion == Criterion::predicate) {
      return Source::keeps(item, arguments.init);
    } else if constexpr (request.criterion == Criterion::flagged) {
      return number(item) != 0;
    } else {
      const auto a = number(item), b = number(scantune::from_bytes<T>(arguments.init));
      if constexpr (request.criterion == Criterion::less) return a < b;
      if constexpr (request.criterion == Criterion::less_equal) return a <= b;
      if constexpr (request.criterion == Criterion::greater) return a > b;
      if constexpr (request.criterion == Criterion::greater_equal) return a >= b;
      if constexpr (request.criterion == Criterion::equal) return a == b;
      return a != b;
    }
  }

  template <class T>
  SCANTUNE_DEVICE static auto number(T item) {
    if constexpr (kIsHalf<T>)
      return scantune::value_of(item);
    else
      return item;
  }
};

}  // namespace scantune
