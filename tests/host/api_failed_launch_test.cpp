// After a run that failed, the next one is right: each family runs on an input that is too short, and then on a right
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "device/host/host_device.h"
#include "families_under_test.h"
#include "launch/plan.h"
#include "measure/stand_in.h"
#include "scantune/error.hpp"
#include "space/operands.h"

namespace scantune::api_failed_launch_test {
namespace {

// A plan, and memory for what it reads and writes.
class Runs {
 public:
  explicit Runs(const FamilyModel& family, const Request& request) : operands_(request) {
    const CustomOperator custom = request.has_custom_operator() ? stand_in_for(request) : CustomOperator{};
    plan_ = make_plan(device_, TuningTable(), CheckedRequest(request), 0, CaptureMemory::on_demand,
                      request.has_custom_operator() ? &custom : nullptr,
                      "{\"family\": \"" + std::string(family.name()) + "\"}");
    for (const RequestOperand& operand : operands_.list()) {
      void* const memory = device_->allocate(std::max<u64>(operand.bytes(), 16));
      std::vector<unsigned char> bytes(operand.bytes());
      // A load balance gets offsets of zero, with which its request is legal.
      if (operand.role == OperandRole::input && operand.extent == std::string_view("n"))
        for (std::size_t at = 0; at < bytes.size(); ++at)
          bytes[at] = static_cast<unsigned char>(at * 2654435761u >> 13);
      if (operand.role == OperandRole::begins) {  // one segment of all items
        const i32 end = static_cast<i32>(request.n);
        std::memcpy(&bytes[sizeof end], &end, sizeof end);
      }
      if (!bytes.empty()) device_->upload(memory, bytes.data(), bytes.size());
      pointers_[count_++] = memory;
    }
  }
  ~Runs() {
    for (std::size_t place = 0; place < count_; ++place) device_->free(const_cast<void*>(pointers_[place]));
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // All that it writes.
  std::vector<unsigned char> results() {
    for (std::size_t place = 0; place < count_; ++place)
      if (is_written(operands_.list()[place].role))
        device_->fill(const_cast<void*>(pointers_[place]), std::byte{0xa5}, operands_.list()[place].bytes());
    plan_->run(pointers_, InitialValue(), nullptr);
    device_->synchronize();
    std::vector<unsigned char> all;
    for (std::size_t place = 0; place < count_; ++place) {
      const RequestOperand& operand = operands_.list()[place];
      if (!is_written(operand.role)) continue;
      std::vector<unsigned char> bytes(operand.bytes());
      device_->download(bytes.data(), pointers_[place], bytes.size());
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

  // The same of an operand of which three quarters are there. Whether it fails.
  bool fails_when_short() {
    std::size_t longest = 0;
    for (std::size_t place = 0; place < count_; ++place)
      if (operands_.list()[place].bytes() > operands_.list()[longest].bytes()) longest = place;
    void* const part = device_->allocate(operands_.list()[longest].bytes() / 4 * 3);
    const void* const whole = std::exchange(pointers_[longest], part);
    bool failed = false;
    try {
      plan_->run(pointers_, InitialValue(), nullptr);
      device_->synchronize();
    } catch (const Error&) {  // of a kernel, or of the arguments where nobody has seen this address as a longer array
      failed = true;
    }
    pointers_[longest] = whole;
    device_->free(part);
    return failed;
  }

 private:
  std::shared_ptr<HostDevice> device_ = std::make_shared<HostDevice>();
  Operands operands_;
  std::shared_ptr<Plan> plan_;
  Pointers pointers_{};
  std::size_t count_ = 0;
};

// The largest problem of the family's among a few.
std::optional<Request> request_for(const FamilyModel& family) {
  for (const u64 n : {20'000, 1000, 100}) {
    const Request request = plain_request(family, n);
    if (family.unsupported_reason(request, kHostSm) == nullptr) return request;
  }
  return std::nullopt;
}

TEST(ApiFailedLaunch, LeavesNothingThatMakesTheNextRunWrong) {
  std::set<std::string> ran;
  for (const FamilyModel* family : families()) {
    if (family->standing() != Standing::library) continue;
    const auto request = request_for(*family);
    if (!request) continue;
    ran.insert(family->name());
    SCOPED_TRACE(std::string(family->name()) + ", " + to_string(*request));
    Runs runs(*family, *request);
    const auto right = runs.results();
    EXPECT_TRUE(runs.fails_when_short());
    for (int time = 0; time < 2; ++time) EXPECT_TRUE(runs.results() == right) << "run " << time << " after it";
  }
  for (const char* counting : {"pipelined", "reduce_atomic", "reduce_last_block", "reduce_segments", "scan_columns",
                               "select_lookback", "select_ring", "sort_segments"})
    EXPECT_TRUE(ran.contains(counting)) << counting;
}

}  // namespace
}  // namespace scantune::api_failed_launch_test
