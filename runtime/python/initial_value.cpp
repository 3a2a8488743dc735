#include "python/initial_value.h"

#include "python/errors.h"
#include "python/item_bytes.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class T>
std::string bytes_of(const ArgumentName& name, nb::handle number, const char* type) {
  T value{};
  if (!nb::try_cast(number, value))
    refuse(nb::value_error, name.function,
           name.argument + (" is " + spelled(number)) + ", which is not of type " + type);
  return bytes_of(value);
}

// Whether identity and accumulators are booleans: the library's identity of bytes may be 255.
bool is_boolean(const ElementType& items, const ElementType& results) { return items.is_bool() && results.is_bool(); }

bool begins_with_true(scantune_operator op) { return op == SCANTUNE_MIN || op == SCANTUNE_AND; }

}  // namespace

std::string bytes_of_number(const ArgumentName& name, nb::handle argument, scantune_type type) {
  const bool is_floating = type == SCANTUNE_F32 || type == SCANTUNE_F64;
  const nb::object number = nb::steal(is_floating ? PyNumber_Float(argument.ptr()) : PyNumber_Index(argument.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    refuse(nb::type_error, name.function,
           name.argument + (" is an object of type " + spelled(argument.type().attr("__name__"))) + "; it must be " +
               (is_floating ? "a number" : "an integer, as the results are"));
  }
  switch (type) {
    case SCANTUNE_I32:
      return bytes_of<std::int32_t>(name, number, "int32");
    case SCANTUNE_U32:
      return bytes_of<std::uint32_t>(name, number, "uint32");
    case SCANTUNE_I64:
      return bytes_of<std::int64_t>(name, number, "int64");
    case SCANTUNE_U64:
      return bytes_of<std::uint64_t>(name, number, "uint64");
    case SCANTUNE_F32:
      return bytes_of<float>(name, number, "float32");
    default:
      return bytes_of<double>(name, number, "float64");
  }
}

std::string initial_value(const std::string& function, const Operation& operation, const Start& start,
                          const ElementType& items, const ElementType& results) {
  const nb::handle init = start.init;
  if (is_boolean(items, results)) {
    if (init.is_none() && !start.is_written) return {};
    if (!init.is_none() && !nb::isinstance<nb::bool_>(init)) {
      std::uint8_t number = 0;
      if (!nb::try_cast(init, number) || number > 1)
        refuse(nb::value_error, function,
               start.name + (" is " + spelled(init)) + "; it must be a bool, as results are");
    }
    const bool is_true = init.is_none() ? begins_with_true(operation.op) : nb::bool_(nb::borrow(init)).operator bool();
    return bytes_of<std::int32_t>(is_true ? 1 : 0);
  }
  if (init.is_none()) return {};
  std::string bytes = bytes_of_number({function, start.name}, init, scantune_accumulator(items.type, results.type));
  // Accumulators are wider than small integers, in which the value would wrap.
  if (!results.is_floating() && results.bits < 32) item_bytes({function, start.name}, init, results);
  return bytes;
}

}  // namespace scantune::python
