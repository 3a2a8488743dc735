// SHA-256, for cache keys and checksums.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace scantune {

class Sha256 {
 public:
  Sha256();
  ~Sha256();

  Sha256& add(std::string_view bytes);
  // With its length before it, so that neighbouring fields cannot run into each other.
  Sha256& add_field(std::string_view bytes);
  // The digest in 64 hex digits. Nothing may be added afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scantune
