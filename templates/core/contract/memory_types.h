// The types in memory of items that maps convert, in requests whose other types are those that kernels see.
#pragma once

#include "core/contract/combining.h"
#include "core/contract/map.h"

namespace scantune {

// Of what a load takes and of what a store makes. Where items are not converted they stay i32.
struct MemoryTypes {
  ValueType loaded = ValueType::i32;
  ValueType stored = ValueType::i32;

  constexpr bool has(ValueType type) const { return loaded == type || stored == type; }
  constexpr bool operator==(const MemoryTypes&) const = default;
};

// mapped_type(): what a load makes, and a store takes, if there is one.
template <class Request>
concept HasMemoryTypes = requires(Request request) { request.load, request.memory, request.mapped_type(); };

// Whether items in memory are converted.
constexpr bool converts(Load load) { return load == Load::source || load == Load::indexed; }
constexpr bool converts(Store store) { return store == Store::source || store == Store::indexed; }
template <HasMemoryTypes Request>
constexpr bool stores_converted(const Request& request) {
  if constexpr (HasMaps<Request>) return converts(request.store);
  return false;
}

// The request as kernels and configs see it: behind_maps() of requests with these types.
template <HasMemoryTypes Request>
constexpr Request without_memory_types(Request request) {
  request.memory = {};
  if (request.mapped_type() != ValueType::custom) request.custom_bytes = request.custom_alignment = 0;
  return request;
}

// Null if the types in memory are those of maps, else why not.
template <HasMemoryTypes Request>
constexpr const char* invalid_memory_reason(const Request& request) {
  constexpr MemoryTypes kNone;  // others would tell equal requests apart
  if ((!converts(request.load) && request.memory.loaded != kNone.loaded) ||
      (!stores_converted(request) && request.memory.stored != kNone.stored))
    return "a type in memory is for items that a map converts: leave it out";
  if (request.mapped_type() == ValueType::custom || !request.memory.has(ValueType::custom)) return nullptr;
  return invalid_custom_reason(request.custom_bytes, request.custom_alignment);
}

}  // namespace scantune
