#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api_counting_new.h"
#include "api_plans.h"
#include "families_under_test.h"
#include "launch/checked_call.h"

namespace scantune::testing {
namespace {

class Scans : public Plans {
 protected:
  void scan(const ScanRequest& request, const void* init = nullptr, Stream stream = nullptr,
            const CustomOperator* custom = nullptr) {
    scan_by(TuningTable(rows_), request, init, stream, custom);
  }
  void scan_with(std::string_view config, Stream stream = nullptr) {
    scan_by(TuningTable(rows_), sum_of(1 << 20), nullptr, stream, nullptr, config);
  }
  void scan_by(const TuningTable& table, const ScanRequest& request, const void* init = nullptr,
               Stream stream = nullptr, const CustomOperator* custom = nullptr, std::string_view config = {}) {
    const bool in_memory = request.init == Init::memory;
    static const TuningTable* asked_for;
    asked_for = &table;
    run_checked(device_, [] { return std::shared_ptr<const TuningTable>(std::shared_ptr<void>(), asked_for); }, cache_,
                {.request = request,
                 .custom = view_of(custom),
                 .pointers = {input_, output_, in_memory ? init : nullptr},
                 .init = init != nullptr && !in_memory ? InitialValue(request, init) : InitialValue(),
                 .captured_launches = 4,
                 .config = config,
                 .stream = stream});
  }

  PlanCache cache_;
};

TEST_F(Scans, RememberTheirPlans) {
  const TuningTable empty;
  device_->launched.reserve(10);
  scan_by(empty, sum_of(1 << 20));
  const long before = allocation_count;
  scan_by(empty, sum_of(1 << 20));
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(device_->launched.size(), 2u);
}

TEST_F(Scans, UseTheInitialValueOfEachCallAlthoughThePlanIsRemembered) {
  const ScanRequest request = request_for(Operator::sum, Kind::exclusive, 100);
  for (const i32 init : {1, 2}) {
    scan(request, &init);
    i32 passed = 0;
    std::memcpy(&passed, device_->launched.back().arguments.init, sizeof passed);
    EXPECT_EQ(passed, init);
  }
}

TEST_F(Scans, RememberOnePlanForAllAddressesOfAnInitialValueInMemory) {
  ScanRequest request = request_for(Operator::sum, Kind::exclusive, 100);
  request.init = Init::memory;
  for (const std::uintptr_t memory : {0x5000u, 0x6000u}) {
    scan(request, address(memory));
    EXPECT_EQ(device_->launched.back().arguments.operand(OperandRole::init), address(memory));
  }
  EXPECT_EQ(device_->launched[0].module, device_->launched[1].module);
}

TEST_F(Scans, OfMoreProblemsThanAreRememberedAllRunTheRightKernel) {
  for (int round = 0; round < 2; ++round)
    for (u64 n = 1; n <= 300; ++n) {
      scan(sum_of(n));
      EXPECT_EQ(device_->launched.back().arguments.n, n);
    }
}

TEST_F(Scans, OfCustomOperatorsAreToldApartBySourceAndName) {
  const CustomOperator first{"Value combine", ""}, second{"Value combine()", ""}, named{"Value combine", "name"};
  for (const CustomOperator* custom : {&first, &second, &named, &first}) scan(custom12(100), nullptr, nullptr, custom);
  const auto module = [&](std::size_t launch) { return device_->launched.at(launch).module; };
  EXPECT_NE(module(0), module(1));
  EXPECT_EQ(module(0), module(2)) << "a name changes which record is looked for, not the kernel";
  EXPECT_EQ(module(0), module(3));
}

constexpr std::string_view kNarrow = R"({"family": "lookback", "block_threads": 128})";
constexpr std::string_view kWide = R"({"family": "lookback", "block_threads": 512})";

TEST_F(Scans, AreToldApartByTheConfigsThatAreGiven) {
  for (const std::string_view config : {std::string_view(), kNarrow, kWide, std::string_view(), kNarrow, kWide})
    scan_with(config);
  const auto threads = [&](std::size_t launch) { return device_->launched.at(launch).launch.block_threads; };
  EXPECT_EQ(threads(1), 128);
  EXPECT_EQ(threads(2), 512);
  for (std::size_t launch : {0, 1, 2}) {
    EXPECT_EQ(device_->launched[launch].module, device_->launched[launch + 3].module);
    EXPECT_EQ(threads(launch), threads(launch + 3));
  }
  EXPECT_NE(device_->launched[1].module, device_->launched[2].module);
}

TEST_F(Scans, OfAGivenConfigAreRememberedAndMayBeCaptured) {
  const Stream stream = device_->make_stream();
  const std::string same(kNarrow);  // elsewhere
  device_->launched.reserve(10);
  scan_with(kNarrow, stream);
  const long before = allocation_count;
  scan_with(same, stream);
  EXPECT_EQ(allocation_count, before);
  device_->begin_capture(stream, 1);
  EXPECT_NO_THROW(scan_with(kNarrow, stream));
  EXPECT_THROW(scan_with(kWide, stream), RequestError) << "it was not seen before the capture";
  device_->end_capture(stream);
}

TEST_F(Scans, OfConfigsThatCannotRunChangeNothing) {
  EXPECT_THROW(scan_with(R"({"family": "lookback", "block_threads": 3})"), RequestError);
  EXPECT_TRUE(device_->launched.empty());
  EXPECT_TRUE(device_->allocations.empty());
  EXPECT_EQ(device_->compiler().compilations, 0);
}

TEST_F(Scans, OfAKnownProblemMayBeCaptured) {
  rows_ = {row_of("lookback", 1 << 20)};
  const Stream stream = device_->make_stream();
  scan(sum_of(1 << 20), nullptr, stream);
  device_->begin_capture(stream, 1);
  scan(sum_of(1 << 20), nullptr, stream);
  ASSERT_EQ(device_->launched.size(), 2u);
  EXPECT_NE(device_->launched[0].arguments.workspace, device_->launched[1].arguments.workspace);
}

TEST_F(Scans, RememberAtLeastTheLastFourProblems) {
  const Stream stream = device_->make_stream();
  for (u64 n = 1; n <= 300; ++n) {
    scan(sum_of(n), nullptr, stream);
    device_->begin_capture(stream, 1);
    for (u64 recent = n > 4 ? n - 3 : 1; recent <= n; ++recent) EXPECT_NO_THROW(scan(sum_of(recent), nullptr, stream));
    device_->end_capture(stream);
  }
}

TEST_F(Scans, OfOperatorsThatDifferInTheirSourceAloneDoNotCrowdEachOtherOut) {
  const Stream stream = device_->make_stream();
  std::vector<CustomOperator> operators;
  for (int index = 0; index < 16; ++index)
    operators.push_back({"Value combine" + std::string(static_cast<std::size_t>(index), ' '), ""});
  for (const CustomOperator& custom : operators) scan(custom12(100), nullptr, stream, &custom);
  device_->begin_capture(stream, 1);
  const auto is_remembered = [&](const CustomOperator& custom) {
    try {
      scan(custom12(100), nullptr, stream, &custom);
      return true;
    } catch (const RequestError& error) {
      EXPECT_TRUE(contains(error.what(), "a thread remembers at least its last 4 problems")) << error.what();
      return false;
    }
  };
  EXPECT_GT(std::ranges::count_if(operators, is_remembered), 4);
}

TEST_F(Scans, TakeOneWorkspacePerStreamUntilTheyAreCaptured) {
  rows_ = {row_of("lookback", 1 << 20)};
  const Stream stream = device_->make_stream();
  for (u64 n = 1 << 20; n > (1 << 20) - 50; --n) scan(sum_of(n), nullptr, stream);
  EXPECT_EQ(device_->allocations.size(), 1u);
}

TEST_F(Scans, NeedNoMoreThanAHundredthOfTheirInputAsWorkspace) {
  for (const FamilyModel* family : scan_families()) {
    const ScanRequest request = sum_of(1 << 24);
    if (family->unsupported_reason(request, 90) != nullptr) continue;
    const WorkspaceNeed need = family->workspace(family->default_config(request, 90), request);
    EXPECT_LE(size_class(need.bytes), request.n * 4 / 100) << family->name();
  }
}

}  // namespace
}  // namespace scantune::testing
