// Functions whose results go into arrays of the caller's: what the package scantune.compute calls.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

void add_combinations_into(nanobind::module_& module);
void add_sorts_into(nanobind::module_& module);
void add_selections_into(nanobind::module_& module);

}  // namespace scantune::python
