#include "c_api/places.h"

#include <algorithm>
#include <string>

#include "c_api/members.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_INPUT, OperandRole::input) && same(SCANTUNE_OUTPUT, OperandRole::output) &&
              same(SCANTUNE_INDICES, OperandRole::indices) && same(SCANTUNE_FLAGS, OperandRole::flags) &&
              same(SCANTUNE_VALUES, OperandRole::values) && same(SCANTUNE_VALUES_OUTPUT, OperandRole::values_output) &&
              same(SCANTUNE_SECOND, OperandRole::second) && same(SCANTUNE_REJECTED, OperandRole::rejected) &&
              same(SCANTUNE_COUNT, OperandRole::count) && same(SCANTUNE_SECOND_INDICES, OperandRole::second_indices) &&
              same(SCANTUNE_KEYS, OperandRole::keys) && same(SCANTUNE_KEYS_OUTPUT, OperandRole::keys_output) &&
              same(SCANTUNE_BEGINS, OperandRole::begins) && same(SCANTUNE_ENDS, OperandRole::ends) &&
              SCANTUNE_ROLES == SCANTUNE_ENDS + 1);
static_assert(SCANTUNE_ROLES <= static_cast<int>(OperandRole::segment_count), "roles of arrays come before all others");

constexpr std::uint64_t kMostCount = 64;  // all are read, so a wrong count has to fail

const void* kept_pointer(const Asked& asked, OperandRole role) {
  if (role == OperandRole::init) return asked.device_init;
  if (role == OperandRole::segment_count) return asked.device_segment_count;
  if (role == OperandRole::k) return asked.device_k;
  return role == OperandRole::n ? asked.device_n : asked.device_clamped;
}

// The arrays of a request: the names of their arguments, and their roles.
std::string arrays_of(const Request& request) {
  const OperandList all = request.algorithm().operands(request);
  std::string text;
  int left = 0;
  for (int place = 0; place < all.count; ++place) left += is_argument(all.operands[place].role) ? 0 : 1;
  for (int place = 0; place < all.count; ++place) {
    const Operand& operand = all.operands[place];
    if (is_argument(operand.role)) continue;
    const std::string_view role = token(operand.role);
    text += operand.name;
    if (operand.name != role) text += " (" + constant_of(role) + ")";
    text += --left > 1 ? ", " : left == 1 ? " and " : "";
  }
  return text.empty() ? "no array" : text + " alone";
}

}  // namespace

Places::Places(const Asked& asked) {
  place_of_.fill(OperandList::kCapacity);
  const OperandList all = asked.request.algorithm().operands(asked.request);
  for (int place = 0; place < all.count; ++place) {
    const OperandRole role = all.operands[place].role;
    if (is_argument(role))
      kept_[static_cast<std::size_t>(place)] = kept_pointer(asked, role);
    else
      place_of_[static_cast<std::size_t>(role)] = static_cast<std::uint8_t>(place);
  }
}

void Places::refuse_null() { fail("arrays", "NULL; it must point to a scantune_arrays"); }

std::uint64_t Places::known_count(const scantune_arrays& arrays) const {
  if (arrays.count == 0 && array_count() > 0)
    fail("arrays.count", "0, so that no array is given: start from SCANTUNE_ARRAYS_INIT");
  if (arrays.count > kMostCount)
    fail("arrays.count", std::to_string(arrays.count) + "; it must be 1 to " + std::to_string(SCANTUNE_ROLES) +
                             ", or that of a newer header: start from SCANTUNE_ARRAYS_INIT");
  const auto* const beyond = reinterpret_cast<const unsigned char*>(&arrays) + sizeof(scantune_arrays);
  for (std::uint64_t role = SCANTUNE_ROLES; role < arrays.count; ++role)
    if (std::any_of(beyond + (role - SCANTUNE_ROLES) * sizeof(void*),
                    beyond + (role - SCANTUNE_ROLES + 1) * sizeof(void*), [](auto byte) { return byte != 0; }))
      fail("arrays.count", std::to_string(arrays.count) + ", and the array of role " + std::to_string(role) +
                               " is given, which this library does not know. If it comes from a newer header, update "
                               "the library or leave it NULL; else start from SCANTUNE_ARRAYS_INIT");
  return std::min<std::uint64_t>(arrays.count, SCANTUNE_ROLES);
}

void Places::refuse(const Request& request, const scantune_arrays& arrays) const {
  std::size_t role = 0;
  while (place_of_[role] < kept_.size() || arrays.of[role] == nullptr) ++role;
  throw RequestError(to_string(request) + ": " + Tokens<OperandRole>::kNames[role] + " is given, and the request has " +
                     arrays_of(request) + ": leave " + constant_of(Tokens<OperandRole>::kNames[role]) + " NULL");
}

}  // namespace scantune::c_api
