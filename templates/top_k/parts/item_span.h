// Consecutive items, in vectors wherever they begin.
#pragma once

#include "core/machine/memory.h"
#include "core/parts/vector_boundary.h"

namespace scantune {

// Fewer items than a vector has are before the first vector boundary, and after the last one.
template <class Item>
class ItemSpan {
 public:
  static constexpr u32 kVectorItems = kVectorAlignmentBytes / sizeof(Item);
  struct alignas(kVectorAlignmentBytes) Vector {
    Item items[kVectorItems];
  };

  SCANTUNE_DEVICE ItemSpan(const Item* items, u32 count) : items_(items), count_(count) {
    before_ = scantune::bytes_before_boundary(items) / sizeof(Item);
    if (before_ > count) before_ = count;
    vectors_ = (count - before_) / kVectorItems;
  }

  SCANTUNE_DEVICE u32 count() const { return count_; }
  SCANTUNE_DEVICE u32 vectors() const { return vectors_; }
  // The index of a vector's first item.
  SCANTUNE_DEVICE u32 index_of(u32 vector) const { return before_ + vector * kVectorItems; }

  template <CacheHint kHint>
  SCANTUNE_DEVICE Vector load(u32 vector) const {
    return scantune::load_global<kHint>(reinterpret_cast<const Vector*>(items_ + before_) + vector);
  }

  template <CacheHint kHint>
  SCANTUNE_DEVICE Item load_item(u32 index) const {
    return scantune::load_global<kHint>(items_ + index);
  }

  // Calls use(has, index, item) twice, once for an item before the vectors and once for one after them. Ranks below
  // kVectorItems have between them all such items.
  template <CacheHint kHint>
  SCANTUNE_DEVICE void beside_vectors(u32 rank, const auto& use) const {
    use_one<kHint>(rank < before_, rank, use);
    const u32 behind = index_of(vectors_);
    use_one<kHint>(rank < count_ - behind, behind + rank, use);
  }

 private:
  template <CacheHint kHint>
  SCANTUNE_DEVICE void use_one(bool has, u32 index, const auto& use) const {
    use(has, index, has ? load_item<kHint>(index) : Item{});
  }

  const Item* items_;
  u32 count_, before_, vectors_;
};

// Goes through a span by kThreads threads, of which each has every kThreads-th vector, kAtOnce loads at the same time.
template <class Item, int kThreads, int kAtOnce, CacheHint kHint>
class SpanWalk {
 public:
  SCANTUNE_DEVICE SpanWalk(const ItemSpan<Item>& span, u32 rank) : span_(span), rank_(rank) {}

  // Vectors of a thread; the last ones may have one fewer.
  SCANTUNE_DEVICE u32 steps() const { return ceil_div(span_.vectors(), static_cast<u32>(kThreads)); }

  // Calls use(has, index, item) for all items of the steps [begin, end), and after_step() after each step. Threads
  // whose steps are the same make all calls together.
  SCANTUNE_DEVICE void steps(u32 begin, u32 end, const auto& use, const auto& after_step) const {
    for (u32 first = begin; first < end; first += kAtOnce) {
      typename ItemSpan<Item>::Vector loaded[kAtOnce];
#pragma unroll
      for (u32 step = 0; step < kAtOnce; ++step)
        if (has(first + step, end)) loaded[step] = span_.template load<kHint>(vector(first + step));
#pragma unroll
      for (u32 step = 0; step < kAtOnce; ++step) {
        if (first + step >= end) break;
        const u32 index = span_.index_of(vector(first + step));
#pragma unroll
        for (u32 item = 0; item < ItemSpan<Item>::kVectorItems; ++item)
          use(has(first + step, end), index + item, loaded[step].items[item]);
        after_step();
      }
    }
  }

  // The same for all items, one after another: less code than for vectors.
  template <u32 kItemsAtOnce>
  SCANTUNE_DEVICE void one_by_one(const auto& use) const {
    for (u32 first = rank_; first - rank_ < span_.count(); first += kItemsAtOnce * kThreads) {
      Item loaded[kItemsAtOnce];
#pragma unroll
      for (u32 step = 0; step < kItemsAtOnce; ++step)
        if (const u32 index = first + step * kThreads; index < span_.count())
          loaded[step] = span_.template load_item<kHint>(index);
#pragma unroll
      for (u32 step = 0; step < kItemsAtOnce; ++step) {
        const u32 index = first + step * kThreads;
        use(index < span_.count(), index, loaded[step]);
      }
    }
  }

  SCANTUNE_DEVICE void beside(const auto& use) const { span_.template beside_vectors<kHint>(rank_, use); }

 private:
  SCANTUNE_DEVICE u32 vector(u32 step) const { return step * kThreads + rank_; }
  SCANTUNE_DEVICE bool has(u32 step, u32 end) const { return step < end && vector(step) < span_.vectors(); }

  const ItemSpan<Item>& span_;
  const u32 rank_;
};

}  // namespace scantune
