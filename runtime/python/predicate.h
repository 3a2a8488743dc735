// What a predicate in CUDA C++ keeps of the items of an array.
#pragma once

#include <string>

#include "python/element_type.h"
#include "scantune/scantune.h"

namespace scantune::python {

class Predicate {
 public:
  // The source must outlive it.
  Predicate(const std::string& source, const ElementType& items);

  // It must outlive the request. Items of 16-bit floats are converted: a predicate takes them as float.
  void put_into(scantune_select_request& request) const;

 private:
  const ElementType& items_;
  scantune_function keep_ = SCANTUNE_FUNCTION_INIT, load_ = SCANTUNE_FUNCTION_INIT, store_ = SCANTUNE_FUNCTION_INIT;
};

}  // namespace scantune::python
