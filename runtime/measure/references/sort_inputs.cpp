#include "measure/references/sort_inputs.h"

#include <algorithm>
#include <array>

#include "measure/references/random_bits.h"
#include "measure/small_float.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

// Seeds apart from that of the keys.
constexpr u64 kOfSortChoices = 0x5e1ec7, kOfShapes = 0x54a9e, kOfSortedValues = 0xba97;

constexpr u64 kFewStructs = 5;

bool is_half(ValueType type) { return is_floating(type) && size_of(type) == 2; }

template <int kMantissaBits>
float half_value(u16 bits) {
  SmallFloat<kMantissaBits> value;
  value.bits = bits;
  return static_cast<float>(static_cast<long double>(value));
}

constexpr u64 lowest_bits(int count) { return count >= 64 ? ~u64{0} : (u64{1} << count) - 1; }

}  // namespace

DrawnKeys::DrawnKeys(const InputSpec& spec, const SortRequest& request)
    : pattern_(spec.pattern),
      seed_(spec.seed),
      length_(std::max(spec.request.n, spec.whole_items)),
      shape_(random_bits(spec.seed + kOfShapes, length_)) {
  type_ = request.input_type;
  is_struct_ = type_ == ValueType::custom;
  bits_ = 8 * request.input_bytes();
  rank_bits_ = request.sorted_bits();
  if (request.is_by_source()) {
    less_.emplace(spec.request);
    rank_bits_ = StandInLess::kRankBits;
  }
  flips_magnitude_ = is_floating(type_);
  fraction_bits_ = flips_magnitude_ ? significant_bits(type_) - 1 : 0;
  first_bit_ = std::min(request.first_bit(), bits_ - 1);  // a key is shifted by less than its width
  most_ = lowest_bits(bits_);
  sign_ = is_signed(type_) ? u64{1} << (bits_ - 1) : 0;
  reversal_ = request.order == Order::descending ? most_ : 0;
  compared_ = lowest_bits(request.last_bit()) & ~lowest_bits(request.first_bit());
}

void DrawnKeys::put(u64 index, std::byte* out) const {
  const int bytes = bits_ / 8;
  if (is_struct_) {
    // The index of the struct, of which those with one number are equal.
    u64 number = index;
    if (pattern_ == InputPattern::specials) number = random_bits(seed_ + kOfSortChoices, index) % kFewStructs;
    if (pattern_ == InputPattern::alike) number = (shape_ & 1) != 0 ? index >> 10 : 0;
    fill_random(seed_, number, bytes, out);
  } else {
    const u64 key = number(index);
    std::memcpy(out, &key, static_cast<std::size_t>(bytes));  // little-endian: its first bytes are those of fewer bits
  }
  if (!less_ || pattern_ != InputPattern::ordered || is_half(type_)) return;
  const auto share = static_cast<u32>((index << StandInLess::kRankBits) / length_);
  less_->put_rank((shape_ & 1) != 0 ? (u32{1} << StandInLess::kRankBits) - 1 - share : share, out);
}

u64 DrawnKeys::rank_by_less(u64 index) const {
  std::array<std::byte, kMaxValueBytes> key{};
  put(index, key.data());
  if (is_half(type_)) {
    u16 bits = 0;
    std::memcpy(&bits, key.data(), sizeof bits);
    const float value = type_ == ValueType::f16 ? half_value<10>(bits) : half_value<7>(bits);
    std::memcpy(key.data(), &value, sizeof value);
  }
  const u32 rank = less_->rank(key.data());
  return reversal_ != 0 ? (u64{1} << StandInLess::kRankBits) - 1 - rank : rank;
}

u64 DrawnKeys::number(u64 index) const {
  const u64 drawn = pattern_ == InputPattern::specials  ? special_key(index)
                    : pattern_ == InputPattern::alike   ? alike_key(index)
                    : pattern_ == InputPattern::ordered ? ordered_key(index)
                                                        : random_bits(seed_, index);
  if (!less_ || !is_half(type_)) return drawn & most_;
  return drawn & most_ & ~(u64{1} << fraction_bits_);  // a bit of the exponent
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
