#include "device/cuda/context.h"

#include "device/cuda/driver.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

// After these, every further call in the context fails too.
bool destroys_context(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

std::string text_of(CUresult result, const char* call) {
  const Driver& driver = Driver::instance();
  const char* meaning = nullptr;
  driver.cuGetErrorString(result, &meaning);
  return std::string(call) + " failed: " + driver.name_of(result) + ", " +
         (meaning != nullptr ? meaning : "unknown to this driver");
}

}  // namespace

CudaContext::~CudaContext() { delete failure_.load(); }

void CudaContext::fail(int result, const char* call) const {
  const std::string text = text_of(static_cast<CUresult>(result), call);
  if (destroys_context(static_cast<CUresult>(result))) remember_failure({result, text});
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemoryError(text, result);
  throw DeviceError(text, result);
}

std::string CudaContext::failure() const {
  const Failure* failure = failure_.load(std::memory_order_acquire);
  return failure != nullptr ? failure->reason : std::string();
}

void CudaContext::throw_failure(const Failure& failure) const {
  throw DeviceError(
      "the CUDA context has failed and runs nothing more: " + failure.reason +
          ". A kernel before, of this library or another, did this; compute-sanitizer finds which. The process "
          "must be restarted, or the device reset and every plan made again.",
      failure.result);
}

void CudaContext::remember_failure(const Failure& failure) const {
  auto kept = std::make_unique<const Failure>(failure);
  const Failure* expected = nullptr;
  // The failure is kept for as long as the process lives, since whoever reads it holds no lock.
  if (failure_.compare_exchange_strong(expected, kept.get(), std::memory_order_acq_rel))
    static_cast<void>(kept.release());
}

CurrentContext::CurrentContext(const CudaContext& context) {
  const Driver& driver = Driver::instance();
  CUcontext current = nullptr;
  context.check(driver.cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  if (current == context.handle()) return;
  context.check(driver.cuCtxPushCurrent(context.handle()), "cuCtxPushCurrent");
  pushed_ = true;
}

void CurrentContext::pop() {
  CUcontext popped = nullptr;
  Driver::instance().cuCtxPopCurrent(&popped);
}

OutsideCaptures::OutsideCaptures() {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  Driver::instance().cuThreadExchangeStreamCaptureMode(&mode);
  mode_before_ = mode;
}

OutsideCaptures::~OutsideCaptures() {
  auto mode = static_cast<CUstreamCaptureMode>(mode_before_);
  Driver::instance().cuThreadExchangeStreamCaptureMode(&mode);
}

}  // namespace scantune
