// The operators of a scan: seven built-in ones, and those that a caller writes.
#pragma once

#include "scantune/cxx20.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "scantune/error.hpp"
#include "scantune/source.hpp"
#include "scantune/types.hpp"

namespace scantune::runtime {

// What one combination costs. Operators without a name share tuning records by it and by the value's size.
enum class Cost {
  moderate = SCANTUNE_MODERATE,   // a few multiplications and additions for each 4 bytes of a value
  cheap = SCANTUNE_CHEAP,         // about one instruction for each 4 bytes
  expensive = SCANTUNE_EXPENSIVE  // tens of instructions
};

struct CustomOptions {
  std::string name = {};  // the key of its tuning records: letters, digits, '_', '-' and '.', at most 64
  Cost cost = Cost::moderate;
};

namespace detail {

// A caller's operator, with what the C interface points to.
struct CustomSource {
  std::string source;
  std::string name;
  alignas(16) unsigned char identity[32] = {};
  CallBytes state;
  scantune_custom_operator view = SCANTUNE_CUSTOM_OPERATOR_INIT;

  template <class T>
  CustomSource(std::string text, const T& value, CustomOptions options, const CallBytes& passed = {},
               std::uint32_t passed_bytes = 0)
      : source(std::move(text)), name(std::move(options.name)), state(passed) {
    constexpr scantune_type type = type_of<T>();
    std::memcpy(identity, &value, sizeof value);
    view.source = source.c_str();
    view.identity = identity;
    view.value_type = type;
    view.value_bytes = type == SCANTUNE_CUSTOM_TYPE ? sizeof(T) : 0;
    view.value_alignment = type == SCANTUNE_CUSTOM_TYPE ? alignof(T) : 0;
    view.cost = static_cast<scantune_cost>(options.cost);
    view.name = name.empty() ? nullptr : name.c_str();
    view.state = passed_bytes == 0 ? nullptr : state.bytes;
    view.state_bytes = passed_bytes;
  }
  CustomSource(const CustomSource&) = delete;
  CustomSource& operator=(const CustomSource&) = delete;
};

}  // namespace detail

// An associative operator, which is cheap to copy.
class Op {
 public:
  static const Op sum;      // integers wrap
  static const Op product;  // integers wrap
  static const Op min;      // NaN propagates, -0 orders below +0
  static const Op max;      // like min
  static const Op bit_and;  // the last three: integers only
  static const Op bit_or;
  static const Op bit_xor;

  // An operator in CUDA C++ source, which is compiled with the kernel. The source defines
  //     __device__ Value combine(Value earlier, Value later)
  // at global scope, associative but not necessarily commutative; Value is the accumulator T. Value is declared already
  // if T is a number; for a struct the source defines a Value of the same members. combine(identity, x) is x. The
  // source cannot include files, since compiled kernels are kept under its text alone: paste their text in. A mistake
  // in it is a CompileError of the scan or plan, whose text counts the source's lines as operator.cu. Throws
  // RequestError when the source or the name holds a null character.
  template <class T>
  static Op custom(std::string source, const T& identity, CustomOptions options = {}) {
    refuse_null_characters(source, options);
    return Op(std::make_shared<const detail::CustomSource>(std::move(source), identity, std::move(options)));
  }
  // The same with a state. The source defines a struct State of the same members, of at most 32 bytes, and
  //     __device__ Value combine(Value earlier, Value later, State state)
  // which is associative with each state. The state comes with every call, so another one needs no other kernel. A plan
  // keeps the one that it was made with.
  template <class T, class State>
    requires(!std::is_same_v<State, CustomOptions>)
  static Op custom(std::string source, const T& identity, const State& state, CustomOptions options = {}) {
    refuse_null_characters(source, options);
    return Op(std::make_shared<const detail::CustomSource>(
        std::move(source), identity, std::move(options), detail::bytes_of_state(state), std::uint32_t{sizeof(State)}));
  }

  scantune_operator value() const { return value_; }
  const scantune_custom_operator* custom_operator() const { return custom_ ? &custom_->view : nullptr; }

 private:
  constexpr explicit Op(scantune_operator value) : value_(value) {}
  explicit Op(std::shared_ptr<const detail::CustomSource> custom)
      : value_(SCANTUNE_CUSTOM), custom_(std::move(custom)) {}

  static void refuse_null_characters(const std::string& source, const CustomOptions& options) {
    detail::refuse_null_characters("source", source);
    detail::refuse_null_characters("name", options.name);
  }

  scantune_operator value_;
  std::shared_ptr<const detail::CustomSource> custom_;  // null if built-in
};

inline constinit const Op Op::sum{SCANTUNE_SUM};
inline constinit const Op Op::product{SCANTUNE_PRODUCT};
inline constinit const Op Op::min{SCANTUNE_MIN};
inline constinit const Op Op::max{SCANTUNE_MAX};
inline constinit const Op Op::bit_and{SCANTUNE_AND};
inline constinit const Op Op::bit_or{SCANTUNE_OR};
inline constinit const Op Op::bit_xor{SCANTUNE_XOR};

}  // namespace scantune::runtime
