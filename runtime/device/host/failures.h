// The first failure of a run.
#pragma once

#include "device/host/barrier.h"
#include "device/host/fibres.h"

namespace scantune {

// A failure becomes text only after the fibres are left, since objects of abandoned fibres are never destroyed.
struct Failure {
  const char* what = nullptr;
  const CudaThread* thread = nullptr;  // null: the machine as a whole
  host::Site site{};
  const void* address = nullptr;
  u32 mask = 0;
  const BarrierState* barrier = nullptr;
  const Cta* cta = nullptr;    // the other CTA of the failure
  bool lists_waiting = false;  // the report says what every lane waits for
};

class Failures {
 public:
  explicit Failures(Fibres& fibres) : fibres_(fibres) {}

  void reset() { first_ = {}; }
  bool any() const { return first_.what != nullptr; }
  const Failure& first() const { return first_; }

  // Both return only outside the threads' fibres, which they leave for ever.
  void fail(const Failure& failure) {
    if (!any()) first_ = failure;
    if (fibres_.current() != nullptr) fibres_.leave();
  }
  void fail_here(const char* what, host::Site site) { fail({.what = what, .thread = fibres_.current(), .site = site}); }

 private:
  Fibres& fibres_;
  Failure first_;
};

}  // namespace scantune
