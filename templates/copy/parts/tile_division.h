// Divisions of indices in a CTA's tile.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

struct Divided {
  u64 quotient, rest;
};

// Most numbers have 32 bits, whose division is several times as fast.
SCANTUNE_DEVICE Divided divided(u64 number, u64 divisor) {
  const u64 quotient =
      (number | divisor) >> 32 == 0 ? static_cast<u32>(number) / static_cast<u32>(divisor) : number / divisor;
  return {quotient, number - quotient * divisor};
}

// Divides numbers up to kTile beyond the divisor by one multiplication.
template <u32 kTile>
class TileDivision {
  static_assert(kTile <= 1 << 14, "the product of a number and the error of the reciprocal stays below 2^31");

 public:
  SCANTUNE_DEVICE explicit TileDivision(u64 divisor)
      : divisor_(divisor), reciprocal_(divisor > kTile ? 0 : (u32{1} << 31) / static_cast<u32>(divisor) + 1) {}

  // number is less than divisor + kTile.
  SCANTUNE_DEVICE Divided of(u64 number) const {
    const u64 quotient =
        divisor_ > kTile ? static_cast<u64>(number >= divisor_) : u64{static_cast<u32>(number)} * reciprocal_ >> 31;
    return {quotient, number - quotient * divisor_};
  }

 private:
  u64 divisor_;
  u32 reciprocal_;
};

}  // namespace scantune
