#include "space/request_members.h"

#include <algorithm>

#include "space/spelling.h"

namespace scantune {

std::string spell(const RequestMember& member, const ScanRequest& request) {
  const int value = member.get(request);
  if (member.spelling == Spelling::value_type) return spell_type(request, static_cast<ValueType>(value));
  return member.tokens[value];
}

std::string phrase(const RequestMember& member, const ScanRequest& request) {
  std::string name = member.name;
  std::ranges::replace(name, '_', ' ');
  return spell(member, request) + " " + name;
}

std::string option_name(const RequestMember& member) {
  std::string name = member.name;
  std::ranges::replace(name, '_', '-');
  return name;
}

RequestKey key_of(const ScanRequest& request) {
  RequestKey key{};
  for (std::size_t place = 0; place < key.size(); ++place)
    if (is_recorded(kRequestMembers[place])) key[place] = kRequestMembers[place].get(request);
  return key;
}

}  // namespace scantune
