// Checks of JSON that others wrote. They throw RequestError and quote the value.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scantune/error.hpp"
#include "space/request_json.h"

namespace scantune {

inline std::string quote(const Json& json) {
  constexpr std::size_t kLongest = 80;                                          // bytes of foreign text in a message
  if (json.is_structured()) return json.is_array() ? "an array" : "an object";  // dump() recurses to any depth
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

// Throws unless the text, which `what` names, is JSON.
inline Json parsed(const char* what, std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw RequestError(std::string(what) + " is not JSON: " + quote(std::string(text)));
  return json;
}

inline void require_object(const Json& json, const char* what) {
  if (!json.is_object()) throw RequestError(std::string(what) + " must be a JSON object, found " + quote(json));
}

// Throws if the object has another member.
inline void require_known(const Json& json, const char* what, const std::vector<std::string_view>& known) {
  for (const auto& member : json.items())
    if (std::ranges::find(known, member.key()) == known.end())
      throw RequestError(std::string(what) + " has an unknown member " + quote(member.key()));
}

// The names of all, for messages that list them.
template <class Range, class Name>
std::string names_of(const Range& range, const Name& name) {
  std::string names;
  for (const auto& one : range) names += std::string(names.empty() ? "" : ", ") + name(one);
  return names;
}

}  // namespace scantune
