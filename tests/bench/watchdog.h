// Ends a process whose kernel hangs, which cannot be stopped in any other way.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace scantune::bench {

class Watchdog {
 public:
  static constexpr int kCaseSeconds = 120;

  Watchdog() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}
  // Before each case; it has kCaseSeconds.
  void start(const std::string& name) {
    std::snprintf(name_, sizeof name_, "%s", name.c_str());
    seconds_left_ = kCaseSeconds;
  }

 private:
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      if (seconds_left_.fetch_sub(1) > 0) continue;
      std::fprintf(stderr, "%s took more than %d seconds\n", name_, kCaseSeconds);
      std::_Exit(3);
    }
  }

  char name_[128] = "starting";
  std::atomic<int> seconds_left_ = kCaseSeconds;
  std::jthread thread_;
};

}  // namespace scantune::bench
