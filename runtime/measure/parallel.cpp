#include "measure/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace scantune {
namespace {

constexpr u64 kComparedBytes = u64{256} << 10;  // bytes that one thread compares at a time

// Threads that wait for the next loop: starting one costs as much as many a loop's whole work.
class Pool {
 public:
  explicit Pool(unsigned helpers) {
    try {
      while (helpers_.size() < helpers) helpers_.emplace_back([this](const std::stop_token& stop) { help(stop); });
    } catch (const std::system_error&) {  // the system has no more threads; the loop ends with fewer, too
    }
  }

  // One loop at a time has the helpers. A loop inside another's body, or beside it on another thread, runs alone.
  void run(u64 count, const std::function<void(u64)>& body) {
    Loop loop{count, body};
    if (count <= 1 || helpers_.empty() || busy_.exchange(true, std::memory_order_acquire)) return loop.work();
    begin(loop);
    loop.work();
    end();
    busy_.store(false, std::memory_order_release);
  }

 private:
  struct Loop {
    u64 count;
    const std::function<void(u64)>& body;
    std::atomic<u64> next = 0;

    void work() {
      for (u64 index; (index = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(index);
    }
  };

  void begin(Loop& loop) {
    {
      const std::lock_guard lock(mutex_);
      loop_ = &loop;
      ++loops_;
    }
    const u64 wanted = std::min<u64>(loop.count - 1, helpers_.size());
    for (u64 helper = 0; helper < wanted; ++helper) begun_.notify_one();
  }

  // A helper that wakes too late finds no loop, so that nobody waits for it.
  void end() {
    std::unique_lock lock(mutex_);
    loop_ = nullptr;
    left_.wait(lock, [&] { return inside_ == 0; });
  }

  void help(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (u64 seen = 0; begun_.wait(lock, stop, [&] { return loop_ != nullptr && loops_ != seen; });) {
      seen = loops_;
      Loop& loop = *loop_;
      ++inside_;
      lock.unlock();
      loop.work();
      lock.lock();
      if (--inside_ == 0) left_.notify_one();
    }
  }

  std::atomic<bool> busy_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any begun_;
  std::condition_variable left_;
  Loop* loop_ = nullptr;  // the one that has the helpers
  u64 loops_ = 0;         // loops begun so far
  unsigned inside_ = 0;   // helpers at work on it
  std::vector<std::jthread> helpers_;
};

}  // namespace

void parallel_for(u64 count, const std::function<void(u64)>& body) {
  static Pool pool(std::max(1u, std::thread::hardware_concurrency()) - 1);
  pool.run(count, body);
}

bool equal_on_all_cores(std::span<const std::byte> one, std::span<const std::byte> other) {
  if (one.size() != other.size()) return false;
  std::atomic<bool> equal = true;
  parallel_for(ceil_div<u64>(one.size(), kComparedBytes), [&](u64 part) {
    const u64 begin = part * kComparedBytes, bytes = std::min<u64>(kComparedBytes, one.size() - begin);
    if (std::memcmp(one.data() + begin, other.data() + begin, bytes) != 0) equal = false;
  });
  return equal;
}

}  // namespace scantune
