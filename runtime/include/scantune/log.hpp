// The library's remarks: that nothing was tuned and the default config runs, that the kernel cache cannot be written,
// and the like. They go to standard error unless a Log receives them.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <functional>
#include <string_view>
#include <utility>

#include "scantune/error.hpp"
#include "scantune/scantune.h"

namespace scantune::runtime {

// Receives each remark of the process once during its lifetime. There is one Log at a time. take is called from any
// thread, by one thread at a time; exceptions from it are dropped. It must not wait for a thread that may be calling
// scantune, and must not destroy the Log.
class Log {
 public:
  using Take = std::function<void(std::string_view remark)>;

  // Throws RequestError if take is empty.
  explicit Log(Take take) : take_(std::move(take)) {
    if (!take_) throw RequestError("the function that receives the remarks is empty");
    scantune_set_log(&pass_on, this);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() { scantune_set_log(nullptr, nullptr); }

 private:
  static void pass_on(void* log, const char* remark) noexcept {
    try {
      static_cast<const Log*>(log)->take_(remark);
    } catch (...) {
    }
  }

  Take take_;
};

}  // namespace scantune::runtime

#endif
