// Statuses and messages: how the C interface reports exceptions.
#pragma once

#include "scantune/scantune.h"

namespace scantune::c_api {

// The status of the exception being handled, whose text becomes this thread's message.
scantune_status report_exception() noexcept;

// This thread's last message; empty before its first failure.
const char* message() noexcept;

// The CUresult of its last failure; 0 if no call of the driver failed.
int cuda_result() noexcept;

// Runs the body of a C function.
template <class Body>
[[gnu::always_inline]] inline scantune_status guarded(const Body& body) noexcept {
  try {
    body();
    return SCANTUNE_OK;
  } catch (...) {
    return report_exception();
  }
}

}  // namespace scantune::c_api
