// The table of a request's members: host side only, as that of a config's parameters.
#pragma once

#ifndef __CUDACC_RTC__

#include "config/parameter.h"

namespace scantune {

// A member's match says which records may serve a request, by the value that they were tuned for.
enum class Match {
  width,    // types as wide; of the same ones first, then of the same class
  nearest,  // any value; the same first
  at_most,  // no more than is asked for: a search under a guarantee leaves out configs that others may use
  served,   // any value: winners are verified for all of them
  per_call  // any value, and no record names it
};
template <>
struct Tokens<Match> {
  static constexpr const char* kNames[] = {"width", "nearest", "at_most", "served", "per_call"};
};

// How a member's value is spelled outside the kernels.
enum class Spelling {
  token,          // of its enum
  value_type,     // a custom one with its size
  value_operator  // a custom one with its name, if it has one
};
template <>
struct Tokens<Spelling> {
  static constexpr const char* kNames[] = {"token", "value_type", "value_operator"};
};
template <class Value>
inline constexpr Spelling kSpelling = Spelling::token;

template <class Request>
struct Member {
  const char* name;  // in JSON, SQL, generated source and, with hyphens, on the command line
  Match match;
  Spelling spelling;
  const char* const* tokens;
  int token_count;
  int (*get)(const Request&);
  void (*set)(Request&, int);
  // The value where nobody names it, decided by the members that are named and those below it. Null: it has to be
  // named.
  int (*by_default)(const Request&);
  const char* meaning = "";  // for the help of the command line
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

// How much there is of something beside the n items. Records keep its magnitude.
template <class Request>
struct Extent {
  const char* name;
  u64 (*get)(const Request&);
  void (*set)(Request&, u64);
  const char* meaning;
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
    return {name, [](const Request& request) -> u64 { return request.*kMember; },
            [](Request& request, u64 value) { request.*kMember = value; }, meaning};
  }
};

}  // namespace detail

// One row of a table. Behind it may stand .defaults_to(rule), .not_compiled() where no kernel depends on the value, and
// .means(text).
#define SCANTUNE_MEMBER(Request, member, match) \
  ::scantune::detail::RequestMember<&Request::member>::row(#member, ::scantune::Match::match)

// One row of the extents beside n.
#define SCANTUNE_EXTENT(Request, member, meaning) \
  ::scantune::detail::RequestMember<&Request::member>::extent(#member, meaning)

}  // namespace scantune

#endif
