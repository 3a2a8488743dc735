// Maps: the caller's functions that convert every item as it is loaded or stored.
#pragma once

#include "core/contract/combining.h"

namespace scantune {

// The arguments of a load, which makes an accumulator.
enum class Load {
  none,      // there is no function: items convert
  source,    // from the item in memory
  indexed,   // from the item in memory and its index
  generated  // from its index alone: there is no input
};
template <>
struct Tokens<Load> {
  static constexpr const char* kNames[] = {"none", "source", "indexed", "generated"};
};

// What a store does with a result.
enum class Store {
  none,     // there is no function: results convert
  source,   // it makes an item of the output from it
  indexed,  // the same, from the result and its index
  writing   // it writes what it will, by the result and its index: there is no output
};
template <>
struct Tokens<Store> {
  static constexpr const char* kNames[] = {"none", "source", "indexed", "writing"};
};

template <class Request>
concept HasMaps = requires(Request request) { request.load, request.store; };

template <class Request>
constexpr bool has_maps(const Request& request) {
  return request.load != Load::none || request.store != Store::none;
}

// The request as kernels and configs see it. With a load, input items are accumulators; with a store, output items are.
// Only the map knows the types in memory.
template <HasMaps Request>
constexpr Request behind_maps(Request request) {
  if (request.load != Load::none) request.input_type = request.accumulator_type;
  if (request.store != Store::none) request.output_type = request.accumulator_type;
  if (request.input_type != ValueType::custom && request.accumulator_type != ValueType::custom &&
      request.output_type != ValueType::custom)
    request.custom_bytes = request.custom_alignment = 0;
  return request;
}

// Null if the request's maps (at least one) are supported, else why not.
template <HasMaps Request>
constexpr const char* invalid_maps_reason(const Request& request) {
  const bool has_struct = request.input_type == ValueType::custom || request.output_type == ValueType::custom;
  if (has_struct && request.accumulator_type != ValueType::custom)
    if (const char* reason = invalid_custom_reason(request.custom_bytes, request.custom_alignment)) return reason;
  if (!request.layout.is_strided()) return nullptr;
  if (request.load > Load::source)
    return "load takes the index of an item, and items of rows with strides have none: take the item alone, or leave "
           "the strides out";
  if (request.store > Store::source)
    return "store takes the index of a result, and results of rows with strides have none: take the result alone, or "
           "leave the strides out";
  return nullptr;
}

// Null if the request's items can be combined after its maps, else why not. Requests without maps, the most common, pay
// nothing for them.
template <HasMaps Request>
constexpr const char* invalid_items_reason(const Request& request) {
  if (!has_maps(request)) return invalid_combining_reason(request);
  if (const char* reason = invalid_maps_reason(request)) return reason;
  return invalid_combining_reason(behind_maps(request));
}

// Why a family whose kernels move items as bytes refuses the request (a map converts items one by one), or null.
template <HasMaps Request>
constexpr const char* mapped_reason(const Request& request) {
  return has_maps(request) ? "its kernels take items as they lie in memory, without maps" : nullptr;
}

}  // namespace scantune
