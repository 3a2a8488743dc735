#include "select/record_origin.h"

#include <nlohmann/json.hpp>

#include "select/printable.h"

namespace scantune {
namespace {

std::string text_of(const nlohmann::json& origin, const char* name) {
  const auto found = origin.find(name);
  return found != origin.end() && found->is_string() ? printable(found->get_ref<const std::string&>()) : "";
}

}  // namespace

std::shared_ptr<const RecordOrigin> origin_of_policy(std::string_view policy) {
  // Most policies have none and are not parsed. A short text cannot nest deep enough for the parser to matter.
  if (policy.size() > kLongestPolicy || policy.find("\"origin\"") == std::string_view::npos) return nullptr;
  const auto parsed = nlohmann::json::parse(policy, nullptr, false);
  if (!parsed.is_object()) return nullptr;
  const auto origin = parsed.find("origin");
  if (origin == parsed.end() || !origin->is_object()) return nullptr;
  return std::make_shared<const RecordOrigin>(RecordOrigin{.by = text_of(*origin, "by"),
                                                           .file = text_of(*origin, "file"),
                                                           .run = text_of(*origin, "run"),
                                                           .host = text_of(*origin, "host"),
                                                           .signer = text_of(*origin, "signer")});
}

std::string phrase(const RecordOrigin& origin) {
  std::string text = "exported";
  if (!origin.by.empty()) text += " by " + origin.by;
  if (!origin.file.empty()) text += " from " + origin.file;
  if (!origin.run.empty()) text += " (run " + origin.run + ')';
  if (!origin.signer.empty()) text += ", signed by " + origin.signer;
  return text;
}

}  // namespace scantune
