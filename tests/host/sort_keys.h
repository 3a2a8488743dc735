// Keys of all distributions, for sorts and for what takes the first of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "device/host/random.h"
#include "space/space.h"
#include "with_type.h"

namespace scantune {

// How keys are drawn.
inline constexpr int kDistributions = 9;
inline const char* const kDistributionNames[kDistributions] = {
    "uniform", "few_bits_set", "few_keys", "constant", "one_byte", "ascending", "descending", "ends", "runs"};

inline u64 random_key(Random& random) {
  return u64{random.below(1u << 31)} << 33 ^ u64 { random.below(1u << 31) } << 2 ^ random.below(4);
}

// Infinities, NaNs and zeros of both signs, the least and the greatest numbers, and their neighbours.
inline std::vector<u64> ends(ValueType type) {
  const u64 half = u64{1} << (8 * size_of(type) - 1);
  std::vector<u64> all{0, 1, 2, half, half + 1, half - 1, half - 2, 2 * half - 1, 2 * half - 2};
  const std::map<ValueType, u64> infinities{{ValueType::f16, 0x7c00},
                                            {ValueType::bf16, 0x7f80},
                                            {ValueType::f32, 0x7f800000},
                                            {ValueType::f64, 0x7ff0000000000000}};
  if (is_floating(type))
    for (const u64 sign : {u64{0}, half})
      for (const u64 distance : {0, 1, 2, 5}) {
        all.push_back(sign | (infinities.at(type) + distance));
        all.push_back(sign | (infinities.at(type) - distance));
      }
  return all;
}

template <class Typed>
Bytes keys_of(const Typed& request, int distribution, Random& random) {
  const auto bytes = static_cast<u64>(request.input_bytes());
  const u64 same = random_key(random), place = random.below(request.input_bytes());
  const std::array<u64, 5> few{random_key(random), random_key(random), random_key(random), 0, ~u64{0}};
  const std::vector<u64> special = ends(request.input_type);
  Bytes keys(request.n * bytes);
  u64 of_run = 0;
  for (u64 index = 0; index < request.n; ++index) {
    // An ascending number among all is the bits of a key that has it.
    const u64 ascent = (index << (8 * bytes - 1)) / std::max<u64>(request.n, 1) * 2 + random.below(2);
    const u64 rank = distribution == 5 ? ascent : ~ascent;
    const u64 half = u64{1} << (8 * bytes - 1);
    const u64 is_positive = rank & half;
    const u64 ordered = is_integer(request.input_type) ? rank ^ (is_signed(request.input_type) ? half : 0)
                        : is_positive != 0             ? rank ^ half
                                                       : ~rank;
    if (random.below(40) == 0) of_run = random_key(random);
    const u64 drawn[kDistributions] = {random_key(random),
                                       random_key(random) & random_key(random) & random_key(random),
                                       few[random.below(few.size())],
                                       same,
                                       same ^ u64{random.below(256)} << (8 * place),
                                       ordered,
                                       ordered,
                                       special[random.below(static_cast<u32>(special.size()))],
                                       of_run};
    std::memcpy(&keys[index * bytes], &drawn[distribution], bytes);
  }
  return keys;
}

}  // namespace scantune
