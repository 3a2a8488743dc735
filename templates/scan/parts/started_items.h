// Scans of segments that start at any item: a scan without segments, of pairs of an item and the mark that a segment
// starts there. Kernels that take all items as one sequence do it unchanged; only this file knows what is in memory.
#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/mapped_items.h"
#include "scan/parts/problem.h"

namespace scantune {

// What is combined. Nothing before a start counts.
template <class T, class Mark>
struct Started {
  T value;
  Mark starts;  // how many segments start at the items, where they are counted; else not 0 if one does
};
template <int kBytes>
using MarkOf = typename TypeOf<kBytes == 1   ? ValueType::u8
                               : kBytes == 2 ? ValueType::u16
                               : kBytes == 4 ? ValueType::u32
                                             : ValueType::u64>::Type;
template <class Base>
using StartedOf = Started<typename Base::Accumulator, MarkOf<mark_bytes(Base::kRequest)>>;

template <class Base>
struct StartedOperator {
  using Value = StartedOf<Base>;
  SCANTUNE_DEVICE static Value combine(const Value& earlier, const Value& later) {
    Value both = later;
    if (later.starts == 0) both.value = Base::Op::combine(earlier.value, later.value);
    if constexpr (counts_starts(Base::kRequest))
      both.starts += earlier.starts;
    else
      both.starts |= earlier.starts;
    return both;
  }
};

// Neighbours in memory that one access moves, as far as pointers of the variant are aligned.
template <class T, u32 kItems, Variant kVariant>
struct alignas(kVariant == Variant::aligned ? access_bytes(kItems, sizeof(T), kVectorAlignmentBytes)
                                            : alignof(T)) HeldItems {
  T items[kItems];
};

// The keys of segments, and what compares them.
template <class Base, Equality equality>
struct ComparedKeys {
  using Key = typename TypeOf<type_of(Base::kRequest.keys)>::Type;

  SCANTUNE_DEVICE explicit ComparedKeys(const KernelArguments&) {}

  SCANTUNE_DEVICE static bool differ(Key before, Key key) {
    if constexpr (kIsHalf<Key>)
      return scantune::value_of(before) != scantune::value_of(key);
    else
      return before != key;
  }
};
template <class Base>
struct ComparedKeys<Base, Equality::source> {
  using Source = typename Base::Sources::Equality;
  using Key = typename Source::Item;

  SCANTUNE_DEVICE explicit ComparedKeys(const KernelArguments& arguments)
      : state_(Source::kHasState ? arguments.states.equal : nullptr) {}

  SCANTUNE_DEVICE bool differ(const Key& before, const Key& key) const { return !Source::equals(before, key, state_); }

 private:
  const unsigned char* state_;
};

// What says where segments start, in the order of the scan. In reverse one starts at its last item in memory.
template <class Base>
class Starts : ComparedKeys<Base, Base::kRequest.equality> {
  using Compared = ComparedKeys<Base, Base::kRequest.equality>;
  static constexpr ScanRequest kRequest = Base::kRequest;
  static constexpr bool kReverse = kRequest.direction == Direction::reverse;

 public:
  using Key = typename Compared::Key;

  // In reverse n must be that of the launch.
  SCANTUNE_DEVICE explicit Starts(const KernelArguments& arguments)
      : Compared(arguments),
        entries_(arguments.operand<const void>(kRequest.segments == Segments::keys ? OperandRole::keys
                                                                                   : OperandRole::flags)),
        n_(arguments.n) {}

  // The index in memory of the item that comes first, and of the one that comes so many after another.
  SCANTUNE_DEVICE u64 first() const { return kReverse ? n_ - 1 : 0; }
  SCANTUNE_DEVICE static u64 after(u64 index, u64 distance) { return kReverse ? index - distance : index + distance; }

  SCANTUNE_DEVICE Key key(u64 index) const { return scantune::load_global<CacheHint::normal>(entries<Key>() + index); }

  // Whether a segment starts at the item.
  template <CacheHint kHint>
  SCANTUNE_DEVICE bool at(u64 index) const {
    if constexpr (kReverse) {
      if (index + 1 == n_) return true;
      return begins<kHint>(index + 1);
    } else {
      return index == 0 || begins<kHint>(index);
    }
  }

  // The same of neighbours from index on, which is a multiple of their number.
  template <CacheHint kHint, u32 kCount>
  SCANTUNE_DEVICE void at(u64 index, bool (&starts)[kCount]) const {
    if constexpr (kReverse || kRequest.segments == Segments::bits) {
#pragma unroll
      for (u32 item = 0; item < kCount; ++item) starts[item] = at<kHint>(after(index, item));
    } else if constexpr (kRequest.segments == Segments::flags) {
      const auto flags = load<kHint, u8, kCount>(entries<u8>() + index);
#pragma unroll
      for (u32 item = 0; item < kCount; ++item) starts[item] = flags.items[item] != 0;
      starts[0] |= index == 0;
    } else {
      const auto these = load<kHint, Key, kCount>(entries<Key>() + index);
      starts[0] = index == 0 || this->differ(scantune::load_global<kHint>(entries<Key>() + index - 1), these.items[0]);
#pragma unroll
      for (u32 item = 1; item < kCount; ++item) starts[item] = this->differ(these.items[item - 1], these.items[item]);
    }
  }

 private:
  template <class T>
  SCANTUNE_DEVICE const T* entries() const {
    return static_cast<const T*>(entries_);
  }
  template <CacheHint kHint, class T, u32 kCount>
  SCANTUNE_DEVICE static auto load(const T* from) {
    return scantune::load_global<kHint>(reinterpret_cast<const HeldItems<T, kCount, Base::kRequest.variant>*>(from));
  }

  // Whether a segment begins in memory at the item, which is not the first.
  template <CacheHint kHint>
  SCANTUNE_DEVICE bool begins(u64 index) const {
    if constexpr (kRequest.segments == Segments::flags) {
      return scantune::load_global<kHint>(entries<u8>() + index) != 0;
    } else if constexpr (kRequest.segments == Segments::bits) {
      const u32 word = scantune::load_global<kHint>(entries<u32>() + index / 32);
      return (word >> index % 32 & 1) != 0;
    } else {
      const Key* const keys = entries<Key>() + index;
      return this->differ(scantune::load_global<kHint>(keys - 1), scantune::load_global<kHint>(keys));
    }
  }

  const void* entries_;
  u64 n_;
};

// What segments begin from. That in memory is read when it is asked for, which is not before begin_kernel().
template <class Base>
class SegmentInit {
  using T = typename Base::Accumulator;
  static constexpr bool kInMemory = Base::kRequest.init == Init::memory || Base::kInitOfEach;

 public:
  SCANTUNE_DEVICE explicit SegmentInit(const KernelArguments& arguments)
      : memory_(arguments.operand<const T>(OperandRole::init)) {
    if constexpr (Base::kHasInit && !kInMemory) value_ = Base::init(arguments);
  }
  // That of a segment, whose number matters where each has one of its own.
  SCANTUNE_DEVICE T get(u64 segment = 0) const {
    if constexpr (kInMemory) return scantune::load_global<CacheHint::normal>(memory_ + segment);
    return value_;
  }

 private:
  const T* memory_;
  T value_;
};

// Items of an input as such pairs. The initial value is combined into the first item of a segment; one of each segment
// into its results, since only there the segment's number is known.
template <class Base>
struct StartedItems {
  using T = typename Base::Accumulator;
  using Pair = StartedOf<Base>;

  typename Base::InputItems items;
  Starts<Base> starts;
  SegmentInit<Base> init;
  u64 index;  // of the first, in memory

  SCANTUNE_DEVICE StartedItems operator+(u64 distance) const {
    return {items + distance, starts, init, Starts<Base>::after(index, distance)};
  }

  SCANTUNE_DEVICE Pair pair(bool starts_there, T value) const {
    if constexpr (Base::kHasInit && !Base::kInitOfEach)
      if (starts_there) value = Base::Op::combine(init.get(), value);
    return {value, starts_there};
  }
};

// Results of such pairs as the items of an output. The first of a segment in an exclusive scan is the initial value.
template <class Base>
struct UnmarkedItems {
  using T = typename Base::Accumulator;
  using Pair = StartedOf<Base>;

  typename Base::OutputItems items;
  Starts<Base> starts;
  SegmentInit<Base> init;
  u64 index;  // of the first, in memory

  SCANTUNE_DEVICE UnmarkedItems operator+(u64 distance) const {
    return {items + distance, starts, init, Starts<Base>::after(index, distance)};
  }

  // The result at the item so many after the first.
  SCANTUNE_DEVICE auto result(bool starts_there, const Pair& pair, u32 distance) const {
    T value = pair.value;
    if constexpr (Base::kInitOfEach) {
      // An exclusive result has the segments before its item. Before all items there is nothing to count.
      const bool begins = Base::kExclusive && starts_there;
      const u64 before = begins && index + distance == 0 ? 0 : u64{pair.starts};
      const T its_init = init.get(begins ? before : before - 1);
      value = begins ? its_init : Base::Op::combine(its_init, value);
    } else if constexpr (Base::kExclusive) {
      if (starts_there) value = init.get();
    }
    return scantune::convert<typename Base::Output>(value);
  }
};

// The total of a segment as an item of an output, at the last item of the segment. Nothing is stored at others.
template <class Base>
struct TotalItems {
  using T = typename Base::Accumulator;
  using Pair = StartedOf<Base>;
  using Key = typename Starts<Base>::Key;
  using Count = MarkOf<Base::kRequest.count_width == IntegerWidth::bits_32 ? 4 : 8>;

  static constexpr bool kHasKeys = Base::kRequest.segments == Segments::keys;
  // What a source takes for equal may differ, and then the first key of a segment is written.
  static constexpr bool kWritesFirstKeys = kHasKeys && Base::kRequest.equality == Equality::source;

  typename Base::OutputItems items;  // the first
  Starts<Base> starts;
  const KernelArguments* arguments;
  u64 index;  // of the item, in memory

  SCANTUNE_DEVICE TotalItems operator+(u64 distance) const { return {items, starts, arguments, index + distance}; }

  SCANTUNE_DEVICE void store(const Pair& pair) const {
    const bool is_last = index + 1 == Base::counted(*arguments).n;
    if (is_last)
      scantune::store_global<CacheHint::normal>(arguments->operand<Count>(OperandRole::count), Count{pair.starts});
    if constexpr (kWritesFirstKeys)
      if (index == 0 && arguments->extents[0] > 0) store_key(0, 0);
    if (!is_last && !starts.template at<CacheHint::normal>(index + 1)) return;
    const u64 place = u64{pair.starts} - 1;
    if constexpr (kWritesFirstKeys)
      if (!is_last && place + 1 < arguments->extents[0]) store_key(place + 1, index + 1);
    if (place >= arguments->extents[0]) return;  // there is no room
    T total = pair.value;
    if constexpr (Base::kInitOfEach) total = Base::Op::combine(SegmentInit<Base>(*arguments).get(place), total);
    scantune::store_global<CacheHint::normal>(items + place, scantune::convert<typename Base::Output>(total));
    if constexpr (kHasKeys && !kWritesFirstKeys) store_key(place, index);
  }

  // Stores the key of an item as that of a segment.
  SCANTUNE_DEVICE void store_key(u64 place, u64 item) const {
    scantune::store_global<CacheHint::normal>(arguments->operand<Key>(OperandRole::keys_output) + place,
                                              starts.key(item));
  }
};

template <class Base>
inline constexpr bool kLieInMemory<StartedItems<Base>> = false;  // in one array

// No vectors begin after a head.
template <class Base>
SCANTUNE_DEVICE u64 edge(const StartedItems<Base>&) {
  return 0;
}
template <class Base>
SCANTUNE_DEVICE u64 edge(const UnmarkedItems<Base>&) {
  return 0;
}
template <class Base>
SCANTUNE_DEVICE u64 edge(const TotalItems<Base>&) {
  return 0;
}

template <class Vector, class Items>
struct StartedVectors {
  Items items;

  SCANTUNE_DEVICE StartedVectors operator+(u32 index) const {
    return {items + static_cast<u64>(index) * (sizeof(Vector) / sizeof(typename Items::Pair))};
  }
};
template <class Vector, class Base>
SCANTUNE_DEVICE auto vectors_of(const StartedItems<Base>& items) {
  return StartedVectors<Vector, StartedItems<Base>>{items};
}
template <class Vector, class Base>
SCANTUNE_DEVICE auto vectors_of(const UnmarkedItems<Base>& items) {
  return StartedVectors<Vector, UnmarkedItems<Base>>{items};
}
template <class Vector, class Base>
SCANTUNE_DEVICE auto vectors_of(const TotalItems<Base>& items) {
  return StartedVectors<Vector, TotalItems<Base>>{items};
}

template <CacheHint kHint, class Base>
SCANTUNE_DEVICE auto load_global(const StartedItems<Base>& from) {
  using T = typename Base::Accumulator;
  const bool starts = from.starts.template at<kHint>(from.index);
  return from.pair(starts, scantune::convert<T>(scantune::load_global<kHint>(from.items)));
}

template <CacheHint kHint, class Vector, class Base>
SCANTUNE_DEVICE Vector load_global(const StartedVectors<const Vector, StartedItems<Base>>& from) {
  using T = typename Base::Accumulator;
  using Input = typename Base::Input;
  constexpr u32 kItems = sizeof(Vector) / sizeof(StartedOf<Base>);
  StartedOf<Base> pairs[kItems];
  if constexpr (kItems == 1) {
    pairs[0] = scantune::load_global<kHint>(from.items);
  } else {
    using Held = HeldItems<Input, kItems, Base::kRequest.variant>;
    const StartedItems<Base>& items = from.items;
    bool starts[kItems];
    items.starts.template at<kHint>(items.index, starts);
    const Held held = scantune::load_global<kHint>(scantune::vectors_of<const Held>(items.items));
#pragma unroll
    for (u32 item = 0; item < kItems; ++item)
      pairs[item] = items.pair(starts[item], scantune::convert<T>(held.items[item]));
  }
  Vector vector;
  scantune::copy_bytes(__builtin_addressof(vector), pairs, sizeof pairs);
  return vector;
}

template <CacheHint kHint, class Base, class T, class Mark>
SCANTUNE_DEVICE void store_global(const UnmarkedItems<Base>& to, const Started<T, Mark>& pair) {
  bool starts = false;
  if constexpr (Base::kExclusive) starts = to.starts.template at<CacheHint::normal>(to.index);
  scantune::store_global<kHint>(to.items, to.result(starts, pair, 0));
}

template <CacheHint kHint, class Vector, class Base>
SCANTUNE_DEVICE void store_global(const StartedVectors<Vector, UnmarkedItems<Base>>& to, const Vector& vector) {
  using Output = typename Base::Output;
  using Pair = typename UnmarkedItems<Base>::Pair;
  constexpr u32 kItems = sizeof(Vector) / sizeof(Pair);
  Pair pairs[kItems];
  scantune::copy_bytes(pairs, __builtin_addressof(vector), sizeof pairs);
  if constexpr (kItems == 1) {
    scantune::store_global<kHint>(to.items, pairs[0]);
  } else {
    bool starts[kItems] = {};
    if constexpr (Base::kExclusive) to.items.starts.template at<CacheHint::normal>(to.items.index, starts);
    using Held = HeldItems<Output, kItems, Base::kRequest.variant>;
    Held held;
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) held.items[item] = to.items.result(starts[item], pairs[item], item);
    scantune::store_global<kHint>(scantune::vectors_of<Held>(to.items.items), held);
  }
}

template <CacheHint, class Base, class T, class Mark>
SCANTUNE_DEVICE void store_global(const TotalItems<Base>& to, const Started<T, Mark>& pair) {
  to.store(pair);
}
template <CacheHint, class Vector, class Base>
SCANTUNE_DEVICE void store_global(const StartedVectors<Vector, TotalItems<Base>>& to, const Vector& vector) {
  constexpr u32 kItems = sizeof(Vector) / sizeof(StartedOf<Base>);
  StartedOf<Base> pairs[kItems];
  scantune::copy_bytes(pairs, __builtin_addressof(vector), sizeof pairs);
#pragma unroll
  for (u32 item = 0; item < kItems; ++item) (to.items + item).store(pairs[item]);
}

template <class Base>
SCANTUNE_DEVICE void count_none(const KernelArguments& arguments) {
  using Count = typename TotalItems<Base>::Count;
  if (block_rank() == 0 && thread_rank() == 0)
    scantune::store_global<CacheHint::normal>(arguments.operand<Count>(OperandRole::count), Count{0});
}

// Whether there are items. Without items the number of totals is 0.
template <class Base>
SCANTUNE_DEVICE bool has_items(const KernelArguments& arguments) {
  if constexpr (Base::kRequest.writes_totals())
    if (arguments.n == 0) {
      begin_kernel<1>();
      count_none<Base>(arguments);
      return false;
    }
  return true;
}

template <class Base, bool kWritesTotals>
struct SelectResults {
  using Type = UnmarkedItems<Base>;
};
template <class Base>
struct SelectResults<Base, true> {
  using Type = TotalItems<Base>;
};

// The problem as kernels without segments see it.
template <class Base>
struct StartedProblem {
  using Op = StartedOperator<Base>;
  using Accumulator = typename Op::Value;
  using Input = Accumulator;
  using Output = Accumulator;
  using InputItems = StartedItems<Base>;
  static constexpr bool kWritesTotals = Base::kRequest.writes_totals();
  using OutputItems = typename SelectResults<Base, kWritesTotals>::Type;
  static constexpr ScanVariant kRequest = {behind_starts(Base::kRequest), Base::kRequest.variant};
  static constexpr Run kRun = run_of(kRequest);
  static constexpr bool kExclusive = Base::kExclusive;
  static constexpr bool kHasInit = false;  // it is in the items, or takes the place of what is before a segment
  static constexpr bool kInitOfEach = false;
  static constexpr bool kReadsN = Base::kReadsN;
  static constexpr bool kStrided = false;
  static constexpr u64 kFirstTile = Base::kFirstTile;
  static_assert(sizeof(Accumulator) == kRequest.custom_bytes && alignof(Accumulator) == kRequest.custom_alignment);

  SCANTUNE_DEVICE static InputItems input(const KernelArguments& arguments) {
    const Starts<Base> starts(arguments);
    return {Base::input(arguments), starts, SegmentInit<Base>(arguments), starts.first()};
  }
  SCANTUNE_DEVICE static OutputItems output(const KernelArguments& arguments) {
    const Starts<Base> starts(arguments);
    if constexpr (kWritesTotals)
      return {Base::output(arguments), starts, __builtin_addressof(arguments), 0};
    else
      return {Base::output(arguments), starts, SegmentInit<Base>(arguments), starts.first()};
  }
  SCANTUNE_DEVICE static Accumulator init(const KernelArguments&) { return {}; }
  SCANTUNE_DEVICE static decltype(auto) counted(const KernelArguments& arguments) {
    if constexpr (kReadsN && kWritesTotals)
      if (Base::counted(arguments).n == 0) count_none<Base>(arguments);
    return Base::counted(arguments);
  }
};

template <class Base, bool kHasStarts>
struct SelectStarted {
  using Type = Base;
};
template <class Base>
struct SelectStarted<Base, true> {
  using Type = StartedProblem<Base>;
};
// The problem itself if it has no segments with starts.
template <class Base>
using BehindStarts = typename SelectStarted<Base, has_starts(Base::kRequest.segments)>::Type;

}  // namespace scantune
