// The public functions, on the device and the tuning records of this process.
#include <algorithm>
#include <utility>

#include "launch/checked_scan.h"
#include "scantune/runtime.hpp"
#include "select/layers.h"

namespace scantune::runtime {
namespace detail {

class PlanState {
 public:
  PlanState(const ScanRequest& request, const void* init, int captured_launches)
      : plan_(make_scan_plan(current_device(), *tuning_table(), request, captured_launches)), init_(request, init) {}

  void run(const void* input, void* output, Stream stream) { plan_->run(input, output, init_, stream); }
  std::string describe() const { return plan_->describe(); }

 private:
  std::shared_ptr<ScanPlan> plan_;
  InitialValue init_;
};

std::shared_ptr<PlanState> make_plan(const ScanRequest& request, const void* init, int captured_launches) {
  return std::make_shared<PlanState>(request, init, captured_launches);
}

void run_plan(PlanState& plan, const void* input, void* output, Stream stream) { plan.run(input, output, stream); }

std::string describe_plan(const PlanState& plan) { return plan.describe(); }

void scan(const ScanRequest& request, const void* input, void* output, const void* init, int captured_launches,
          Stream stream) {
  if (request.n == 0) return;
  thread_local PlanCache plans;
  checked_scan(current_device(), *tuning_table(), plans, request, input, output, init, captured_launches, stream);
}

}  // namespace detail

void release(Stream stream) {
  const auto device = current_device();
  const StreamState state = device->stream_state(stream);
  if (state.capturing_graph != nullptr)
    throw RequestError("release() of a stream that is being captured: end the capture first");
  launch_context(device).streams().release(state.id);
}

RawBuffer::RawBuffer(std::uint64_t bytes) : device_(current_device()), bytes_(bytes) {
  if (bytes_ > 0) data_ = device_->allocate(bytes_);
}

RawBuffer::~RawBuffer() {
  if (data_ != nullptr) device_->free(data_);
}

RawBuffer::RawBuffer(RawBuffer&& other) noexcept
    : device_(std::move(other.device_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

RawBuffer& RawBuffer::operator=(RawBuffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void RawBuffer::upload(const void* source, std::uint64_t bytes) {
  check_fits(bytes);
  if (bytes > 0) device_->upload(data_, source, bytes);
}

void RawBuffer::download(void* destination, std::uint64_t bytes) const {
  check_fits(bytes);
  if (bytes > 0) device_->download(destination, data_, bytes);
}

void RawBuffer::check_fits(std::uint64_t bytes) const {
  if (bytes > bytes_)
    throw RequestError("a copy of " + std::to_string(bytes) + " bytes does not fit the buffer's " +
                       std::to_string(bytes_));
}

}  // namespace scantune::runtime
