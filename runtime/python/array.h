// An array of any library: where its items are.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "python/element_type.h"

namespace scantune::python {

constexpr std::int32_t kHost = 1, kCuda = 2, kPinned = 3, kManaged = 13;  // DLPack's types of devices

// One dimension of an array. The stride counts items.
struct Extent {
  std::uint64_t size;
  std::int64_t stride;
};

struct Place {
  std::int32_t type;  // DLPack's
  std::int32_t id;    // of a GPU as CUDA counts them; -1 where the array does not tell

  bool is_host() const;
  bool operator==(const Place& other) const;  // whether it is one device, by whichever kind of memory
};

struct Array {
  nanobind::object object;                    // the caller's
  nanobind::ndarray<nanobind::ro> by_dlpack;  // keeps the items that DLPack lent
  const ElementType* type = nullptr;
  std::byte* first = nullptr;  // the item at index 0 of every dimension
  std::vector<Extent> extents;
  Place place{};
  bool is_read_only = false;
  std::optional<std::uint64_t> stream;  // what its items wait for, where the array tells

  std::uint64_t size() const;
  bool repeats_items_along(std::size_t axis) const { return extents[axis].size > 1 && extents[axis].stride == 0; }
};

// The bytes from the first item in memory to the last one.
struct Span {
  std::byte* begin;
  std::byte* end;
};
Span span_of(const Array& array);  // that of an empty array is empty

std::vector<std::uint64_t> shape_of(const Array& array);

// Whether the items are one after the other in C order.
bool is_contiguous(const Array& array);

// What DLPack is asked for an array of a GPU: that this stream waits for its items, by DLPack's numbers, or none.
constexpr std::int64_t kNoStreamWaits = -1, kLegacyStreamWaits = 1;

// Takes a NumPy array, an array that has DLPack, or one that has the CUDA Array Interface, in this order. Nothing is
// copied. Throws TypeError or ValueError that names function and argument.
Array array_of(const std::string& function, const std::string& argument, nanobind::object object,
               std::int64_t waiting_stream = kNoStreamWaits);

}  // namespace scantune::python
