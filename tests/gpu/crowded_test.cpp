// Scans beside a kernel that does not end before they do, so that only the rest of the GPU is left for them.
#include <stdexcept>
#include <utility>

#include "families_under_test.h"
#include "family_test.h"
#include "known_sums.h"
#include "occupant.h"
#include "test_scan.h"

namespace scantune {
namespace {

constexpr int kReservedSharedBytes = 1024;  // shared memory that each CTA takes beside what it asks for

struct Job {
  ScanRequest request;
  KnownSums sums;
  TestScan scan;
  Verdict verdict;

  void enqueue(u64 seed, Stream stream) const {
    sums.fill(scan.items(), request.n, seed, stream);
    scan.enqueue(stream);
    sums.check(scan.results(), request.n, seed, verdict, stream);
  }
};

using Scan = std::pair<ScanRequest, Config>;

class ScansOnACrowdedGpu : public FamiliesOnGpu {
 protected:
  u32 sm_count() const { return static_cast<u32>(device_->identity().sm_count); }
  int shared_bytes_of_an_sm() const { return limits_of(sm()).shared_bytes_per_block + kReservedSharedBytes; }

  void expect_to_finish_beside_a_kernel_that_holds_all_sms_but(u32 left_over, const std::vector<Scan>& scans) {
    Occupant occupant = Occupant::of_all_sms_but(*device_, left_over);
    expect_to_finish_beside(occupant, scans);
  }

  void expect_to_finish_after_a_kernel_that_holds_all_sms_but(u32 left_over, const std::vector<Scan>& scans) {
    Occupant occupant = Occupant::of_all_sms_but(*device_, left_over);
    expect_to_finish(occupant, scans, [&](auto&&) { EXPECT_TRUE(occupant.is_there()); });
  }

  void expect_to_finish_beside_a_kernel_that_holds_half_of_every_sms_shared_memory(const std::vector<Scan>& scans) {
    Occupant occupant = Occupant::of_half_of_every_sms_shared_memory(*device_);
    expect_to_finish_beside(occupant, scans);
  }

 private:
  void expect_to_finish_beside(Occupant& occupant, const std::vector<Scan>& scans) {
    expect_to_finish(occupant, scans, [&](const auto& streams) {
      EXPECT_TRUE(comes_true([&] { return is_idle(streams[0]) && is_idle(streams[1]); }))
          << "scans wait for the other kernel";
      EXPECT_TRUE(occupant.is_there());
    });
  }

  // Two streams scan at once, so that neither has the whole rest of the GPU. The other kernel ends when `meanwhile`
  // returns.
  void expect_to_finish(Occupant& occupant, const std::vector<Scan>& scans, const auto& meanwhile) {
    const TestStream streams[2];
    std::vector<Job> jobs;
    for (const auto& [request, config] : scans)
      for (std::size_t stream = 0; stream < std::size(streams); ++stream)
        jobs.push_back({request, KnownSums(*device_, request), TestScan(*device_, request, config), Verdict(*device_)});
    const auto enqueue_all = [&](u64 seed) {
      for (std::size_t job = 0; job < jobs.size(); ++job) jobs[job].enqueue(seed, streams[job % std::size(streams)]);
    };
    enqueue_all(1);  // what the driver does at a first launch may wait for the GPU
    device_->synchronize();

    ASSERT_TRUE(occupant.enter()) << "the kernel that is to occupy the GPU does not fit on it";
    for (u64 seed = 2; seed < 20; ++seed) enqueue_all(seed);
    meanwhile(streams);
    occupant.leave();
    device_->synchronize();
    for (const Job& job : jobs)
      EXPECT_EQ(job.verdict.problem(), "") << to_string(job.scan.config()) << " of " << to_string(job.request);
  }
};

class CrowdedOnGpu : public ScansOnACrowdedGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  // Scans of every problem that the family solves, in CTAs that take no more shared memory than this.
  std::vector<Scan> scans_within(int shared_bytes) const {
    std::vector<Scan> scans;
    for (const char* type : {"i32", "i8", "f64"})
      for (const u64 n : {u64{100'003}, (u64{1} << 24) + 5}) {
        const ScanRequest request = same(type).request(Operator::sum, n);
        if (GetParam()->unsupported_reason(request, sm()) == nullptr)
          scans.emplace_back(request, config_within(shared_bytes, request));
      }
    return scans;
  }

 private:
  // The default if its CTAs take no more, else the first such config. It has no clusters, which need several SMs of one
  // group.
  Config config_within(int shared_bytes, const ScanRequest& request) const {
    std::vector<Config> all = searched_configs(*GetParam(), request, sm());
    all.insert(all.begin(), GetParam()->default_config(request, sm()));
    const auto fits = [&](const Config& config) {
      const LaunchList list = GetParam()->launches(config, request, Variant::aligned);
      return std::all_of(list.launches, list.launches + list.count, [&](const Launch& launch) {
        return launch.cluster_blocks == 1 && launch.shared_bytes + kReservedSharedBytes <= shared_bytes;
      });
    };
    const auto found = std::ranges::find_if(all, fits);
    if (found == all.end())
      throw std::runtime_error("no config of " + std::string(GetParam()->name()) + " takes so little shared memory");
    return *found;
  }
};

TEST_P(CrowdedOnGpu, ScansFinishBesideAKernelThatHoldsMostSms) {
  const std::vector<Scan> scans = scans_within(shared_bytes_of_an_sm());
  if (scans.empty()) GTEST_SKIP() << "the family has no kernels for this GPU";
  expect_to_finish_beside_a_kernel_that_holds_all_sms_but(std::max(sm_count() / 11, 1u), scans);
}

TEST_P(CrowdedOnGpu, ScansFinishBesideAKernelThatHoldsHalfOfEverySmsSharedMemory) {
  const std::vector<Scan> scans =
      scans_within(shared_bytes_of_an_sm() - half_of_shared_bytes(sm()) - kReservedSharedBytes);
  if (scans.empty()) GTEST_SKIP() << "the family has no kernels for this GPU";
  expect_to_finish_beside_a_kernel_that_holds_half_of_every_sms_shared_memory(scans);
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, CrowdedOnGpu, testing::ValuesIn(scan_families()), name_of_family);

class ClustersCrowdedOnGpu : public ScansOnACrowdedGpu, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    ScansOnACrowdedGpu::SetUp();
    if (!IsSkipped() && GetParam() > limits_of(sm()).cluster_blocks) GTEST_SKIP() << "the GPU's clusters are smaller";
  }

  // Scans by one cluster, by few and by more than can be resident at once. Types are narrow, so that few SMs hold a
  // cluster.
  std::vector<Scan> scans() const {
    std::vector<Scan> all;
    for (const char* type : {"i32", "i8"})
      for (const u64 clusters : {1u, 9u, 1000u})
        all.push_back(scan_in_clusters(same(type), Operator::sum, sm(), GetParam(), clusters));
    return all;
  }
};

// A cluster starts where SMs of one group (GPC) have room for all of it. On an H200 of which another kernel held half
// of the SMs, clusters of 8 and of 16 CTAs waited until it had left.
TEST_P(ClustersCrowdedOnGpu, FinishAfterAKernelThatHoldsHalfOfTheSms) {
  expect_to_finish_after_a_kernel_that_holds_all_sms_but(sm_count() / 2, scans());
}

TEST_P(ClustersCrowdedOnGpu, FinishBesideAKernelThatHoldsHalfOfEverySmsSharedMemory) {
  expect_to_finish_beside_a_kernel_that_holds_half_of_every_sms_shared_memory(scans());
}

INSTANTIATE_TEST_SUITE_P(OfCtas, ClustersCrowdedOnGpu, testing::Values(8, 16), testing::PrintToStringParamName());

}  // namespace
}  // namespace scantune
