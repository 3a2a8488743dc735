// An operator of the caller's own, beside the request that names only its cost class.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scantune {

struct CustomOperator {
  // CUDA C++ that defines combine(Value, Value), and the struct Value where that is no built-in type.
  std::string source;
  std::string name;  // the key of its tuning records; empty: cost class and the value's size are

  bool operator==(const CustomOperator&) const = default;
};

// The same, in text that the caller keeps.
struct CustomOperatorView {
  std::string_view source;
  std::string_view name;

  bool operator==(const CustomOperatorView&) const = default;
};

inline std::optional<CustomOperatorView> view_of(const CustomOperator* custom) {
  if (custom == nullptr) return std::nullopt;
  return CustomOperatorView{custom->source, custom->name};
}

inline std::optional<CustomOperator> copy_of(const std::optional<CustomOperatorView>& custom) {
  if (!custom) return std::nullopt;
  return CustomOperator{std::string(custom->source), std::string(custom->name)};
}

inline std::string_view name_of(const CustomOperator* custom) {
  return custom != nullptr ? std::string_view(custom->name) : std::string_view();
}

}  // namespace scantune
