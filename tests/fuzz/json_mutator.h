// Mutations of text that is JSON: members and values change, go, come and trade places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "space/config_json.h"

namespace scantune::fuzz {

class JsonMutator {
 public:
  // What comes in is taken from the examples, and from numbers and texts at the edges of what types hold.
  explicit JsonMutator(std::vector<Json> examples);

  // As LLVMFuzzerCustomMutator(). What is no JSON, and now and then what is, changes byte by byte.
  std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) const;

 private:
  std::vector<Json> examples_;
  std::vector<Json> values_;  // all that stand anywhere in the examples, and those at edges
  std::vector<std::string> names_;
};

}  // namespace scantune::fuzz
