// Counts the digits of all keys, for every pass at once.
#pragma once

#include "core/machine/matching.h"
#include "core/machine/memory.h"
#include "core/parts/vector_boundary.h"
#include "sort/config/digit_counts.h"
#include "sort/parts/sort_problem.h"

namespace scantune {

// The counts of one CTA's share of a row. Lanes count in kColumns columns, so that fewer meet at one counter or one
// bank.
template <class Problem, int kDigitBits, int kColumns, CacheHint kHint>
class DigitCounts {
  using Stored = typename Problem::Stored;
  using Key = typename Problem::Key;
  static constexpr u32 kDigits = 1u << kDigitBits;
  static constexpr u32 kKeyBits = 8 * Problem::kRequest.input_bytes();
  static constexpr u32 kMostPasses = ceil_div(kKeyBits, static_cast<u32>(kDigitBits));
  static constexpr u32 kVectorItems = kVectorAlignmentBytes / sizeof(Stored);
  static constexpr u32 kVectorsAtOnce = 4;
  struct alignas(kVectorAlignmentBytes) Vector {
    Stored keys[kVectorItems];
  };

 public:
  struct Shared {
    u32 counts[kMostPasses * kDigits][kColumns];
  };
  static_assert(sizeof(Shared) == count_shared_bytes(kDigitBits, kColumns, Problem::kRequest));

  SCANTUNE_DEVICE DigitCounts(Shared& shared, SortLaunch launch)
      : shared_(shared), launch_(launch), passes_(launch.passes(kDigitBits)), column_(thread_rank() % kColumns) {}

  SCANTUNE_DEVICE void clear() const {
    for (u32 place = thread_rank(); place < passes_ * kDigits * kColumns; place += kCountThreads)
      shared_.counts[place / kColumns][place % kColumns] = 0;
  }

  // Counts the CTA's share of a row.
  SCANTUNE_DEVICE void count_share(const KernelArguments& arguments) const {
    const u64 row = block_rank() / launch_.count_ctas, cta = block_rank() % launch_.count_ctas;
    const u64 row_items = arguments.extents[0], left = arguments.n - row * row_items;
    const u64 items = left < row_items ? left : row_items, begin = items * cta / launch_.count_ctas;
    const Stored* const first = Problem::input(arguments) + row * row_items + begin;
    const u64 taken = items * (cta + 1) / launch_.count_ctas - begin;
    if (launch_.first_bit == 0 && launch_.last_bit == kKeyBits)
      count<true>(first, taken);
    else
      count<false>(first, taken);
  }

  // Leaves the CTA's counts in the workspace. No pass is known yet to have one digit alone.
  SCANTUNE_DEVICE void store(const KernelArguments& arguments, const DigitCountsLayout& layout) const {
    auto* const workspace = static_cast<unsigned char*>(arguments.workspace);
    u32* const parts =
        reinterpret_cast<u32*>(workspace + layout.parts) + static_cast<u64>(block_rank()) * passes_ * kDigits;
    for (u32 place = thread_rank(); place < passes_ * kDigits; place += kCountThreads) {
      u32 sum = 0;
#pragma unroll
      for (u32 step = 0; step < kColumns; ++step) sum += shared_.counts[place][(step + place) % kColumns];
      scantune::store_global<CacheHint::normal>(parts + place, sum);
    }
    const u64 row = block_rank() / launch_.count_ctas;
    if (block_rank() % launch_.count_ctas == 0 && thread_rank() < passes_)
      scantune::store_global<CacheHint::normal>(
          reinterpret_cast<u32*>(workspace + layout.constants) + row * passes_ + thread_rank(), 0u);
  }

 private:
  // Counts the digits of keys[0, count). Those before the first and after the last vector boundary are counted one by
  // one.
  template <bool kAll>
  SCANTUNE_DEVICE void count(const Stored* keys, u64 count) const {
    u64 before = scantune::bytes_before_boundary(keys) / sizeof(Stored);
    if (before > count) before = count;
    const u64 vectors = (count - before) / kVectorItems, behind = before + vectors * kVectorItems;
    if (thread_rank() < before) count_key<kAll>(scantune::load_global<kHint>(keys + thread_rank()));
    if (behind + thread_rank() < count) count_key<kAll>(scantune::load_global<kHint>(keys + behind + thread_rank()));
    const auto* const all = reinterpret_cast<const Vector*>(keys + before);
    for (u64 first = thread_rank(); first < vectors; first += kCountThreads * kVectorsAtOnce) {
      Vector loaded[kVectorsAtOnce];
#pragma unroll
      for (u32 step = 0; step < kVectorsAtOnce; ++step)
        if (const u64 place = first + step * kCountThreads; place < vectors)
          loaded[step] = scantune::load_global<kHint>(all + place);
#pragma unroll
      for (u32 step = 0; step < kVectorsAtOnce; ++step)
        if (first + step * kCountThreads < vectors)
#pragma unroll
          for (const Stored key : loaded[step].keys) count_key<kAll>(key);
    }
  }

  // kAll: all bits of the keys are compared, so the compiler knows where digits are.
  template <bool kAll>
  SCANTUNE_DEVICE void count_key(Stored stored) const {
    const Key key = Problem::key_of(stored);
#pragma unroll
    for (u32 pass = 0; pass < kMostPasses; ++pass) {
      const u32 bit = (kAll ? 0 : launch_.first_bit) + pass * kDigitBits, last_bit = kAll ? kKeyBits : launch_.last_bit;
      if (bit >= last_bit) break;
      scantune::add_shared(&shared_.counts[pass * kDigits + DigitPlace(bit, last_bit, kDigitBits).of(key)][column_], 1);
    }
  }

  Shared& shared_;
  const SortLaunch launch_;
  const u32 passes_;
  const u32 column_;
};

// Adds up what CTAs have counted of some digits of a pass of a row, and marks a pass whose keys all have one digit.
template <int kDigitBits>
SCANTUNE_DEVICE void add_up_digits(const KernelArguments& arguments, const DigitCountsLayout& layout, u32 passes,
                                   u32 ctas) {
  constexpr u32 kDigits = 1u << kDigitBits, kTaken = kDigits < kAddedDigits ? kDigits : kAddedDigits;
  constexpr u32 kSlices = kDigits / kTaken, kParts = kAddThreads / kTaken, kAtOnce = 8;
  struct Shared {
    u64 sums[kParts][kTaken];
  };
  static_assert(sizeof(Shared) == kAddSharedBytes);
  auto& shared = shared_memory<Shared>();
  auto* const workspace = static_cast<unsigned char*>(arguments.workspace);
  const u32 digit = block_rank() % kSlices * kTaken + thread_rank() % kTaken, part = thread_rank() / kTaken;
  const u64 pass = block_rank() / kSlices, row = pass / passes;
  const u32* const parts =
      reinterpret_cast<const u32*>(workspace + layout.parts) + (row * ctas * passes + pass % passes) * kDigits + digit;
  u64 sum = 0;
  for (u32 first = part; first < ctas; first += kParts * kAtOnce) {
    u32 counts[kAtOnce];
#pragma unroll
    for (u32 step = 0; step < kAtOnce; ++step) {
      const u32 cta = first + step * kParts;
      counts[step] =
          cta < ctas ? scantune::load_global<CacheHint::normal>(parts + static_cast<u64>(cta) * passes * kDigits) : 0;
    }
#pragma unroll
    for (u32 step = 0; step < kAtOnce; ++step) sum += counts[step];
  }
  shared.sums[part][thread_rank() % kTaken] = sum;
  sync_block();
  if (part > 0) return;
  for (u32 other = 1; other < kParts; ++other) sum += shared.sums[other][thread_rank()];
  scantune::store_global<CacheHint::normal>(reinterpret_cast<u64*>(workspace + layout.totals) + pass * kDigits + digit,
                                            sum);
  const u64 left = arguments.n - row * arguments.extents[0];
  if (sum == (left < arguments.extents[0] ? left : arguments.extents[0]))
    scantune::store_global<CacheHint::normal>(reinterpret_cast<u32*>(workspace + layout.constants) + pass, 1u);
}

}  // namespace scantune
