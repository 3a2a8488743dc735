#include "c_api/status.h"

#include <new>
#include <string>

#include "scantune/error.hpp"

namespace scantune::c_api {
namespace {

constexpr const char* kNoHostMemory = "the host is out of memory";

thread_local std::string text;
thread_local const char* shown = "";
thread_local int result_of_cuda = 0;

scantune_status report(scantune_status status, const char* message) noexcept {
  try {
    text = message;
    shown = text.c_str();
  } catch (const std::bad_alloc&) {
    shown = kNoHostMemory;
  }
  return status;
}

}  // namespace

scantune_status report_exception() noexcept {
  result_of_cuda = 0;
  try {
    throw;
  } catch (const RequestError& error) {
    return report(SCANTUNE_REQUEST_ERROR, error.what());
  } catch (const CompileError& error) {
    return report(SCANTUNE_COMPILE_ERROR, error.what());
  } catch (const OutOfMemoryError& error) {
    result_of_cuda = error.cuda_result;
    return report(SCANTUNE_OUT_OF_MEMORY, error.what());
  } catch (const DeviceError& error) {
    result_of_cuda = error.cuda_result;
    return report(SCANTUNE_DEVICE_ERROR, error.what());
  } catch (const DatabaseError& error) {
    return report(SCANTUNE_DATABASE_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    shown = kNoHostMemory;
    return SCANTUNE_INTERNAL_ERROR;
  } catch (const std::exception& error) {
    return report(SCANTUNE_INTERNAL_ERROR, error.what());
  } catch (...) {
    return report(SCANTUNE_INTERNAL_ERROR, "an exception of an unknown type");
  }
}

const char* message() noexcept { return shown; }

int cuda_result() noexcept { return result_of_cuda; }

}  // namespace scantune::c_api
