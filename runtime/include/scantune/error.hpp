// All exceptions of scantune. The text says what was requested, what was found and what to do.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <stdexcept>
#include <string>

namespace scantune {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct RequestError
    : Error {  // an argument is wrong, or no kernel solves the problem; only a check of offsets was launched
  using Error::Error;
};
struct CompileError : Error {  // a kernel did not compile; the text has the compiler's whole log
  using Error::Error;
};
struct DeviceError : Error {  // no device, no driver, or a failed call of the driver
  explicit DeviceError(const std::string& text, int result = 0) : Error(text), cuda_result(result) {}

  int cuda_result;  // the CUresult of the failed call; 0 if the driver was not the reason
};
struct OutOfMemoryError : DeviceError {  // the device has too little free memory
  using DeviceError::DeviceError;
};
struct DatabaseError : Error {  // a tuning database cannot be read
  using Error::Error;
};

}  // namespace scantune

#endif
