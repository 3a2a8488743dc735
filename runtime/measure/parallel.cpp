#include "measure/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace scantune {

void parallel_for(u64 count, const std::function<void(u64)>& body) {
  const u64 threads = std::min<u64>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<u64> next = 0;
  const auto work = [&] {
    for (u64 index; (index = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(index);
  };
  std::vector<std::jthread> helpers;
  for (u64 thread = 1; thread < threads; ++thread) helpers.emplace_back(work);
  work();
}

}  // namespace scantune
