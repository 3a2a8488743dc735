#include "space/request_members.h"

#include <algorithm>

#include "space/spelling.h"

namespace scantune {
namespace {

std::string joined_by(char separator, std::string words) {
  std::ranges::replace(words, '_', separator);
  return words;
}

}  // namespace

std::string spell(const RequestMember& member, const ScanRequest& request) {
  const int value = member.get(request);
  if (member.spelling == Spelling::value_type) return spell_type(request, static_cast<ValueType>(value));
  return member.tokens[value];
}

std::string phrase(const RequestMember& member, const ScanRequest& request) {
  return spell(member, request) + " " + joined_by(' ', member.name);
}

std::string option_name(const RequestMember& member) { return joined_by('-', member.name); }

RequestKey key_of(const ScanRequest& request) {
  RequestKey key{};
  for (std::size_t place = 0; place < key.size(); ++place)
    if (is_recorded(kRequestMembers[place])) key[place] = kRequestMembers[place].get(request);
  return key;
}

}  // namespace scantune
