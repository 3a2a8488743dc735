// Maps old template hashes to current ones, for kernels whose machine code is unchanged (db/carried_hashes.json, which
// the tuner reads, too).
#pragma once

#include <map>
#include <string>

namespace scantune {

class CarriedHashes {
 public:
  explicit CarriedHashes(const char* json);
  // Those that come with the library.
  static const CarriedHashes& known();

  // The current hash of a family that had this hash before; else the hash itself.
  const std::string& now(const std::string& hash) const;

 private:
  std::map<std::string, std::string> successors_;
};

}  // namespace scantune
