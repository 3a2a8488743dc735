#include "python/call.h"

#include <utility>

#include "python/result_array.h"

namespace nb = nanobind;

namespace scantune::python {

// A call on a known library's array runs in its current stream, or in one that the caller answers for.
Call::Call(std::string function, const nb::object& x, nb::object stream)
    : function_(std::move(function)), library_(x), stream_(std::move(stream)) {
  if (library_.tells_streams()) return;
  const std::uint64_t named = stream_.is_none() ? 0 : stream_of(function_, stream_);
  waiting_stream_ = named == 0 ? kLegacyStreamWaits : static_cast<std::int64_t>(named);
}

Array Call::input(const std::string& argument, nb::object object) const {
  Array array = array_of(function_, argument, std::move(object), waiting_stream_);
  if (const auto stream = named_stream(array.place); stream && library_.tells_streams())
    library_.keep_for(array.object, array.place, *stream);
  return array;
}

Array Call::output(const std::string& argument, nb::object object) const {
  const bool is_constant = array_type_of(object).never_changes;
  Array out = input(argument, std::move(object));
  if (is_constant) out.is_read_only = true;
  return out;
}

Array Call::flattened(const Array& x) const {
  Array flat = input("x", library_.is_known() ? library_.flat(x) : nb::object(x.object.attr("reshape")(-1)));
  if (flat.first != x.first) refuse_copy("x is not flat");
  return flat;
}

Array Call::contiguous(const std::string& argument, const Array& array) const {
  if (is_contiguous(array)) return array;
  if (!library_.is_known()) refuse(nb::value_error, argument + " is not contiguous: pass a copy");
  refuse_copy(argument + " is not contiguous");
  Array copy = input(argument, library_.contiguous(array));
  if (!is_contiguous(copy))
    refuse(nb::value_error, argument + " is not contiguous, nor is its library's copy: pass another");
  return copy;
}

// Libraries copy in their current stream.
void Call::refuse_copy(const std::string& because) const {
  if (has_stream())
    refuse(nb::value_error, because +
                                ", and a copy would be made in another stream than the one that is given: "
                                "pass a copy, or make the stream the current one of the library");
}

nb::object Call::made(const Array& like, const std::vector<std::uint64_t>& shape, const ElementType& type) const {
  if (library_.makes_arrays()) return library_.empty(like, shape, type);
  return nb::cast(ResultArray(like.place, shape, type, stream_for(like), library_.is_known()));
}

nb::object Call::returned(const nb::object& made) const {
  return library_.makes_arrays() || !nb::isinstance<ResultArray>(made) ? made : library_.adopted(made);
}

std::uint64_t Call::stream_for(const Array& x) const {
  if (has_stream()) {
    if (x.place.is_host())
      refuse(nb::value_error, "stream is given, and x is in the CPU's memory, which has no streams");
    return stream_of(function_, stream_);
  }
  if (x.place.is_host()) return 0;
  return library_.tells_streams() ? library_.current_stream(x.place.id) : x.stream.value_or(0);
}

std::optional<std::uint64_t> Call::named_stream(const Place& place) const {
  if (!has_stream() || place.is_host()) return std::nullopt;
  return stream_of(function_, stream_);
}

Library::Current Call::current(const Place& place) const { return {library_, place, named_stream(place)}; }

}  // namespace scantune::python
