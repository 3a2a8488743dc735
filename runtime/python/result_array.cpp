#include "python/result_array.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "python/driver.h"
#include "python/errors.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

constexpr std::int64_t kLegacyStream = 1;  // what DLPack and the CUDA Array Interface call NULL

std::uint64_t bytes_of(const std::vector<std::uint64_t>& shape, const ElementType& type) {
  std::uint64_t bytes = type.bytes();
  for (const std::uint64_t size : shape) bytes *= size;
  return bytes;
}

constexpr const char* kClass =
    "An array of scantune's own: results of arrays whose library scantune does not know. Others take it, without a\n"
    "copy, by __dlpack__() and, on a GPU, by __cuda_array_interface__.";

}  // namespace

ResultArray::ResultArray(const Place& place, std::vector<std::uint64_t> shape, const ElementType& type,
                         std::uint64_t stream, bool is_adopted)
    : place_(place.is_host() ? Place{kHost, 0} : Place{kCuda, place.id < 0 ? current_gpu().value_or(0) : place.id}),
      shape_(std::move(shape)),
      type_(type),
      stream_(stream),
      memory_(place.is_host() ? memory_of_host(bytes_of(shape_, type))
                              : memory_of_gpu(bytes_of(shape_, type), place_.id, is_adopted && stream == 0)) {}

nb::object ResultArray::dlpack(const nb::object& stream, const nb::object& max_version, const nb::object& device,
                               const nb::object& copy) const {
  if (!device.is_none() && !dlpack_device().equal(device))
    throw nb::buffer_error("__dlpack__: dl_device is another device than the array's");
  if (nb::isinstance<nb::bool_>(copy) && nb::cast<bool>(copy)) throw nb::buffer_error("__dlpack__: copy is True");
  if (!place_.is_host()) {
    const std::int64_t asked = stream.is_none() ? kLegacyStream : nb::cast<std::int64_t>(stream);
    const auto waiting = static_cast<std::uint64_t>(asked == kLegacyStream ? 0 : asked);
    if (asked != kNoStreamWaits && waiting != stream_) Event(place_.id, stream_).hold(waiting);
  }
  const std::vector<std::size_t> sizes(shape_.begin(), shape_.end());
  auto* const owner = new ResultMemory(memory_);
  const nb::capsule keeps(owner, [](void* kept) noexcept { delete static_cast<ResultMemory*>(kept); });
  const nb::ndarray<nb::array_api> lent(scantune_buffer_data(memory_.get()), sizes.size(), sizes.data(), keeps, nullptr,
                                        {static_cast<std::uint8_t>(type_.code), type_.bits, 1}, place_.type, place_.id);
  nb::dict named;
  if (!max_version.is_none()) named["max_version"] = max_version;
  return nb::cast(lent).attr("__dlpack__")(**named);
}

nb::dict ResultArray::cuda_array_interface() const {
  if (place_.is_host()) throw nb::attribute_error("the array is in the CPU's memory");
  nb::dict interface;
  interface["shape"] = shape();
  interface["typestr"] = type_.typestr();
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(scantune_buffer_data(memory_.get())), false);
  interface["version"] = 3;
  interface["stream"] = stream_ == 0 ? kLegacyStream : static_cast<std::int64_t>(stream_);
  return interface;
}

nb::tuple ResultArray::shape() const {
  nb::list sizes;
  for (const std::uint64_t size : shape_) sizes.append(size);
  return nb::tuple(sizes);
}

void add_result_array(nb::module_& module) {
  nb::class_<ResultArray>(module, "ResultArray", kClass)
      .def("__dlpack__", &ResultArray::dlpack, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
           "Lend the memory, after the stream that is named has been made to wait for the items.")
      .def("__dlpack_device__", &ResultArray::dlpack_device, "Return DLPack's type of the device, and its number.")
      .def_prop_ro("__cuda_array_interface__", &ResultArray::cuda_array_interface)
      .def_prop_ro("shape", &ResultArray::shape)
      .def_prop_ro("dtype", &ResultArray::dtype, "NumPy's name of the type.");
}

}  // namespace scantune::python
