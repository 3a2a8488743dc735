#include "python/call.h"

#include <new>
#include <utility>

#include "python/driver.h"
#include "python/result_array.h"

namespace nb = nanobind;

namespace scantune::python {

Call::Call(std::string function, const nb::object& x, nb::object stream)
    : function_(std::move(function)), library_(x), stream_(std::move(stream)) {}

Call::~Call() {
  if (lent_.empty()) return;
  try {
    keep_until_done(std::move(lent_), run_gpu_, *run_stream_);
  } catch (const std::bad_alloc&) {  // there is no memory to write down what is kept
  }
}

Array Call::input(const std::string& argument, nb::object object) const {
  // A library's own work is in the stream of the call, or the caller answers for it.
  const bool is_own = library_.tells_streams() && library_.has(array_type_of(object));
  Array array = array_of(function_, argument, std::move(object), is_own ? kNoStreamWaits : waiting_stream());
  if (array.place.is_host()) return array;
  if (!run_stream_) {
    run_stream_ = stream_for(array);
    run_gpu_ = array.place.id;
  }
  if (array.stream && *array.stream != *run_stream_) Event(array.place.id, *array.stream).hold(*run_stream_);
  if (is_own && has_stream()) library_.keep_for(array.object, array.place, *run_stream_);
  if (!is_own && array.by_dlpack.is_valid()) lent_.push_back(array.by_dlpack);
  return array;
}

// By DLPack's numbers.
std::int64_t Call::waiting_stream() const {
  const std::uint64_t stream = run_stream_ ? *run_stream_ : has_stream() ? stream_of(function_, stream_) : 0;
  return stream == 0 ? kLegacyStreamWaits : static_cast<std::int64_t>(stream);
}

Array Call::output(const std::string& argument, nb::object object) const {
  const bool is_constant = array_type_of(object).never_changes;
  Array out = input(argument, std::move(object));
  if (is_constant) out.is_read_only = true;
  return out;
}

nb::object Call::reshaped(const Array& x) const {
  if (!nb::hasattr(x.object, "reshape"))
    refuse(nb::type_error, "x is of type " + spelled(x.object.type().attr("__name__")) +
                               ", which has no reshape(): pass an array of one dimension");
  return x.object.attr("reshape")(-1);
}

Array Call::flattened(const Array& x) const {
  const Library::Current for_a_copy = current(x.place);
  Array flat = input("x", library_.is_known() ? library_.flat(x) : reshaped(x));
  if (flat.extents.size() != 1) refuse(nb::type_error, "x does not become one-dimensional by its reshape()");
  if (has_stream() && !library_.is_known() && flat.first != x.first && !flat.by_dlpack.is_valid())
    refuse(
        nb::value_error,
        "x is copied by its reshape(), whose stream nobody tells, and stream is given: pass an array of one dimension");
  return flat;
}

Array Call::contiguous(const std::string& argument, const Array& array) const {
  if (is_contiguous(array)) return array;
  if (!library_.is_known()) refuse(nb::value_error, argument + " is not contiguous: pass a copy");
  const Library::Current for_the_copy = current(array.place);
  Array copy = input(argument, library_.contiguous(array));
  if (!is_contiguous(copy))
    refuse(nb::value_error, argument + " is not contiguous, nor is its library's copy: pass another");
  return copy;
}

nb::object Call::made(const Array& like, const std::vector<std::uint64_t>& shape, const ElementType& type) const {
  if (library_.makes_arrays()) return library_.empty(like, shape, type);
  if (!like.place.is_host() && like.place.id != current_gpu().value_or(0))
    refuse(nb::value_error, "x is on GPU " + std::to_string(like.place.id) + ", and GPU " +
                                std::to_string(current_gpu().value_or(0)) +
                                " is current, where the results would be: " + "make the other one current");
  return nb::cast(ResultArray(like.place, shape, type, stream_for(like), library_.is_known()));
}

nb::object Call::made_like(const Array& array, const ElementType& type) const {
  return library_.makes_arrays() ? library_.like(array, type) : made(array, shape_of(array), type);
}

nb::object Call::returned(const nb::object& made) const {
  return library_.makes_arrays() || !nb::isinstance<ResultArray>(made) ? made : library_.adopted(made);
}

std::uint64_t Call::stream_for(const Array& x) const {
  if (x.place.is_host()) {
    if (has_stream()) refuse(nb::value_error, "stream is given, and x is in the CPU's memory, which has no streams");
    return 0;
  }
  if (run_stream_) return *run_stream_;
  if (has_stream()) return stream_of(function_, stream_);
  return library_.tells_streams() ? library_.current_stream(x.place.id) : x.stream.value_or(0);
}

void Call::check_counts(const std::string& argument, const Array& array) const {
  if (array.type->is_floating() || array.type->bits < 32)
    refuse(nb::type_error, argument + " has items of " + array.type->name + "; they must be integers of 32 or 64 bits");
}

std::optional<std::uint64_t> Call::named_stream(const Place& place) const {
  if (!has_stream() || place.is_host()) return std::nullopt;
  return stream_of(function_, stream_);
}

Library::Current Call::current(const Place& place) const { return {library_, place, named_stream(place)}; }

}  // namespace scantune::python
