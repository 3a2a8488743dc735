// One CUDA context, and whether it has failed.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/contract/types.h"

struct CUctx_st;

namespace scantune {

class CudaContext {
 public:
  CudaContext(CUctx_st* handle, u64 id) : handle_(handle), id_(id) {}
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  CUctx_st* handle() const { return handle_; }
  u64 id() const { return id_; }

  // Throws DeviceError if the result of a driver call, a CUresult, is an error. One that destroys the context is
  // remembered: refuse_if_failed() throws it from then on.
  void check(int result, const char* call) const {
    if (result != 0) [[unlikely]]
      fail(result, call);
  }
  void refuse_if_failed() const {
    if (const Failure* failure = failure_.load(std::memory_order_acquire)) throw_failure(*failure);
  }
  std::string failure() const;

 private:
  struct Failure {
    int result;  // CUresult
    std::string reason;
  };

  [[noreturn]] void fail(int result, const char* call) const;
  [[noreturn]] void throw_failure(const Failure& failure) const;
  void remember_failure(const Failure& failure) const;

  CUctx_st* const handle_;
  const u64 id_;
  mutable std::atomic<const Failure*> failure_ = nullptr;
};

// Makes a context current while it lives. Where it is current already, this costs one query of the driver.
class CurrentContext {
 public:
  explicit CurrentContext(const CudaContext& context);
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    if (pushed_) pop();
  }

 private:
  static void pop();
  bool pushed_ = false;
};

// Allows this thread, while it lives, calls that are unsafe inside a capture with global mode: they touch no stream
// that is being captured.
class OutsideCaptures {
 public:
  OutsideCaptures();
  OutsideCaptures(const OutsideCaptures&) = delete;
  OutsideCaptures& operator=(const OutsideCaptures&) = delete;
  ~OutsideCaptures();

 private:
  int mode_before_;
};

}  // namespace scantune
