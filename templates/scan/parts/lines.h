// Scans of few dense columns: a scan without segments, of lines, which have an item of every column. Kernels that take
// all items as one sequence do it unchanged.
#pragma once

#include "core/machine/bytes.h"
#include "core/parts/convert.h"
#include "scan/parts/started_items.h"

namespace scantune {

template <class T, int kColumns>
struct Line {
  T items[kColumns];
};

template <class T, int kColumns>
struct ConvertTo<Line<T, kColumns>> {
  template <class From>
  SCANTUNE_DEVICE static Line<T, kColumns> from(const Line<From, kColumns>& line) {
    Line<T, kColumns> result;
#pragma unroll
    for (int column = 0; column < kColumns; ++column) result.items[column] = scantune::convert<T>(line.items[column]);
    return result;
  }
};

// What is combined of each column.
template <class Base, bool kPacksSums>
struct SelectItem {
  using Type = typename Base::Accumulator;
};
template <class Base>
struct SelectItem<Base, true> {
  using Type = typename Base::Input;
};

template <class Base>
struct LineOperator {
  static constexpr int kColumns = static_cast<int>(Base::kRequest.columns);
  static constexpr bool kPacksSums = packs_sums(Base::kRequest);
  using Item = typename SelectItem<Base, kPacksSums>::Type;
  using Value = Line<Item, kColumns>;

  SCANTUNE_DEVICE static Value combine(const Value& earlier, const Value& later) {
    Value both;
    if constexpr (kPacksSums) {
      // No sum carries over into its neighbour.
      constexpr u32 kHighBits = sizeof(Item) == 1 ? 0x80808080 : 0x80008000;
      constexpr int kWords = ceil_div(static_cast<int>(sizeof(Value)), 4);
      u32 a[kWords] = {}, b[kWords] = {};
      scantune::copy_bytes(a, __builtin_addressof(earlier), sizeof earlier);
      scantune::copy_bytes(b, __builtin_addressof(later), sizeof later);
#pragma unroll
      for (int word = 0; word < kWords; ++word)
        a[word] = ((a[word] & ~kHighBits) + (b[word] & ~kHighBits)) ^ ((a[word] ^ b[word]) & kHighBits);
      scantune::copy_bytes(__builtin_addressof(both), a, sizeof both);
    } else {
#pragma unroll
      for (int column = 0; column < kColumns; ++column)
        both.items[column] = Base::Op::combine(earlier.items[column], later.items[column]);
    }
    return both;
  }
};

// The problem as kernels without segments see it.
template <class Base>
struct LineProblem {
  using Op = LineOperator<Base>;
  using Accumulator = typename Op::Value;
  using Input = Line<typename Base::Input, Op::kColumns>;
  using Output = Line<typename Base::Output, Op::kColumns>;
  static constexpr ScanVariant kRequest = {behind_lines(Base::kRequest), Base::kRequest.variant};
  using InputItems = Items<const Input, kRequest.direction>;
  using OutputItems = Items<Output, kRequest.direction>;
  static constexpr Run kRun = run_of(kRequest);
  static constexpr bool kExclusive = Base::kExclusive;
  static constexpr bool kHasInit = Base::kHasInit;
  static constexpr bool kInitOfEach = false;  // the one initial value is a line
  static constexpr bool kReadsN = false;
  static constexpr bool kStrided = false;
  static constexpr u64 kFirstTile = Base::kFirstTile;
  static_assert(sizeof(Accumulator) == kRequest.accumulator_bytes() && sizeof(Input) == kRequest.input_bytes() &&
                sizeof(Output) == kRequest.output_bytes());

  SCANTUNE_DEVICE static InputItems input(const KernelArguments& arguments) {
    return scantune::first_of<InputItems, kRequest.direction>(arguments.operand<const Input>(OperandRole::input),
                                                              arguments);
  }
  SCANTUNE_DEVICE static OutputItems output(const KernelArguments& arguments) {
    return scantune::first_of<OutputItems, kRequest.direction>(arguments.operand<Output>(OperandRole::output),
                                                               arguments);
  }
  SCANTUNE_DEVICE static Accumulator init(const KernelArguments& arguments) {
    Accumulator line = {};
    if constexpr (kHasInit) {
      // Those of each are in the order of the columns in memory, whatever the order of the lines.
      const auto of_each = arguments.operand<const typename Base::Accumulator>(OperandRole::init);
#pragma unroll
      for (int column = 0; column < Op::kColumns; ++column)
        line.items[column] = scantune::convert<typename Op::Item>(
            Base::kInitOfEach ? scantune::load_global<CacheHint::normal>(of_each + column) : Base::init(arguments));
    }
    return line;
  }
  SCANTUNE_DEVICE static Accumulator init_of(const KernelArguments& arguments, u64, u64) { return init(arguments); }
  SCANTUNE_DEVICE static const KernelArguments& counted(const KernelArguments& arguments) { return arguments; }
};

template <class Base, bool kHasLines>
struct SelectLines {
  using Type = Base;
};
template <class Base>
struct SelectLines<Base, true> {
  using Type = LineProblem<Base>;
};
// The problem itself if lines are not its items.
template <class Base>
using BehindLines = typename SelectLines<Base, are_lines_items(Base::kRequest)>::Type;

// The problem as one sequence, if segments with starts or columns can be one.
template <class Base>
using OneSequence = BehindStarts<BehindLines<Base>>;

}  // namespace scantune
