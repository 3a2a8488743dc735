// A selection by a plain loop: one item after the other, each compared as a number that holds every value of every
// type.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "measure/inputs.h"
#include "measure/references/algorithm_reference.h"
#include "measure/value_types.h"
#include "space/operands.h"

namespace scantune::testing {

using Bytes = std::vector<std::byte>;

// What a selection writes.
struct Selection {
  Bytes indices, values, parts[3];
  u64 counts[2] = {};

  // What an operand must begin with, if there is room for all of it.
  Bytes of(const SelectRequest& request, OperandRole role) const {
    Bytes bytes = all_of(request, role);
    const Operands operands{Request(request)};
    if (request.is_limited()) bytes.resize(std::min<u64>(bytes.size(), operands.of(role).bytes()));
    return bytes;
  }

 private:
  Bytes all_of(const SelectRequest& request, OperandRole role) const {
    if (role == OperandRole::values_output) return values;
    if (role == OperandRole::rejected) return parts[request.parts() - 1];
    if (role == OperandRole::second) return parts[1];
    if (role == OperandRole::indices || !request.writes_items()) return indices;
    Bytes all = parts[0];
    if (request.rejected == Rejected::behind_reversed)
      for (u64 last = parts[1].size(), bytes = static_cast<u64>(request.input_bytes()); last > 0; last -= bytes)
        all.insert(all.end(), &parts[1][last - bytes], &parts[1][last - bytes] + bytes);
    if (request.rejected == Rejected::behind)
      for (const Bytes& part : {parts[1], parts[2]}) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
};

// The part of an item or flag of that type where there are three.
inline int plain_part(const SelectRequest& request, ValueType type, const std::byte* item, const void* constant) {
  if (request.criterion == Criterion::parts) return std::min(std::to_integer<int>(*item) % 4, 2);  // as the stand-in
  const long double number = floating_at(type, item);
  const long double pivot = floating_at(type, static_cast<const std::byte*>(constant));
  return number < pivot ? 0 : number == pivot ? 1 : 2;
}

inline bool is_kept(const SelectRequest& request, ValueType type, const std::byte* item, const std::byte* before,
                    const void* constant) {
  switch (request.criterion) {
    case Criterion::flagged:
      return floating_at(type, item) != 0;
    case Criterion::predicate:  // as the stand-in does
      return (std::to_integer<int>(*item) & 1) == 1;
    case Criterion::unique_by:
      return before == nullptr || std::to_integer<int>(*item) % 4 != std::to_integer<int>(*before) % 4;
    case Criterion::unique:
      return before == nullptr || floating_at(type, item) != floating_at(type, before);
    default:
      break;
  }
  const long double number = floating_at(type, item);
  const long double other = floating_at(type, static_cast<const std::byte*>(constant));
  switch (request.criterion) {
    case Criterion::less:
      return number < other;
    case Criterion::less_equal:
      return number <= other;
    case Criterion::greater:
      return number > other;
    case Criterion::greater_equal:
      return number >= other;
    case Criterion::equal:
      return number == other;
    default:
      return number != other;
  }
}

// Pointers to what the request does not read may be null.
inline Selection plain_selection(const SelectRequest& request, const std::byte* items, const std::byte* flags,
                                 const std::byte* values, const void* constant) {
  const u64 bytes = static_cast<u64>(request.input_bytes()), value_bytes = static_cast<u64>(request.value_bytes());
  // What the criterion looks at.
  const bool by_flag = flags != nullptr && request.reads_flags();
  const ValueType type = by_flag ? *parse_token<ValueType>(token(request.flag_type)) : request.input_type;
  const std::byte* const subjects = by_flag ? flags : items;
  const u64 subject_bytes = static_cast<u64>(request.bytes_of(type));
  Selection result;
  for (u64 index = 0; index < request.n; ++index) {
    const std::byte *const item = items + index * bytes, *const subject = subjects + index * subject_bytes;
    const int part = request.parts() == 3
                         ? plain_part(request, type, subject, constant)
                         : !is_kept(request, type, subject, index > 0 ? subject - subject_bytes : nullptr, constant);
    result.parts[part].insert(result.parts[part].end(), item, item + bytes);
    if (part < 2) ++result.counts[part];
    if (part != 0) continue;
    std::byte place[sizeof(u64)];
    put_integer(request.index_type, index, place);
    result.indices.insert(result.indices.end(), place, place + request.index_bytes());
    if (value_bytes > 0) {
      const std::byte* const value = values + index * value_bytes;
      result.values.insert(result.values.end(), value, value + value_bytes);
    }
  }
  return result;
}

// The bytes of an operand that is read.
inline Bytes read_items(const InputSpec& spec, OperandRole role) {
  Bytes bytes;
  const Operands operands(spec.request);
  for (const RequestOperand& operand : operands.list())
    if (operand.role == role) bytes.resize(operand.bytes());
  if (role == OperandRole::input)
    fill_input(spec, 0, bytes);
  else if (!bytes.empty())
    reference_of(spec.request.algorithm()).fill_beside(spec, role, 0, bytes);
  return bytes;
}

inline Selection plain_selection(const InputSpec& spec) {
  unsigned char constant[kMaxValueBytes]{};
  fill_init(spec.request, constant);
  return plain_selection(typed<SelectRequest>(spec.request), read_items(spec, OperandRole::input).data(),
                         read_items(spec, OperandRole::flags).data(), read_items(spec, OperandRole::values).data(),
                         constant);
}

}  // namespace scantune::testing
