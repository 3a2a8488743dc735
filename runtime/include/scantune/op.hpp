// The operators of scans and reductions: seven built-in ones, and custom ones that the caller writes.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "scantune/error.hpp"
#include "scantune/function.hpp"
#include "scantune/types.hpp"

namespace scantune::runtime {

// What one combination costs. Operators without a name share tuning records if cost and value size agree.
enum class Cost {
  moderate = SCANTUNE_MODERATE,   // a few multiplications and additions for each 4 bytes of a value
  cheap = SCANTUNE_CHEAP,         // about one instruction for each 4 bytes
  expensive = SCANTUNE_EXPENSIVE  // tens of instructions
};

struct CustomOptions {
  std::string name = {};  // the key of its tuning records: letters, digits, '_', '-' and '.', at most 64
  Cost cost = Cost::moderate;
};

class Op;

namespace detail {

struct NoIdentity {};

template <class Acc>
void check_identity(const Op& op);

// An operator's function, with its identity, cost and name.
class Combine : public UserFunction {
 public:
  Combine() = default;  // none
  template <class T, class... State>
  Combine(std::string source, const T& identity, CustomOptions options, const State&... state)
      : UserFunction(made(given(Role::combine, std::move(source), state...), identity, std::move(options))) {}

  // Size and alignment of the identity's type; only with one.
  std::size_t identity_bytes() const { return given_->identity_bytes; }
  std::size_t identity_alignment() const { return given_->identity_alignment; }

 private:
  template <class T>
  static std::shared_ptr<Given> made(std::shared_ptr<Given> given, const T& identity, CustomOptions options) {
    refuse_null_characters("name", options.name);
    given->name = std::move(options.name);
    if constexpr (!std::is_same_v<T, NoIdentity>) {
      given->identity = CallBytes::of(identity);
      given->view.identity = given->identity.bytes;
      given->view.identity_type = type_of<T>();
      given->identity_bytes = sizeof(T);
      given->identity_alignment = alignof(T);
    }
    given->view.cost = static_cast<scantune_cost>(options.cost);
    given->view.name = given->name.empty() ? nullptr : given->name.c_str();
    return given;
  }
};

}  // namespace detail

// An associative operator; cheap to copy.
class Op {
 public:
  static const Op sum;      // integers wrap
  static const Op product;  // integers wrap
  static const Op min;      // NaN propagates, -0 orders below +0
  static const Op max;      // like min
  static const Op bit_and;  // this and the next two: integers only
  static const Op bit_or;
  static const Op bit_xor;

  // In place of an identity, for operators without one. An exclusive scan then needs an init, and so does a
  // reduction of n = 0 or of empty rows.
  static constexpr detail::NoIdentity no_identity = {};

  // An operator in CUDA C++ source; UserFunction has the rules. The source defines
  //     __device__ Value combine(Value earlier, Value later)
  // which is associative but need not commute. Value is the accumulator T. It is already declared if T is a number; for
  // a struct, the source defines a Value with the same members. combine(identity, x) must be x. Throws RequestError if
  // the source or the name has a null character.
  template <class T>
  static Op custom(std::string source, const T& identity, CustomOptions options = {}) {
    return Op(detail::Combine(std::move(source), identity, std::move(options)));
  }
  // The same with a state: combine(Value earlier, Value later, State state) is associative for every state.
  template <class T, class State>
    requires(!std::is_same_v<State, CustomOptions>)
  static Op custom(std::string source, const T& identity, const State& state, CustomOptions options = {}) {
    return Op(detail::Combine(std::move(source), identity, std::move(options), state));
  }
  template <detail::HostFunction Function>
    requires(!std::is_same_v<Function, Op>)
  Op(const Function&) : Op(SCANTUNE_CUSTOM) {
    static_assert(!detail::HostFunction<Function>,
                  "an operator runs on the device: pass one of Op's, such as Op::sum for std::plus, or CUDA source in "
                  "Op::custom()");
  }
  template <class Text>
    requires detail::kIsText<Text>
  Op(const Text&) : Op(SCANTUNE_CUSTOM) {
    static_assert(!detail::kIsText<Text>,
                  "an operator in source has an identity too: pass Op::custom(text, identity), or Op::no_identity");
  }

  scantune_operator value() const { return value_; }
  const scantune_function* function() const { return function_.get(); }  // null if built-in

 private:
  template <class Acc>
  friend void detail::check_identity(const Op&);

  constexpr explicit Op(scantune_operator value) : value_(value) {}
  explicit Op(detail::Combine function) : value_(SCANTUNE_CUSTOM), function_(std::move(function)) {}

  scantune_operator value_;
  detail::Combine function_;
};

inline constinit const Op Op::sum{SCANTUNE_SUM};
inline constinit const Op Op::product{SCANTUNE_PRODUCT};
inline constinit const Op Op::min{SCANTUNE_MIN};
inline constinit const Op Op::max{SCANTUNE_MAX};
inline constinit const Op Op::bit_and{SCANTUNE_AND};
inline constinit const Op Op::bit_or{SCANTUNE_OR};
inline constinit const Op Op::bit_xor{SCANTUNE_XOR};

}  // namespace scantune::runtime

#endif
