#include "python/result_memory.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

#include "scantune/error.hpp"
#include "scantune/status.hpp"

namespace scantune::python {
namespace {

struct Destroy {
  // CUDA waits for the GPU to free memory, whose work may wait for a function of Python.
  void operator()(scantune_buffer* buffer) const {
    const nanobind::gil_scoped_release others_may_run;
    scantune_buffer_destroy(buffer);
  }
};
using Buffer = std::unique_ptr<scantune_buffer, Destroy>;

Buffer created(std::uint64_t bytes, scantune_device device) {
  const nanobind::gil_scoped_release others_may_run;
  scantune_buffer* buffer = nullptr;
  runtime::detail::check(scantune_buffer_create(bytes, device, &buffer));
  return Buffer(buffer);
}

// Buffers that were given back.
class Kept {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

  Kept() { entries_.reserve(kMost + 1); }

  Buffer take(std::uint64_t bytes, std::int32_t gpu) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.bytes == bytes && entry.gpu == gpu; });
    if (found == entries_.end()) return nullptr;
    Buffer buffer = std::move(found->buffer);
    bytes_ -= found->bytes;
    entries_.erase(found);
    return buffer;
  }

  void give(Buffer buffer, std::uint64_t bytes, std::int32_t gpu) {
    std::vector<Buffer> oldest;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    bytes_ += bytes;
    entries_.push_back({bytes, gpu, std::move(buffer)});
    while (entries_.size() > kMost || bytes_ > kMostBytes) {
      bytes_ -= entries_.front().bytes;
      oldest.push_back(std::move(entries_.front().buffer));
      entries_.erase(entries_.begin());
    }
  }

  void clear() {
    std::vector<Entry> entries;
    const std::lock_guard lock(mutex_);
    entries.swap(entries_);
    bytes_ = 0;
  }

 private:
  struct Entry {
    std::uint64_t bytes;
    std::int32_t gpu;
    Buffer buffer;
  };

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::uint64_t bytes_ = 0;
};

Kept& kept() {
  static Kept& one = *new Kept;  // CUDA has ended when static objects are destroyed
  return one;
}

// Sizes that later results may have again: eight between powers of two.
std::uint64_t rounded(std::uint64_t bytes) {
  const std::uint64_t step = std::max<std::uint64_t>(std::bit_floor(bytes) / 8, 512);
  return (bytes + step - 1) / step * step;
}

}  // namespace

ResultMemory memory_of_host(std::uint64_t bytes) { return created(bytes, SCANTUNE_HOST_DEVICE); }

ResultMemory memory_of_gpu(std::uint64_t bytes, std::int32_t gpu, bool is_reused) {
  if (!is_reused || bytes == 0) return created(bytes, SCANTUNE_CURRENT_GPU);
  const std::uint64_t size = rounded(bytes);
  Buffer buffer = kept().take(size, gpu);
  if (buffer == nullptr) try {
      buffer = created(size, SCANTUNE_CURRENT_GPU);
    } catch (const OutOfMemoryError&) {
      kept().clear();
      buffer = created(size, SCANTUNE_CURRENT_GPU);
    }
  return {buffer.release(), [size, gpu](scantune_buffer* memory) { kept().give(Buffer(memory), size, gpu); }};
}

}  // namespace scantune::python
