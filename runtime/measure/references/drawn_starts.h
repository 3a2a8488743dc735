// Segments that start anywhere, as flags, bits or keys. Each entry is a function of seed and index.
#pragma once

#include "measure/inputs.h"

namespace scantune {

class DrawnStarts {
 public:
  explicit DrawnStarts(const InputSpec& spec);

  // Whether a segment starts at the item that comes `index`th in the order of the scan.
  bool at(u64 index) const;

  // Writes the entries of flags, bits or keys from `first` on, as many as fill `out`.
  void fill(u64 first, std::span<std::byte> out) const;

 private:
  u64 length_around(u64 index) const;
  bool begins(u64 index) const;  // in memory
  u64 bits_of(u64 index) const;  // what a key is made of
  void write_key(u64 index, std::byte* key) const;

  Segments segments_;
  Keys keys_;
  bool turned_;
  u64 n_, seed_;
};

}  // namespace scantune
