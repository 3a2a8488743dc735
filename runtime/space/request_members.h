// The members of a request by name, for everything that treats them alike: each is declared in config/request.h alone.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "config/request.h"

namespace scantune {

using RequestMember = Member<ScanRequest>;

inline constexpr std::span<const RequestMember> kRequestMembers = Members<ScanRequest>::kAll;

inline constexpr std::string_view kAlgorithm = Members<ScanRequest>::kAlgorithm;

// Whether a record names it.
constexpr bool is_recorded(const RequestMember& member) { return member.match != Match::per_call; }

// Whether the command line has an option for it, and messages tell it only where it departs from its default.
constexpr bool is_option(const RequestMember& member) {
  return member.spelling == Spelling::token && (member.match == Match::nearest || member.match == Match::at_most);
}

constexpr bool is_default(const RequestMember& member, const ScanRequest& request) {
  return member.by_default != nullptr && member.get(request) == member.by_default(request);
}

// A custom operator without its name.
std::string spell(const RequestMember& member, const ScanRequest& request);

// For people: "documented forward progress".
std::string phrase(const RequestMember& member, const ScanRequest& request);

// The name as the command line spells it: forward-progress.
std::string option_name(const RequestMember& member);

// What records have in common that serve the same requests but for n: every member that they name, in order, and 0 for
// the others.
using RequestKey = std::array<int, kRequestMembers.size()>;
RequestKey key_of(const ScanRequest& request);

}  // namespace scantune
