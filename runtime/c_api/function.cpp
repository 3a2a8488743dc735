#include "c_api/function.h"

#include <string>
#include <type_traits>

#include "space/spelling.h"

namespace scantune::c_api {
namespace {

// A member that fell into padding would not make its struct grow, and no size would show it.
static_assert(std::has_unique_object_representations_v<scantune_function>);

constexpr scantune_function kDefaultFunction = SCANTUNE_FUNCTION_INIT;

struct FunctionRole {
  const char* constant;
  const char* defines;
};
constexpr FunctionRole kFunctionRoles[] = {{"SCANTUNE_FUNCTION_COMBINE", "Value combine(Value, Value)"},
                                           {"SCANTUNE_FUNCTION_MAP", "Result "},
                                           {"SCANTUNE_FUNCTION_MAP_INDEXED", "Result "},
                                           {"SCANTUNE_FUNCTION_GENERATE", "Result load(unsigned long long)"},
                                           {"SCANTUNE_FUNCTION_WRITE", "void store(Value, unsigned long long)"},
                                           {"SCANTUNE_FUNCTION_KEEP", "bool keep(Value)"},
                                           {"SCANTUNE_FUNCTION_EQUAL", "bool equal(Value, Value)"},
                                           {"SCANTUNE_FUNCTION_PART", "int part(Value)"},
                                           {"SCANTUNE_FUNCTION_LESS", "bool less(Value, Value)"}};
constexpr int kLastRole = static_cast<int>(std::size(kFunctionRoles));
static_assert(kLastRole == SCANTUNE_FUNCTION_LESS);

const FunctionRole& role_of(int number) { return kFunctionRoles[number - 1]; }

[[noreturn]] void fail_at(const FunctionMember& member, const char* part, const std::string& found) {
  fail((std::string(member.name) + "->" + part).c_str(), found);
}

// The source of a map defines a function by the name of its member.
std::string defined(const FunctionMember& member, int role) {
  std::string text = role_of(role).defines;
  if (role == SCANTUNE_FUNCTION_MAP) text += std::string(member.name) + "(Value)";
  if (role == SCANTUNE_FUNCTION_MAP_INDEXED) text += std::string(member.name) + "(Value, unsigned long long)";
  return text;
}

[[noreturn]] void fail_role(const FunctionMember& member, int role) {
  std::string taken;
  for (int number = 1; number <= kLastRole; ++number)
    if (member.takes(number)) taken += (taken.empty() ? "" : ", ") + std::string(role_of(number).constant);
  const bool is_known = role >= 1 && role <= kLastRole;
  fail_at(member, "role",
          (is_known ? role_of(role).constant : std::to_string(role)) + "; it must be one that " + member.name +
              " takes: " + taken);
}

void check_state(const FunctionMember& member, const scantune_function& function) {
  const std::uint32_t bytes = function.state_bytes;
  if (bytes > kMaxValueBytes)
    fail_at(member, "state_bytes",
            std::to_string(bytes) + "; a state has at most " + std::to_string(kMaxValueBytes) +
                " bytes: pass what is larger in memory of the device, and its address in the state");
  if (bytes > 0 && function.state == nullptr)
    fail_at(member, "state", "NULL, and state_bytes is " + std::to_string(bytes) + ": point it to the state");
  if (bytes == 0 && function.state != nullptr)
    fail_at(member, "state_bytes", "0, and state is given: pass the size of the source's State, or leave state NULL");
}

// What operators alone have.
void check_rest(const FunctionMember& member, const scantune_function& function) {
  const bool is_operator = member.takes(SCANTUNE_FUNCTION_COMBINE);
  const int cost = number_in(function.cost);
  if (is_operator) {
    if (cost < SCANTUNE_MODERATE || cost > SCANTUNE_EXPENSIVE)
      fail_at(member, "cost", std::to_string(cost) + "; it must be a scantune_cost, 0 to 2");
    if (function.name != nullptr && !is_operator_name(function.name)) [[unlikely]]
      fail_at(member, "name",
              '\'' + std::string(function.name) + "'; it must be " + std::string(kOperatorNameRule) + ", or NULL");
    return;
  }
  const char* const given = function.identity != nullptr                                 ? "identity"
                            : number_in(function.identity_type) != SCANTUNE_DEFAULT_TYPE ? "identity_type"
                            : cost != SCANTUNE_MODERATE                                  ? "cost"
                            : function.name != nullptr                                   ? "name"
                                                                                         : nullptr;
  if (given != nullptr)
    fail_at(member, given, "set, and only an operator has one: leave it as SCANTUNE_FUNCTION_INIT has it");
}

}  // namespace

const scantune_function& checked_in_full(const FunctionMember& member, const scantune_function* caller,
                                         scantune_function& storage) {
  const StructVersion version = {member.struct_bytes, "scantune_function", "start from SCANTUNE_FUNCTION_INIT",
                                 SCANTUNE_BYTES_UP_TO(scantune_function, name), sizeof(scantune_function)};
  const scantune_function& function = *as_known(version, caller, kDefaultFunction, storage);
  const int role = number_in(function.role);
  if (!member.takes(role)) [[unlikely]]
    fail_role(member, role);
  if (function.source == nullptr || *function.source == '\0') [[unlikely]]
    fail_at(member, "source",
            std::string(function.source == nullptr ? "NULL" : "empty") + "; it must define " + defined(member, role));
  if (has_state(function)) check_state(member, function);
  check_rest(member, function);
  return function;
}

}  // namespace scantune::c_api
