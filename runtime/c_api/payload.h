// The type of what moves with keys, which requests of sorts and of top-k say by the same members.
#pragma once

#include "c_api/members.h"

namespace scantune::c_api {

// That of values or indices; the request's default without either.
template <class Caller, class Typed>
ValueType checked_payload(const Caller& said, const Typed& request) {
  if (!request.has_values()) refuse_type("value_type", said.value_type, "sorted is not SCANTUNE_SORTED_PAIRS");
  if (!request.writes_indices()) refuse_type("index_type", said.index_type, "sorted says that no indices are written");
  if (!request.has_payload()) return request.value_type;
  const scantune_type& type = request.has_values() ? said.value_type : said.index_type;
  if (number_in(type) != SCANTUNE_DEFAULT_TYPE)
    return checked_type(request.has_values() ? "value_type" : "index_type", type);
  if (request.has_values())
    fail("value_type", "SCANTUNE_DEFAULT_TYPE, and sorted is SCANTUNE_SORTED_PAIRS: name the type of the values");
  return ValueType::u64;
}

}  // namespace scantune::c_api
