// The table of a config's parameters: host side only, so that kernels do not pay for compiling it.
#pragma once

#ifndef __CUDACC_RTC__

#include "config/types.h"

namespace scantune {

// Search explores every combination of the primary parameters, and in each lets one secondary parameter at a time
// depart from the default; what the search proposes beyond the list may combine departures.
enum class Role { primary, secondary };

inline constexpr int kMostFromDefault = 6;

template <class Config>
struct Parameter {
  const char* name;  // of the member, in JSON and SQL too
  Role role;
  const int* values;  // in ascending order, if they are numbers
  int value_count;
  const char* const* tokens;  // spellings indexed by value, or null for plain integers
  int (*get)(const Config&);
  void (*set)(Config&, int);
  bool may_be_absent = false;
  int absent = 0;  // what rows from before the parameter was there mean
  int from_default[kMostFromDefault] = {};
  int from_default_count = 0;

  // The same parameter, added later: rows without it mean the value with which kernels do as they did before.
  template <class Value>
  constexpr Parameter absent_means(Value value) const {
    Parameter later = *this;
    later.may_be_absent = true;
    later.absent = static_cast<int>(value);
    return later;
  }

  // The same parameter, of whose values these are combined with no others: search lets the default config alone depart
  // to them, which costs it one trial each. What it proposes beyond the list combines them, too.
  template <class... Values>
  constexpr Parameter from_default_only(Values... values) const {
    static_assert(sizeof...(Values) <= kMostFromDefault);
    Parameter limited = *this;
    ((limited.from_default[limited.from_default_count++] = static_cast<int>(values)), ...);
    return limited;
  }
};

// What a value of a parameter became that was taken away, and that rows may still hold. A family's table of these is
// its kFormerValues; a value that is not in it is refused.
struct FormerValue {
  const char* name;                 // of the parameter that was
  const char* spelling;             // of its value: a token, or digits
  const char* parameter = nullptr;  // which one of now stands for it, whatever the row says of that; null: none has to
  int value = 0;                    // of that one
};

namespace detail {

template <int... kValues>
inline constexpr int kValueArray[] = {kValues...};

template <class Member>
constexpr const char* const* tokens_of() {
  if constexpr (__is_enum(Member)) {
    return Tokens<Member>::kNames;
  } else {
    return nullptr;
  }
}

template <auto kMember>
struct MemberAccess;

template <class Config, class Member, Member Config::*kMember>
struct MemberAccess<kMember> {
  static constexpr const char* const* tokens() { return tokens_of<Member>(); }
  static constexpr int get(const Config& config) { return static_cast<int>(config.*kMember); }
  static constexpr void set(Config& config, int value) { config.*kMember = static_cast<Member>(value); }
};

}  // namespace detail

template <auto kMember, auto... kValues, class Config>
constexpr Parameter<Config> make_parameter(const char* name, Role role, const Config&) {
  using Access = detail::MemberAccess<kMember>;
  return {name,
          role,
          detail::kValueArray<static_cast<int>(kValues)...>,
          static_cast<int>(sizeof...(kValues)),
          Access::tokens(),
          &Access::get,
          &Access::set};
}

// One row of a table: the member, its role and the values that the search may give it. Behind the row may stand
// .from_default_only(values...), and behind that of a member that was added later .absent_means(value).
#define SCANTUNE_PARAMETER(Config, member, role, ...) \
  ::scantune::make_parameter<&Config::member, __VA_ARGS__>(#member, ::scantune::Role::role, Config{})

}  // namespace scantune

#endif
