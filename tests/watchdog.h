// A watchdog for kernels that hang: only the end of the process stops them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace scantune {

// Ends the process if it lives longer than its limit.
class Watchdog {
 public:
  Watchdog(const std::string& what, std::chrono::seconds limit)
      : thread_([what, limit](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any().wait_for(lock, stop, limit, [] { return false; });
          if (stop.stop_requested()) return;
          std::fprintf(stderr, "%s took more than %lld seconds\n", what.c_str(), static_cast<long long>(limit.count()));
          std::_Exit(3);
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace scantune
