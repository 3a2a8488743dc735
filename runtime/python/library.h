// The library of an array: what tuner/scantune/array_library.py says about it.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "python/array.h"
#include "python/array_type.h"

namespace scantune::python {

class Library {
 public:
  explicit Library(const nanobind::object& array);

  bool is_known() const { return !row_.is_none(); }
  bool has(const ArrayType& type) const { return row_.is(type.library); }
  bool makes_arrays() const { return is_known() && !type_.is_made_of_ours; }
  bool tells_streams() const { return makes_arrays(); }
  // An array of the library that shares the memory of one of ours; that array itself if the library is not known.
  nanobind::object adopted(const nanobind::object& own) const;
  // For libraries that make arrays.
  nanobind::object empty(const Array& like, const std::vector<std::uint64_t>& shape, const ElementType& type) const;
  // The same of the shape of an array, with axes in the order that they have there in memory if the library can do
  // that.
  nanobind::object like(const Array& array, const ElementType& type) const;
  // The rest is for all that are known.
  nanobind::object contiguous(const Array& array) const { return row_.attr("contiguous")(array.object); }
  nanobind::object flat(const Array& array) const { return row_.attr("flat")(array.object); }
  // A view with one of its axes elsewhere.
  nanobind::object moved(const nanobind::object& array, std::size_t axis, std::size_t place) const;
  std::string dtype_name(nanobind::handle dtype) const;
  std::string sums(bool are_unsigned) const;  // the name of the type that sums of small integers become
  // For libraries that tell streams.
  std::uint64_t current_stream(std::int32_t gpu) const;

  // Until the array is gone from a stream, its library gives the memory to nobody else.
  void keep_for(const nanobind::object& array, const Place& place, std::uint64_t stream) const;

  // Makes a GPU current, and a stream if one is named: in it the library makes arrays. At its end, those that were.
  class Current {
   public:
    Current(const Library& library, const Place& place, std::optional<std::uint64_t> stream);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    nanobind::object context_ = nanobind::none();
  };

 private:
  const ArrayType& type_;
  nanobind::object row_;
};

// The handle of a stream that a caller names: a number, or an object of a library.
std::uint64_t stream_of(const std::string& function, nanobind::handle stream);

}  // namespace scantune::python
