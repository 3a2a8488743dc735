// SHA-256, for cache keys and checksums.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace scantune {

class Sha256 {
 public:
  static constexpr std::size_t kHexDigits = 64;

  Sha256();
  ~Sha256();

  Sha256& add(std::string_view bytes);
  // Adds bytes with their length before them, so that neighbouring fields cannot run into each other.
  Sha256& add_field(std::string_view bytes);
  // The digest in kHexDigits digits. Nothing may be added afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scantune
