// Reductions beside a kernel that does not end before they do, so that only the rest of the GPU is left for them.
#include <memory>
#include <random>

#include "families_under_test.h"
#include "family_test.h"
#include "occupant.h"

namespace scantune {
namespace {

constexpr std::size_t kStreams = 2;
constexpr u64 kCalls = 19;        // on each stream; the first comes before the other kernel
constexpr u64 kItemsOfAStep = 4;  // vectors stay aligned

// Sums of n items, of which each call begins one step behind the call before, so that no two have the same result.
class Sums {
 public:
  virtual ~Sums() = default;
  virtual void enqueue(u64 call, std::size_t stream, CUstream handle) const = 0;
  virtual void expect_right() const = 0;
};

template <class T>
class SumsOf : public Sums {
 public:
  SumsOf(u64 n, const std::string& config)
      : n_(n), plan_(runtime::reduce_plan<T>(n, {.config = config})), input_(n + kItemsOfAStep * (kCalls - 1)) {
    std::minstd_rand random(7);
    std::vector<T> items(input_.size());
    sums_before_.push_back(0);
    for (T& item : items) {
      const auto value = static_cast<std::int32_t>(random() >> 10) - (1 << 20);  // few bits: sums of f64 are exact
      item = static_cast<T>(value);
      sums_before_.push_back(sums_before_.back() + value);
    }
    input_.upload(items.data());
    for (std::size_t stream = 0; stream < kStreams; ++stream) results_.emplace_back(std::vector<T>(kCalls));
  }

  void enqueue(u64 call, std::size_t stream, CUstream handle) const override {
    plan_(input_.data() + kItemsOfAStep * call, results_[stream].data() + call, handle);
  }

  void expect_right() const override {
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      std::vector<T> found(kCalls);
      results_[stream].download(found.data());
      for (u64 call = 0; call < kCalls; ++call)
        EXPECT_EQ(found[call], expected(call))
            << "call " << call << " on stream " << stream << " of " << n_ << " items, by\n"
            << plan_.describe();
    }
  }

 private:
  T expected(u64 call) const {
    const u64 first = kItemsOfAStep * call;
    return static_cast<T>(sums_before_[first + n_] - sums_before_[first]);  // wraps where T is narrower
  }

  u64 n_;
  runtime::ScanPlan<T> plan_;
  runtime::Buffer<T> input_;
  std::vector<i64> sums_before_;             // each item, and behind the last
  std::vector<runtime::Buffer<T>> results_;  // of each stream, one for each call
};

using ManySums = std::vector<std::unique_ptr<const Sums>>;

class ReductionsCrowdedOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  void SetUp() override {
    FamiliesOnGpu::SetUp();
    if (IsSkipped()) return;
    if (const char* reason = GetParam()->unsupported_reason(ReduceRequest{.n = 100'003}, sm())) GTEST_SKIP() << reason;
  }

  // The family's own config, but for some parameters.
  std::string config(const std::string& parameters) const {
    return std::string(R"({"family": ")") + GetParam()->name() + R"(", "parameters": {)" + parameters + "}}";
  }

  // A cluster starts only where SMs of one group (GPC) have room for all of it.
  std::string config_without_clusters() const {
    const bool has_clusters = std::ranges::any_of(GetParam()->parameters(), [](const ParameterModel& parameter) {
      return parameter.name == std::string_view("cluster_blocks");
    });
    return config(has_clusters ? R"("cluster_blocks": 1)" : "");
  }

  // A CTA of 1024 threads with 64 registers each fits no SM that has another CTA.
  std::string config_of_few_threads() const { return config(R"("block_threads": 256)"); }

  ManySums sums(const std::string& config) const {
    ManySums all;
    for (const u64 n : {u64{100'003}, (u64{1} << 24) + 5}) {
      add<std::int32_t>(all, ValueType::i32, n, config);
      add<double>(all, ValueType::f64, n, config);
    }
    return all;
  }

  // Two streams reduce at once, so that neither has the whole rest of the GPU.
  void expect_to_finish_beside(Occupant& occupant, const ManySums& all) {
    const TestStream streams[kStreams];
    const auto enqueue_all = [&](u64 call) {
      for (const auto& sums : all)
        for (std::size_t stream = 0; stream < kStreams; ++stream) sums->enqueue(call, stream, streams[stream]);
    };
    ASSERT_FALSE(all.empty());
    enqueue_all(0);  // what the driver does at a first launch, and for a stream's workspace, may wait for the GPU
    device_->synchronize();

    ASSERT_TRUE(occupant.enter()) << "the kernel that is to occupy the GPU does not fit on it";
    for (u64 call = 1; call < kCalls; ++call) enqueue_all(call);
    EXPECT_TRUE(comes_true([&] { return is_idle(streams[0]) && is_idle(streams[1]); }))
        << "reductions wait for the other kernel";
    EXPECT_TRUE(occupant.is_there());
    occupant.leave();
    device_->synchronize();
    for (const auto& sums : all) sums->expect_right();
  }

 private:
  template <class T>
  void add(ManySums& all, ValueType type, u64 n, const std::string& config) const {
    const ReduceRequest request{.input_type = type, .accumulator_type = type, .output_type = type, .n = n};
    if (GetParam()->unsupported_reason(request, sm()) == nullptr)
      all.push_back(std::make_unique<const SumsOf<T>>(n, config));
  }
};

TEST_P(ReductionsCrowdedOnGpu, FinishBesideAKernelThatHoldsMostSms) {
  const ManySums all = sums(config_without_clusters());
  const auto left_over = static_cast<u32>(std::max(device_->identity().sm_count / 11, 1));
  Occupant occupant = Occupant::of_all_sms_but(*device_, left_over);
  expect_to_finish_beside(occupant, all);
}

TEST_P(ReductionsCrowdedOnGpu, FinishBesideAKernelThatHoldsHalfOfEverySmsSharedMemory) {
  const ManySums all = sums(config_of_few_threads());
  Occupant occupant = Occupant::of_half_of_every_sms_shared_memory(*device_);
  expect_to_finish_beside(occupant, all);
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, ReductionsCrowdedOnGpu,
                         testing::ValuesIn(families_of<ReduceRequest>(Standing::library)), name_of_family);

}  // namespace
}  // namespace scantune
