// Statuses of the C interface as exceptions.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include "scantune/error.hpp"
#include "scantune/scantune.h"

namespace scantune::runtime::detail {

[[noreturn]] inline void throw_error(scantune_status status) {
  const char* const message = scantune_error_message();
  switch (status) {
    case SCANTUNE_REQUEST_ERROR:
      throw RequestError(message);
    case SCANTUNE_COMPILE_ERROR:
      throw CompileError(message);
    case SCANTUNE_DEVICE_ERROR:
      throw DeviceError(message, scantune_error_cuda_result());
    case SCANTUNE_OUT_OF_MEMORY:
      throw OutOfMemoryError(message, scantune_error_cuda_result());
    case SCANTUNE_DATABASE_ERROR:
      throw DatabaseError(message);
    default:
      throw Error(message);
  }
}

inline void check(scantune_status status) {
  if (status != SCANTUNE_OK) [[unlikely]]
    throw_error(status);
}

}  // namespace scantune::runtime::detail

#endif
