#include "python/array_type.h"

#include <unordered_map>

namespace nb = nanobind;

namespace scantune::python {
namespace {

ArrayType found(nb::handle type) {
  const nb::module_ libraries = nb::module_::import_("scantune.array_library");
  ArrayType found{.library = libraries.attr("library_of_type")(type),
                  .empty_like = nb::none(),
                  .requires_gradient = nb::none(),
                  .is_negated = nb::none()};
  found.never_changes = nb::cast<bool>(libraries.attr("never_changes")(type));
  if (found.library.is_none()) return found;
  found.is_made_of_ours = found.library.attr("empty").is_none();
  found.empty_like = found.library.attr("empty_like");
  found.exchange = exchange_of(type);
  if (!nb::hasattr(type, "requires_grad") || !nb::hasattr(type, "is_neg")) return found;
  found.requires_gradient = nb::steal(PyUnicode_InternFromString("requires_grad"));
  found.is_negated = type.attr("is_neg");
  return found;
}

}  // namespace

const ArrayType& array_type_of(nb::handle array) {
  // Never destroyed: Python has ended when static objects are.
  static auto& types = *new std::unordered_map<PyObject*, ArrayType>;
  static std::pair<PyObject* const, ArrayType>* last = nullptr;
  const nb::handle type = array.type();
  if (last != nullptr && last->first == type.ptr()) return last->second;
  auto known = types.find(type.ptr());
  if (known == types.end()) {
    ArrayType one = found(type);
    type.inc_ref();  // another type never gets its address
    known = types.emplace(type.ptr(), std::move(one)).first;
  }
  last = &*known;
  return last->second;
}

}  // namespace scantune::python
