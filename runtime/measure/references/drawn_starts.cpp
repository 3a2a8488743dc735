#include "measure/references/drawn_starts.h"

#include <cmath>
#include <cstring>

#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

constexpr u64 kAlikeItems = 4096;  // neighbours whose segments are about as long
constexpr u64 kLengths[] = {1, 3, 40, 700, 60'000};
constexpr u64 kKinds = 3;  // of keys: few, so that some neighbours are equal by chance

}  // namespace

DrawnStarts::DrawnStarts(const InputSpec& spec)
    : segments_(*spec.request.value<Segments>()),
      keys_(*spec.request.value<Keys>()),
      turned_(spec.is_turned || spec.request.value<Direction>() == Direction::reverse),
      n_(spec.request.n),
      seed_(spec.seed) {}

bool DrawnStarts::at(u64 index) const {
  if (index == 0) return true;
  return begins(turned_ ? n_ - index : index);  // in reverse a segment starts before the one that begins there
}

void DrawnStarts::fill(u64 first, std::span<std::byte> out) const {
  const auto bytes = static_cast<u64>(segments_ == Segments::keys ? size_of(type_of(keys_)) : 1);
  if (segments_ == Segments::keys) {
    for (u64 place = 0; place < out.size() / bytes; ++place) write_key(first + place, out.data() + place * bytes);
  } else if (segments_ == Segments::flags) {
    for (u64 place = 0; place < out.size(); ++place)
      out[place] = static_cast<std::byte>(begins(first + place) ? 1 + random_bits(seed_, first + place) % 255 : 0);
  } else {
    for (u64 place = 0; place < out.size() / sizeof(u32); ++place) {
      u32 word = 0;
      for (u64 bit = 0; bit < 32; ++bit) word |= static_cast<u32>(begins((first + place) * 32 + bit)) << bit;
      std::memcpy(out.data() + place * sizeof word, &word, sizeof word);
    }
  }
}

u64 DrawnStarts::length_around(u64 index) const {
  return kLengths[random_bits(seed_ + 1, index / kAlikeItems) % std::size(kLengths)];
}

bool DrawnStarts::begins(u64 index) const {
  if (segments_ != Segments::keys) return random_bits(seed_ + 2, index) % length_around(index) == 0;
  if (index == 0) return true;
  std::byte before[sizeof(u64)], key[sizeof(u64)];
  write_key(index - 1, before);
  write_key(index, key);
  const ValueType type = type_of(keys_);
  if (is_floating(type)) return floating_at(type, before) != floating_at(type, key);
  return std::memcmp(before, key, static_cast<std::size_t>(size_of(type))) != 0;
}

u64 DrawnStarts::bits_of(u64 index) const {
  const u64 length = length_around(index);
  return random_bits(seed_ + length, index / length);
}

void DrawnStarts::write_key(u64 index, std::byte* key) const {
  const ValueType type = type_of(keys_);
  const u64 bits = bits_of(index), kind = bits % kKinds;
  if (!is_floating(type)) {  // they differ in one byte, any of theirs
    const u64 value = kind << 8 * (bits / kKinds % static_cast<u64>(size_of(type)));
    std::memcpy(key, &value, static_cast<std::size_t>(size_of(type)));
    return;
  }
  // Zeros of both signs are equal, and no NaN equals another.
  const bool is_negative = random_bits(seed_ + 3, index) % 2 == 0;
  const long double zero = is_negative ? -0.0L : 0.0L;
  const bool is_nan = kind == 2 && bits / kKinds % 4 == 0;
  put_floating(type, is_nan ? std::nanl("") : kind == 0 ? zero : static_cast<long double>(kind), key);
}

}  // namespace scantune
