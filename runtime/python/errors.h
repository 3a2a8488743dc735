// How functions refuse their arguments: the text begins with the function's name, and names the argument.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace scantune::python {

// One of nanobind's, such as nanobind::value_error.
using Exception = nanobind::builtin_exception (*)(const char* text);

[[noreturn]] inline void refuse(Exception exception, const std::string& function, const std::string& because) {
  throw exception((function + ": " + because).c_str());
}

inline std::string spelled(nanobind::handle object) { return nanobind::cast<std::string>(nanobind::str(object)); }

}  // namespace scantune::python
