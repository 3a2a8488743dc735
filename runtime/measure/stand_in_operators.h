// The stand-in operators of stand_in.h. The CPU's reference compiles this file. Kernels get its text after a definition
// of STAND_IN_FUNCTION, the kind of function that they take. It has a guard, since compilers warn of #pragma once in a
// kernel's own source, and no include.
#ifndef SCANTUNE_STAND_IN_OPERATORS_H
#define SCANTUNE_STAND_IN_OPERATORS_H

namespace scantune::stand_in {

// Upper unitriangular 3 x 3 matrices of bits, one in each position: two entries add, and the corner takes the product
// of one's upper and the other's lower neighbour. With two units or more the factors are the halves of the first unit,
// and each other unit takes their product, as corners of several such matrices.
template <class Unit>
STAND_IN_FUNCTION void custom_cheap(const Unit* earlier, const Unit* later, Unit* combined, int units) {
  for (int unit = 0; unit < units; ++unit) combined[unit] = static_cast<Unit>(earlier[unit] ^ later[unit]);
  constexpr int kQuarter = sizeof(Unit) * 2;
  if (units == 1) {
    const unsigned product = earlier[0] & (later[0] >> kQuarter) & ((1u << kQuarter) - 1);
    combined[0] = static_cast<Unit>(combined[0] ^ (product << 2 * kQuarter));
  } else {
    const unsigned product = earlier[0] & (later[0] >> 2 * kQuarter);
    for (int unit = 1; unit < units; ++unit) combined[unit] = static_cast<Unit>(combined[unit] ^ product);
  }
}

// Maps x -> (2 * low + 1) * x + high modulo a power of two. They all have inverses, so that no item is ever forgotten.
template <class Unit>
STAND_IN_FUNCTION Unit composed(Unit earlier, Unit later) {
  constexpr int kHalf = sizeof(Unit) * 4;
  constexpr unsigned kLowHalf = (1u << kHalf) - 1;
  const unsigned factor = 2 * (later & kLowHalf) + 1;
  const unsigned low = (earlier & kLowHalf) * factor + later;
  const unsigned high = (static_cast<unsigned>(earlier) >> kHalf) * factor + (static_cast<unsigned>(later) >> kHalf);
  return static_cast<Unit>((high << kHalf) | (low & kLowHalf));
}

template <class Unit>
STAND_IN_FUNCTION void custom_moderate(const Unit* earlier, const Unit* later, Unit* combined, int units) {
  for (int unit = 0; unit < units; ++unit) combined[unit] = composed(earlier[unit], later[unit]);
}

// A bijection and its inverse, of which two rounds cost some instructions.
template <class Unit>
STAND_IN_FUNCTION Unit scrambled(Unit unit) {
  for (int round = 0; round < 2; ++round) {
    unit = static_cast<Unit>(unit ^ (unit >> sizeof(Unit) * 4));
    unit = static_cast<Unit>(unit * 0x9e3779b1u);
  }
  return unit;
}
template <class Unit>
STAND_IN_FUNCTION Unit unscrambled(Unit unit) {
  static_assert(0x9e3779b1u * 0xe8b2f51u == 1u);
  for (int round = 0; round < 2; ++round) {
    unit = static_cast<Unit>(unit * 0xe8b2f51u);
    unit = static_cast<Unit>(unit ^ (unit >> sizeof(Unit) * 4));
  }
  return unit;
}

// An order in which values that differ may be equal: that of a number of each.
template <class Unit>
STAND_IN_FUNCTION unsigned rank(const Unit* value) {
  return scrambled(value[0]) & 0xffffu;
}
template <class Unit>
STAND_IN_FUNCTION bool less(const Unit* a, const Unit* b) {
  return rank(a) < rank(b);
}

// The same maps under other names.
template <class Unit>
STAND_IN_FUNCTION void custom_expensive(const Unit* earlier, const Unit* later, Unit* combined, int units) {
  for (int unit = 0; unit < units; ++unit)
    combined[unit] = unscrambled(composed(scrambled(earlier[unit]), scrambled(later[unit])));
}

}  // namespace scantune::stand_in

#endif
