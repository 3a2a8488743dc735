#include "select/record_origin.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "select/printable.h"

namespace scantune {
namespace {

struct OriginMember {
  const char* name;
  std::string RecordOrigin::*text;
  std::size_t longest;  // characters
  bool is_required;
  bool may_be_empty;
};

// The limits that tuner/scantune/model/origin.py has.
constexpr OriginMember kOriginMembers[] = {
    {"by", &RecordOrigin::by, 64, true, true},           {"file", &RecordOrigin::file, 128, true, false},
    {"run", &RecordOrigin::run, 16, true, false},        {"host", &RecordOrigin::host, 64, false, true},
    {"signer", &RecordOrigin::signer, 128, false, true},
};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// The characters of a text in UTF-8; the parser lets no other through.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_valid(const OriginMember& member, const std::string& text) {
  return characters(text) <= member.longest && std::ranges::none_of(text, is_control) &&
         (member.may_be_empty || !text.empty());
}

}  // namespace

std::shared_ptr<const RecordOrigin> origin_of_policy(std::string_view policy) {
  // Most policies have no origin and are not parsed. A short text cannot nest too deeply for the parser.
  if (policy.size() > kLongestPolicy || policy.find("\"origin\"") == std::string_view::npos) return nullptr;
  const auto parsed = nlohmann::json::parse(policy, nullptr, false);
  if (!parsed.is_object()) return nullptr;
  const auto origin = parsed.find("origin");
  if (origin == parsed.end() || !origin->is_object()) return nullptr;
  RecordOrigin read;
  for (const OriginMember& member : kOriginMembers) {
    const auto found = origin->find(member.name);
    if (found == origin->end() && !member.is_required) continue;
    if (found == origin->end() || !found->is_string()) return nullptr;
    const auto& text = found->get_ref<const std::string&>();
    if (!is_valid(member, text)) return nullptr;
    read.*member.text = printable(text);
  }
  return std::make_shared<const RecordOrigin>(std::move(read));
}

std::string phrase(const RecordOrigin& origin) {
  std::string text = "exported";
  if (!origin.by.empty()) text += " by " + origin.by;
  text += " from " + origin.file + " (run " + origin.run + ')';
  if (!origin.signer.empty()) text += ", signed by " + origin.signer;
  return text;
}

}  // namespace scantune
