#include "python/item_bytes.h"

#include <cstdint>
#include <cstring>

#include "python/errors.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

// What Python's module struct calls the type. A bfloat16 begins as a float of 32 bits.
const char* format_of(const ElementType& type) {
  switch (type.type) {
    case SCANTUNE_I8:
      return "=b";
    case SCANTUNE_U8:
      return type.is_bool() ? "=?" : "=B";
    case SCANTUNE_I16:
      return "=h";
    case SCANTUNE_U16:
      return "=H";
    case SCANTUNE_I32:
      return "=i";
    case SCANTUNE_U32:
      return "=I";
    case SCANTUNE_I64:
      return "=q";
    case SCANTUNE_U64:
      return "=Q";
    case SCANTUNE_F16:
      return "=e";
    case SCANTUNE_F64:
      return "=d";
    default:
      return "=f";
  }
}

// The upper half of a float, rounded to the nearest one, or to the even one of two.
std::string half_of(const std::string& float_bytes) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, float_bytes.data(), sizeof bits);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const auto half =
      static_cast<std::uint16_t>(is_nan ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  return {reinterpret_cast<const char*>(&half), sizeof half};
}

}  // namespace

std::string item_bytes(const ArgumentName& name, nb::handle number, const ElementType& type) {
  nb::object packed;
  try {
    packed = nb::module_::import_("struct").attr("pack")(format_of(type), number);
  } catch (const nb::python_error&) {
    refuse(nb::value_error, name.function,
           name.argument + (" is " + spelled(number)) + ", which is not of type " + type.name);
  }
  const nb::bytes bytes(packed);
  const std::string item(bytes.c_str(), bytes.size());
  return type.type == SCANTUNE_BF16 ? half_of(item) : item;
}

}  // namespace scantune::python
