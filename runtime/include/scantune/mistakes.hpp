// Overloads that refuse common mistakes in a call, each with one sentence, and accept nothing.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <type_traits>

#include "scantune/device.hpp"
#include "scantune/function.hpp"

namespace scantune::runtime::detail {

template <class T>
inline constexpr bool kIsStream = std::is_same_v<T, Stream>;
template <class T>
inline constexpr bool kIsChoice = std::is_enum_v<T> && !std::is_convertible_v<T, int>;
// A vector, a Buffer, or another owner of the array.
template <class T>
inline constexpr bool kIsContainer = requires(const T& owner) {
  owner.data();
  owner.size();
} && !kIsText<T>;
// Text. A pointer to characters may be an array of items.
template <class T>
inline constexpr bool kIsTextAlone = kIsText<T> && !std::is_pointer_v<T>;

// Arguments that no function or plan takes by position.
template <class... Arguments>
concept MistakenByPlan = ((kIsChoice<Arguments> || kIsContainer<Arguments> || kIsTextAlone<Arguments>) || ...);
template <class... Arguments>
concept Mistaken = MistakenByPlan<Arguments...> || (kIsStream<Arguments> || ...);

template <class... Arguments>
constexpr void explain_mistake() {
  static_assert(!(kIsContainer<Arguments> || ...),
                "arrays are passed by pointers to memory of the device: pass buffer.data()");
  static_assert(!(kIsChoice<Arguments> || ...),
                "choices are options and have names: pass {.kind = Kind::exclusive}, say");
  static_assert(!(kIsTextAlone<Arguments> || ...),
                "text is not a function: pass Op::custom(text, identity), or an option such as {.load = "
                "Map::source(text)}");
  static_assert(!(kIsStream<Arguments> || ...), "the stream is an option and has a name: pass {.stream = stream}");
}

}  // namespace scantune::runtime::detail

// The overload of a function for mistaken arguments that are not in braces.
#define SCANTUNE_EXPLAIN_MISTAKES(function)                       \
  template <class... Arguments>                                   \
    requires ::scantune::runtime::detail::Mistaken<Arguments...>  \
  void function(const Arguments&...) {                            \
    ::scantune::runtime::detail::explain_mistake<Arguments...>(); \
  }

// The same for a function whose first template parameters give the types of its plan or description.
#define SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(function)               \
  template <class... Types, class... Arguments>                   \
    requires ::scantune::runtime::detail::Mistaken<Arguments...>  \
  void function(std::uint64_t, const Arguments&...) {             \
    ::scantune::runtime::detail::explain_mistake<Arguments...>(); \
  }

#endif
