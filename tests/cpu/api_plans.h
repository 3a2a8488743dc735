// Plans on a device that records what it is asked, for the tests of launching.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api_fake_device.h"
#include "launch/plan.h"
#include "message_of.h"
#include "select_rows.h"

namespace scantune::testing {

inline ScanRequest request_for(Operator op, Kind kind, u64 n) {
  ScanRequest request = sum_of(n);
  request.op = op;
  request.kind = kind;
  request.init = kind == Kind::exclusive ? Init::value : Init::none;
  return request;
}

// Sums that turn flags into offsets: i8 items, i32 results.
inline ScanRequest flags_to_offsets(u64 n) {
  ScanRequest request = request_for(Operator::sum, Kind::exclusive, n);
  request.input_type = ValueType::i8;
  return request;
}

// Scans of a struct of 12 bytes by an operator of moderate cost.
inline ScanRequest custom12(u64 n) {
  ScanRequest request = sum_of(n);
  request.input_type = request.accumulator_type = request.output_type = ValueType::custom;
  request.op = Operator::custom_moderate;
  request.custom_bytes = 12;
  request.custom_alignment = 4;
  return request;
}

class Plans : public ::testing::Test {
 protected:
  std::shared_ptr<Plan> plan(const ScanRequest& request, int captured_launches = 4,
                             const CustomOperator* custom = nullptr, std::string_view config = {}) {
    return make_plan(device_, TuningTable(rows_), CheckedRequest(request), captured_launches, CaptureMemory::ahead,
                     custom, config);
  }
  void run(Plan& plan, const void* input, void* output, Stream stream = nullptr) {
    plan.run({input, output}, InitialValue(), stream);
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  std::vector<RecordRow> rows_;
  void* const input_ = address(0x1000000);
  void* const output_ = address(0x90000000);
};

}  // namespace scantune::testing
