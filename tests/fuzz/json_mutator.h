// Mutations of text that is JSON: members and values are changed, removed, added and exchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "space/config_json.h"

namespace scantune::fuzz {

class JsonMutator {
 public:
  // Values that are added come from the examples, and from numbers and texts at the limits of types.
  explicit JsonMutator(std::vector<Json> examples);

  // Mutates as LLVMFuzzerCustomMutator() does. What is no JSON, and sometimes what is, changes byte by byte.
  std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) const;

 private:
  std::vector<Json> examples_;
  std::vector<Json> values_;  // all values anywhere in the examples, and those at limits
  std::vector<std::string> names_;
};

}  // namespace scantune::fuzz
