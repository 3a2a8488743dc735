// What scans of arrays combine their items by.
#pragma once

#include <string>
#include <string_view>

#include "python/element_type.h"
#include "scantune/scantune.h"

namespace scantune::python {

enum class Takes { all, integers, floats };
enum class Yields { widened, items, places };  // what results are where no dtype is named; places: int64

struct OwnOperator;

struct Operation {
  const char* name;
  scantune_operator op;
  Takes takes;
  Yields yields;
  const char* combine = nullptr;  // SCANTUNE_CUSTOM: defines Value and combine(); T is the type of an item there
  const char* load = nullptr;
  const char* store = nullptr;
  int words = 0;                     // of a Value, each as large as its largest
  const OwnOperator* own = nullptr;  // SCANTUNE_CUSTOM: the caller's, on numbers

  bool is_for_callers() const { return load == nullptr; }  // by name
};

const Operation* find_operation(std::string_view name);  // nullptr if it is unknown
std::string operation_names();                           // of those that callers may name

}  // namespace scantune::python
