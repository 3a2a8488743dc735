#include "python/own_operator.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "python/errors.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

constexpr const char* kDocumentation =
    "An operator of your own for scans and reductions of numbers.\n\n"
    "source: CUDA C++ that defines __device__ Value combine(Value earlier, Value later), which must be associative\n"
    "and need not commute. Value is the type in which items are combined: that of the results, or of the items if\n"
    "that is wider and of the same class, and at least 32 bits wide. It is code: take it from people whom you trust\n"
    "alone.\n"
    "identity: a number that changes no item it is combined with. Exclusive scans and reductions of empty rows need\n"
    "it, or an init.\n"
    "name: the key of its tuning records, 1 to 64 letters, digits, '_', '-' and '.'; None shares those of operators\n"
    "that cost as much.\n"
    "state: 1 to 32 bytes, such as struct.pack() makes, of a struct State that the source defines; combine() takes\n"
    "it as its last argument. Another state needs no other kernel.\n\n"
    "Raises TypeError or ValueError, after the name of the argument; what is wrong with a source is found when it is\n"
    "compiled, a RuntimeError of the function that takes the operator.";

std::string text_of(nb::handle argument, const char* name) {
  std::string text;
  if (!nb::try_cast(argument, text) || text.empty())
    refuse(nb::type_error, "Op", std::string(name) + " must be a text that is not empty");
  return text;
}

std::string state_of(nb::handle argument) {
  if (!nb::isinstance<nb::bytes>(argument)) refuse(nb::type_error, "Op", "state must be bytes");
  const auto bytes = nb::borrow<nb::bytes>(argument);
  if (bytes.size() < 1 || bytes.size() > 32)
    refuse(nb::value_error, "Op", "state has " + std::to_string(bytes.size()) + " bytes; it must have 1 to 32");
  return {bytes.c_str(), bytes.size()};
}

}  // namespace

void add_own_operator(nb::module_& module) {
  nb::class_<OwnOperator>(module, "Op", kDocumentation)
      .def(
          "__init__",
          [](OwnOperator* self, const nb::object& source, nb::object identity, const nb::object& name,
             const nb::object& state) {
            new (self) OwnOperator{.source = text_of(source, "source"),
                                   .identity = std::move(identity),
                                   .name = name.is_none() ? "" : text_of(name, "name"),
                                   .state = state.is_none() ? "" : state_of(state)};
          },
          nb::arg("source"), nb::kw_only(), nb::arg("identity") = nb::none(), nb::arg("name") = nb::none(),
          nb::arg("state") = nb::none(),
          nb::sig("def __init__(self, source, *, identity=None, name=None, state=None)"));
}

Operation operation_of(const std::string& function, const nb::object& op) {
  if (nb::isinstance<OwnOperator>(op))
    return {.name = "op",
            .op = SCANTUNE_CUSTOM,
            .takes = Takes::all,
            .yields = Yields::items,
            .own = nb::cast<const OwnOperator*>(op)};
  std::string name;
  if (!nb::try_cast(op, name))
    refuse(nb::type_error, function,
           "op is an object of type " + spelled(op.type().attr("__name__")) + "; it must be a name or a scantune.Op");
  const Operation* const operation = find_operation(name);
  if (operation == nullptr || !operation->is_for_callers())
    refuse(nb::value_error, function, "op is '" + name + "'; it must be one of " + operation_names());
  return *operation;
}

}  // namespace scantune::python
