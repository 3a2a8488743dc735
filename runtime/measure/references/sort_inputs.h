// The keys of sorts and of what takes the first of them, and how they are compared.
#pragma once

#include <cstddef>
#include <cstring>

#include "measure/inputs.h"

namespace scantune {

// Keys that are each a function of seed and index. By the pattern exact they are random bits; specials draws many from
// the ends of their order, infinities and NaNs among them, so that many are equal; keys that are alike differ in a
// byte, in a few bits or not at all; those that are ordered ascend or descend.
class DrawnKeys {
 public:
  // request: the sort that orders them, whatever the input is for.
  DrawnKeys(const InputSpec& spec, const SortRequest& request);

  u64 operator[](u64 index) const;  // the bits of a key

  // Less for a key that comes first, equal for keys that keep their order. It has sorted_bits() bits.
  u64 rank(u64 key) const {
    const u64 negative = key & sign_, flips = flips_magnitude_ && negative != 0 ? most_ : sign_;
    return ((key ^ flips ^ reversal_) & compared_) >> first_bit_;
  }

 private:
  u64 special_key(u64 index) const;
  u64 alike_key(u64 index) const;
  u64 ordered_key(u64 index) const;

  InputPattern pattern_;
  u64 seed_, length_;  // of the whole input
  u64 shape_;          // says in what keys are alike, and which way they are ordered
  int bits_;           // of a key
  int fraction_bits_;  // of a floating-point key; 0 of an integer
  int first_bit_;
  bool flips_magnitude_;
  u64 sign_, most_, reversal_, compared_;
};

// Writes the values beside the keys from item `first` on.
void fill_sorted_values(const InputSpec& spec, int value_bytes, u64 first, std::span<std::byte> out);
void put_sorted_value(const InputSpec& spec, int value_bytes, u64 index, std::byte* out);

}  // namespace scantune
