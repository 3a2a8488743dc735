#include "select/carried_hashes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "jit/template_hash.h"
#include "support/embedded_file.h"

namespace scantune {

std::span<const EmbeddedFile> carried_hashes();  // embedded by the build

CarriedHashes::CarriedHashes(const char* json) : successors_(nlohmann::json::parse(json)) {}

const CarriedHashes& CarriedHashes::known() {
  static const CarriedHashes read(carried_hashes().front().text);
  return read;
}

const std::string& CarriedHashes::now(const std::string& hash) const {
  const auto found = successors_.find(hash);
  return found == successors_.end() ? hash : found->second;
}

bool CarriedHashes::is_joint(const std::string& hash, const std::string& low, const std::string& high) const {
  if (hash == joint_template_hash(low, high)) return true;
  const std::vector<std::string> of_low = names_of(low), of_high = names_of(high);
  return std::ranges::any_of(of_low, [&](const std::string& one) {
    return std::ranges::any_of(of_high,
                               [&](const std::string& other) { return hash == joint_template_hash(one, other); });
  });
}

// A hash of now, and what it was before.
std::vector<std::string> CarriedHashes::names_of(const std::string& now) const {
  std::vector<std::string> names = {now};
  for (const auto& [before, successor] : successors_)
    if (successor == now) names.push_back(before);
  return names;
}

}  // namespace scantune
