// Python's extension scantune._native: the library's functions on Python's arrays.
#include <nanobind/nanobind.h>

#include <exception>

#include "python/cumulative.h"
#include "scantune/error.hpp"

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

}  // namespace

NB_MODULE(_native, module) {
  nb::register_exception_translator(translate);
  scantune::python::add_cumulative_functions(module);
}
