// Arrays of which a call takes the first items in memory, as cuda.compute does: inputs and places for results.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "python/call.h"

namespace scantune::python {

class FirstItems {
 public:
  // How many items an array must have; without a number all of them are taken.
  using Number = std::optional<std::uint64_t>;

  // Takes the first input, on whose device all others must be. Each function throws TypeError or ValueError that names
  // an array which is not contiguous, has too few items, or overlaps a place for results. It returns the items as one
  // dimension.
  FirstItems(const std::string& function, const char* name, const nanobind::object& first, Number n,
             const nanobind::object& stream);

  const Call& call() const { return call_; }
  const Array& first() const { return taken_.front().array; }
  const Array& input(const char* name, const nanobind::object& object, Number n);
  // A place for results. It may be the memory of an input with items of its size.
  const Array& output(const char* name, const nanobind::object& object, Number n, const Array* in_place_of = nullptr);
  // A place for n numbers of results.
  const Array& counts(const char* name, const nanobind::object& object, std::uint64_t n);

  // Throws TypeError if an array has items of another type.
  void check_type(const char* name, const Array& array, const char* other_name, const ElementType& type) const;
  std::uint64_t stream() const;

 private:
  struct Taken {
    const char* name;
    Array array;
    bool is_output;
  };

  const Array& take(Taken taken, Number n, const Array* in_place_of = nullptr);

  Call call_;
  std::deque<Taken> taken_;  // references to its arrays stay
  std::optional<Library::Current> current_;
};

}  // namespace scantune::python
