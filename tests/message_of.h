// What messages say.
#pragma once

#include <string>
#include <string_view>

namespace scantune {

// The message of what a call throws; empty if it throws nothing.
template <class Thrown, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Thrown& error) {
    return error.what();
  }
  return {};
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace scantune
