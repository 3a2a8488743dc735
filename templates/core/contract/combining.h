// Common to all requests with an operator: the types of their members, and the rules of value types.
#pragma once

#include "core/contract/value.h"

namespace scantune {

// The source of the value that comes before the first item.
enum class Init {
  none,    // nothing comes before the first item
  value,   // the kernel's arguments
  memory,  // the device's memory, read when the kernels run
  each     // the device's memory, with one for each row or column
};
template <>
struct Tokens<Init> {
  static constexpr const char* kNames[] = {"none", "value", "memory", "each"};
};

// run_to_run: equal inputs give equal bits on every run of one device and config.
enum class Determinism { unconstrained, run_to_run };
template <>
struct Tokens<Determinism> {
  static constexpr const char* kNames[] = {"unconstrained", "run_to_run"};
};

// documented: only orders of CTAs that the programming model guarantees may be relied on (tickets); in_order also
// relies on CTAs starting in blockIdx order, as every library scan does.
enum class ForwardProgress { in_order, documented };
template <>
struct Tokens<ForwardProgress> {
  static constexpr const char* kNames[] = {"in_order", "documented"};
};

// What runs around the call: others of its kind, which overlap it, or kernels that do not. It decides between configs
// and changes no kernel.
enum class Latency { back_to_back, isolated };
template <>
struct Tokens<Latency> {
  static constexpr const char* kNames[] = {"back_to_back", "isolated"};
};

// How the items are divided into sequences. Rows are contiguous, each ceil(n / rows) items long; if n is not a
// multiple, the last ones are shorter, or empty. Columns are side by side in lines of `columns` items: item i is in
// column i % columns. If n is not a multiple, the last line is shorter. The others are of any length. One after the
// other they begin at item 0 and at each item whose flag is not 0, whose bit is set (bit i % 32 of word i / 32), or
// whose key differs from that of the item before it. By offsets they are where their begins and ends say.
enum class Segments { none, rows, columns, flags, bits, keys, offsets };
template <>
struct Tokens<Segments> {
  static constexpr const char* kNames[] = {"none", "rows", "columns", "flags", "bits", "keys", "offsets"};
};

// Whether an array with an entry for each item says where sequences start.
constexpr bool has_starts(Segments segments) { return segments >= Segments::flags && segments <= Segments::keys; }

// The keys whose runs are sequences: integers, of which the bytes are compared, or floating-point numbers, where a NaN
// is a run of its own and -0 equals +0.
enum class Keys { bytes_4, bytes_1, bytes_2, bytes_8, f16, bf16, f32, f64 };
template <>
struct Tokens<Keys> {
  static constexpr const char* kNames[] = {"bytes_4", "bytes_1", "bytes_2", "bytes_8", "f16", "bf16", "f32", "f64"};
};

constexpr ValueType type_of(Keys keys) {
  constexpr ValueType kTypes[] = {ValueType::u32, ValueType::u8,   ValueType::u16, ValueType::u64,
                                  ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64};
  return kTypes[static_cast<int>(keys)];
}

// What compares keys.
enum class Equality {
  built_in,  // !=
  source     // a function of the caller's, whatever their type
};
template <>
struct Tokens<Equality> {
  static constexpr const char* kNames[] = {"built_in", "source"};
};

// The type of keys that a function of the caller's compares: a number, or a struct. Other keys leave it as it is.
struct ComparedType {
  ValueType type = ValueType::i32;
  short struct_bytes = 0;  // of ValueType::custom, else 0
  short struct_alignment = 0;

  constexpr int bytes() const { return type == ValueType::custom ? struct_bytes : size_of(type); }
  constexpr int alignment() const { return type == ValueType::custom ? struct_alignment : size_of(type); }
  constexpr bool operator==(const ComparedType&) const = default;
};

// The items of a row of the request; n without rows.
template <class Request>
constexpr u64 row_items(const Request& request) {
  return request.segments == Segments::rows && request.rows != 0 ? ceil_div(request.n, request.rows) : request.n;
}

// The items of the longest column of the request; 0 for one without columns.
template <class Request>
constexpr u64 column_items(const Request& request) {
  return request.segments == Segments::columns && request.columns != 0 ? ceil_div(request.n, request.columns) : 0;
}

// Null if the request's items can be divided into its rows or columns, else why not. If n is 0, any number is allowed.
// A record's number of columns is rounded, perhaps up.
template <class Request>
constexpr const char* invalid_segments_reason(const Request& request) {
  if (request.segments > Segments::columns)
    return "segments are by rows, columns or offsets: results of those by flags, bits or keys are totals of a scan";
  if (request.segments == Segments::none || request.n == 0) return nullptr;
  const bool of_rows = request.segments == Segments::rows;
  const u64 count = of_rows ? request.rows : request.columns;
  if (count == 0)
    return of_rows ? "there are items and no rows to hold them" : "there are items and no columns to hold them";
  if (count > request.n + request.n / 2)
    return of_rows ? "there are more rows than items" : "there are more columns than items";
  return nullptr;
}

// Why a family that takes all items as one sequence refuses the request, or null.
template <class Request>
constexpr const char* segmented_reason(const Request& request) {
  return request.segments == Segments::none
             ? nullptr
             : "its kernels take all items as one sequence, not row by row or column by column";
}

// Why a family that goes through all items, and may start again at any, refuses the request, or null.
template <class Request>
constexpr const char* unlike_one_sequence_reason(const Request& request) {
  return has_starts(request.segments) ? nullptr : segmented_reason(request);
}

// Whether results must not depend on the order in which values are combined, but would.
template <class Request>
constexpr bool needs_fixed_association(const Request& request) {
  if (request.determinism != Determinism::run_to_run) return false;
  if (is_custom(request.op)) return true;  // the operator may round
  return is_floating(request.accumulator_type) && (request.op == Operator::sum || request.op == Operator::product);
}

// Null if items of these types may be combined by that operator, else why not. Values convert on load and on store as
// in C++, where that has one meaning: integers to integers modulo their width, floating-point numbers to floating-point
// numbers, and integers to floating-point accumulators.
template <class Request>
constexpr const char* invalid_combining_reason(const Request& request) {
  const ValueType in = request.input_type, acc = request.accumulator_type, out = request.output_type;
  if (in == ValueType::custom || acc == ValueType::custom || out == ValueType::custom) {
    if (in != acc || out != acc) return "a custom type is input, accumulator and output type at once";
    if (!is_custom(request.op)) return "a custom type needs a custom operator";
    return invalid_custom_reason(request.custom_bytes, request.custom_alignment);
  }
  if (!is_accumulator(acc)) return "the accumulator type must be i32, i64, u32, u64, f32 or f64";
  if (is_floating(in) && !is_floating(acc)) return "floating-point items need a floating-point accumulator";
  if (is_floating(acc) != is_floating(out))
    return "the output type must be a floating-point type if the accumulator is one, else an integer";
  if (is_floating(acc) && request.op >= Operator::bit_and && request.op <= Operator::bit_xor)
    return "bit_and, bit_or and bit_xor are for integers";
  return nullptr;
}

}  // namespace scantune
