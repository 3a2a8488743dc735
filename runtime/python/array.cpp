#include "python/array.h"

#include <algorithm>

#include "python/array_type.h"
#include "python/driver.h"
#include "python/errors.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

// The argument that is taken, for messages.
struct Argument {
  const std::string& function;
  const std::string& name;

  [[noreturn]] void refuse(Exception exception, const std::string& because) const {
    python::refuse(exception, function, name + " " + because);
  }
};

constexpr const char* kMasked = "has a mask, and no scan leaves items out";
constexpr const char* kTypes = "; its items must be bool, integers, or floats of 16 to 64 bits";

// A dictionary of NumPy's array interface, which is CUDA's too.
void take_interface(const Argument& argument, const nb::dict& interface, Array& array) {
  const nb::tuple data(interface["data"]), shape(interface["shape"]);
  if (array.type == nullptr) {
    const auto typestr = nb::cast<std::string>(interface["typestr"]);
    array.type = element_type_of_interface(typestr);
    if (array.type == nullptr) argument.refuse(nb::type_error, "has items of " + typestr + kTypes);
  }
  array.first = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(data[0]));
  array.is_read_only = nb::cast<bool>(data[1]);
  const auto item_bytes = static_cast<std::int64_t>(array.type->bytes());
  const nb::object strides = interface.contains("strides") ? nb::object(interface["strides"]) : nb::none();
  array.extents.resize(nb::len(shape));
  std::int64_t dense = item_bytes;
  for (std::size_t i = array.extents.size(); i-- > 0;) {
    const auto size = nb::cast<std::uint64_t>(shape[i]);
    const auto bytes = strides.is_none() ? dense : nb::cast<std::int64_t>(nb::tuple(strides)[i]);
    if (bytes % item_bytes != 0 && size > 1)
      argument.refuse(nb::value_error, "has a stride of " + std::to_string(bytes) +
                                           " bytes, which is not a multiple of its " + std::to_string(item_bytes) +
                                           "-byte items: pass a copy");
    array.extents[i] = {size, bytes / item_bytes};
    dense *= static_cast<std::int64_t>(size);
  }
}

// CUDA numbers its default streams 1 and 2 there; 1 is NULL to the driver.
std::optional<std::uint64_t> stream_of_interface(const nb::dict& interface) {
  if (!interface.contains("stream") || interface["stream"].is_none()) return std::nullopt;
  const auto stream = nb::cast<std::uint64_t>(interface["stream"]);
  return stream == 1 ? 0 : stream;
}

void take_capsule(const Argument& argument, nb::handle capsule, Array& array) {
  nb::ndarray<> writable;
  if (nb::try_cast(capsule, writable)) {
    array.by_dlpack = nb::ndarray<nb::ro>(writable);
  } else if (nb::try_cast(capsule, array.by_dlpack)) {
    array.is_read_only = true;
  } else {
    argument.refuse(nb::type_error, "exports no array by __dlpack__()");
  }
  const nb::ndarray<nb::ro>& memory = array.by_dlpack;
  array.type = element_type(memory.dtype());
  if (array.type == nullptr) argument.refuse(nb::type_error, "has items of another type" + std::string(kTypes));
  array.first = const_cast<std::byte*>(static_cast<const std::byte*>(memory.data()));
  for (std::size_t i = 0; i < memory.ndim(); ++i) array.extents.push_back({memory.shape(i), memory.stride(i)});
}

// Versions before 1.0 say nothing about being read-only, and know no such argument.
nb::object exported(const nb::object& object, bool on_host, std::int64_t waiting_stream) {
  const nb::object dlpack = object.attr("__dlpack__");
  nb::dict named;
  if (!on_host) named["stream"] = waiting_stream;
  nb::dict versioned;
  versioned.update(named);
  versioned["max_version"] = nb::make_tuple(1, 1);
  try {
    return dlpack(**versioned);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return dlpack(**named);
}

void check_device(const Argument& argument, const Place& place) {
  if (!place.is_host() && place.type != kCuda && place.type != kManaged)
    argument.refuse(nb::type_error, "is on a device of DLPack's type " + std::to_string(place.type) +
                                        ", and scantune runs on CUDA's GPUs and the host");
}

// What DLPack's functions in C do not look at, and __dlpack__() refuses without the argument's name, or forgets.
void check_tensor(const Argument& argument, const ArrayType& type, nb::handle tensor) {
  if (!nb::getattr(tensor, type.requires_gradient).is(Py_False))
    argument.refuse(nb::value_error, "requires a gradient, and none is computed: pass its detach()");
  if (!type.is_negated(tensor).is(Py_False))
    argument.refuse(nb::value_error, "is a view whose items are negated when they are read: pass its resolve_neg()");
}

void take_lent(const Argument& argument, const ArrayType& type, Array& array) {
  Exchange::Tensor lent;
  if (type.exchange->lend(array.object.ptr(), &lent) != 0) {
    const nb::python_error error;
    const std::string told = spelled(error.value());
    argument.refuse(nb::type_error, "has no memory to lend: " + told.substr(0, told.find('\n')));
  }
  array.place = {lent.device.device_type, lent.device.device_id};
  check_device(argument, array.place);
  array.type = element_type(lent.dtype);
  if (array.type == nullptr) argument.refuse(nb::type_error, "has items of another type" + std::string(kTypes));
  array.first = static_cast<std::byte*>(lent.data) + lent.byte_offset;
  array.extents.resize(static_cast<std::size_t>(lent.ndim));
  for (std::size_t i = 0; i < array.extents.size(); ++i)
    array.extents[i] = {static_cast<std::uint64_t>(lent.shape[i]), lent.strides[i]};
}

void take_dlpack(const Argument& argument, std::int64_t waiting_stream, Array& array) {
  const nb::tuple device(array.object.attr("__dlpack_device__")());
  array.place = {nb::cast<std::int32_t>(nb::object(nb::int_(nb::object(device[0])))),
                 nb::cast<std::int32_t>(device[1])};
  check_device(argument, array.place);
  take_capsule(argument, exported(array.object, array.place.is_host(), waiting_stream), array);
}

bool is_of_numpy(const nb::object& object) {
  return nb::hasattr(object, "__array_interface__") && nb::hasattr(object, "dtype") && nb::hasattr(object, "strides");
}

void take_numpy(const Argument& argument, Array& array) {
  array.place = {kHost, 0};
  if (nb::hasattr(array.object, "mask")) argument.refuse(nb::type_error, kMasked);
  // The interface of ml_dtypes' numbers calls them bytes.
  array.type = element_type(std::string_view(spelled(array.object.attr("dtype").attr("name"))));
  // The interface of a scalar is that of an array which is gone by now.
  const bool is_scalar = !nb::hasattr(array.object, "__setitem__");
  if (is_scalar) array.object = nb::module_::import_("numpy").attr("asarray")(array.object);
  if (array.type == nullptr || !nb::cast<bool>(array.object.attr("dtype").attr("isnative")))
    argument.refuse(nb::type_error, "has items of " + spelled(array.object.attr("dtype")) + kTypes);
  take_interface(argument, nb::dict(array.object.attr("__array_interface__")), array);
  array.is_read_only |= is_scalar;  // nobody would see the copy
}

void check_alignment(const Argument& argument, const Array& array) {
  if (array.size() > 0 && reinterpret_cast<std::uintptr_t>(array.first) % array.type->bytes() != 0)
    argument.refuse(nb::value_error, "is not aligned to its items: pass a copy");
}

}  // namespace

bool Place::is_host() const { return type == kHost || type == kPinned; }

bool Place::operator==(const Place& other) const {
  return is_host() == other.is_host() && (is_host() || id == other.id);
}

std::uint64_t Array::size() const {
  std::uint64_t product = 1;
  for (const Extent& extent : extents) product *= extent.size;
  return product;
}

Span span_of(const Array& array) {
  Span span{array.first, array.first};
  if (array.size() == 0) return span;
  for (const Extent& extent : array.extents) {
    const std::int64_t reach =
        static_cast<std::int64_t>(extent.size - 1) * extent.stride * static_cast<std::int64_t>(array.type->bytes());
    (reach < 0 ? span.begin : span.end) += reach;
  }
  span.end += array.type->bytes();
  return span;
}

std::vector<std::uint64_t> shape_of(const Array& array) {
  std::vector<std::uint64_t> shape;
  shape.reserve(array.extents.size());
  for (const Extent& extent : array.extents) shape.push_back(extent.size);
  return shape;
}

bool is_contiguous(const Array& array) {
  std::int64_t dense = 1;
  for (std::size_t i = array.extents.size(); i-- > 0; dense *= static_cast<std::int64_t>(array.extents[i].size))
    if (array.extents[i].size > 1 && array.extents[i].stride != dense) return array.size() == 0;
  return true;
}

Array array_of(const std::string& function, const std::string& argument, nb::object object,
               std::int64_t waiting_stream) {
  const Argument named{function, argument};
  Array array;
  array.object = std::move(object);
  const ArrayType& type = array_type_of(array.object);
  if (!type.is_negated.is_none()) check_tensor(named, type, array.object);
  if (type.exchange != nullptr) {
    take_lent(named, type, array);
  } else if (is_of_numpy(array.object)) {
    take_numpy(named, array);
  } else if (nb::hasattr(array.object, "__dlpack__")) {
    take_dlpack(named, waiting_stream, array);
  } else if (nb::hasattr(array.object, "__cuda_array_interface__")) {
    const nb::dict interface(array.object.attr("__cuda_array_interface__"));
    if (interface.contains("mask") && !interface["mask"].is_none()) named.refuse(nb::type_error, kMasked);
    array.stream = stream_of_interface(interface);
    take_interface(named, interface, array);
    array.place = {kCuda, gpu_of(array.first).value_or(-1)};
  } else {
    named.refuse(nb::type_error, "is an object of type " + spelled(array.object.type().attr("__name__")) +
                                     ", which is not an array: it has neither __dlpack__() nor an array interface");
  }
  check_alignment(named, array);
  return array;
}

}  // namespace scantune::python
