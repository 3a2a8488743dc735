// A C caller's function.
#pragma once

#include "c_api/members.h"
#include "c_api/struct_version.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

constexpr unsigned roles_of(auto... roles) { return (0u | ... | (1u << static_cast<unsigned>(roles))); }

// A member of a request that points to a function, and the roles that this may have there.
struct FunctionMember {
  const char* name;
  const char* struct_bytes;  // the name of that function's size
  unsigned roles;            // a bit for each

  constexpr bool takes(int role) const { return role >= 0 && role < 32 && (roles >> role & 1u) != 0; }
};

inline constexpr FunctionMember kLess = {"less", "less->struct_bytes", roles_of(SCANTUNE_FUNCTION_LESS)};

// A single comparison, since every scan with a function makes it.
inline bool has_state(const scantune_function& function) {
  return (reinterpret_cast<std::uintptr_t>(function.state) | function.state_bytes) != 0;
}

const scantune_function& checked_in_full(const FunctionMember& member, const scantune_function* caller,
                                         scantune_function& storage);

// The function in this library's version of the struct: the caller's own, or a copy in the storage. Throws a
// RequestError that names the invalid member, the value found and what to do. A plain operator, as in warm calls, takes
// few instructions.
inline const scantune_function& checked_function(const FunctionMember& member, const scantune_function* caller,
                                                 scantune_function& storage) {
  const bool is_plain = caller->struct_bytes == sizeof(scantune_function) &&
                        number_in(caller->role) == SCANTUNE_FUNCTION_COMBINE &&
                        member.takes(SCANTUNE_FUNCTION_COMBINE) && caller->source != nullptr &&
                        *caller->source != '\0' && caller->name == nullptr && !has_state(*caller) &&
                        static_cast<unsigned>(number_in(caller->cost)) <= SCANTUNE_EXPENSIVE;
  return is_plain ? *caller : checked_in_full(member, caller, storage);
}

}  // namespace scantune::c_api
