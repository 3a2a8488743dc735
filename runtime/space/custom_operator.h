// A source of the caller's own: an operator, beside the request that names only its cost class, or a predicate.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scantune {

struct CustomOperator {
  // CUDA C++ that defines combine(Value, Value), keep(Value) or equal(Value, Value), and the struct Value where that is
  // no built-in type.
  std::string source;
  // The key of an operator's tuning records; empty: cost class and the value's size are. Predicates have none.
  std::string name;
  int state_bytes = 0;  // of the struct State that a predicate takes with every call; 0: it takes none

  bool operator==(const CustomOperator&) const = default;
};

// The same, in text that the caller keeps.
struct CustomOperatorView {
  std::string_view source;
  std::string_view name;
  int state_bytes = 0;

  bool operator==(const CustomOperatorView&) const = default;
};

inline std::optional<CustomOperatorView> view_of(const CustomOperator* custom) {
  if (custom == nullptr) return std::nullopt;
  return CustomOperatorView{custom->source, custom->name, custom->state_bytes};
}

// Whether both are the same source, or neither is one. Every call of a caller's own operator asks this.
inline bool are_same(const CustomOperator* custom, const std::optional<CustomOperatorView>& view) {
  if (custom == nullptr || !view) return custom == nullptr && !view;
  return custom->state_bytes == view->state_bytes && custom->source == view->source && custom->name == view->name;
}

inline std::optional<CustomOperator> copy_of(const std::optional<CustomOperatorView>& custom) {
  if (!custom) return std::nullopt;
  return CustomOperator{std::string(custom->source), std::string(custom->name), custom->state_bytes};
}

inline std::string_view name_of(const CustomOperator* custom) {
  return custom != nullptr ? std::string_view(custom->name) : std::string_view();
}

}  // namespace scantune
