#include "python/element_type.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace scantune::python {
namespace {

using Code = nanobind::dlpack::dtype_code;

// NumPy's bool is a byte of 0 or 1.
constexpr ElementType kElementTypes[] = {
    {"bool", SCANTUNE_U8, Code::Bool, 8, "int64", "unsigned char"},
    {"int8", SCANTUNE_I8, Code::Int, 8, "int64", "signed char"},
    {"int16", SCANTUNE_I16, Code::Int, 16, "int64", "short"},
    {"int32", SCANTUNE_I32, Code::Int, 32, "int64", "int"},
    {"int64", SCANTUNE_I64, Code::Int, 64, "int64", "long long"},
    {"uint8", SCANTUNE_U8, Code::UInt, 8, "uint64", "unsigned char"},
    {"uint16", SCANTUNE_U16, Code::UInt, 16, "uint64", "unsigned short"},
    {"uint32", SCANTUNE_U32, Code::UInt, 32, "uint64", "unsigned int"},
    {"uint64", SCANTUNE_U64, Code::UInt, 64, "uint64", "unsigned long long"},
    {"float16", SCANTUNE_F16, Code::Float, 16, "float16", "float"},
    {"bfloat16", SCANTUNE_BF16, Code::Bfloat, 16, "bfloat16", "float"},
    {"float32", SCANTUNE_F32, Code::Float, 32, "float32", "float"},
    {"float64", SCANTUNE_F64, Code::Float, 64, "float64", "double"},
};

template <class Predicate>
const ElementType* find(Predicate is_wanted) {
  const auto* const found = std::ranges::find_if(kElementTypes, is_wanted);
  return found == std::end(kElementTypes) ? nullptr : found;
}

char letter_of(Code code) {
  switch (code) {
    case Code::Bool:
      return 'b';
    case Code::Int:
      return 'i';
    case Code::UInt:
      return 'u';
    case Code::Float:
      return 'f';
    default:
      return '\0';  // interfaces have no letter for it
  }
}

}  // namespace

std::string ElementType::typestr() const {
  if (code == Code::Bfloat) return "<V2";  // as other libraries have it
  return std::string(bits == 8 ? "|" : "<") + letter_of(code) + std::to_string(bytes());
}

const ElementType* element_type(nanobind::dlpack::dtype dtype) {
  return find([&](const ElementType& row) {
    return static_cast<std::uint8_t>(row.code) == dtype.code && row.bits == dtype.bits && dtype.lanes == 1;
  });
}

const ElementType* element_type(std::string_view name) {
  return find([&](const ElementType& row) { return row.name == name; });
}

const ElementType* element_type_of_interface(std::string_view typestr) {
  if (typestr.empty() || (typestr[0] != '<' && typestr[0] != '|')) return nullptr;
  return find(
      [&](const ElementType& row) { return typestr.substr(1) == letter_of(row.code) + std::to_string(row.bytes()); });
}

}  // namespace scantune::python
