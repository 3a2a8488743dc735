// Sources of the caller's own, and the states that their functions take by value with every call.
#pragma once

#include "scantune/cxx20.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "scantune/error.hpp"

namespace scantune::runtime::detail {

// owner: what has the argument, as messages say it.
inline void refuse_null_characters(const char* argument, const std::string& text,
                                   const char* owner = "a custom operator") {
  if (const auto position = text.find('\0'); position != std::string::npos)
    throw RequestError(std::string("the ") + argument + " of " + owner + " holds a null character at position " +
                       std::to_string(position) + "; it must be text");
}

// What comes with every call: a constant of the items' type, or a source's state. All zeroes are the number 0.
struct CallBytes {
  alignas(16) unsigned char bytes[32] = {};

  template <class T>
  static CallBytes of(const T& value) {
    CallBytes result;
    std::memcpy(result.bytes, &value, sizeof value);
    return result;
  }
};

template <class State>
CallBytes bytes_of_state(const State& state) {
  static_assert(std::is_trivially_copyable_v<State>, "a state must be trivially copyable to be passed to a device");
  static_assert(sizeof(State) <= 32, "a state must have at most 32 bytes: pass the address of what is larger");
  static_assert(alignof(State) <= 16, "a state must be aligned to at most 16 bytes");
  return CallBytes::of(state);
}

}  // namespace scantune::runtime::detail
