// How functions refuse their arguments: the text begins with the function's name, and names the argument.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

namespace scantune::python {

// One of nanobind's, such as nanobind::value_error.
using Exception = nanobind::builtin_exception (*)(const char* text);

[[noreturn]] inline void refuse(Exception exception, const std::string& function, const std::string& because) {
  throw exception((function + ": " + because).c_str());
}

inline std::string spelled(nanobind::handle object) { return nanobind::cast<std::string>(nanobind::str(object)); }

// An argument as a number.
inline std::uint64_t number_of(const std::string& function, const std::string& argument, nanobind::handle value,
                               std::uint64_t least = 0) {
  std::uint64_t number = 0;
  if (!nanobind::try_cast(value, number) || number < least)
    refuse(nanobind::value_error, function,
           argument + " is " + spelled(value) + "; it must be an integer, not less than " + std::to_string(least));
  return number;
}

}  // namespace scantune::python
