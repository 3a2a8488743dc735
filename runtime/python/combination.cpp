#include "python/combination.h"

namespace scantune::python {
namespace {

scantune_function function_of(scantune_function_role role, const char* source) {
  scantune_function function = SCANTUNE_FUNCTION_INIT;
  function.role = role;
  function.source = source;
  return function;
}

}  // namespace

Combination::Combination(const Operation& operation, const ElementType& items, const ElementType& results)
    : operation_(operation), items_(items.type), results_(results.type) {
  if (operation.load != nullptr) load_ = function_of(SCANTUNE_FUNCTION_MAP, operation.load);
  if (operation.store != nullptr) store_ = function_of(SCANTUNE_FUNCTION_MAP, operation.store);
  if (operation.op != SCANTUNE_CUSTOM) return;
  const std::uint32_t accumulated = items.bits == 64 ? 8 : 4;
  word_bytes_ = operation.yields == Yields::places ? 8 : accumulated;
  source_ = std::string("using T = ") + items.in_source + ";\n" + operation.combine;
  combine_ = function_of(SCANTUNE_FUNCTION_COMBINE, source_.c_str());
}

}  // namespace scantune::python
