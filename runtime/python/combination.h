// The part of a request that says how items are combined.
#pragma once

#include <string>

#include "python/element_type.h"
#include "python/operation.h"
#include "scantune/scantune.h"

namespace scantune::python {

// It must outlive the call.
class Combination {
 public:
  // Throws TypeError or ValueError that names the function if the operator's identity is not of the accumulator's type.
  Combination(const std::string& function, const Operation& operation, const ElementType& items,
              const ElementType& results);
  Combination(const Combination&) = delete;
  Combination& operator=(const Combination&) = delete;

  // Request: a scan's or a reduction's.
  template <class Request>
  void put_into(Request& request) const {
    request.op = operation_.op;
    request.input_type = items_;
    request.output_type = results_;
    if (operation_.op == SCANTUNE_CUSTOM) request.combine = &combine_;
    if (operation_.load == nullptr) return;
    request.load = &load_;
    request.store = &store_;
    request.accumulator_type = scantune_accumulator(items_, items_);
    if (operation_.op != SCANTUNE_CUSTOM) return;
    request.accumulator_type = SCANTUNE_CUSTOM_TYPE;
    request.custom_bytes = static_cast<std::uint32_t>(operation_.words) * word_bytes_;
    request.custom_alignment = word_bytes_;
  }

 private:
  void take(const std::string& function, const OwnOperator& own);

  const Operation& operation_;
  scantune_type items_, results_;
  std::uint32_t word_bytes_ = 0;
  std::string source_, identity_;
  scantune_function combine_ = SCANTUNE_FUNCTION_INIT, load_ = SCANTUNE_FUNCTION_INIT, store_ = SCANTUNE_FUNCTION_INIT;
};

}  // namespace scantune::python
