// An operator of the caller's own, beside the request that names only its cost class.
#pragma once

#include <string>
#include <string_view>

namespace scantune {

struct CustomOperator {
  std::string
      source;        // CUDA C++ that defines combine(Value, Value), and the struct Value where that is no built-in type
  std::string name;  // tuning records are kept by it; empty: by cost class and the value's size

  bool operator==(const CustomOperator&) const = default;
};

inline std::string_view name_of(const CustomOperator* custom) {
  return custom != nullptr ? std::string_view(custom->name) : std::string_view();
}

}  // namespace scantune
