#include "measure/references/sort_inputs.h"

#include <algorithm>

#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

// Seeds apart from that of the keys.
constexpr u64 kOfSortChoices = 0x5e1ec7, kOfShapes = 0x54a9e, kOfSortedValues = 0xba97;

constexpr u64 lowest_bits(int count) { return count >= 64 ? ~u64{0} : (u64{1} << count) - 1; }

}  // namespace

DrawnKeys::DrawnKeys(const InputSpec& spec, const SortRequest& request)
    : pattern_(spec.pattern),
      seed_(spec.seed),
      length_(std::max(spec.request.n, spec.whole_items)),
      shape_(random_bits(spec.seed + kOfShapes, length_)) {
  bits_ = 8 * request.input_bytes();
  flips_magnitude_ = is_floating(request.input_type);
  fraction_bits_ = flips_magnitude_ ? significant_bits(request.input_type) - 1 : 0;
  first_bit_ = std::min(request.first_bit(), bits_ - 1);  // a key is shifted by less than its width
  most_ = lowest_bits(bits_);
  sign_ = is_signed(request.input_type) ? u64{1} << (bits_ - 1) : 0;
  reversal_ = request.order == Order::descending ? most_ : 0;
  compared_ = lowest_bits(request.last_bit()) & ~lowest_bits(request.first_bit());
}

u64 DrawnKeys::operator[](u64 index) const {
  switch (pattern_) {
    case InputPattern::specials:
      return special_key(index) & most_;
    case InputPattern::alike:
      return alike_key(index) & most_;
    case InputPattern::ordered:
      return ordered_key(index) & most_;
    default:
      return random_bits(seed_, index) & most_;
  }
}

u64 DrawnKeys::special_key(u64 index) const {
  const u64 choice = random_bits(seed_ + kOfSortChoices, index), drawn = random_bits(seed_, index);
  const u64 sign = choice & 1 ? u64{1} << (bits_ - 1) : 0, few = drawn & 3;
  // Few bits are set in a number that is drawn three times.
  const u64 sparse = drawn & random_bits(seed_ + 1, index) & random_bits(seed_ + 2, index);
  const u64 fraction = lowest_bits(fraction_bits_), infinity = lowest_bits(bits_ - 1) & ~fraction;
  switch (choice >> 1 & 7) {
    case 0:
      return sign;
    case 1:
      return sign + few - 1;
    case 2:
      return fraction_bits_ > 0 ? sign | infinity : sign ^ few;
    case 3:
      return fraction_bits_ > 0 ? sign | infinity | (fraction + 1) >> 1 | few : ~few;
    case 4:
      return fraction_bits_ > 0 ? sign | infinity | (few + 1) : few;
    case 5:
      return fraction_bits_ > 0 ? sign | (drawn & fraction) : sparse;
    default:
      return sparse;
  }
}

u64 DrawnKeys::alike_key(u64 index) const {
  const u64 same = random_bits(seed_ + kOfShapes, ~u64{0}), place = shape_ >> 8;
  switch (shape_ & 3) {
    case 0:
      return same;
    case 1:
      return same ^ (random_bits(seed_, index) & 0xff) << place % static_cast<u64>(bits_) / 8 * 8;
    case 2:
      return same ^ (random_bits(seed_, index) & 1) << place % static_cast<u64>(bits_);
    default:
      return same ^ (random_bits(seed_, index >> (place & 15)) & 7) << (place >> 4) % static_cast<u64>(bits_ - 2);
  }
}

u64 DrawnKeys::ordered_key(u64 index) const {
  const u64 step = most_ / length_;
  u64 rank = step > 0 ? index * step : index / (length_ / most_ + 1);
  if (shape_ & 1) rank = ~rank & most_;
  const u64 flips = flips_magnitude_ && (rank & sign_) == 0 ? most_ : sign_;
  return rank ^ flips;
}

void put_sorted_value(const InputSpec& spec, int value_bytes, u64 index, std::byte* out) {
  fill_random(spec.seed + kOfSortedValues, index, value_bytes, out);
}

void fill_sorted_values(const InputSpec& spec, int value_bytes, u64 first, std::span<std::byte> out) {
  const auto bytes = static_cast<std::size_t>(value_bytes);
  for (std::size_t done = 0; done < out.size(); done += bytes)
    put_sorted_value(spec, value_bytes, first + done / bytes, &out[done]);
}

}  // namespace scantune
