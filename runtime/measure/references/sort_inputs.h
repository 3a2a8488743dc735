// The keys of sorts and of what takes the first of them, and how they are compared.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>

#include "measure/inputs.h"
#include "measure/stand_in.h"

namespace scantune {

// Keys that are each a function of seed and index. By the pattern exact they are random bits; specials draws many from
// the ends of their order, infinities and NaNs among them, so that many are equal; keys that are alike differ in a
// byte, in a few bits or not at all; those that are ordered ascend or descend. Structs are random bytes, few different
// ones for the second and third pattern. Where a stand-in compares keys, no half-precision one is a NaN or an infinity:
// machines make different floats of these.
class DrawnKeys {
 public:
  // request: the sort that orders them, whatever the input is for.
  DrawnKeys(const InputSpec& spec, const SortRequest& request);

  // Writes the key with that index.
  void put(u64 index, std::byte* out) const;

  // Less for a key that comes first, equal for keys that keep their order. It has rank_bits() bits.
  u64 rank(u64 index) const {
    if (less_) return rank_by_less(index);
    const u64 key = number(index), negative = key & sign_;
    const u64 flips = flips_magnitude_ && negative != 0 ? most_ : sign_;
    return ((key ^ flips ^ reversal_) & compared_) >> first_bit_;
  }
  int rank_bits() const { return rank_bits_; }

 private:
  u64 rank_by_less(u64 index) const;
  u64 number(u64 index) const;  // the bits of a key that is one
  u64 special_key(u64 index) const;
  u64 alike_key(u64 index) const;
  u64 ordered_key(u64 index) const;

  InputPattern pattern_;
  u64 seed_, length_;  // of the whole input
  u64 shape_;          // says in what keys are alike, and which way they are ordered
  int bits_;           // of a key
  int fraction_bits_;  // of a floating-point key; 0 of an integer
  int first_bit_;
  int rank_bits_;
  bool flips_magnitude_;
  bool is_struct_;
  ValueType type_;
  std::optional<StandInLess> less_;  // of a comparison of the caller's
  u64 sign_, most_, reversal_, compared_;
};

// Writes the values beside the keys from item `first` on.
void fill_sorted_values(const InputSpec& spec, int value_bytes, u64 first, std::span<std::byte> out);
void put_sorted_value(const InputSpec& spec, int value_bytes, u64 index, std::byte* out);

}  // namespace scantune
