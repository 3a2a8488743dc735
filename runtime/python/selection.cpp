#include "python/selection.h"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/counted_results.h"
#include "python/documentation.h"
#include "python/flat_input.h"
#include "python/predicate.h"
#include "python/request_run.h"
#include "python/runs.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

#define SCANTUNE_LENGTH_ARGUMENTS "size=None, fill_value=None, out=None, count=None, stream=None"

constexpr const char* kCompress =
    "Return the items of an array whose flag is not 0, in order.\n\n"
    "mask: a flag for each item: an array of bool or numbers, of the library and length of x.\n" SCANTUNE_ITEMS
        SCANTUNE_LENGTHS("they are", "") "\nReturns an array of the library and dtype of x.\n\n" SCANTUNE_ERRORS;
constexpr const char* kFilter =
    "Return the items of an array for which a predicate holds, in order.\n\n" SCANTUNE_ITEMS
    "predicate: CUDA C++ that defines __device__ bool keep(Value item). Value is the type of the items, float for\n"
    "16-bit floats. It is code: take it from people whom you trust alone.\n" SCANTUNE_LENGTHS(
        "they are", "") "\nReturns an array of the library and dtype of x.\n\n" SCANTUNE_ERRORS;
constexpr const char* kSplitBy =
    "Return the items of an array that are selected, and the others, both in order.\n\n" SCANTUNE_ITEMS
    "by: a flag for each item, selected if it is not 0: an array of bool or numbers, of the library and length of x.\n"
    "Or a predicate, as filter() takes it.\n"
    "out, count: the selected items go to the beginning of out, contiguous and of the length of x, the others after\n"
    "them, and the number of the selected ones to count, an array of one integer of 32 or 64 bits; the call does not\n"
    "wait. Neither may overlap the other, nor an input.\n" SCANTUNE_STREAM
    "\nReturns (selected, others), arrays of the library and dtype of x, after one wait for their number. With out\n"
    "and count it returns out.\n\n" SCANTUNE_ERRORS;
constexpr const char* kNonzero =
    "Return where the items of an array are not 0, in C order.\n\n" SCANTUNE_ITEMS
    "It may have more dimensions where size and out are not given.\n"
    SCANTUNE_LENGTHS("they are", " (0 by default)")
    "\nReturns a tuple of int64 arrays of the library of x, of indices along each of its dimensions; with out, which\n"
    "is of dtype int64, it is (out,).\n\n" SCANTUNE_ERRORS;
constexpr const char* kUniqueConsecutive =
    "Return the first item of each run of equal neighbours. -0 equals +0, and a NaN equals nothing.\n\n" SCANTUNE_ITEMS
    "return_indices: whether to return where each run begins, too.\n"
    "return_counts: whether to return how many items each run has, too.\n"
    SCANTUNE_LENGTHS("the first array holds", " there, and the others 0")
    "\nReturns an array of the library and dtype of x; with return_indices or return_counts a tuple of it and one or\n"
    "two int64 arrays, indices first. out is such a tuple then, too.\n\n" SCANTUNE_ERRORS;

const ElementType& int64() { return *element_type(std::string_view("int64")); }

// A selection from x, with the number of the results.
scantune_select_request request_for(const Array& x, const CountedResults& results, scantune_criterion criterion) {
  scantune_select_request request = SCANTUNE_SELECT_REQUEST_INIT;
  request.head.n = x.size();
  request.input_type = x.type->type;
  request.criterion = criterion;
  request.count_type = results.count().type->type;
  request.capacity = &results.room();
  return request;
}

nb::object compressed(nb::object mask, nb::object object, const LengthArguments& lengths, nb::object stream) {
  const Call call("compress", object, std::move(stream));
  const Array x = flat_input(call, "x", std::move(object));
  const Array flags = flat_input(call, "mask", std::move(mask), x);
  const Library::Current current = call.current(x.place);
  const CountedResults results(call, x, {x.type}, lengths);
  results.check_apart_from("x", x);
  results.check_apart_from("mask", flags);
  scantune_select_request request = request_for(x, results, SCANTUNE_FLAGGED);
  request.flag_type = flags.type->type;
  run(request.head,
      {{SCANTUNE_INPUT, &x},
       {SCANTUNE_FLAGS, &flags},
       {SCANTUNE_OUTPUT, &results[0]},
       {SCANTUNE_COUNT, &results.count()}},
      results.stream());
  return results.taken()[0];
}

nb::object filtered(nb::object object, const std::string& predicate, const LengthArguments& lengths,
                    nb::object stream) {
  const Call call("filter", object, std::move(stream));
  const Array x = flat_input(call, "x", std::move(object));
  const Library::Current current = call.current(x.place);
  const CountedResults results(call, x, {x.type}, lengths);
  results.check_apart_from("x", x);
  scantune_select_request request = request_for(x, results, SCANTUNE_PREDICATE);
  const Predicate keeps(predicate, *x.type);
  keeps.put_into(request);
  run(request.head, {{SCANTUNE_INPUT, &x}, {SCANTUNE_OUTPUT, &results[0]}, {SCANTUNE_COUNT, &results.count()}},
      results.stream());
  return results.taken()[0];
}

nb::object split(nb::object object, const nb::object& by, const LengthArguments& lengths, nb::object stream) {
  const Call call("split_by", object, std::move(stream));
  const Array x = flat_input(call, "x", std::move(object));
  std::string source;
  const bool has_source = nb::try_cast(by, source);
  const Array flags = has_source ? x : flat_input(call, "by", by, x);
  const Library::Current current = call.current(x.place);
  const CountedResults results(call, x, {x.type}, lengths);
  results.check_apart_from("x", x);
  results.check_apart_from("by", flags);
  if (results.room() != x.size())
    call.refuse(nb::value_error,
                "out has " + std::to_string(results.room()) + " items, and x has " + std::to_string(x.size()));
  scantune_select_request request = request_for(x, results, SCANTUNE_FLAGGED);
  request.rejected = SCANTUNE_BEHIND;
  request.capacity = nullptr;  // both parts fill the array
  const Predicate keeps(source, *x.type);
  if (has_source)
    keeps.put_into(request);
  else
    request.flag_type = flags.type->type;
  run(request.head,
      {{SCANTUNE_INPUT, &x},
       {SCANTUNE_OUTPUT, &results[0]},
       {SCANTUNE_COUNT, &results.count()},
       {has_source ? SCANTUNE_INPUT : SCANTUNE_FLAGS, &flags}},
      results.stream());
  nb::object both = call.returned(results[0].object);
  if (!lengths.out.is_none()) return both;
  const nb::int_ selected(call.returned(results.count().object));
  return nb::make_tuple(both[nb::slice(nb::none(), selected, nb::none())],
                        both[nb::slice(selected, nb::none(), nb::none())]);
}

// Indices of an array as one dimension, along each of its dimensions.
nb::tuple unravelled(const nb::object& indices, const std::vector<Extent>& extents) {
  if (extents.size() == 1) return nb::make_tuple(indices);
  nb::list along;
  nb::object left = indices;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const nb::int_ size(extents[i].size == 0 ? 1 : extents[i].size);
    along.insert(0, left % size);
    left = left.floor_div(size);
  }
  return nb::tuple(along);
}

nb::tuple nonzero(nb::object object, const LengthArguments& lengths, nb::object stream) {
  const Call call("nonzero", object, std::move(stream));
  Array x = call.input("x", std::move(object));
  const std::vector<Extent> extents = x.extents;
  if (extents.empty()) call.refuse(nb::value_error, "x has no dimensions, along which there could be indices");
  if (extents.size() > 1 && !(lengths.size.is_none() && lengths.out.is_none()))
    call.refuse(nb::value_error, "x has " + std::to_string(extents.size()) +
                                     " dimensions, and size and out are for one: pass x.reshape(-1)");
  if (extents.size() > 1) x = call.flattened(x);
  x = call.contiguous("x", x);
  const Library::Current current = call.current(x.place);
  const CountedResults results(call, x, {&int64()}, lengths);
  results.check_apart_from("x", x);
  scantune_select_request request = request_for(x, results, SCANTUNE_NOT_EQUAL);
  request.selected = SCANTUNE_SELECTED_INDICES;
  request.index_type = SCANTUNE_I64;
  const std::uint64_t zero = 0;
  request.constant = &zero;
  run(request.head, {{SCANTUNE_INPUT, &x}, {SCANTUNE_OUTPUT, &results[0]}, {SCANTUNE_COUNT, &results.count()}},
      results.stream());
  return unravelled(results.taken()[0], extents);
}

// The first item of each run, and where it is.
void select_runs(const Array& x, const CountedResults& results, bool with_indices) {
  scantune_select_request request = request_for(x, results, SCANTUNE_UNIQUE);
  if (!with_indices)
    return run(request.head, {{SCANTUNE_INPUT, &x}, {SCANTUNE_OUTPUT, &results[0]}, {SCANTUNE_COUNT, &results.count()}},
               results.stream());
  request.selected = SCANTUNE_SELECTED_ITEMS_AND_INDICES;
  request.index_type = SCANTUNE_I64;
  run(request.head,
      {{SCANTUNE_INPUT, &x},
       {SCANTUNE_OUTPUT, &results[0]},
       {SCANTUNE_INDICES, &results[1]},
       {SCANTUNE_COUNT, &results.count()}},
      results.stream());
}

nb::object unique_consecutive(nb::object object, bool return_indices, bool return_counts,
                              const LengthArguments& lengths, nb::object stream) {
  const Call call("unique_consecutive", object, std::move(stream));
  const Array x = flat_input(call, "x", std::move(object));
  const Library::Current current = call.current(x.place);
  std::vector<const ElementType*> types = {x.type};
  types.resize(1 + (return_indices ? 1 : 0) + (return_counts ? 1 : 0), &int64());
  const CountedResults results(call, x, types, lengths);
  results.check_apart_from("x", x);
  if (return_indices || !return_counts) select_runs(x, results, return_indices);
  if (return_counts) encode_runs(x, results, types.size() - 1);
  const std::vector<nb::object> taken = results.taken();
  return taken.size() == 1   ? taken[0]
         : taken.size() == 2 ? nb::object(nb::make_tuple(taken[0], taken[1]))
                             : nb::object(nb::make_tuple(taken[0], taken[1], taken[2]));
}

}  // namespace

void add_selections(nb::module_& module) {
  module.def(
      "compress",
      [](nb::object mask, nb::object x, const nb::object& size, const nb::object& fill_value, const nb::object& out,
         const nb::object& count, nb::object stream) {
        return compressed(std::move(mask), std::move(x), {size, fill_value, out, count}, std::move(stream));
      },
      nb::arg(), nb::arg(), nb::kw_only(), nb::arg("size") = nb::none(), nb::arg("fill_value") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("count") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def compress(mask, x, /, *, " SCANTUNE_LENGTH_ARGUMENTS ")"), kCompress);
  module.def(
      "filter",
      [](nb::object x, const std::string& predicate, const nb::object& size, const nb::object& fill_value,
         const nb::object& out, const nb::object& count, nb::object stream) {
        return filtered(std::move(x), predicate, {size, fill_value, out, count}, std::move(stream));
      },
      nb::arg(), nb::arg(), nb::kw_only(), nb::arg("size") = nb::none(), nb::arg("fill_value") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("count") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def filter(x, predicate, /, *, " SCANTUNE_LENGTH_ARGUMENTS ")"), kFilter);
  module.def(
      "split_by",
      [](nb::object x, const nb::object& by, const nb::object& out, const nb::object& count, nb::object stream) {
        return split(std::move(x), by, {nb::none(), nb::none(), out, count}, std::move(stream));
      },
      nb::arg(), nb::arg(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("count") = nb::none(),
      nb::arg("stream") = nb::none(), nb::sig("def split_by(x, by, /, *, out=None, count=None, stream=None)"),
      kSplitBy);
  module.def(
      "nonzero",
      [](nb::object x, const nb::object& size, const nb::object& fill_value, const nb::object& out,
         const nb::object& count,
         nb::object stream) { return nonzero(std::move(x), {size, fill_value, out, count}, std::move(stream)); },
      nb::arg(), nb::kw_only(), nb::arg("size") = nb::none(), nb::arg("fill_value") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("count") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def nonzero(x, /, *, " SCANTUNE_LENGTH_ARGUMENTS ")"), kNonzero);
  module.def(
      "unique_consecutive",
      [](nb::object x, bool return_indices, bool return_counts, const nb::object& size, const nb::object& fill_value,
         const nb::object& out, const nb::object& count, nb::object stream) {
        return unique_consecutive(std::move(x), return_indices, return_counts, {size, fill_value, out, count},
                                  std::move(stream));
      },
      nb::arg(), nb::kw_only(), nb::arg("return_indices") = false, nb::arg("return_counts") = false,
      nb::arg("size") = nb::none(), nb::arg("fill_value") = nb::none(), nb::arg("out") = nb::none(),
      nb::arg("count") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def unique_consecutive(x, /, *, return_indices=False, return_counts=False, " SCANTUNE_LENGTH_ARGUMENTS
              ")"),
      kUniqueConsecutive);
}

}  // namespace scantune::python
