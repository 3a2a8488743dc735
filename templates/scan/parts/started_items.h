// Scans of segments that start at any item: a scan without segments, of pairs of an item and the mark that a segment
// starts there. Kernels that take all items as one sequence do it unchanged; only this file and started_rows.h, which
// loads and stores them, know what is in memory.
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

// Brings the first `count` of items in memory into L2, as far as they fill vectors.
template <class Items>
SCANTUNE_DEVICE void prefetch_items(Items items, u32 count) {
  const auto* const begin = scantune::lowest(items, count);
  const u64 first = round_up(reinterpret_cast<u64>(begin), u64{kVectorAlignmentBytes});
  const u64 end = reinterpret_cast<u64>(begin + count) / kVectorAlignmentBytes * kVectorAlignmentBytes;
  if (first < end) prefetch_to_l2(reinterpret_cast<const void*>(first), static_cast<u32>(end - first));
}

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

// What says of an item whether a segment starts there: a key, or a flag, which a bit becomes once it is loaded.
template <class Key, Segments segments>
struct SelectEntry {
  using Type = u8;
};
template <class Key>
struct SelectEntry<Key, Segments::keys> {
  using Type = Key;
};

// What says where segments start: an entry for each item, in the order of the scan. In reverse a segment starts at its
// last item in memory, before the entry that begins the next one.
template <class Base>
class Starts : ComparedKeys<Base, Base::kRequest.equality> {
  using Compared = ComparedKeys<Base, Base::kRequest.equality>;
  static constexpr ScanRequest kRequest = Base::kRequest;
  static constexpr bool kReverse = kRequest.direction == Direction::reverse;
  static constexpr bool kHasKeys = kRequest.segments == Segments::keys;
  static constexpr bool kHasBits = kRequest.segments == Segments::bits;

 public:
  using Key = typename Compared::Key;
  using Entry = typename SelectEntry<Key, kRequest.segments>::Type;
  // Whether the entry of the item before says whether a segment starts at one.
  static constexpr bool kReadsBefore = kHasKeys || kReverse;

  // In reverse n must be that of the launch.
  SCANTUNE_DEVICE explicit Starts(const KernelArguments& arguments)
      : Compared(arguments),
        entries_(arguments.operand<const void>(kHasKeys ? OperandRole::keys : OperandRole::flags)),
        n_(arguments.n) {}

  // The index in memory of the item that comes first, and of the one that comes so many after another.
  SCANTUNE_DEVICE u64 first() const { return kReverse ? n_ - 1 : 0; }
  SCANTUNE_DEVICE static u64 after(u64 index, u64 distance) { return kReverse ? index - distance : index + distance; }
  SCANTUNE_DEVICE static u64 before(u64 index) { return kReverse ? index + 1 : index - 1; }

  template <CacheHint kHint>
  SCANTUNE_DEVICE Entry entry(u64 index) const {
    if constexpr (kHasBits) {
      const u32 word = scantune::load_global<kHint>(static_cast<const u32*>(entries_) + index / 32);
      return static_cast<u8>(word >> index % 32 & 1);
    } else {
      return scantune::load_global<kHint>(entries() + index);
    }
  }

  // The entries of neighbours, the first of which is on a boundary of as many in the order of the scan.
  template <CacheHint kHint, u32 kCount>
  SCANTUNE_DEVICE void load(u64 index, Entry* to) const {
    if constexpr (kHasBits && !kReverse) {
      const u32 word = scantune::load_global<kHint>(static_cast<const u32*>(entries_) + index / 32) >> index % 32;
#pragma unroll
      for (u32 item = 0; item < kCount; ++item) to[item] = static_cast<u8>(word >> item & 1);
    } else if constexpr (kHasBits || kCount == 1) {
#pragma unroll
      for (u32 item = 0; item < kCount; ++item) to[item] = entry<kHint>(after(index, item));
    } else {
      using Held = HeldItems<Entry, kCount, Base::kRequest.variant>;
      const Items<const Entry, kRequest.direction> items = {entries() + index};
      const Held held = scantune::load_global<kHint>(scantune::vectors_of<const Held>(items));
      scantune::copy_bytes(to, __builtin_addressof(held), sizeof held);
    }
  }

  // Brings the entries of so many items into L2, as far as they fill vectors. Those of bits are few.
  SCANTUNE_DEVICE void prefetch(u64 index, u32 count) const {
    if constexpr (!kHasBits) scantune::prefetch_items(Items<const Entry, kRequest.direction>{entries() + index}, count);
  }

  // Whether a segment starts at an item that is not the first, by its entry and, if that is read, the one before.
  SCANTUNE_DEVICE bool start(const Entry& before, const Entry& entry) const {
    if constexpr (!kHasKeys)
      return kReverse ? before != 0 : entry != 0;
    else
      return kReverse ? this->differ(entry, before) : this->differ(before, entry);
  }

 private:
  SCANTUNE_DEVICE const Entry* entries() const { return static_cast<const Entry*>(entries_); }

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

// The items of an input and what says where their segments start.
template <class Base>
struct StartedItems {
  typename Base::InputItems items;
  Starts<Base> starts;
  SegmentInit<Base> init;
  u64 index;  // of the first, in memory

  SCANTUNE_DEVICE StartedItems operator+(u64 distance) const {
    return {items + distance, starts, init, Starts<Base>::after(index, distance)};
  }
};

// A result for each item of an output.
template <class Base>
struct UnmarkedItems {
  typename Base::OutputItems items;
  SegmentInit<Base> init;

  SCANTUNE_DEVICE UnmarkedItems operator+(u64 distance) const { return {items + distance, init}; }
};

// Totals in an output that has one for each segment, of the items from one on.
template <class Base>
struct TotalItems {
  using Key = typename Starts<Base>::Key;
  using Count = MarkOf<Base::kRequest.count_width == IntegerWidth::bits_32 ? 4 : 8>;
  static constexpr bool kHasKeys = Base::kRequest.segments == Segments::keys;
  // What a source takes for equal may differ, and then the first key of a segment is written.
  static constexpr bool kWritesFirstKeys = kHasKeys && Base::kRequest.equality == Equality::source;

  typename Base::OutputItems items;  // the first total
  Starts<Base> starts;
  const KernelArguments* arguments;
  u64 index;  // of the item, in memory

  SCANTUNE_DEVICE TotalItems operator+(u64 distance) const { return {items, starts, arguments, index + distance}; }
};

template <class Items>
inline constexpr bool kHaveStarts = false;
template <class Base>
inline constexpr bool kHaveStarts<StartedItems<Base>> = true;

// Whether nothing before a tile counts for what comes after it, if a segment starts in it.
template <class Items>
inline constexpr bool kForget = false;
template <class Base>
inline constexpr bool kForget<StartedItems<Base>> = !counts_starts(Base::kRequest);

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
    if constexpr (kWritesTotals)
      return {Base::output(arguments), Starts<Base>(arguments), __builtin_addressof(arguments), 0};
    else
      return {Base::output(arguments), SegmentInit<Base>(arguments)};
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
