// The caller's sources: an operator, of which the request has only the cost class, or a predicate; maps of items and
// results; and an equality of keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace scantune {

// A map, or an equality of keys; the request says what it takes.
struct MapSource {
  std::string source;   // CUDA C++ that defines load(), store() or equal(); empty without one
  int state_bytes = 0;  // of the struct State that comes with every call; 0: it takes none

  bool operator==(const MapSource&) const = default;
};

struct CustomOperator {
  // CUDA C++ that defines combine(Value, Value), less(Value, Value), keep(Value), part(Value) or equal(Value, Value),
  // each with or without a State as last argument, and the struct Value if that is not a built-in type. Empty if the
  // operator is built in and only maps are the caller's.
  std::string source;
  // The key of an operator's tuning records; empty: the key is cost class and value size. Unused for predicates.
  std::string name;
  int state_bytes = 0;  // of the struct State that its function takes with every call; 0: it takes none
  MapSource load = {}, store = {}, equal = {};

  bool operator==(const CustomOperator&) const = default;
};

// The same, in text that the caller keeps.
struct MapView {
  std::string_view source;
  int state_bytes = 0;
};
struct MapViews {
  MapView load, store, equal;
};
struct CustomOperatorView {
  std::string_view source;
  std::string_view name;
  int state_bytes = 0;
  const MapViews* maps = nullptr;  // null without maps and equality
};

// It has no maps.
inline std::optional<CustomOperatorView> view_of(const CustomOperator* custom) {
  if (custom == nullptr) return std::nullopt;
  return CustomOperatorView{custom->source, custom->name, custom->state_bytes};
}

// The result of ==, without its call of a comparison function.
[[gnu::always_inline]] inline bool are_same(const std::string& text, std::string_view view) {
  return text.size() == view.size() && std::char_traits<char>::compare(text.data(), view.data(), view.size()) == 0;
}

inline bool are_same(const MapSource& map, const MapView& view) {
  return map.state_bytes == view.state_bytes && are_same(map.source, view.source);
}

// Apart from what calls with an operator alone run through.
[[gnu::noinline]] inline bool are_same(const CustomOperator& custom, const MapViews& maps) {
  return are_same(custom.load, maps.load) && are_same(custom.store, maps.store) && are_same(custom.equal, maps.equal);
}

// Whether both are the same sources, or neither is one. They are of equal requests, so both have maps or none has.
// Every call with a source of the caller's own asks this.
inline bool are_same(const CustomOperator* custom, const std::optional<CustomOperatorView>& view) {
  if (custom == nullptr || !view) return custom == nullptr && !view;
  return custom->state_bytes == view->state_bytes && are_same(custom->source, view->source) &&
         are_same(custom->name, view->name) && (view->maps == nullptr || are_same(*custom, *view->maps));
}

inline std::optional<CustomOperator> copy_of(const std::optional<CustomOperatorView>& custom) {
  if (!custom) return std::nullopt;
  CustomOperator copy{std::string(custom->source), std::string(custom->name), custom->state_bytes};
  if (custom->maps != nullptr)
    for (const auto& [map, view] : {std::pair(&copy.load, custom->maps->load),
                                    {&copy.store, custom->maps->store},
                                    {&copy.equal, custom->maps->equal}})
      *map = {std::string(view.source), view.state_bytes};
  return copy;
}

inline std::string_view name_of(const CustomOperator* custom) {
  return custom != nullptr ? std::string_view(custom->name) : std::string_view();
}

}  // namespace scantune
