#include "python/initial_value.h"

#include "python/errors.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class T>
std::string bytes_of(const ScanArguments& arguments, nb::handle number, const char* type) {
  T value{};
  if (!nb::try_cast(number, value))
    refuse(nb::value_error, arguments.function, "init is " + spelled(number) + ", which is not of type " + type);
  return bytes_of(value);
}

// Whether identity and accumulators are booleans: the library's identity of bytes may be 255.
bool is_boolean(const ElementType& items, const ElementType& results) { return items.is_bool() && results.is_bool(); }

bool begins_with_true(scantune_operator op) { return op == SCANTUNE_MIN || op == SCANTUNE_AND; }

}  // namespace

std::string initial_value(const ScanArguments& arguments, const ElementType& items, const ElementType& results) {
  const scantune_type type = scantune_accumulator(items.type, results.type);
  if (is_boolean(items, results)) {
    const nb::handle init = arguments.init;
    if (init.is_none() && arguments.kind == SCANTUNE_INCLUSIVE) return {};
    const bool is_true =
        init.is_none() ? begins_with_true(arguments.operation.op) : nb::bool_(nb::borrow(init)).operator bool();
    return bytes_of<std::int32_t>(is_true ? 1 : 0);
  }
  if (arguments.init.is_none()) return {};
  const bool is_floating = type == SCANTUNE_F32 || type == SCANTUNE_F64;
  const nb::object number =
      nb::steal(is_floating ? PyNumber_Float(arguments.init.ptr()) : PyNumber_Index(arguments.init.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    refuse(nb::type_error, arguments.function,
           "init is an object of type " + spelled(arguments.init.type().attr("__name__")) + "; it must be " +
               (is_floating ? "a number" : "an integer, as the results are"));
  }
  switch (type) {
    case SCANTUNE_I32:
      return bytes_of<std::int32_t>(arguments, number, "int32");
    case SCANTUNE_U32:
      return bytes_of<std::uint32_t>(arguments, number, "uint32");
    case SCANTUNE_I64:
      return bytes_of<std::int64_t>(arguments, number, "int64");
    case SCANTUNE_U64:
      return bytes_of<std::uint64_t>(arguments, number, "uint64");
    case SCANTUNE_F32:
      return bytes_of<float>(arguments, number, "float32");
    default:
      return bytes_of<double>(arguments, number, "float64");
  }
}

}  // namespace scantune::python
