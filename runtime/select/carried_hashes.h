// What template hashes of before are called now, by db/carried_hashes.json, which the tuner reads too: those of kernels
// whose machine code is the same.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scantune {

class CarriedHashes {
 public:
  explicit CarriedHashes(const char* json);
  // Those that come with the library.
  static const CarriedHashes& known();

  // The hash that a family has now, if it had this one before; else the hash itself.
  const std::string& now(const std::string& hash) const;

  // Whether the hash of a breakpoint is of two records with these hashes of now.
  bool is_joint(const std::string& hash, const std::string& low, const std::string& high) const;

 private:
  std::vector<std::string> names_of(const std::string& now) const;

  std::map<std::string, std::string> successors_;
};

}  // namespace scantune
