// One call of a function on arrays: how it takes, checks and makes them, and the stream in which it runs.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "python/array.h"
#include "python/errors.h"
#include "python/lent_memory.h"
#include "python/library.h"

namespace scantune::python {

class Call {
 public:
  // x: the array whose library makes the results.
  Call(std::string function, const nanobind::object& x, nanobind::object stream = nanobind::none());
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const std::string& function() const { return function_; }
  const Library& library() const { return library_; }

  // Both throw as array_of() does. On a GPU, x is the first that is taken: its stream is that of the call, which waits
  // for what other arrays wait for.
  Array input(const std::string& argument, nanobind::object object) const;
  Array output(const std::string& argument, nanobind::object object) const;
  // The array as one dimension, and in C order: a copy if it must be, in the stream of the call. Both throw ValueError
  // if it cannot be made.
  Array flattened(const Array& x) const;
  Array contiguous(const std::string& argument, const Array& array) const;

  // An array for results: of the library, or a ResultArray.
  nanobind::object made(const Array& like, const std::vector<std::uint64_t>& shape, const ElementType& type) const;
  // One of the same shape, with axes in the order that they have in memory where the library can do that.
  nanobind::object made_like(const Array& array, const ElementType& type) const;
  // What the caller gets of an array for results that work is enqueued for.
  nanobind::object returned(const nanobind::object& made) const;
  std::uint64_t stream_for(const Array& x) const;
  // The stream that the caller named, if work on the place is in streams.
  std::optional<std::uint64_t> named_stream(const Place& place) const;
  // While it lives, the library makes arrays on that device, for the stream of the call.
  Library::Current current(const Place& place) const;
  bool has_stream() const { return !stream_.is_none(); }

  // Throws TypeError unless an array has integers of 32 or 64 bits, as counts and offsets are.
  void check_counts(const std::string& argument, const Array& array) const;

  [[noreturn]] void refuse(Exception exception, const std::string& because) const {
    python::refuse(exception, function_, because);
  }

 private:
  std::int64_t waiting_stream() const;
  nanobind::object reshaped(const Array& x) const;

  std::string function_;
  Library library_;
  nanobind::object stream_;
  mutable std::optional<std::uint64_t> run_stream_;  // since the first array on a GPU
  mutable std::int32_t run_gpu_ = -1;
  mutable std::vector<LentMemory> lent_;  // for work that is enqueued
};

}  // namespace scantune::python
