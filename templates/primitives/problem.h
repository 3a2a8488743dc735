// The problem as kernels see it: types and operator of a request.
#pragma once

#include "config/scan.h"
#include "primitives/convert.h"
#include "primitives/item_access.h"
#include "primitives/operators.h"

namespace scantune {

// A custom type is what the operator combines.
template <ValueType kType, class Custom = void>
struct TypeOf {
  using Type = Custom;
};
#define SCANTUNE_TYPE_OF(name, bytes, type_class, constant) \
  template <class Custom>                                   \
  struct TypeOf<ValueType::name, Custom> {                  \
    using Type = name;                                      \
  };
SCANTUNE_VALUE_TYPES(SCANTUNE_TYPE_OF)
#undef SCANTUNE_TYPE_OF

// first_tile: the tile at which a launch starts, so that item indices past 2^32 can be tested without that many items.
// The items before it are taken not to exist.
template <ScanRequest request, Variant variant, u64 first_tile = 0,
          class Operation = OperatorOf<typename TypeOf<request.accumulator_type>::Type, request.op>>
struct Problem {
  using Op = Operation;
  using Accumulator = typename Op::Value;
  using Input = typename TypeOf<request.input_type, Accumulator>::Type;
  using Output = typename TypeOf<request.output_type, Accumulator>::Type;
  using InputItems = Items<const Input, request.direction>;
  using OutputItems = Items<Output, request.direction>;
  static constexpr ScanVariant kRequest = {request, variant};
  static constexpr bool kExclusive = request.kind == Kind::exclusive;
  static constexpr bool kHasInit = request.has_init();
  static constexpr bool kInitOfEach = request.init == Init::each;
  static constexpr bool kReadsN = request.reads_n();
  static constexpr bool kStrided = request.layout.is_strided();
  static constexpr u64 kFirstTile = first_tile;

  // The items in the order of the scan.
  SCANTUNE_DEVICE static InputItems input(const KernelArguments& arguments) {
    return items<InputItems>(static_cast<const Input*>(arguments.input), arguments);
  }
  SCANTUNE_DEVICE static OutputItems output(const KernelArguments& arguments) {
    return items<OutputItems>(static_cast<Output*>(arguments.output), arguments);
  }
  // The items of a row, the first of which is item `first` of dense rows.
  SCANTUNE_DEVICE static InputItems input_row(const KernelArguments& arguments, u64 row, u64 first) {
    if constexpr (kStrided)
      return static_cast<const Input*>(arguments.input) +
             layout(arguments).input.begin(row, layout(arguments).plane_sequences);
    else
      return input(arguments) + first;
  }
  SCANTUNE_DEVICE static OutputItems output_row(const KernelArguments& arguments, u64 row, u64 first) {
    if constexpr (kStrided)
      return static_cast<Output*>(arguments.output) +
             layout(arguments).output.begin(row, layout(arguments).plane_sequences);
    else
      return output(arguments) + first;
  }
  // Only kernels for strides have one among their arguments.
  template <class Arguments>
  SCANTUNE_DEVICE static const Layout& layout(const Arguments& arguments) {
    return arguments.layout;
  }
  SCANTUNE_DEVICE static Accumulator init(const KernelArguments& arguments) {
    if constexpr (request.init == Init::memory)
      return scantune::load_global<CacheHint::normal>(static_cast<const Accumulator*>(arguments.init_memory));
    return from_bytes<Accumulator>(arguments.init);
  }

  // Returns the initial value of a row or column, which are counted in the order of the scan.
  SCANTUNE_DEVICE static Accumulator init_of(const KernelArguments& arguments, u64 sequence, u64 sequences) {
    if constexpr (!kInitOfEach) return init(arguments);
    const u64 place = request.direction == Direction::reverse ? sequences - 1 - sequence : sequence;
    return scantune::load_global<CacheHint::normal>(static_cast<const Accumulator*>(arguments.init_memory) + place);
  }

  // The arguments with the number of items that there are as their n, which memory may say: behind begin_kernel(). It
  // also tells whoever asks whether memory said more than the launch is for.
  template <class Arguments>
  SCANTUNE_DEVICE static decltype(auto) counted(const Arguments& arguments) {
    if constexpr (kReadsN) {
      const u64 n = scantune::load_global<CacheHint::normal>(static_cast<const u64*>(arguments.n_memory));
      if (arguments.clamped != nullptr && block_rank() == 0 && thread_rank() == 0)
        scantune::store_global<CacheHint::normal>(static_cast<u32*>(arguments.clamped), u32{n > arguments.n});
      Arguments counted = arguments;
      if (n < counted.n) counted.n = n;
      return counted;
    } else {
      return (arguments);
    }
  }

 private:
  template <class All, class Item>
  SCANTUNE_DEVICE static All items(Item* begin, const KernelArguments& arguments) {
    if constexpr (request.direction == Direction::reverse)
      return {begin + arguments.n - 1};
    else
      return begin;
  }
};

}  // namespace scantune
