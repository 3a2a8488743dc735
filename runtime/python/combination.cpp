#include "python/combination.h"

#include "python/initial_value.h"
#include "python/own_operator.h"

namespace scantune::python {
namespace {

scantune_function function_of(scantune_function_role role, const char* source) {
  scantune_function function = SCANTUNE_FUNCTION_INIT;
  function.role = role;
  function.source = source;
  return function;
}

}  // namespace

Combination::Combination(const std::string& function, const Operation& operation, const ElementType& items,
                         const ElementType& results)
    : operation_(operation), items_(items.type), results_(results.type) {
  if (operation.own != nullptr) {
    take(function, *operation.own);
    return;
  }
  if (operation.load != nullptr) load_ = function_of(SCANTUNE_FUNCTION_MAP, operation.load);
  if (operation.store != nullptr) store_ = function_of(SCANTUNE_FUNCTION_MAP, operation.store);
  if (operation.op != SCANTUNE_CUSTOM) return;
  const std::uint32_t accumulated = items.bits == 64 ? 8 : 4;
  word_bytes_ = operation.yields == Yields::places ? 8 : accumulated;
  source_ = std::string("using T = ") + items.in_source + ";\n" + operation.combine;
  combine_ = function_of(SCANTUNE_FUNCTION_COMBINE, source_.c_str());
}

void Combination::take(const std::string& function, const OwnOperator& own) {
  combine_ = function_of(SCANTUNE_FUNCTION_COMBINE, own.source.c_str());
  combine_.name = own.name.empty() ? nullptr : own.name.c_str();
  combine_.state = own.state.empty() ? nullptr : own.state.data();
  combine_.state_bytes = static_cast<std::uint32_t>(own.state.size());
  if (own.identity.is_none()) return;
  combine_.identity_type = scantune_accumulator(items_, results_);
  identity_ = bytes_of_number({function, "op.identity"}, own.identity, combine_.identity_type);
  combine_.identity = identity_.data();
}

}  // namespace scantune::python
