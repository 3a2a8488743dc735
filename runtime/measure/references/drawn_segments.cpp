#include "measure/references/drawn_segments.h"

#include "measure/references/random_bits.h"

namespace scantune {

u64 DrawnSegments::items_of_first_half(const Node& node) const {
  constexpr int kShareBits = 15;
  constexpr u64 kWhole = u64{1} << kShareBits;
  const u64 items = node.end_item - node.first_item;
  const u64 bits = random_bits(seed_ + (node.end - node.first), node.first);
  u64 share = kWhole / 4 + bits % (kWhole / 2 + 1);
  if (is_extreme_) share = bits >> 32 & 3 ? bits % (kWhole + 1) : (bits >> 34 & 1) * kWhole;
  // The rounding is by chance too, so that single items go anywhere. A quotient first: the product may not fit.
  const u64 rest = items % kWhole;
  return items / kWhole * share + (rest * share + (bits >> 40) % kWhole) / kWhole;
}

}  // namespace scantune
