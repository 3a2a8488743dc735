// What is asked of CUDA's driver, which is there if arrays are on GPUs.
#pragma once

#include <cstdint>
#include <optional>

namespace scantune::python {

// The GPU that is current in this thread. None where the process has not loaded the driver, or the thread has no
// context.
std::optional<std::int32_t> current_gpu();

// The GPU that memory is on; none where the driver is not loaded or does not know the memory.
std::optional<std::int32_t> gpu_of(const void* memory);

// All that is in a stream by now.
class Event {
 public:
  // Throws std::runtime_error.
  explicit Event(std::uint64_t stream);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool is_done() const;
  // Lets another stream wait for it. Throws std::runtime_error.
  void hold(std::uint64_t stream) const;

 private:
  void* event_ = nullptr;
};

}  // namespace scantune::python
