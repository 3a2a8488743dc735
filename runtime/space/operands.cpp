#include "space/operands.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {
namespace {

// That of a member, or the built-in one of that name.
ValueType type_of(const Request& request, std::string_view name) {
  for (const MemberModel& member : request.members())
    if (name == member.name) return request.type(member);
  if (const auto type = parse_token<ValueType>(name)) return *type;
  throw Error(std::string(request.algorithm().name()) + " has no member " + std::string(name));
}

u64 extent_of(const Request& request, std::string_view name) {
  if (name == Operand::kOne) return 1;
  if (name == Operand::kTwo) return 2;
  if (name == Operand::kItems) return request.n;
  for (const ExtentModel& extent : request.algorithm().extents())
    if (name == extent.name) return request[extent];
  throw Error(std::string(request.algorithm().name()) + " has no extent " + std::string(name));
}

// Where the items of a dense array begin, relative to its pointer.
i64 first_of(const Request& request, OperandRole role) {
  const Layout& layout = request.layout;
  return role == OperandRole::input ? layout.input.first : role == OperandRole::output ? layout.output.first : 0;
}

}  // namespace

Operands::Operands(const Request& request) {
  const OperandList declared = request.algorithm().operands(request);
  for (; count_ < static_cast<std::size_t>(declared.count); ++count_) {
    const Operand& operand = declared.operands[count_];
    const ValueType type = type_of(request, operand.type);
    all_[count_] = {
        operand.name,
        operand.role,
        type,
        request.bytes_of(type) * operand.units,
        operand.alignment != 0 ? operand.alignment : request.alignment_of(type),
        operand.range.items != 0 ? operand.range.items : extent_of(request, operand.extent),
        operand.range.items != 0 ? operand.range.lowest : first_of(request, operand.role),
        operand.extent,
        operand.extent != std::string_view(Operand::kOne) && operand.extent != std::string_view(Operand::kTwo),
        operand.may_be_null,
        operand.from_end,
        operand.is_limited,
        operand.lies_apart,
        operand.is_consumed};
  }
}

RequestOperand Operands::of(OperandRole role) const {
  const auto found = std::ranges::find(list(), role, &RequestOperand::role);
  if (found == list().end()) throw Error("a request has no operand of that role");
  return *found;
}

u64 moved_bytes(const Request& request) {
  u64 bytes = 0;
  const Operands operands(request);
  for (const RequestOperand& operand : operands.list())
    if (!is_argument(operand.role)) bytes += operand.bytes();
  return bytes;
}

Variant variant_behind_boundaries(const Request& request, u64 offset) {
  const Operands operands(request);
  for (const RequestOperand& operand : operands.list()) {
    const u64 offset_bytes = comes_in_vectors(operand.role) ? offset * static_cast<u64>(operand.item_bytes) : 0;
    if (offset_bytes % kVectorAlignmentBytes != operand.aligned_offset()) return Variant::any;
  }
  return Variant::aligned;
}

int element_alignment(const Request& request) {
  int alignment = kVectorAlignmentBytes;
  const Operands operands(request);
  for (const RequestOperand& operand : operands.list())
    if (operand.is_array && comes_in_vectors(operand.role)) alignment = std::min(alignment, operand.alignment);
  return alignment;
}

}  // namespace scantune
