#include "python/repetition.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "python/documentation.h"
#include "python/fill.h"
#include "python/flat_input.h"
#include "python/host_memory.h"
#include "python/output.h"
#include "python/request_run.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

#define SCANTUNE_REPEATED_SIZE                                                                                 \
  ": how many results there are, for a call that does not wait. Results beyond are dropped, and where there\n" \
  "are fewer, the last item is repeated. Without it the call waits once for the sum of an array.\n"

constexpr const char* kRunLengthDecode =
    "Return each item of an array as often as its length says, one run after the other.\n\n" SCANTUNE_ITEMS
    "lengths: an array of integers, of the library and length of x. One below 0 counts as 0.\n"
    "size" SCANTUNE_REPEATED_SIZE
    "out: a contiguous one-dimensional array for the results, of the dtype of x; the size is its length. It must not\n"
    "overlap x or lengths.\n" SCANTUNE_STREAM "\nReturns an array of the library and dtype of x.\n\n" SCANTUNE_ERRORS;
constexpr const char* kRepeatInterleave =
    "Return each item of an array several times, as torch does without dim.\n\n" SCANTUNE_ANY_STRIDES
    "An array that is not contiguous is copied first, and taken in C order if it has other than one dimension.\n"
    "repeats: how often: an integer for all items, or an array of integers, of the library and size of x. One below 0\n"
    "in an array counts as 0.\n"
    "output_size" SCANTUNE_REPEATED_SIZE SCANTUNE_STREAM
    "\nReturns a one-dimensional array of the library and dtype of x.\n\n" SCANTUNE_ERRORS;

struct Lengths {
  const char* argument;
  Array array;  // integers, contiguous, one for each item
};

struct Fit {
  std::int64_t size;
  std::uint64_t items;
};

// Writes where the results of each item begin, and where the last ones end. With a size they all fit, and end there.
void write_offsets(const Array& lengths, const std::optional<std::uint64_t>& size, const Array& offsets,
                   std::uint64_t stream) {
  const struct {
    const std::byte* lengths;
    std::uint64_t items;
  } state = {lengths.first, lengths.size()};
  const Fit fit = {static_cast<std::int64_t>(size.value_or(0)), lengths.size()};
  const std::string source = std::string("struct State { const ") + lengths.type->in_source +
                             "* lengths; unsigned long long items; };\n"
                             "__device__ Result load(unsigned long long place, State state) {\n"
                             "  return place < state.items && state.lengths[place] > 0 ? Result(state.lengths[place]) "
                             ": Result(0);\n"
                             "}\n";
  scantune_function load = SCANTUNE_FUNCTION_INIT, store = SCANTUNE_FUNCTION_INIT;
  load.role = SCANTUNE_FUNCTION_GENERATE;
  load.source = source.c_str();
  load.state = &state;
  load.state_bytes = sizeof state;
  store.role = SCANTUNE_FUNCTION_MAP_INDEXED;
  store.source =
      "struct State { long long size; unsigned long long items; };\n"
      "__device__ Result store(Value x, unsigned long long place, State state) {\n"
      "  return place == state.items || x > state.size ? state.size : x;\n"
      "}\n";
  store.state = &fit;
  store.state_bytes = sizeof fit;

  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.n = offsets.size();
  request.input_type = request.output_type = SCANTUNE_I64;
  request.kind = SCANTUNE_EXCLUSIVE;
  request.load = &load;
  if (size) request.store = &store;
  const HostMemory read_by_the_load(lengths);
  run(request.head, {{SCANTUNE_OUTPUT, &offsets}}, stream);
}

void write_results(const Array& x, const Array& offsets, const Array& out, std::uint64_t stream) {
  scantune_load_balance_request request = SCANTUNE_LOAD_BALANCE_REQUEST_INIT;
  request.head.n = out.size();
  request.input_type = SCANTUNE_I64;
  request.output_type = x.type->type;
  request.assigned = SCANTUNE_VALUE_OF;
  request.segment_count = x.size();
  run(request.head, {{SCANTUNE_INPUT, &offsets}, {SCANTUNE_VALUES, &x}, {SCANTUNE_OUTPUT, &out}}, stream);
}

// Results go to `out`, or to an array that is made, of the size or of the sum of lengths.
nb::object repeated(const Call& call, const Array& x, const Lengths& lengths, std::optional<std::uint64_t> size,
                    std::optional<Array> out) {
  if (lengths.array.type->is_floating())
    call.refuse(nb::type_error, std::string(lengths.argument) + " has items of " + lengths.array.type->name +
                                    "; they must be integers");
  if (out) size = out->size();
  if (x.size() == 0 && size.value_or(0) > 0)
    call.refuse(nb::value_error, "x is empty, and there is no item to repeat for the results that are asked for");
  const std::uint64_t stream = call.stream_for(x);
  if (size && !out) out = call.output("out", call.made(x, {*size}, *x.type));
  if (!size) check_length_may_follow(call, x);
  const Array offsets = temporary(call, x, {x.size() + 1}, *element_type(std::string_view("int64")));
  write_offsets(lengths.array, size, offsets, stream);
  if (!out) {
    size = nb::cast<std::uint64_t>(nb::int_(nb::object(call.returned(offsets.object)[nb::int_(x.size())])));
    out = call.output("out", call.made(x, {*size}, *x.type));
  }
  write_results(x, offsets, *out, stream);
  return call.returned(out->object);
}

// The number that an argument says, if any.
std::optional<std::uint64_t> checked_size(const Call& call, const char* argument, const nb::object& size) {
  return size.is_none() ? std::nullopt : std::optional(number_of(call.function(), argument, size));
}

nb::object decoded(const nb::object& object, nb::object lengths, const nb::object& size, const nb::object& given,
                   nb::object stream) {
  const Call call("run_length_decode", object, std::move(stream));
  const Array x = flat_input(call, "x", object);
  const Lengths its_lengths{"lengths", flat_input(call, "lengths", std::move(lengths), x)};
  const Library::Current current = call.current(x.place);
  if (given.is_none()) return repeated(call, x, its_lengths, checked_size(call, "size", size), std::nullopt);
  if (!size.is_none()) call.refuse(nb::type_error, "size and out are both given: pass one of them");
  const Array out = call.output("out", given);
  if (out.type != x.type)
    call.refuse(nb::type_error,
                "out has items of " + std::string(out.type->name) + ", and results are " + x.type->name);
  if (out.extents.size() != 1) call.refuse(nb::value_error, "out must have one dimension");
  check_output(call, "out", out, shape_of(out), x);
  if (!is_contiguous(out)) call.refuse(nb::value_error, "out is not contiguous: pass another");
  check_apart(call, "out", out, "x", x);
  check_apart(call, "out", out, "lengths", its_lengths.array);
  return repeated(call, x, its_lengths, std::nullopt, out);
}

// None of an array with dimensions, which has a number for each item.
nb::object single_integer(const Call& call, const nb::object& repeats) {
  const bool is_single = nb::isinstance<nb::int_>(repeats) ||
                         (nb::hasattr(repeats, "ndim") && nb::len(nb::object(repeats.attr("shape"))) == 0);
  if (!is_single) return nb::none();
  nb::object integer = nb::steal(PyNumber_Index(repeats.ptr()));
  if (integer.is_valid()) return integer;
  PyErr_Clear();
  call.refuse(nb::type_error, "repeats is " + spelled(repeats) + "; it must be an integer, or an array of integers");
}

nb::object interleaved(const nb::object& object, const nb::object& repeats, const nb::object& output_size,
                       nb::object stream) {
  const Call call("repeat_interleave", object, std::move(stream));
  Array x = call.input("x", object);
  x = call.contiguous("x", x.extents.size() == 1 ? x : call.flattened(x));
  const Library::Current current = call.current(x.place);
  std::optional<std::uint64_t> size = checked_size(call, "output_size", output_size);
  const nb::object single = single_integer(call, repeats);
  if (single.is_none())
    return repeated(call, x, {"repeats", flat_input(call, "repeats", repeats, x)}, size, std::nullopt);
  const std::uint64_t number = *checked_size(call, "repeats", single);
  if (!size && number > INT64_MAX / std::max<std::uint64_t>(x.size(), 1))
    call.refuse(nb::value_error, "repeats is " + spelled(single) + ", which gives more results than can be counted");
  if (!size) size = x.size() * number;
  const Array filled = temporary(call, x, {x.size()}, *element_type(std::string_view("int64")));
  fill(call, filled, "repeats", single);
  return repeated(call, x, {"repeats", filled}, size, std::nullopt);
}

}  // namespace

void add_repetitions(nb::module_& module) {
  module.def("run_length_decode", &decoded, nb::arg(), nb::arg(), nb::kw_only(), nb::arg("size") = nb::none(),
             nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
             nb::sig("def run_length_decode(x, lengths, /, *, size=None, out=None, stream=None)"), kRunLengthDecode);
  module.def("repeat_interleave", &interleaved, nb::arg(), nb::arg("repeats"), nb::kw_only(),
             nb::arg("output_size") = nb::none(), nb::arg("stream") = nb::none(),
             nb::sig("def repeat_interleave(x, /, repeats, *, output_size=None, stream=None)"), kRepeatInterleave);
}

}  // namespace scantune::python
