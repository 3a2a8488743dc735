// What scans of arrays combine their items by.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "python/element_type.h"
#include "scantune/scantune.h"

namespace scantune::python {

enum class Takes { all, integers, floats };
enum class Yields { widened, items, places };  // what results are where no dtype is named; places: int64

struct Operation {
  const char* name;
  scantune_operator op;
  Takes takes;
  Yields yields;
  const char* combine = nullptr;  // SCANTUNE_CUSTOM: defines Value and combine(); T is the type of an item there
  const char* load = nullptr;
  const char* store = nullptr;
  int words = 0;  // of a Value, each as large as its largest
};

const Operation* find_operation(std::string_view name);  // nullptr if it is unknown
std::string operation_names();                           // of those that are for all arrays

// The part of a request that says how items are combined. It must outlive the call.
class Combination {
 public:
  Combination(const Operation& operation, const ElementType& items, const ElementType& results);
  Combination(const Combination&) = delete;
  Combination& operator=(const Combination&) = delete;

  void put_into(scantune_scan_request& request) const;

 private:
  const Operation& operation_;
  scantune_type items_, results_;
  std::uint32_t word_bytes_ = 0;
  std::string source_;
  scantune_function combine_ = SCANTUNE_FUNCTION_INIT, load_ = SCANTUNE_FUNCTION_INIT, store_ = SCANTUNE_FUNCTION_INIT;
};

}  // namespace scantune::python
