// Python's extension scantune._native: the library's functions on Python's arrays.
#include <nanobind/nanobind.h>

#include <exception>

#include "python/array.h"
#include "python/cumulative.h"
#include "python/description.h"
#include "python/into.h"
#include "python/library.h"
#include "python/own_operator.h"
#include "python/reductions.h"
#include "python/repetition.h"
#include "python/result_array.h"
#include "python/scan_plan.h"
#include "python/segmented_sort.h"
#include "python/segments.h"
#include "python/selection.h"
#include "python/sort.h"
#include "python/top_k.h"
#include "python/unique_counts.h"
#include "scantune/error.hpp"
#include "scantune/status.hpp"

namespace nb = nanobind;

namespace {

// The library's errors as Python's; all others of them are a RuntimeError.
void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const scantune::RequestError& wrong) {
    PyErr_SetString(PyExc_ValueError, wrong.what());
  } catch (const scantune::OutOfMemoryError& short_of_memory) {
    PyErr_SetString(PyExc_MemoryError, short_of_memory.what());
  }
}

// What is seen of an array, for tests: GPUs' arrays can be looked at without a GPU.
nb::dict seen(nb::object object) {
  const scantune::python::Array array = scantune::python::array_of("seen", "x", std::move(object));
  nb::list shape, strides;
  for (const auto& [size, stride] : array.extents) {
    shape.append(size);
    strides.append(stride);
  }
  nb::dict result;
  result["address"] = reinterpret_cast<std::uintptr_t>(array.first);
  result["dtype"] = array.type->name;
  result["shape"] = shape;
  result["strides"] = strides;
  result["place"] = nb::make_tuple(array.place.type, array.place.id);
  result["is_read_only"] = array.is_read_only;
  result["stream"] = array.stream ? nb::cast(*array.stream) : nb::none();
  return result;
}

void reload() {
  const nb::gil_scoped_release others_may_run;
  scantune::runtime::detail::check(scantune_reload());
}

}  // namespace

NB_MODULE(_native, module) {
  nb::register_exception_translator(translate);
  scantune::python::add_result_array(module);
  scantune::python::add_own_operator(module);
  scantune::python::add_cumulative_functions(module);
  scantune::python::add_plans(module);
  scantune::python::add_reductions(module);
  scantune::python::add_sorts(module);
  scantune::python::add_top_k(module);
  scantune::python::add_selections(module);
  scantune::python::add_segment_functions(module);
  scantune::python::add_segmented_sorts(module);
  scantune::python::add_repetitions(module);
  scantune::python::add_unique_counts(module);
  scantune::python::add_describe(module);
  scantune::python::add_combinations_into(module);
  scantune::python::add_sorts_into(module);
  scantune::python::add_selections_into(module);
  module.def(
      "reload", &reload,
      "Read the tuning databases again: later calls and plans use what the tuner has saved since. The next call of\n"
      "each thread for a problem chooses and loads kernels again, so it cannot be captured into a graph.");
  module.def("_seen", &seen);
  module.def("_stream", [](nb::handle stream) { return scantune::python::stream_of("stream", stream); });
}
