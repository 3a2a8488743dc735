#include "python/library.h"

#include <algorithm>

#include "python/driver.h"
#include "python/errors.h"

namespace nb = nanobind;

namespace scantune::python {

// A library of the array API standard is asked again: its arrays may be on several devices.
Library::Library(const nb::object& array) : type_(array_type_of(array)), row_(type_.library) {
  if (row_.is_none()) row_ = nb::module_::import_("scantune.array_library").attr("library_of_standard")(array);
}

nb::object Library::empty(const Array& like, const std::vector<std::uint64_t>& shape, const ElementType& type) const {
  if (!type_.empty_like.is_none() && &type == like.type && is_contiguous(like) &&
      std::ranges::equal(shape, like.extents, {}, {}, &Extent::size))
    return type_.empty_like(like.object);
  nb::list sizes;
  for (const std::uint64_t size : shape) sizes.append(size);
  return row_.attr("empty")(like.object, nb::tuple(sizes), type.name);
}

nb::object Library::like(const Array& array, const ElementType& type) const {
  const auto repeats = [](const Extent& extent) { return extent.size > 1 && extent.stride == 0; };
  const bool is_in_c_order = is_contiguous(array) || std::ranges::any_of(array.extents, repeats);
  const nb::object made = is_in_c_order ? nb::none() : nb::object(row_.attr("like"));
  return made.is_none() ? empty(array, shape_of(array), type) : made(array.object, type.name);
}

nb::object Library::moved(const nb::object& array, std::size_t axis, std::size_t place) const {
  return row_.attr("moved")(array, axis, place);
}

std::string Library::dtype_name(nb::handle dtype) const {
  return nb::cast<std::string>(row_.attr("dtype_name")(dtype));
}

std::string Library::sums(bool are_unsigned) const { return nb::cast<std::string>(row_.attr("sums")(are_unsigned)); }

nb::object Library::adopted(const nb::object& own) const { return row_.is_none() ? own : row_.attr("adopt")(own); }

std::uint64_t Library::current_stream(std::int32_t gpu) const {
  if (type_.exchange == nullptr) return nb::cast<std::uint64_t>(row_.attr("current_stream")(gpu));
  void* stream = nullptr;
  if (type_.exchange->current_stream(kCuda, gpu, &stream) != 0) throw nb::python_error();
  return reinterpret_cast<std::uintptr_t>(stream);
}

void Library::keep_for(const nb::object& array, const Place& place, std::uint64_t stream) const {
  const nb::object keep = row_.attr("keep_for");
  if (!keep.is_none()) keep(array, place.id, stream);
}

Library::Current::Current(const Library& library, const Place& place, std::optional<std::uint64_t> stream) {
  if (place.is_host() || !library.tells_streams() || (!stream && place.id == current_gpu())) return;
  context_ = stream ? library.row_.attr("on_stream")(place.id, *stream) : library.row_.attr("on_device")(place.id);
  context_.attr("__enter__")();
}

Library::Current::~Current() {
  if (context_.is_none()) return;
  try {
    context_.attr("__exit__")(nb::none(), nb::none(), nb::none());
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("scantune: back to the device that was current");
  }
}

std::uint64_t stream_of(const std::string& function, nb::handle stream) {
  if (nb::isinstance<nb::int_>(stream)) return nb::cast<std::uint64_t>(stream);
  if (nb::hasattr(stream, "__cuda_stream__"))
    return nb::cast<std::uint64_t>(nb::tuple(stream.attr("__cuda_stream__")())[1]);
  for (const char* const handle : {"cuda_stream", "ptr"})  // torch's, and CuPy's
    if (nb::hasattr(stream, handle)) return nb::cast<std::uint64_t>(stream.attr(handle));
  refuse(nb::type_error, function,
         "stream is an object of type " + spelled(stream.type().attr("__name__")) +
             "; it must be a number, or have __cuda_stream__()");
}

}  // namespace scantune::python
