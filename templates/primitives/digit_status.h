// Descriptors of tiles for the counts of digits: a word for each, which tells the pass that it belongs to. So they are
// cleared once for all passes of a sort.
#pragma once

#include "config/digit_counts.h"
#include "primitives/intrinsics.h"

namespace scantune {

template <u32 kDigits>
class DigitStatus {
  static constexpr u32 kTagBits = 8;

 public:
  // A count in 56 bits, and a tag. Two follow each other in every pass: that of a tile's own count, and that of the
  // count up to its end.
  class Word {
   public:
    SCANTUNE_DEVICE u64 count() const { return bits_ >> kTagBits; }
    SCANTUNE_DEVICE bool is_prefix(u32 pass) const { return tag() == 2 * pass + 2; }
    SCANTUNE_DEVICE bool is_known(u32 pass) const { return tag() > 2 * pass; }

    SCANTUNE_DEVICE u32 tag() const { return static_cast<u32>(bits_) & ((1u << kTagBits) - 1); }

    u64 bits_;
  };

  SCANTUNE_DEVICE explicit DigitStatus(u64* words) : words_(words) {}

  // All CTAs of a launch before the first pass call.
  SCANTUNE_DEVICE static void clear(unsigned char* words, u64 tiles) {
    struct alignas(16) Pair {
      u64 words[2];
    };
    auto* const pairs = reinterpret_cast<Pair*>(words);
    const u64 threads = static_cast<u64>(block_count()) * kCountThreads;
    for (u64 pair = static_cast<u64>(block_rank()) * kCountThreads + thread_rank(); pair < tiles * kDigits / 2;
         pair += threads)
      scantune::store_global<CacheHint::normal>(pairs + pair, Pair{});
  }

  SCANTUNE_DEVICE void publish_count(u32 tile, u32 digit, u32 pass, u64 count) const {
    scantune::store_relaxed_wide(word(tile, digit), count << kTagBits | (2 * pass + 1));
  }
  SCANTUNE_DEVICE void publish_prefix(u32 tile, u32 digit, u32 pass, u64 count) const {
    scantune::store_relaxed_wide(word(tile, digit), count << kTagBits | (2 * pass + 2));
  }
  SCANTUNE_DEVICE Word poll(u32 tile, u32 digit) const { return {scantune::load_relaxed_wide(word(tile, digit))}; }

 private:
  SCANTUNE_DEVICE u64* word(u32 tile, u32 digit) const { return words_ + static_cast<u64>(tile) * kDigits + digit; }

  u64* const words_;
};

}  // namespace scantune
