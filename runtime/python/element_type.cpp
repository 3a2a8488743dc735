#include "python/element_type.h"

#include <algorithm>
#include <iterator>

namespace scantune::python {
namespace {

using Code = nanobind::dlpack::dtype_code;

// NumPy's bool is a byte of 0 or 1.
constexpr ElementType kElementTypes[] = {
    {"bool", SCANTUNE_U8, Code::Bool, 8, "int64"},         {"int8", SCANTUNE_I8, Code::Int, 8, "int64"},
    {"int16", SCANTUNE_I16, Code::Int, 16, "int64"},       {"int32", SCANTUNE_I32, Code::Int, 32, "int64"},
    {"int64", SCANTUNE_I64, Code::Int, 64, "int64"},       {"uint8", SCANTUNE_U8, Code::UInt, 8, "uint64"},
    {"uint16", SCANTUNE_U16, Code::UInt, 16, "uint64"},    {"uint32", SCANTUNE_U32, Code::UInt, 32, "uint64"},
    {"uint64", SCANTUNE_U64, Code::UInt, 64, "uint64"},    {"float16", SCANTUNE_F16, Code::Float, 16, "float16"},
    {"float32", SCANTUNE_F32, Code::Float, 32, "float32"}, {"float64", SCANTUNE_F64, Code::Float, 64, "float64"},
};

template <class Predicate>
const ElementType* find(Predicate is_wanted) {
  const auto* const found = std::ranges::find_if(kElementTypes, is_wanted);
  return found == std::end(kElementTypes) ? nullptr : found;
}

}  // namespace

const ElementType* element_type(nanobind::dlpack::dtype dtype) {
  return find([&](const ElementType& row) {
    return static_cast<std::uint8_t>(row.code) == dtype.code && row.bits == dtype.bits && dtype.lanes == 1;
  });
}

const ElementType* element_type(std::string_view name) {
  return find([&](const ElementType& row) { return row.name == name; });
}

}  // namespace scantune::python
