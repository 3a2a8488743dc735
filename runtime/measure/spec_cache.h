// A bounded cache of inputs and their references: all candidates for one problem are verified with the same inputs.
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <utility>

#include "measure/inputs.h"

namespace scantune {

// The bytes() of a Made is the memory that it takes. The least recently used entry goes first.
template <class Made>
class SpecCache {
 public:
  explicit SpecCache(u64 most_bytes) : most_bytes_(most_bytes) {}

  // Returns the entry for the spec, or else make()'s result, which is kept unless it is larger than the limit by
  // itself.
  template <class Make>
  std::shared_ptr<const Made> get(const InputSpec& spec, Make&& make) {
    const auto known = std::ranges::find(entries_, spec, &Entry::spec);
    if (known != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, known);
      return known->made;
    }
    std::shared_ptr<const Made> made = std::forward<Make>(make)();
    if (made->bytes() > most_bytes_) return made;
    entries_.push_front({spec, made});
    bytes_ += made->bytes();
    while (bytes_ > most_bytes_ || entries_.size() > kMostEntries) drop_last();
    return made;
  }

  u64 bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kMostEntries = 512;  // looked through one by one

  struct Entry {
    InputSpec spec;
    std::shared_ptr<const Made> made;
  };

  void drop_last() {
    bytes_ -= entries_.back().made->bytes();
    entries_.pop_back();
  }

  u64 most_bytes_;
  u64 bytes_ = 0;
  std::list<Entry> entries_;  // the last used first
};

}  // namespace scantune
