// Arrays for results whose number depends on the items.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "python/call.h"

namespace scantune::python {

// The arguments that say where results go and how many there may be. Of each of them None is possible.
struct LengthArguments {
  nanobind::object size, fill_value, out, count;
};

class CountedResults {
 public:
  // A result array of each type, as long as `size`, as `out`, or with neither as the greatest number of results. x: an
  // input, on whose device they are. Throws TypeError or ValueError that names what is wrong with an argument.
  CountedResults(const Call& call, const Array& x, const std::vector<const ElementType*>& types,
                 const LengthArguments& arguments);

  // Throws ValueError if a result or the count overlaps an input.
  void check_apart_from(const std::string& name, const Array& input) const;

  const Array& operator[](std::size_t place) const { return arrays_[place]; }
  const Array& count() const { return count_; }
  const std::uint64_t& room() const { return room_; }
  std::uint64_t stream() const { return stream_; }

  // The arrays, after the run. Waits for the count if neither `size` nor `out` was given, and cuts them to it.
  std::vector<nanobind::object> taken() const;

 private:
  void take(const std::vector<const ElementType*>& types, const LengthArguments& arguments, const Array& x);
  void make(const std::vector<const ElementType*>& types, const LengthArguments& arguments, const Array& x);

  const Call& call_;
  std::vector<std::string> names_;
  std::vector<Array> arrays_;
  Array count_;
  std::uint64_t room_ = 0;
  std::uint64_t stream_ = 0;
  bool is_made_ = false, is_cut_ = false;
};

}  // namespace scantune::python
