#include "python/top_k.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/axis.h"
#include "python/documentation.h"
#include "python/last_axis.h"
#include "python/output.h"
#include "python/request_run.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

#define SCANTUNE_FIRST_ALONG_AXIS                                                                                \
  SCANTUNE_ANY_STRIDES                                                                                           \
  "Items are read one after the other: an array that is not contiguous with the axis as its last one is copied " \
  "first.\n"

#define SCANTUNE_FIRST_K                                                                                              \
  "k: how many results there are along the axis: 1 to the length of x along it, and no more than one CTA puts in\n"   \
  "order, some thousands; sort() is for more.\n"                                                                      \
  "axis: the axis, from the end if it is negative.\n"                                                                 \
  "largest: whether the greatest items come first, or the least. Floats have the order of sort(), where a positive\n" \
  "NaN is the greatest; of equal items those of the lowest indices come first.\n"                                     \
  "sorted: whether results are in the order of sort(), or in that of x.\n"

constexpr const char* kTopK =
    "Return the k items of an array that come first along an axis, and their indices, as torch.topk "
    "does.\n\n" SCANTUNE_FIRST_ALONG_AXIS SCANTUNE_FIRST_K
    "values: an array of the shape and library of x, on its device, with a value for each item. The values of the\n"
    "results then take the place of their indices.\n"
    "out: a tuple of two arrays for the results, of their shape and on the device of x: the first one of its dtype,\n"
    "for indices the second one of integers of 32 or 64 bits, for values of their dtype. They must be contiguous with\n"
    "the axis as their last one, and must not overlap each other, x or values.\n" SCANTUNE_STREAM
    "\nReturns (items, indices), arrays of the library of x and of its shape, with k items along the axis: items of\n"
    "its dtype, and int64 indices along the axis. With values, (items, values).\n\n" SCANTUNE_ERRORS;
constexpr const char* kArgtopK =
    "Return the indices of the k items of an array that come first along an "
    "axis.\n\n" SCANTUNE_FIRST_ALONG_AXIS SCANTUNE_FIRST_K
    "out: the array for the results, of their shape, on the device of x, and of integers of 32 or 64 bits. It must be\n"
    "contiguous with the axis as its last one, and must not overlap x.\n" SCANTUNE_STREAM
    "\nReturns an int64 array of the library of x and of its shape, with k items along the axis: indices along "
    "it.\n\n" SCANTUNE_ERRORS;

struct TopKArguments {
  const char* function;
  bool writes_items;  // or indices alone
  nb::object x, k;
  std::int64_t axis;
  bool largest, sorted;
  nb::object values, out, stream;
};

std::uint64_t checked_k(const Call& call, const nb::object& object, std::uint64_t length) {
  const std::uint64_t k = number_of(call.function(), "k", object, 1);
  if (k > length)
    call.refuse(nb::value_error, "k is " + std::to_string(k) + ", and x has " + std::to_string(length) +
                                     " items along the axis: ask for no more results");
  return k;
}

// An array that is read.
struct Input {
  const char* name;
  Array array;  // the caller's
  Array rows;   // the same items with the axis as its last one
};

Input values_of(const Call& call, const LastAxis& last, const nb::object& object, const Array& x) {
  const Array values = call.input("values", object);
  if (values.place != x.place) call.refuse(nb::value_error, "values is on another device than x");
  if (shape_of(values) != shape_of(x)) call.refuse(nb::value_error, "values has another shape than x");
  return {"values", values, last.rows_of("values", values)};
}

// The arrays for results: the caller's, or ones that are made.
class Results {
 public:
  // inputs: x, and values if there are any. k: the number of results along the axis, which a 0-d array has not.
  Results(const Call& call, const LastAxis& last, const std::vector<Input>& inputs, std::optional<std::size_t> axis,
          std::uint64_t k)
      : call_(call), last_(last), inputs_(inputs), shape_(shape_of(x().array)), shape_of_rows_(shape_of(x().rows)) {
    if (!axis) return;
    shape_[*axis] = k;
    shape_of_rows_.back() = k;
  }

  // given: None to make an array. type: null for indices, which may be in integers of 32 or 64 bits.
  void add(const std::string& name, const nb::object& given, const ElementType* type) {
    if (given.is_none())
      make(type != nullptr ? *type : *element_type(std::string_view("int64")));
    else
      take(name, given, type);
  }

  const Array& rows(std::size_t place) const { return results_[place].rows; }
  // What the caller gets, after the run.
  nb::object taken(std::size_t place) const {
    const Result& result = results_[place];
    return result.is_made ? last_.back(call_.returned(result.object)) : result.object;
  }

 private:
  struct Result {
    std::string name;
    Array rows;
    nb::object object;
    bool is_made;
  };

  const Input& x() const { return inputs_.front(); }

  void make(const ElementType& type) {
    const nb::object made = call_.made(x().rows, shape_of_rows_, type);
    results_.push_back({"out", call_.output("out", made), made, true});
  }

  void take(const std::string& name, const nb::object& given, const ElementType* type) {
    const Array out = call_.output(name, given);
    if (type == nullptr)
      call_.check_counts(name, out);
    else if (out.type != type)
      call_.refuse(nb::type_error,
                   name + " has items of " + std::string(out.type->name) + ", and results are " + type->name);
    check_output(call_, name, out, shape_, x().array);
    for (const Input& input : inputs_) check_apart(call_, name, out, input.name, input.array);
    for (const Result& other : results_) check_apart(call_, name, out, other.name, other.rows);
    results_.push_back({name, last_.place_in(name, out), given, false});
  }

  const Call& call_;
  const LastAxis& last_;
  const std::vector<Input>& inputs_;
  std::vector<std::uint64_t> shape_, shape_of_rows_;
  std::vector<Result> results_;
};

// The arrays that an argument out names, each None if it is None.
std::vector<nb::object> given_outs(const Call& call, const TopKArguments& arguments) {
  const nb::object& out = arguments.out;
  if (!arguments.writes_items) return {out};
  if (out.is_none()) return {out, out};
  if (!nb::isinstance<nb::tuple>(out) || nb::len(out) != 2)
    call.refuse(nb::type_error, "out must be a tuple of 2 arrays");
  return {nb::object(out[nb::int_(0)]), nb::object(out[nb::int_(1)])};
}

void run(const TopKArguments& arguments, const std::vector<Input>& inputs, const Results& results, std::uint64_t k,
         std::uint64_t stream) {
  const Array& x = inputs.front().rows;
  const Array* const values = inputs.size() > 1 ? &inputs.back().rows : nullptr;
  if (x.size() == 0) return;
  scantune_top_k_request request = SCANTUNE_TOP_K_REQUEST_INIT;
  take_rows(x, request);
  request.input_type = x.type->type;
  request.sorted = values != nullptr        ? SCANTUNE_SORTED_PAIRS
                   : arguments.writes_items ? SCANTUNE_SORTED_KEYS_AND_INDICES
                                            : SCANTUNE_SORTED_INDICES;
  request.order = arguments.largest ? SCANTUNE_DESCENDING : SCANTUNE_ASCENDING;
  request.result_order = arguments.sorted ? SCANTUNE_RESULTS_BY_KEY : SCANTUNE_RESULTS_BY_INDEX;
  request.k = k;
  const Array& last = results.rows(arguments.writes_items ? 1 : 0);
  (values != nullptr ? request.value_type : request.index_type) = last.type->type;
  python::run(
      request.head,
      {{SCANTUNE_INPUT, &x},
       {SCANTUNE_VALUES, values},
       {SCANTUNE_OUTPUT, &results.rows(0)},
       {values != nullptr ? SCANTUNE_VALUES_OUTPUT : SCANTUNE_INDICES, arguments.writes_items ? &last : nullptr}},
      stream);
}

nb::object first_items(const TopKArguments& arguments) {
  const Call call(arguments.function, arguments.x, arguments.stream);
  const auto [x, axis] = array_and_axis(call, arguments.x, {.axis = arguments.axis, .keeps_no_dimension = true});
  const std::uint64_t k = checked_k(call, arguments.k, axis ? x.extents[*axis].size : 1);
  const LastAxis last(call, axis, x.extents.size());
  const Library::Current current = call.current(x.place);
  const std::uint64_t stream = call.stream_for(x);
  std::vector<Input> inputs = {{"x", x, last.rows_of("x", x)}};
  const bool has_values = !arguments.values.is_none();
  if (has_values) inputs.push_back(values_of(call, last, arguments.values, x));

  const std::vector<nb::object> outs = given_outs(call, arguments);
  Results results(call, last, inputs, axis, k);
  if (arguments.writes_items) results.add("out[0]", outs[0], x.type);
  results.add(arguments.writes_items ? "out[1]" : "out", outs.back(), has_values ? inputs.back().array.type : nullptr);
  run(arguments, inputs, results, k, stream);
  if (!arguments.writes_items) return results.taken(0);
  return nb::make_tuple(results.taken(0), results.taken(1));
}

}  // namespace

void add_top_k(nb::module_& module) {
  module.def(
      "top_k",
      [](nb::object x, nb::object k, std::int64_t axis, bool largest, bool sorted, nb::object values, nb::object out,
         nb::object stream) {
        return first_items({.function = "top_k",
                            .writes_items = true,
                            .x = std::move(x),
                            .k = std::move(k),
                            .axis = axis,
                            .largest = largest,
                            .sorted = sorted,
                            .values = std::move(values),
                            .out = std::move(out),
                            .stream = std::move(stream)});
      },
      nb::arg(), nb::arg("k"), nb::kw_only(), nb::arg("axis") = -1, nb::arg("largest") = true, nb::arg("sorted") = true,
      nb::arg("values") = nb::none(), nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def top_k(x, /, k, *, axis=-1, largest=True, sorted=True, values=None, out=None, stream=None)"), kTopK);
  module.def(
      "argtop_k",
      [](nb::object x, nb::object k, std::int64_t axis, bool largest, bool sorted, nb::object out, nb::object stream) {
        return first_items({.function = "argtop_k",
                            .writes_items = false,
                            .x = std::move(x),
                            .k = std::move(k),
                            .axis = axis,
                            .largest = largest,
                            .sorted = sorted,
                            .values = nb::none(),
                            .out = std::move(out),
                            .stream = std::move(stream)});
      },
      nb::arg(), nb::arg("k"), nb::kw_only(), nb::arg("axis") = -1, nb::arg("largest") = true, nb::arg("sorted") = true,
      nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def argtop_k(x, /, k, *, axis=-1, largest=True, sorted=True, out=None, stream=None)"), kArgtopK);
}

}  // namespace scantune::python
