#include "python/operation.h"

#include <algorithm>
#include <iterator>

namespace scantune::python {
namespace {

// The greatest or least item so far, where it was last, and how many items there were: places need no index, so any
// strides may have them. A NaN is greater and less than all numbers.
#define SCANTUNE_LAST(precedes)                                                                       \
  "struct Value { T item; long long last, items; };\n"                                                \
  "__device__ Value combine(Value a, Value b) {\n"                                                    \
  "  const bool is_later = b.item " precedes                                                          \
  " a.item || b.item != b.item;\n"                                                                    \
  "  return {is_later ? b.item : a.item, is_later ? a.items + b.last : a.last, a.items + b.items};\n" \
  "}\n"
constexpr const char* kLoadPlace = "__device__ Result load(Value x) { return {x, 0, 1}; }";
constexpr const char* kStorePlace = "__device__ Result store(Value x) { return x.last; }";

// Makes -0 and +0, which are equal items, the same one: of equal ones a reduction takes the first position.
constexpr const char* kLoadComparable = "__device__ Result load(Value x) { return x == 0 ? Result(0) : Result(x); }";
constexpr const char* kStorePosition =
    "__device__ Result store(Value, unsigned long long position) { return position; }";

// The sum of exp(item - most), so that no exponential overflows. Equal ones are not subtracted: both may be infinite.
constexpr const char* kAddExponentials =
    "struct Value { T most, sum; };\n"
    "__device__ T scaled(Value x, T most) { return x.most == most ? x.sum : T(x.sum * exp(x.most - most)); }\n"
    "__device__ Value combine(Value a, Value b) {\n"
    "  const T most = a.most != a.most || a.most > b.most ? a.most : b.most;\n"
    "  return {most, scaled(a, most) + scaled(b, most)};\n"
    "}\n";
constexpr const char* kLoadExponent = "__device__ Result load(Value x) { return {x, 1}; }";
constexpr const char* kStoreLogarithm = "__device__ Result store(Value x) { return Result(x.most + log(x.sum)); }";

constexpr Operation kOperations[] = {
    {"sum", SCANTUNE_SUM, Takes::all, Yields::widened},
    {"product", SCANTUNE_PRODUCT, Takes::all, Yields::widened},
    {"min", SCANTUNE_MIN, Takes::all, Yields::items},
    {"max", SCANTUNE_MAX, Takes::all, Yields::items},
    {"bit_and", SCANTUNE_AND, Takes::integers, Yields::items},
    {"bit_or", SCANTUNE_OR, Takes::integers, Yields::items},
    {"bit_xor", SCANTUNE_XOR, Takes::integers, Yields::items},
    {"last_min", SCANTUNE_CUSTOM, Takes::all, Yields::places, SCANTUNE_LAST("<="), kLoadPlace, kStorePlace, 3},
    {"last_max", SCANTUNE_CUSTOM, Takes::all, Yields::places, SCANTUNE_LAST(">="), kLoadPlace, kStorePlace, 3},
    {"first_min", SCANTUNE_MIN, Takes::all, Yields::places, nullptr, kLoadComparable, kStorePosition},
    {"first_max", SCANTUNE_MAX, Takes::all, Yields::places, nullptr, kLoadComparable, kStorePosition},
    {"logaddexp", SCANTUNE_CUSTOM, Takes::floats, Yields::items, kAddExponentials, kLoadExponent, kStoreLogarithm, 2},
};

}  // namespace

const Operation* find_operation(std::string_view name) {
  const auto* const found = std::ranges::find(kOperations, name, &Operation::name);
  return found == std::end(kOperations) ? nullptr : found;
}

std::string operation_names() {
  std::string names;
  for (const Operation& operation : kOperations)
    if (operation.is_for_callers()) names += (names.empty() ? "" : ", ") + std::string(operation.name);
  return names;
}

}  // namespace scantune::python
