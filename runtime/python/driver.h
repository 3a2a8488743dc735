// What is asked of CUDA's driver, which is there if arrays are on GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scantune::python {

// The GPU that is current in this thread. None where the process has not loaded the driver, or the thread has no
// context.
std::optional<std::int32_t> current_gpu();

// The GPU that memory is on; none where the driver is not loaded or does not know the memory.
std::optional<std::int32_t> gpu_of(const void* memory);

// Writes an item of 1, 2, 4 or 8 bytes `items` times, in a stream of the current GPU. Throws std::runtime_error.
void fill_on_gpu(void* first, const std::string& item, std::uint64_t items, std::uint64_t stream);

// All that is in a stream of a GPU by now, whichever GPU is current.
class Event {
 public:
  // Throws std::runtime_error.
  Event(std::int32_t gpu, std::uint64_t stream);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool is_done() const;
  // Lets another stream of the GPU wait for it. Throws std::runtime_error.
  void hold(std::uint64_t stream) const;

 private:
  std::int32_t gpu_;
  void* event_ = nullptr;
};

}  // namespace scantune::python
