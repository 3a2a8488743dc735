// The message of what a call throws.
#pragma once

#include <string>

namespace scantune {

// Empty if it throws nothing.
template <class Thrown, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Thrown& error) {
    return error.what();
  }
  return {};
}

}  // namespace scantune
