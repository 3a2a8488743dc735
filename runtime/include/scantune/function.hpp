// Functions that the caller writes in CUDA C++. They are compiled with the kernel.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "scantune/error.hpp"
#include "scantune/scantune.h"

namespace scantune::runtime {

namespace detail {

inline void refuse_null_characters(const char* argument, const std::string& text) {
  if (const auto position = text.find('\0'); position != std::string::npos)
    throw RequestError(std::string("the ") + argument + " of a function holds a null character at position " +
                       std::to_string(position) + "; it must be text");
}

// Bytes that every call passes: a constant of the item type, or a function's state. Zeroed bytes are the number 0.
struct CallBytes {
  alignas(16) unsigned char bytes[32] = {};

  template <class T>
  static CallBytes of(const T& value) {
    CallBytes result;
    std::memcpy(result.bytes, &value, sizeof value);
    return result;
  }
};

// What callers pass by mistake instead of a function: text, or a lambda or object such as std::plus<>, which only the
// host can call.
template <class T>
inline constexpr bool kIsText =
    std::is_convertible_v<const T&, std::string_view> && !std::is_null_pointer_v<std::remove_cvref_t<T>>;

template <class T>
concept HostFunction = std::is_class_v<T> && (requires { &T::operator(); } || std::is_empty_v<T>);

}  // namespace detail

// A function of one role; cheap to copy. Op::custom(), Predicate, Equality, Parts, Less and Map create them.
//
// The source defines the function at global scope; scantune/function.h lists its signature for each role. The source
// cannot include files, because the kernel cache knows its text alone: paste the text of a file instead. An error in it
// is a CompileError of the call or plan, whose text counts the lines of the source. A function with a state takes a
// State as its last argument; the source defines a struct State with the same members, of at most 32 bytes. Every call
// passes its state, so a new state needs no new kernel. A plan keeps the state that it was created with.
class UserFunction {
 public:
  enum class Role {
    combine = SCANTUNE_FUNCTION_COMBINE,
    map = SCANTUNE_FUNCTION_MAP,
    map_indexed = SCANTUNE_FUNCTION_MAP_INDEXED,
    generate = SCANTUNE_FUNCTION_GENERATE,
    write = SCANTUNE_FUNCTION_WRITE,
    keep = SCANTUNE_FUNCTION_KEEP,
    equal = SCANTUNE_FUNCTION_EQUAL,
    part = SCANTUNE_FUNCTION_PART,
    less = SCANTUNE_FUNCTION_LESS
  };

  UserFunction() = default;  // none
  // Throws RequestError if the source has a null character.
  UserFunction(Role role, std::string source) : UserFunction(given(role, std::move(source))) {}
  template <class State>
  UserFunction(Role role, std::string source, const State& state)
      : UserFunction(given(role, std::move(source), state)) {}
  template <class Text>
    requires detail::kIsText<Text>
  UserFunction(const Text&) {
    static_assert(!detail::kIsText<Text>,
                  "text is not a function: give its role, as in Predicate::source(text) or Map::source(text)");
  }

  template <detail::HostFunction Function>
  UserFunction(const Function&) {
    static_assert(!detail::HostFunction<Function>,
                  "a function runs on the device: pass CUDA source, as in Map::source(text) or Equality::source(text)");
  }

  const scantune_function* get() const { return given_ ? &given_->view : nullptr; }  // null without a function

 protected:
  // The function as C sees it, and the memory that it points to.
  struct Given {
    std::string source;
    std::string name;
    detail::CallBytes state, identity;
    scantune_function view = SCANTUNE_FUNCTION_INIT;
    std::size_t identity_bytes = 0, identity_alignment = 0;  // of its type

    Given(Role role, std::string text) : source(std::move(text)) {
      detail::refuse_null_characters("source", source);
      view.role = static_cast<scantune_function_role>(role);
      view.source = source.c_str();
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
  };

  static std::shared_ptr<Given> given(Role role, std::string source) {
    return std::make_shared<Given>(role, std::move(source));
  }
  template <class State>
  static std::shared_ptr<Given> given(Role role, std::string source, const State& state) {
    static_assert(std::is_trivially_copyable_v<State>, "a state must be trivially copyable to be passed to a device");
    static_assert(sizeof(State) <= 32, "a state must have at most 32 bytes: pass the address of what is larger");
    static_assert(alignof(State) <= 16, "a state must be aligned to at most 16 bytes");
    auto made = given(role, std::move(source));
    made->state = detail::CallBytes::of(state);
    made->view.state = made->state.bytes;
    made->view.state_bytes = sizeof(State);
    return made;
  }
  explicit UserFunction(std::shared_ptr<Given> given) : given_(std::move(given)) {}

  std::shared_ptr<const Given> given_;  // null without a function
};

namespace detail {

[[noreturn]] inline void refuse_role(const char* option, int role, std::initializer_list<int> taken) {
  constexpr const char* kMakers[] = {"",
                                     "Op::custom()",
                                     "Map::source()",
                                     "Map::indexed()",
                                     "Map::generated()",
                                     "Map::writing()",
                                     "Predicate::source()",
                                     "Equality::source()",
                                     "Parts::source()",
                                     "Less::source()"};
  std::string makers;
  for (const int one : taken) makers += (makers.empty() ? "" : " or ") + std::string(kMakers[one]);
  const bool is_known = role > 0 && role < static_cast<int>(std::size(kMakers));
  throw RequestError(std::string(option) + " is a function " +
                     (is_known ? std::string("by ") + kMakers[role] : "of role " + std::to_string(role)) +
                     ": pass one by " + makers);
}

// Throws RequestError unless the function of an option, if there is one, has one of these roles.
template <int... kRoles>
void check_role(const char* option, const scantune_function* function) {
  if (function != nullptr && ((function->role != kRoles) && ...)) refuse_role(option, function->role, {kRoles...});
}

}  // namespace detail

}  // namespace scantune::runtime

#endif
