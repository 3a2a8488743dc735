// Fibres switches between the fibres of the threads, and knows which of them runs, if one does.
#pragma once

#include "device/host/cta.h"
#include "device/host/watched_writes.h"

namespace scantune {

class Fibres {
 public:
  // running: where kernels find the thread that runs.
  Fibres(host::Lane*& running, WatchedWrites& watched) : running_(running), watched_(watched) {}

  void reset() { current_ = nullptr; }
  CudaThread* current() const { return current_; }  // null outside the threads' fibres

  // Goes on with the thread. Returns when something goes on with the current one, or leaves the threads.
  void resume(CudaThread& thread) {
    Fibre& from = current_ != nullptr ? static_cast<Fibre&>(*current_) : main_;
    watched_.switch_threads(current_, thread);
    current_ = &thread;
    running_ = &thread;
    switch_fibre(from, thread);
  }
  // Goes on outside the threads.
  void leave() {
    Fibre& from = *current_;
    current_ = nullptr;
    switch_fibre(from, main_);
  }

 private:
  host::Lane*& running_;
  WatchedWrites& watched_;
  Fibre main_;
  CudaThread* current_ = nullptr;
};

}  // namespace scantune
