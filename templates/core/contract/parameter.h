// The table of a config's parameters, for the host compiler only: it would make kernels slower to compile.
#pragma once

#ifndef __CUDACC_RTC__

#include "core/contract/types.h"

namespace scantune {

// The list has every combination of the primary parameters and, for each, changes of one secondary parameter at a time.
// Beyond the list the search may combine such changes.
enum class Role { primary, secondary };

inline constexpr int kMostFromDefault = 6;

template <class Config>
struct Parameter {
  const char* name;  // the member's name, in JSON and SQL too
  Role role;
  const int* values;  // values to search, in ascending order if they are numbers
  int value_count;
  const char* const* tokens;  // spellings indexed by value, or null for plain integers
  int (*get)(const Config&);
  void (*set)(Config&, int);
  bool may_be_absent = false;
  int absent = 0;  // its value in rows that are older than the parameter
  int from_default[kMostFromDefault] = {};
  int from_default_count = 0;

  // The same parameter, added later: rows without it mean this value, with which kernels behave as before.
  template <class Value>
  constexpr Parameter absent_means(Value value) const {
    Parameter later = *this;
    later.may_be_absent = true;
    later.absent = static_cast<int>(value);
    return later;
  }

  // The same parameter, with values that the list does not combine with others: only the default config changes to
  // them, which costs one trial each. The search may combine them, too, when it proposes configs beyond the list.
  template <class... Values>
  constexpr Parameter from_default_only(Values... values) const {
    static_assert(sizeof...(Values) <= kMostFromDefault);
    Parameter limited = *this;
    ((limited.from_default[limited.from_default_count++] = static_cast<int>(values)), ...);
    return limited;
  }
};

// The replacement of a removed parameter's value, which rows may still have. A family's table of these is its
// kFormerValues; a value that is not in it is refused.
struct FormerValue {
  const char* name;                 // the removed parameter's
  const char* spelling;             // its value's: a token, or digits
  const char* parameter = nullptr;  // the parameter that replaces it, whatever the row says of that; null: none
  int value = 0;                    // the replacement's value
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

// One row of a table: the member, its role and the values that the search may give it. The row may be followed by
// .from_default_only(values...), and by .absent_means(value) if the member was added later.
#define SCANTUNE_PARAMETER(Config, member, role, ...) \
  ::scantune::make_parameter<&Config::member, __VA_ARGS__>(#member, ::scantune::Role::role, Config{})

}  // namespace scantune

#endif
