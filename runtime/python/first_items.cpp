#include "python/first_items.h"

#include <utility>

#include "python/output.h"

namespace nb = nanobind;

namespace scantune::python {

FirstItems::FirstItems(const std::string& function, const char* name, const nb::object& first, Number n,
                       const nb::object& stream)
    : call_(function, first, stream) {
  input(name, first, n);
  current_.emplace(call_.library(), this->first().place, call_.named_stream(this->first().place));
}

const Array& FirstItems::input(const char* name, const nb::object& object, Number n) {
  return take({name, call_.input(name, object), false}, n);
}

const Array& FirstItems::output(const char* name, const nb::object& object, Number n, const Array* in_place_of) {
  Array array = call_.output(name, object);
  if (array.is_read_only) call_.refuse(nb::value_error, std::string(name) + " is read-only");
  return take({name, std::move(array), true}, n, in_place_of);
}

const Array& FirstItems::counts(const char* name, const nb::object& object, std::uint64_t n) {
  const Array& array = output(name, object, n);
  call_.check_counts(name, array);
  return array;
}

const Array& FirstItems::take(Taken taken, Number n, const Array* in_place_of) {
  const std::string name = taken.name;
  Array& array = taken.array;
  const std::uint64_t size = array.size();
  if (!is_contiguous(array)) call_.refuse(nb::value_error, name + " is not contiguous: pass a copy");
  if (n && size < *n)
    call_.refuse(nb::value_error,
                 name + " has " + std::to_string(size) + " items; it must have at least " + std::to_string(*n));
  if (!taken_.empty() && array.place != first().place)
    call_.refuse(nb::value_error, name + " is on another device than " + taken_.front().name);
  array.extents = {{n.value_or(size), 1}};
  for (const Taken& other : taken_) {
    const bool is_in_place = &other.array == in_place_of && other.array.first == array.first &&
                             other.array.type->bytes() == array.type->bytes();
    if ((taken.is_output || other.is_output) && !is_in_place) check_apart(call_, name, array, other.name, other.array);
  }
  return taken_.emplace_back(std::move(taken)).array;
}

void FirstItems::check_type(const char* name, const Array& array, const char* other_name,
                            const ElementType& type) const {
  if (array.type != &type)
    call_.refuse(nb::type_error,
                 std::string(name) + " has items of " + array.type->name + ", and " + other_name + " of " + type.name);
}

std::uint64_t FirstItems::stream() const {
  if (first().place.is_host() && call_.has_stream())
    call_.refuse(nb::value_error, std::string("stream is given, and ") + taken_.front().name +
                                      " is in the CPU's memory, which has no streams");
  return call_.stream_for(first());
}

}  // namespace scantune::python
