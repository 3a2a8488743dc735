// What mutators draw with. Inputs follow from their seeds alone, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>

namespace scantune::fuzz {

using Random = std::minstd_rand;

inline std::size_t below(Random& random, std::size_t count) { return random() % count; }

template <class Choices>
const auto& one_of(Random& random, const Choices& choices) {
  return choices[below(random, std::size(choices))];
}

// Replaces an input by a text and returns its size. One that is too long changes nothing.
inline std::size_t put(const std::string& text, std::uint8_t* data, std::size_t size, std::size_t most_bytes) {
  if (text.size() > most_bytes) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace scantune::fuzz
