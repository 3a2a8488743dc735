#include <optional>
#include <string>

#include "python/combination.h"
#include "python/first_items.h"
#include "python/host_memory.h"
#include "python/initial_value.h"
#include "python/into.h"
#include "python/own_operator.h"
#include "python/request_run.h"
#include "python/result_type.h"
#include "python/segment_offsets.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

// What results start from: a number, the item of an array, or none of them.
struct Init {
  const char* name;
  nb::object number;
  nb::object array;

  bool is_given() const { return !number.is_none() || !array.is_none(); }
};

// The initial value in a request.
class InitialValue {
 public:
  InitialValue(FirstItems& items, const Operation& operation, const Init& init, bool is_written, const Array& out)
      : bytes_(initial_value(items.call().function(), operation,
                             {.init = init.number, .is_written = is_written && init.array.is_none(), .name = init.name},
                             *items.first().type, *out.type)) {
    if (init.array.is_none()) return;
    const Array& array = items.input(init.name, init.array, 1);
    const scantune_type accumulator = scantune_accumulator(items.first().type->type, out.type->type);
    if (array.type->type != accumulator)
      items.call().refuse(nb::type_error, std::string(init.name) + " has items of " + array.type->name +
                                              ", and it must be of the type in which items are combined: pass a "
                                              "number, or convert it");
    memory_.emplace(array);
    on_device_ = array.first;
  }

  template <class Request>
  void put_into(Request& request) const {
    request.init = bytes_.empty() ? nullptr : bytes_.data();
    request.device_init = on_device_;
  }

 private:
  std::string bytes_;
  std::optional<HostMemory> memory_;
  const std::byte* on_device_ = nullptr;
};

struct CombineArguments {
  std::string function;
  nb::object d_in, d_out, op;
  Init init;
  nb::object stream;
};

// What a scan and a reduction have in common.
struct Combining {
  FirstItems items;
  const Operation operation;
  const Array& x;
  const Array& out;
  const InitialValue init;
  const Combination combination;

  // results: how many; without a number one for each item, and in place if the caller wants.
  Combining(const CombineArguments& arguments, FirstItems::Number n, FirstItems::Number results, bool writes_init)
      : items(arguments.function, "d_in", arguments.d_in, n, arguments.stream),
        operation(operation_of(arguments.function, arguments.op)),
        x(items.first()),
        out(place_for(arguments.d_out, results)),
        init(items, operation, arguments.init, writes_init, out),
        combination(arguments.function, operation, *x.type, *out.type) {}

  template <class Request>
  void put_into(Request& request) const {
    combination.put_into(request);
    init.put_into(request);
    request.head.n = x.size();
  }

 private:
  const Array& place_for(const nb::object& d_out, FirstItems::Number results) {
    const Array& place = items.output("d_out", d_out, results.value_or(x.size()), results ? nullptr : &x);
    check_types(items.call(), operation, "d_in", *x.type, *place.type);
    return place;
  }
};

void scan_into(const CombineArguments& arguments, const nb::object& num_items, bool is_inclusive) {
  const Combining combining(arguments, number_of(arguments.function, "num_items", num_items), {}, !is_inclusive);
  const std::uint64_t stream = combining.items.stream();
  if (combining.x.size() == 0) return;
  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  combining.put_into(request);
  request.kind = is_inclusive ? SCANTUNE_INCLUSIVE : SCANTUNE_EXCLUSIVE;
  run(request.head, {{SCANTUNE_INPUT, &combining.x}, {SCANTUNE_OUTPUT, &combining.out}}, stream);
}

// If n is 0, the result is the initial value, or d_out stays as it is.
void reduce_into(const CombineArguments& arguments, const nb::object& num_items) {
  const Combining combining(arguments, number_of(arguments.function, "num_items", num_items), 1, true);
  const std::uint64_t stream = combining.items.stream();
  if (combining.x.size() == 0 && !arguments.init.is_given()) return;
  scantune_reduce_request request = SCANTUNE_REDUCE_REQUEST_INIT;
  combining.put_into(request);
  run(request.head, {{SCANTUNE_INPUT, &combining.x}, {SCANTUNE_OUTPUT, &combining.out}}, stream);
}

void segmented_reduce_into(const CombineArguments& arguments, const SegmentArguments& segments) {
  Combining combining(arguments, {}, number_of(arguments.function, "num_segments", segments.number), true);
  const SegmentOffsets offsets(combining.items, segments);
  const std::uint64_t stream = combining.items.stream();
  if (offsets.number() == 0) return;
  scantune_reduce_request request = SCANTUNE_REDUCE_REQUEST_INIT;
  combining.put_into(request);
  offsets.put_into(request);
  run(request.head,
      {{SCANTUNE_INPUT, &combining.x},
       {SCANTUNE_BEGINS, &offsets.begins()},
       {SCANTUNE_ENDS, &offsets.ends()},
       {SCANTUNE_OUTPUT, &combining.out}},
      stream);
}

}  // namespace

void add_combinations_into(nb::module_& module) {
  const auto any = nb::arg().none();
  module.def(
      "_scan_into",
      [](const std::string& function, const nb::object& d_in, const nb::object& d_out, const nb::object& op,
         const nb::object& init, const nb::object& init_array, const nb::object& num_items, bool is_inclusive,
         const nb::object& stream) {
        scan_into({function, d_in, d_out, op, {"init_value", init, init_array}, stream}, num_items, is_inclusive);
      },
      nb::arg(), any, any, any, any, any, any, nb::arg(), any);
  module.def(
      "_reduce_into",
      [](const std::string& function, const nb::object& d_in, const nb::object& d_out, const nb::object& op,
         const nb::object& init, const nb::object& init_array, const nb::object& num_items, const nb::object& stream) {
        reduce_into({function, d_in, d_out, op, {"h_init", init, init_array}, stream}, num_items);
      },
      nb::arg(), any, any, any, any, any, any, any);
  module.def(
      "_segmented_reduce_into",
      [](const std::string& function, const nb::object& d_in, const nb::object& d_out, const nb::object& op,
         const nb::object& init, const nb::object& init_array, const nb::object& num_segments, const nb::object& begins,
         const nb::object& ends, const nb::object& stream) {
        segmented_reduce_into({function, d_in, d_out, op, {"h_init", init, init_array}, stream},
                              {num_segments, begins, ends});
      },
      nb::arg(), any, any, any, any, any, any, any, any, any);
}

}  // namespace scantune::python
