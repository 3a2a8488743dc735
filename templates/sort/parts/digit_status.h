// Descriptors of tiles for the counts of digits: one word per digit, marked as of an even or odd pass over the row. So
// they are cleared once for all passes of a sort.
#pragma once

#include "core/machine/status.h"
#include "sort/config/digit_counts.h"
#include "sort/parts/sort_problem.h"

namespace scantune {

// A word has kBits bits, 32 or 64. Every tile of a row but its last one, which nobody asks, publishes in every move of
// the row. So a word of another parity is of the move before, or a cleared one.
template <u32 kDigits, int kBits>
class DigitStatus {
  using Bits = typename UnsignedOf<kBits / 8>::Type;
  static constexpr Bits kPrefix = 1, kOdd = 2;
  static constexpr int kCountShift = 2;

 public:
  using Count = Bits;

  // Whether the count is of the tile alone or of all tiles up to its end, the move's parity, and the count.
  class Word {
   public:
    SCANTUNE_DEVICE Bits count() const { return bits_ >> kCountShift; }
    SCANTUNE_DEVICE bool is_known(u32 move) const { return ((bits_ / kOdd ^ move) & 1) == 0; }
    SCANTUNE_DEVICE bool is_prefix() const { return (bits_ & kPrefix) != 0; }

    Bits bits_;
  };

  SCANTUNE_DEVICE explicit DigitStatus(Bits* words) : words_(words) {}

  // All CTAs of a launch before the first pass call. Cleared words are of an odd move.
  SCANTUNE_DEVICE static void clear(unsigned char* words, u64 tiles) {
    struct alignas(kVectorAlignmentBytes) Vector {
      Bits words[kVectorAlignmentBytes / sizeof(Bits)];
    };
    Vector cleared;
#pragma unroll
    for (Bits& word : cleared.words) word = kOdd;
    auto* const vectors = reinterpret_cast<Vector*>(words);
    const u64 threads = static_cast<u64>(block_count()) * kCountThreads;
    for (u64 place = static_cast<u64>(block_rank()) * kCountThreads + thread_rank();
         place < tiles * kDigits * sizeof(Bits) / kVectorAlignmentBytes; place += threads)
      scantune::store_global<CacheHint::normal>(vectors + place, cleared);
  }

  SCANTUNE_DEVICE void publish_count(u32 tile, u32 digit, u32 move, Bits count) const {
    store(word(tile, digit), count << kCountShift | tag(move));
  }
  SCANTUNE_DEVICE void publish_prefix(u32 tile, u32 digit, u32 move, Bits count) const {
    store(word(tile, digit), count << kCountShift | tag(move) | kPrefix);
  }
  SCANTUNE_DEVICE Word poll(u32 tile, u32 digit) const {
    if constexpr (sizeof(Bits) == sizeof(u32))
      return {scantune::load_relaxed(word(tile, digit))};
    else
      return {scantune::load_relaxed_wide(word(tile, digit))};
  }

 private:
  SCANTUNE_DEVICE static Bits tag(u32 move) { return move % 2 * kOdd; }
  SCANTUNE_DEVICE static void store(Bits* word, Bits bits) {
    if constexpr (sizeof(Bits) == sizeof(u32))
      scantune::store_relaxed(word, bits);
    else
      scantune::store_relaxed_wide(word, bits);
  }
  SCANTUNE_DEVICE Bits* word(u32 tile, u32 digit) const { return words_ + static_cast<u64>(tile) * kDigits + digit; }

  Bits* const words_;
};

}  // namespace scantune
