// Keys as unsigned numbers that order as they do.
#pragma once

#include "core/contract/order.h"
#include "core/contract/value.h"
#include "core/machine/kernel.h"

namespace scantune {

// The unsigned integer of so many bytes.
template <int kBytes>
struct UnsignedOf {
  using Type = u32;
};
template <>
struct UnsignedOf<1> {
  using Type = u8;
};
template <>
struct UnsignedOf<2> {
  using Type = u16;
};
template <>
struct UnsignedOf<8> {
  using Type = u64;
};

// The least number is that of the key that comes first in the order.
template <ValueType kType, Order kOrder>
struct OrderedBits {
  using Stored = typename UnsignedOf<size_of(kType)>::Type;            // the bits of a key in memory
  using Key = typename UnsignedOf<size_of(kType) == 8 ? 8 : 4>::Type;  // the number that is compared

  SCANTUNE_DEVICE static Key key_of(Stored stored) {
    return kReversal ^ flipped(stored, kFlipsMagnitude && is_negative(stored));
  }

  SCANTUNE_DEVICE static Stored stored_of(Key key) {
    const auto bits = static_cast<Stored>(key ^ kReversal);
    return flipped(bits, kFlipsMagnitude && !is_negative(bits));
  }

 private:
  static constexpr bool kFlipsMagnitude = is_floating(kType);
  static constexpr auto kSign = static_cast<Stored>(Key{1} << (8 * sizeof(Stored) - 1));
  static constexpr Key kReversal = kOrder == Order::descending ? static_cast<Stored>(~Key{0}) : Stored{0};

  SCANTUNE_DEVICE static bool is_negative(Stored bits) { return (bits & kSign) != 0; }

  // Negative numbers come first: their sign counts as less. Where the rest is a magnitude, theirs counts the other way.
  SCANTUNE_DEVICE static Stored flipped(Stored bits, bool magnitude_too) {
    if constexpr (!is_signed(kType)) return bits;
    return static_cast<Stored>(magnitude_too ? ~bits : bits ^ kSign);
  }
};

}  // namespace scantune
