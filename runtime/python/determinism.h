// Determinism by the name that callers give.
#pragma once

#include <optional>
#include <string>

#include "python/errors.h"
#include "scantune/scantune.h"

namespace scantune::python {

inline scantune_determinism named_determinism(const std::string& function, const std::optional<std::string>& name) {
  if (!name) return SCANTUNE_UNCONSTRAINED;
  if (*name != "run_to_run")
    refuse(nanobind::value_error, function, "determinism is '" + *name + "'; it must be None or run_to_run");
  return SCANTUNE_RUN_TO_RUN;
}

}  // namespace scantune::python
