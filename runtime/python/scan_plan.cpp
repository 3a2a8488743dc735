#include "python/scan_plan.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "python/description.h"
#include "python/determinism.h"
#include "python/documentation.h"
#include "python/host_memory.h"
#include "python/own_operator.h"
#include "python/scan_arguments.h"
#include "scantune/status.hpp"

namespace nb = nanobind;

namespace scantune::python {
namespace {

constexpr const char* kPlan =
    "Return a plan of the scans of arrays like x, for loops that call it often.\n\n" SCANTUNE_ARRAYS SCANTUNE_OP
    "axis: the axis, from the end if it is negative.\n"
    "inclusive: whether a result has its own item. Exclusive scans begin with init, or with the identity.\n"
    "reverse: whether items are combined from the last one to the first.\n"
    "init: a number that is combined before the first item.\n" SCANTUNE_DTYPE
    "out: an array like those for the results; by default these are in C order.\n"
    "determinism: \"run_to_run\" for equal bits on every run of one device and config.\n"
    "captured_launches: how many of its calls may be alive in graphs at once. Each has a workspace from now on.\n"
    "\nReturns a ScanPlan. Nothing is scanned: kernels are chosen, compiled and loaded.\n\n" SCANTUNE_ERRORS;
constexpr const char* kRun =
    "Scan x into out, and return out.\n\n"
    "x, out: arrays of the shapes, strides, dtypes and device of the plan's. out may be x where the plan's array for\n"
    "results has the strides and item size of x, and overlaps it in no other way.\n" SCANTUNE_STREAM
    "\nRaises TypeError for another dtype, ValueError for another shape, stride or device.";

}  // namespace

ScanPlan::ScanPlan(const ScanCall& scan)
    : x_{scan.x.type, scan.x.extents}, out_{scan.out.type, scan.out.extents}, place_(scan.x.place) {
  if (scan.x.size() == 0) return;
  const Rows rows = rows_of(scan);
  if (!rows.of_calls.empty())
    refuse(nb::value_error, "plan", "x takes several launches: its dimensions beside the axis must merge into two");
  const scantune_scan_request request = request_of(scan, rows);
  const nb::gil_scoped_release others_may_run;
  scantune_plan* plan = nullptr;
  runtime::detail::check(scantune_plan_create(&request.head, &plan));
  plan_.reset(plan);
}

void ScanPlan::check(const Call& call, const char* name, const Array& array, const Model& model) {
  if (array.type != model.type)
    call.refuse(nb::type_error,
                std::string(name) + " has items of " + array.type->name + ", and the plan is for " + model.type->name);
  if (!std::ranges::equal(array.extents, model.extents, [](const Extent& a, const Extent& b) {
        return a.size == b.size && (a.size < 2 || a.stride == b.stride);
      }))
    call.refuse(nb::value_error, std::string(name) + " has another shape or other strides than the plan's");
}

nb::object ScanPlan::scanned(const nb::object& x_object, const nb::object& out_object, nb::object stream_object) const {
  const Call call("ScanPlan", x_object, std::move(stream_object));
  const Array x = call.input("x", x_object), out = call.output("out", out_object);
  if (x.place != place_) call.refuse(nb::value_error, "x is on another device than the plan's");
  check(call, "x", x, x_);
  check_places(call, x, out);
  check(call, "out", out, out_);
  const Library::Current current = call.current(x.place);
  const std::uint64_t stream = call.stream_for(x);
  if (plan_ != nullptr) {
    describe(plan_.get());
    run(x, out, stream);
  }
  return out_object;
}

void ScanPlan::run(const Array& x, const Array& out, std::uint64_t stream) const {
  const nb::gil_scoped_release others_may_run;
  const HostMemory input(x), output(out);
  scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
  arrays.of[SCANTUNE_INPUT] = x.first;
  arrays.of[SCANTUNE_OUTPUT] = out.first;
  runtime::detail::check(scantune_plan_run(plan_.get(), &arrays, nullptr, reinterpret_cast<scantune_stream>(stream)));
}

void add_plans(nb::module_& module) {
  nb::class_<ScanPlan>(module, "ScanPlan", "A scan whose shapes, strides, dtypes and device are fixed, by plan().")
      .def("__call__", &ScanPlan::scanned, nb::arg(), nb::arg(), nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::sig("def __call__(self, x, out, /, *, stream=None)"), kRun)
      .def("describe", &ScanPlan::description, "Say which config runs, from which record, and why.");
  module.def(
      "plan",
      [](nb::object x, const nb::object& op, std::int64_t axis, bool inclusive, bool reverse, nb::object init,
         nb::object dtype, nb::object out, const std::optional<std::string>& determinism,
         std::int32_t captured_launches) {
        std::unique_ptr<ScanPlan> plan;
        with_scan({.function = "plan",
                   .operation = operation_of("plan", op),
                   .x = std::move(x),
                   .axis = {.axis = axis, .keeps_no_dimension = true},
                   .is_planned = true,
                   .dtype = std::move(dtype),
                   .out = std::move(out),
                   .init = std::move(init),
                   .kind = inclusive ? SCANTUNE_INCLUSIVE : SCANTUNE_EXCLUSIVE,
                   .direction = reverse ? SCANTUNE_REVERSE : SCANTUNE_FORWARD,
                   .determinism = named_determinism("plan", determinism),
                   .captured_launches = captured_launches},
                  [&](const ScanCall& scan) { plan = std::make_unique<ScanPlan>(scan); });
        return plan;
      },
      nb::arg(), nb::arg("op") = "sum", nb::kw_only(), nb::arg("axis") = -1, nb::arg("inclusive") = true,
      nb::arg("reverse") = false, nb::arg("init") = nb::none(), nb::arg("dtype") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("determinism") = nb::none(), nb::arg("captured_launches") = 4,
      nb::sig("def plan(x, /, op=\"sum\", *, axis=-1, inclusive=True, reverse=False, init=None, dtype=None, out=None, "
              "determinism=None, captured_launches=4)"),
      kPlan);
}

}  // namespace scantune::python
