// The table of a request's members, for the host compiler only, like the table of a config's parameters.
#pragma once

#ifndef __CUDACC_RTC__

#include "core/contract/parameter.h"

namespace scantune {

// A member's match says which records may serve a request, by their value of the member.
enum class Match {
  exact,    // the same value: other results take other work
  width,    // types as wide; the same types come first, then types of the same class
  nearest,  // any value; the same one comes first
  at_most,  // no more than is requested: a search under a guarantee leaves out configs that others may use
  served,   // any value: winners are verified for all of them
  per_call  // any value, and no record names it
};
template <>
struct Tokens<Match> {
  static constexpr const char* kNames[] = {"exact", "width", "nearest", "at_most", "served", "per_call"};
};

// How a member's value is spelled outside the kernels.
enum class Spelling {
  token,          // the enum's token
  value_type,     // the type's name; a custom one has its size
  value_operator  // the operator's token; a custom one has its name, if any
};
template <>
struct Tokens<Spelling> {
  static constexpr const char* kNames[] = {"token", "value_type", "value_operator"};
};
template <class Value>
inline constexpr Spelling kSpelling = Spelling::token;

template <class Request>
struct Member {
  const char* name;  // its name in JSON, SQL, generated source and, with hyphens, on the command line
  Match match;
  Spelling spelling;
  const char* const* tokens;
  int token_count;
  int (*get)(const Request&);
  void (*set)(Request&, int);
  // The default, which may depend on given members and on members below it. Null: the member is required.
  int (*by_default)(const Request&);
  const char* meaning = "";  // the help text of the command line
  bool is_compiled = true;   // whether kernels see it

  constexpr Member defaults_to(int (*value)(const Request&)) const {
    Member other = *this;
    other.by_default = value;
    return other;
  }
  constexpr Member means(const char* text) const {
    Member other = *this;
    other.meaning = text;
    return other;
  }
  constexpr Member not_compiled() const {
    Member other = *this;
    other.is_compiled = false;
    return other;
  }
};

// A size other than n, such as a number of rows. Records store its class, of which there is one an octave.
template <class Request>
struct Extent {
  const char* name;
  u64 (*get)(const Request&);
  void (*set)(Request&, u64);
  const char* meaning;
  // The member and value of the requests that have the extent; in other requests it is 0 and not shown. Null: every
  // request has it.
  const char* member = nullptr;
  int value = 0;
  // What records store in its place: how many items each of so many has. Null: its number.
  const char* items_name = nullptr;
  bool is_fine = false;  // four classes an octave

  // Sequences of one length are alike, however many they are.
  constexpr Extent stored_as(const char* name_of_items) const {
    Extent other = *this;
    other.items_name = name_of_items;
    return other;
  }
  constexpr Extent finely() const {
    Extent other = *this;
    other.is_fine = true;
    return other;
  }
  template <class Value>
  constexpr Extent where(const char* name_of_member, Value its_value) const {
    Extent other = *this;
    other.member = name_of_member;
    other.value = static_cast<int>(its_value);
    return other;
  }
};

namespace detail {

template <class T, int kCount>
constexpr int count_of(T (&)[kCount]) {
  return kCount;
}

template <auto kMember>
struct RequestMember;

template <class Request, class Value, Value Request::*kMember>
struct RequestMember<kMember> {
  static constexpr Member<Request> row(const char* name, Match match) {
    return {name,
            match,
            kSpelling<Value>,
            Tokens<Value>::kNames,
            count_of(Tokens<Value>::kNames),
            [](const Request& request) { return static_cast<int>(request.*kMember); },
            [](Request& request, int value) { request.*kMember = static_cast<Value>(value); },
            [](const Request&) { return static_cast<int>(Request{}.*kMember); }};
  }
  static constexpr Extent<Request> extent(const char* name, const char* meaning) {
    return {name,
            [](const Request& request) -> u64 { return request.*kMember; },
            [](Request& request, u64 value) { request.*kMember = value; },
            meaning,
            nullptr,
            0};
  }
};

}  // namespace detail

// One row of a table. It may be followed by .defaults_to(rule), .not_compiled() where no kernel depends on the value,
// and .means(text).
#define SCANTUNE_MEMBER(Request, member, match) \
  ::scantune::detail::RequestMember<&Request::member>::row(#member, ::scantune::Match::match)

// One row of the extents other than n. Append .where("member", value) if not every request has it, .stored_as(name)
// and .finely() by what records are to distinguish.
#define SCANTUNE_EXTENT(Request, member, meaning) \
  ::scantune::detail::RequestMember<&Request::member>::extent(#member, meaning)

}  // namespace scantune

#endif
