// Text of a database for messages: without anything that a terminal would interpret.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace scantune {

inline constexpr std::size_t kLongestText = 256;  // bytes; tuners write no longer texts, except configs

inline std::string printable(std::string_view text) {
  std::string clean(text.substr(0, kLongestText));
  std::ranges::replace_if(clean, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return clean;
}

}  // namespace scantune
