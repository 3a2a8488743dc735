#include "python/segments.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "python/combination.h"
#include "python/determinism.h"
#include "python/documentation.h"
#include "python/flat_input.h"
#include "python/initial_value.h"
#include "python/offsets.h"
#include "python/output.h"
#include "python/own_operator.h"
#include "python/request_run.h"
#include "python/result_type.h"
#include "python/runs.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

#define SCANTUNE_KEYS_AND_ITEMS                                                                             \
  "keys: a key for each item: an array of bool or numbers, of the library and length of x. Runs of equal\n" \
  "neighbours are segments; -0 equals +0, and a NaN equals nothing.\n" SCANTUNE_ITEMS SCANTUNE_OP

#define SCANTUNE_SCAN_OF_SEGMENTS(segments)                                                                      \
  "inclusive: whether a result has its own item. Exclusive scans begin with init, or with the identity.\n"       \
  "reverse: whether items are combined from the last one of a segment to its first.\n"                           \
  "init: a number that is combined before the first item of each segment.\n" SCANTUNE_DTYPE                      \
  "Results of all operations but sum and product have the dtype of x by default.\n"                              \
  "out: the contiguous array for the results, of the length of x and on its device; the default dtype is then\n" \
  "that of out. It may be x, if its items are of the same size, and overlaps it and " segments                   \
  " in no other way.\n" SCANTUNE_STREAM                                                                          \
  "determinism: \"run_to_run\" for equal bits on every run of one device and config.\n"

constexpr const char* kScanByKey =
    "Return the scan of each run of equal neighbouring keys.\n\n" SCANTUNE_KEYS_AND_ITEMS SCANTUNE_SCAN_OF_SEGMENTS(
        "keys") "\nReturns an array of the library and length of x.\n\n" SCANTUNE_ERRORS;
constexpr const char* kSegmentedScan =
    "Return the scan of each segment of an array, in any order of segments. scan_by_key() takes the segment of each\n"
    "item.\n\n" SCANTUNE_ITEMS SCANTUNE_OFFSETS SCANTUNE_OP SCANTUNE_SCAN_OF_SEGMENTS("offsets")
    "\nReturns an array of the library and length of x. Items of no segment have no results there, and it may hold\n"
    "anything; what out holds there stays. Items of several segments have unspecified results.\n\n" SCANTUNE_ERRORS;
constexpr const char* kReduceByKey =
    "Return the key of each run of equal neighbouring keys, and the reduction of its items.\n\n"
    SCANTUNE_KEYS_AND_ITEMS SCANTUNE_DTYPE
    "Results of all operations but sum and product have the dtype of x by default.\n"
    SCANTUNE_LENGTHS("the keys hold", ", and the reductions 0")
    "\nReturns (keys, reductions), arrays of the library of x. out is such a tuple, too.\n\n" SCANTUNE_ERRORS;
constexpr const char* kRunLengthEncode =
    "Return the first item of each run of equal neighbours, and how many items it has. -0 equals +0, and a NaN\n"
    "equals nothing.\n\n" SCANTUNE_ITEMS SCANTUNE_LENGTHS("the items hold", ", and the lengths 0")
    "\nReturns (items, lengths), arrays of the library of x, of its dtype and of int64. out is such a tuple, too.\n\n"
    SCANTUNE_ERRORS;
constexpr const char* kSegmentedReduce =
    "Return the reduction of each segment of an array.\n\n" SCANTUNE_ITEMS SCANTUNE_OFFSETS SCANTUNE_OP
    "init: a number that is combined before the first item of each segment. An empty segment yields init, or the\n"
    "identity: of min the greatest value, of max the least.\n" SCANTUNE_DTYPE
    "Results of all operations but sum and product have the dtype of x by default.\n"
    "out: the contiguous array for the results, one for each segment, on the device of x; the default dtype is then\n"
    "that of out. It must not overlap x or offsets.\n" SCANTUNE_STREAM
    "\nReturns an array of the library of x.\n\n" SCANTUNE_ERRORS;

// The array that the caller gives for results, if any, and their type.
struct GivenOut {
  std::optional<Array> array;
  const ElementType& type;
};

GivenOut given_out(const Call& call, const Operation& operation, const Array& x, const nb::object& dtype,
                   const nb::object& out) {
  std::optional<Array> array;
  if (!out.is_none()) array = call.output("out", out);
  const ElementType& type = result_type(call, operation, *x.type, dtype, array);
  return {std::move(array), type};
}

// The array for results of a known number, made if none is given.
Array checked_out(const Call& call, const GivenOut& given, const Array& x, std::uint64_t length) {
  Array out = given.array ? *given.array : call.output("out", call.made(x, {length}, given.type));
  check_output(call, "out", out, {length}, x);
  if (!is_contiguous(out)) call.refuse(nb::value_error, "out is not contiguous: pass another");
  return out;
}

struct ScanOfSegments {
  const char* function;
  bool by_keys;  // else by offsets
  nb::object segments, x;
  const Operation operation;
  bool inclusive, reverse;
  nb::object init, dtype, out, stream;
  scantune_determinism determinism;
};

nb::object scanned(const ScanOfSegments& arguments) {
  const Call call(arguments.function, arguments.x, arguments.stream);
  const Array x = flat_input(call, "x", arguments.x);
  const Array segments =
      arguments.by_keys ? flat_input(call, "keys", arguments.segments, x) : offsets_of(call, arguments.segments, x);
  const GivenOut given = given_out(call, arguments.operation, x, arguments.dtype, arguments.out);
  const Library::Current current = call.current(x.place);
  const Array out = checked_out(call, given, x, x.size());
  check_apart(call, "out", out, arguments.by_keys ? "keys" : "offsets", segments);
  if (x.first != out.first || x.type->bytes() != out.type->bytes()) check_apart(call, "out", out, "x", x);

  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  const Combination combination(call.function(), arguments.operation, *x.type, given.type);
  combination.put_into(request);
  request.head.n = x.size();
  request.head.determinism = arguments.determinism;
  if (arguments.by_keys) {
    request.segments = SCANTUNE_BY_KEYS;
    request.key_type = segments.type->type;
  } else {
    take_offsets(segments, request);
  }
  request.kind = arguments.inclusive ? SCANTUNE_INCLUSIVE : SCANTUNE_EXCLUSIVE;
  request.direction = arguments.reverse ? SCANTUNE_REVERSE : SCANTUNE_FORWARD;
  const std::string init =
      initial_value(call.function(), arguments.operation, {.init = arguments.init, .is_written = !arguments.inclusive},
                    *x.type, given.type);
  request.init = init.empty() ? nullptr : init.data();
  const std::uint64_t stream = call.stream_for(x);
  const scantune_role role = arguments.by_keys ? SCANTUNE_KEYS : SCANTUNE_BEGINS;
  if (arguments.by_keys || segments_of(segments) > 0)
    run(request.head, {{SCANTUNE_INPUT, &x}, {role, &segments}, {SCANTUNE_OUTPUT, &out}}, stream);
  return call.returned(out.object);
}

struct ReduceByKey {
  nb::object keys, x;
  const Operation operation;
  nb::object dtype;
  LengthArguments lengths;
  nb::object stream;
};

nb::object reduced_by_key(const ReduceByKey& arguments) {
  const Call call("reduce_by_key", arguments.x, arguments.stream);
  const Array x = flat_input(call, "x", arguments.x);
  const Array keys = flat_input(call, "keys", arguments.keys, x);
  std::optional<Array> out;
  const nb::object& given = arguments.lengths.out;
  if (nb::isinstance<nb::tuple>(given) && nb::len(given) == 2) out = call.output("out[1]", given[nb::int_(1)]);
  const ElementType& type = result_type(call, arguments.operation, *x.type, arguments.dtype, out);
  const Library::Current current = call.current(x.place);
  const CountedResults results(call, x, {keys.type, &type}, arguments.lengths);
  results.check_apart_from("x", x);
  results.check_apart_from("keys", keys);
  reduce_runs(keys, x, Combination(call.function(), arguments.operation, *x.type, type), results);
  const auto taken = results.taken();
  return nb::make_tuple(taken[0], taken[1]);
}

nb::object run_length_encoded(const nb::object& object, const LengthArguments& lengths, nb::object stream) {
  const Call call("run_length_encode", object, std::move(stream));
  const Array x = flat_input(call, "x", object);
  const Library::Current current = call.current(x.place);
  const CountedResults results(call, x, {x.type, element_type(std::string_view("int64"))}, lengths);
  results.check_apart_from("x", x);
  encode_runs(x, results, 1);
  const auto taken = results.taken();
  return nb::make_tuple(taken[0], taken[1]);
}

struct SegmentedReduce {
  nb::object x, offsets;
  const Operation operation;
  nb::object init, dtype, out, stream;
};

nb::object reduced_by_segment(const SegmentedReduce& arguments) {
  const Call call("segmented_reduce", arguments.x, arguments.stream);
  const Array x = flat_input(call, "x", arguments.x);
  const Array offsets = offsets_of(call, arguments.offsets, x);
  const GivenOut given = given_out(call, arguments.operation, x, arguments.dtype, arguments.out);
  const Library::Current current = call.current(x.place);
  const Array out = checked_out(call, given, x, segments_of(offsets));
  check_apart(call, "out", out, "x", x);
  check_apart(call, "out", out, "offsets", offsets);

  scantune_reduce_request request = SCANTUNE_REDUCE_REQUEST_INIT;
  const Combination combination(call.function(), arguments.operation, *x.type, given.type);
  combination.put_into(request);
  request.head.n = x.size();
  take_offsets(offsets, request);
  const std::string init = initial_value(call.function(), arguments.operation,
                                         {.init = arguments.init, .is_written = true}, *x.type, given.type);
  request.init = init.empty() ? nullptr : init.data();
  const std::uint64_t stream = call.stream_for(x);
  if (out.size() > 0)
    run(request.head, {{SCANTUNE_INPUT, &x}, {SCANTUNE_BEGINS, &offsets}, {SCANTUNE_OUTPUT, &out}}, stream);
  return call.returned(out.object);
}

}  // namespace

void add_segment_functions(nb::module_& module) {
  module.def(
      "scan_by_key",
      [](nb::object keys, nb::object x, const nb::object& op, bool inclusive, bool reverse, nb::object init,
         nb::object dtype, nb::object out, nb::object stream, const std::optional<std::string>& determinism) {
        return scanned({"scan_by_key", true, std::move(keys), std::move(x), operation_of("scan_by_key", op), inclusive,
                        reverse, std::move(init), std::move(dtype), std::move(out), std::move(stream),
                        named_determinism("scan_by_key", determinism)});
      },
      nb::arg(), nb::arg(), nb::arg("op") = "sum", nb::kw_only(), nb::arg("inclusive") = true,
      nb::arg("reverse") = false, nb::arg("init") = nb::none(), nb::arg("dtype") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(), nb::arg("determinism") = nb::none(),
      nb::sig("def scan_by_key(keys, x, /, op=\"sum\", *, inclusive=True, reverse=False, init=None, dtype=None, "
              "out=None, stream=None, determinism=None)"),
      kScanByKey);
  module.def(
      "segmented_scan",
      [](nb::object x, nb::object offsets, const nb::object& op, bool inclusive, bool reverse, nb::object init,
         nb::object dtype, nb::object out, nb::object stream, const std::optional<std::string>& determinism) {
        return scanned({"segmented_scan", false, std::move(offsets), std::move(x), operation_of("segmented_scan", op),
                        inclusive, reverse, std::move(init), std::move(dtype), std::move(out), std::move(stream),
                        named_determinism("segmented_scan", determinism)});
      },
      nb::arg(), nb::arg(), nb::arg("op") = "sum", nb::kw_only(), nb::arg("inclusive") = true,
      nb::arg("reverse") = false, nb::arg("init") = nb::none(), nb::arg("dtype") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(), nb::arg("determinism") = nb::none(),
      nb::sig("def segmented_scan(x, offsets, /, op=\"sum\", *, inclusive=True, reverse=False, init=None, dtype=None, "
              "out=None, stream=None, determinism=None)"),
      kSegmentedScan);
  module.def(
      "reduce_by_key",
      [](nb::object keys, nb::object x, const nb::object& op, nb::object dtype, const nb::object& size,
         const nb::object& fill_value, const nb::object& out, const nb::object& count, nb::object stream) {
        return reduced_by_key({std::move(keys),
                               std::move(x),
                               operation_of("reduce_by_key", op),
                               std::move(dtype),
                               {size, fill_value, out, count},
                               std::move(stream)});
      },
      nb::arg(), nb::arg(), nb::arg("op") = "sum", nb::kw_only(), nb::arg("dtype") = nb::none(),
      nb::arg("size") = nb::none(), nb::arg("fill_value") = nb::none(), nb::arg("out") = nb::none(),
      nb::arg("count") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def reduce_by_key(keys, x, /, op=\"sum\", *, dtype=None, size=None, fill_value=None, out=None, "
              "count=None, stream=None)"),
      kReduceByKey);
  module.def(
      "run_length_encode",
      [](const nb::object& x, const nb::object& size, const nb::object& fill_value, const nb::object& out,
         const nb::object& count,
         nb::object stream) { return run_length_encoded(x, {size, fill_value, out, count}, std::move(stream)); },
      nb::arg(), nb::kw_only(), nb::arg("size") = nb::none(), nb::arg("fill_value") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("count") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def run_length_encode(x, /, *, size=None, fill_value=None, out=None, count=None, stream=None)"),
      kRunLengthEncode);
  module.def(
      "segmented_reduce",
      [](nb::object x, nb::object offsets, const nb::object& op, nb::object init, nb::object dtype, nb::object out,
         nb::object stream) {
        return reduced_by_segment({std::move(x), std::move(offsets), operation_of("segmented_reduce", op),
                                   std::move(init), std::move(dtype), std::move(out), std::move(stream)});
      },
      nb::arg(), nb::arg(), nb::arg("op") = "sum", nb::kw_only(), nb::arg("init") = nb::none(),
      nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def segmented_reduce(x, offsets, /, op=\"sum\", *, init=None, dtype=None, out=None, stream=None)"),
      kSegmentedReduce);
}

}  // namespace scantune::python
