#include "python/result_type.h"

#include <string>
#include <string_view>

namespace nb = nanobind;

namespace scantune::python {
namespace {

const ElementType& default_type(const Call& call, const Operation& operation, const ElementType& items) {
  if (operation.yields == Yields::places) return *element_type(std::string_view("int64"));
  if (operation.yields == Yields::items || items.is_floating()) return items;
  if (!call.library().is_known()) return *element_type(std::string_view(items.widened));
  const std::string sums = call.library().sums(std::string_view(items.widened) == "uint64");
  const ElementType& widened = *element_type(std::string_view(sums));
  return widened.bits < items.bits ? items : widened;
}

const ElementType& named_type(const Call& call, const nb::object& dtype) {
  if (!call.library().is_known())
    call.refuse(nb::type_error, "dtype is of a library that scantune does not know: pass out of that type");
  const std::string name = call.library().dtype_name(dtype);
  const ElementType* type = element_type(std::string_view(name));
  if (type == nullptr) call.refuse(nb::type_error, "dtype is " + name + ", of which there are no results");
  return *type;
}

}  // namespace

void check_types(const Call& call, const Operation& operation, const char* name, const ElementType& items,
                 const ElementType& results) {
  const std::string has = name + std::string(" has items of ") + items.name;
  if (operation.takes == Takes::integers && items.is_floating())
    call.refuse(nb::type_error, has + ", and " + operation.name + " is for integers");
  if (operation.takes == Takes::floats && !items.is_floating())
    call.refuse(nb::type_error, has + ", and the function is for floating-point numbers");
  if (items.is_floating() && !results.is_floating() && operation.yields != Yields::places)
    call.refuse(nb::type_error, has + ", which do not become " + results.name + ": convert the array or its results");
  if (operation.yields == Yields::places && std::string_view(results.name) != "int64")
    call.refuse(nb::type_error, "out has items of " + std::string(results.name) + ", and results are int64");
  if (results.is_bool() && (!items.is_bool() || operation.yields != Yields::items || operation.own != nullptr))
    call.refuse(nb::type_error, "results are numbers, and would be bool: pass another dtype or array for them");
}

const ElementType& result_type(const Call& call, const Operation& operation, const ElementType& items,
                               const nb::object& dtype, const std::optional<Array>& out) {
  const ElementType& type = !dtype.is_none() ? named_type(call, dtype)
                            : out            ? *out->type
                                             : default_type(call, operation, items);
  check_types(call, operation, "x", items, type);
  if (out && out->type != &type)
    call.refuse(nb::type_error, "out has items of " + std::string(out->type->name) + ", and dtype is " + type.name);
  return type;
}

}  // namespace scantune::python
