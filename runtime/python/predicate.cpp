#include "python/predicate.h"

namespace scantune::python {
namespace {

scantune_function_role role_of(scantune_criterion criterion) {
  switch (criterion) {
    case SCANTUNE_UNIQUE_BY:
      return SCANTUNE_FUNCTION_EQUAL;
    case SCANTUNE_PARTS:
      return SCANTUNE_FUNCTION_PART;
    default:
      return SCANTUNE_FUNCTION_KEEP;
  }
}

}  // namespace

Predicate::Predicate(const std::string& source, const ElementType& items, scantune_criterion criterion)
    : items_(items), criterion_(criterion) {
  function_.role = role_of(criterion);
  function_.source = source.c_str();
  load_.role = store_.role = SCANTUNE_FUNCTION_MAP;
  load_.source = "__device__ Result load(Value x) { return x; }";
  store_.source = "__device__ Result store(Value x) { return x; }";
}

void Predicate::put_into(scantune_select_request& request) const {
  request.criterion = criterion_;
  request.function = &function_;
  if (!items_.is_floating() || items_.bits > 16) return;
  request.load = &load_;
  request.store = &store_;
  request.item_type = SCANTUNE_F32;
  request.output_type = items_.type;
}

}  // namespace scantune::python
