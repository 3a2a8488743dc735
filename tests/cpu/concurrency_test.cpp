// What docs/concurrency.md promises of streams and kernels, as a device sees it.
#include <algorithm>
#include <atomic>

#include "api_plans.h"
#include "families_under_test.h"

namespace scantune {
namespace {

using testing::FakeDevice;
using testing::FakeModule;
using testing::row_of;
using testing::sum_of;

class Concurrency : public testing::Plans {
 protected:
  Concurrency() { rows_ = {row_of("lookback", 1 << 20)}; }

  void* workspace_of_scan(Plan& plan, Stream stream) {
    run(plan, input_, output_, stream);
    return device_->launched.back().arguments.workspace;
  }
};

TEST_F(Concurrency, AStreamThatTakesTheHandleOfADestroyedOneHasAWorkspaceOfItsOwn) {
  const auto plan = this->plan(sum_of(1 << 20));
  const Stream handle = device_->make_stream();
  void* const first = workspace_of_scan(*plan, handle);
  EXPECT_EQ(workspace_of_scan(*plan, handle), first);
  device_->streams.at(handle).id += 1000;  // the stream was destroyed without release(), and another one made
  EXPECT_NE(workspace_of_scan(*plan, handle), first) << "a scan of the destroyed stream may still be running";
}

TEST_F(Concurrency, TheDefaultStreamIsAStreamLikeAnyOther) {
  const auto plan = this->plan(sum_of(1 << 20));
  void* const of_default = workspace_of_scan(*plan, nullptr);
  EXPECT_NE(workspace_of_scan(*plan, device_->make_stream()), of_default);
  EXPECT_EQ(workspace_of_scan(*plan, nullptr), of_default);
}

TEST_F(Concurrency, KernelsStayLoadedWhenTheirPlanDies) {
  static std::atomic<int> loaded = 0;  // modules outlive the test
  struct Tracked : FakeModule {
    Tracked() { ++loaded; }
    ~Tracked() override { --loaded; }
  };
  struct Tracking : FakeDevice {
    std::unique_ptr<Module> load(const Binary&, std::span<const std::string>, std::span<const int>) override {
      return std::make_unique<Tracked>();
    }
  };
  device_ = std::make_shared<Tracking>();
  run(*plan(sum_of(1 << 20)), input_, output_);
  EXPECT_EQ(loaded, 2) << "the scan, or a graph that holds it, may not have run yet";
}

TEST_F(Concurrency, DocumentedForwardProgressAdmitsNoConfigThatLeansOnTheOrderOfCtas) {
  const auto leaning = [](ForwardProgress forward_progress) {
    ScanRequest request = sum_of(1 << 20);
    request.forward_progress = forward_progress;
    int configs = 0;
    for (const FamilyModel* family : scan_families())
      for (const Config& config : searched_configs(*family, request, 90)) {
        const LaunchList launches = family->launches(config, request, Variant::aligned);
        const auto in_order = [](const Launch& launch) { return launch.dispatch == Dispatch::in_order; };
        configs += std::any_of(launches.launches, launches.launches + launches.count, in_order);
      }
    return configs;
  };
  EXPECT_GT(leaning(ForwardProgress::in_order), 0);
  EXPECT_EQ(leaning(ForwardProgress::documented), 0);
}

}  // namespace
}  // namespace scantune
