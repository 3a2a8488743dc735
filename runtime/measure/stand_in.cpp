#include "measure/stand_in.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "scantune/error.hpp"
#include "space/space.h"
#include "support/embedded_file.h"

#define STAND_IN_FUNCTION inline
#include "measure/stand_in_operators.h"
#undef STAND_IN_FUNCTION

namespace scantune {

std::span<const EmbeddedFile> stand_in_files();  // measure/stand_in_operators.h, embedded by the build

namespace {

// The size of the units by which kernels see a value, as its alignment allows.
int unit_bytes(const Request& request) {
  const int alignment = request.alignment_of(request.source_type());
  return alignment < 4 ? alignment : 4;
}

const char* unit_type(int bytes) { return bytes == 4 ? "unsigned" : bytes == 2 ? "unsigned short" : "unsigned char"; }

template <class Unit>
using CombineUnits = void (*)(const Unit* earlier, const Unit* later, Unit* combined, int units);

template <class Unit, CombineUnits<Unit> kCombine>
void combine_bytes(const std::byte* earlier, const std::byte* later, std::byte* combined, int bytes) {
  Unit units[3][kMaxValueBytes / sizeof(Unit)];
  const auto size = static_cast<std::size_t>(bytes);
  std::memcpy(units[0], earlier, size);
  std::memcpy(units[1], later, size);
  kCombine(units[0], units[1], units[2], bytes / static_cast<int>(sizeof(Unit)));
  std::memcpy(combined, units[2], size);
}

template <class Unit>
bool less_bytes(const std::byte* a, const std::byte* b) {
  Unit units[2];
  std::memcpy(&units[0], a, sizeof(Unit));
  std::memcpy(&units[1], b, sizeof(Unit));
  return stand_in::less(&units[0], &units[1]);
}

template <class Unit>
u32 rank_of_bytes(const std::byte* value) {
  Unit unit;
  std::memcpy(&unit, value, sizeof(Unit));
  return stand_in::rank(&unit);
}

template <class Unit>
void put_rank_in_bytes(u32 share, std::byte* value) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(Unit)), kShift = std::max(StandInLess::kRankBits - kBits, 0);
  Unit unit;
  std::memcpy(&unit, value, sizeof(Unit));
  const u32 kept = stand_in::scrambled(unit) & ~((u32{1} << StandInLess::kRankBits) - 1);
  unit = stand_in::unscrambled(static_cast<Unit>(kept | share >> kShift));
  std::memcpy(value, &unit, sizeof(Unit));
}

template <class Unit>
auto combine_of(Operator op) {
  switch (op) {
    case Operator::custom_cheap:
      return &combine_bytes<Unit, &stand_in::custom_cheap<Unit>>;
    case Operator::custom_moderate:
      return &combine_bytes<Unit, &stand_in::custom_moderate<Unit>>;
    case Operator::custom_expensive:
      return &combine_bytes<Unit, &stand_in::custom_expensive<Unit>>;
    default:
      throw RequestError(std::string("nothing stands in for ") + token(op));
  }
}

std::string less_source(const Request& request, const std::string& units) {
  if (request.accumulator_type() == ValueType::custom)
    return "struct alignas(" + std::to_string(request.custom_alignment) + ") Value {\n  " + units +
           ";\n};\n__device__ inline bool less(const Value& a, const Value& b) {\n"
           "  return scantune::stand_in::less(a.units, b.units);\n}\n";
  return "union Bits {\n  Value value;\n  " + units +
         ";\n};\n__device__ inline bool less(Value a, Value b) {\n  Bits first, second;\n  first.value = a;\n"
         "  second.value = b;\n  return scantune::stand_in::less(first.units, second.units);\n}\n";
}

// Value: the struct with its units, or the built-in type with a union through which they are seen.
std::string value_source(const Request& request, const std::string& units, const std::string& call) {
  if (request.accumulator_type() == ValueType::custom)
    return "struct alignas(" + std::to_string(request.custom_alignment) + ") Value {\n  " + units +
           ";\n};\n__device__ inline Value combine(Value earlier, Value later) {\n  Value combined;\n  " + call +
           "  return combined;\n}\n";
  return "union Bits {\n  Value value;\n  " + units +
         ";\n};\n__device__ inline Value combine(Value before, Value after) {\n  Bits earlier, later, combined;\n"
         "  earlier.value = before;\n  later.value = after;\n  " +
         call + "  return combined.value;\n}\n";
}

// Keeps items whose first bit is set, and tells neighbours and parts apart by their first two.
std::string predicate_source(const Request& request, const std::string& units) {
  const bool of_struct = request.source_type() == ValueType::custom;
  const std::string bits = "__device__ inline unsigned bits(const Value& value) {\n" +
                           std::string(of_struct ? "  return value.units[0];\n"
                                                 : "  Bits seen;\n  seen.value = value;\n  return seen.units[0];\n") +
                           "}\n";
  const std::string value =
      of_struct ? "struct alignas(" + std::to_string(request.custom_alignment) + ") Value {\n  " + units + ";\n};\n"
                : "union Bits {\n  Value value;\n  " + units + ";\n};\n";
  if (request.value<Criterion>() == Criterion::unique_by)
    return value + bits +
           "__device__ inline bool equal(Value before, Value item) {\n  return ((bits(before) ^ bits(item)) & 3) == "
           "0;\n}\n";
  if (request.value<Criterion>() == Criterion::parts)
    return value + bits + "__device__ inline int part(Value item) {\n  return bits(item) & 3;\n}\n";
  return value + bits + "__device__ inline bool keep(Value item) {\n  return (bits(item) & 1) != 0;\n}\n";
}

}  // namespace

CustomOperator stand_in_for(const Request& request) {
  const int bytes = unit_bytes(request);
  const std::string count = std::to_string(request.bytes_of(request.source_type()) / bytes);
  const std::string units = std::string(unit_type(bytes)) + " units[" + count + "]";
  const std::string functions =
      std::string("#define STAND_IN_FUNCTION __device__ inline\n") + stand_in_files().front().text;
  if (request.is_by_less()) return {.source = functions + less_source(request, units), .name = {}};
  if (!request.op()) return {.source = predicate_source(request, units), .name = {}};
  const std::string call = std::string("scantune::stand_in::") + token(*request.op()) +
                           "(earlier.units, later.units, combined.units, " + count + ");\n";
  return {.source = functions + value_source(request, units, call), .name = {}};
}

StandInLess::StandInLess(const Request& request) {
  const int unit = unit_bytes(request);
  less_ = unit == 4 ? &less_bytes<u32> : unit == 2 ? &less_bytes<u16> : &less_bytes<u8>;
  put_rank_ = unit == 4 ? &put_rank_in_bytes<u32> : unit == 2 ? &put_rank_in_bytes<u16> : &put_rank_in_bytes<u8>;
  rank_ = unit == 4 ? &rank_of_bytes<u32> : unit == 2 ? &rank_of_bytes<u16> : &rank_of_bytes<u8>;
}

StandIn::StandIn(const Request& request) : bytes_(request.accumulator_bytes()) {
  const int unit = unit_bytes(request);
  const Operator op = *request.op();
  combine_ = unit == 4 ? combine_of<u32>(op) : unit == 2 ? combine_of<u16>(op) : combine_of<u8>(op);
}

}  // namespace scantune
