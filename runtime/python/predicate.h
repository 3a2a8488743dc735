// Predicates in CUDA C++: they keep items of an array, find neighbours equal, or choose a part for each item.
#pragma once

#include <string>

#include "python/element_type.h"
#include "scantune/scantune.h"

namespace scantune::python {

class Predicate {
 public:
  // The source must outlive it. criterion: SCANTUNE_PREDICATE, SCANTUNE_UNIQUE_BY or SCANTUNE_PARTS.
  Predicate(const std::string& source, const ElementType& items, scantune_criterion criterion = SCANTUNE_PREDICATE);

  // It must outlive the request. Items of 16-bit floats are converted: a predicate takes them as float.
  void put_into(scantune_select_request& request) const;

 private:
  const ElementType& items_;
  scantune_criterion criterion_;
  scantune_function function_ = SCANTUNE_FUNCTION_INIT, load_ = SCANTUNE_FUNCTION_INIT, store_ = SCANTUNE_FUNCTION_INIT;
};

}  // namespace scantune::python
