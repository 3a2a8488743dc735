#include "select/carried_hashes.h"

#include <nlohmann/json.hpp>
#include <span>

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

}  // namespace scantune
