#include "python/predicate.h"

namespace scantune::python {

Predicate::Predicate(const std::string& source, const ElementType& items) : items_(items) {
  keep_.role = SCANTUNE_FUNCTION_KEEP;
  keep_.source = source.c_str();
  load_.role = store_.role = SCANTUNE_FUNCTION_MAP;
  load_.source = "__device__ Result load(Value x) { return x; }";
  store_.source = "__device__ Result store(Value x) { return x; }";
}

void Predicate::put_into(scantune_select_request& request) const {
  request.criterion = SCANTUNE_PREDICATE;
  request.function = &keep_;
  if (!items_.is_floating() || items_.bits > 16) return;
  request.load = &load_;
  request.store = &store_;
  request.item_type = SCANTUNE_F32;
  request.output_type = items_.type;
}

}  // namespace scantune::python
