// Scans beside a kernel that does not end before they do, so that only the rest of the GPU is left for them.
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "families_under_test.h"
#include "family_test.h"
#include "known_sums.h"
#include "test_kernel.h"
#include "test_scan.h"

namespace scantune {
namespace {

constexpr int kReservedSharedBytes = 1024;  // shared memory that each CTA takes beside what it asks for

// Waits for a condition until a deadline: if it never came, nothing else would end the wait.
template <class Condition>
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool is_idle(CUstream stream) {
  const CUresult result = SCANTUNE_TEST_DRIVER(cuStreamQuery)(stream);
  if (result != CUDA_ERROR_NOT_READY) check(result, "cuStreamQuery");
  return result == CUDA_SUCCESS;
}

// CTAs that stay on the GPU until they are released.
class Occupant {
 public:
  Occupant(Device& device, u32 ctas, int shared_bytes)
      : kernel_(device,
                "extern \"C\" __global__ void kernel(scantune::KernelArguments arguments) {\n"
                "  volatile unsigned* const released = static_cast<volatile unsigned*>(arguments.output);\n"
                "  released[1 + blockIdx.x] = 1;\n"
                "  while (*released == 0) __nanosleep(1000);\n"
                "}\n",
                shared_bytes),
        launch_{.grid_blocks = ctas, .block_threads = 32, .shared_bytes = shared_bytes} {
    // Otherwise SMs would reserve no more shared memory than this kernel needs, and could not change that while it
    // runs.
    check(Driver::instance().cuFuncSetAttribute(kernel_.function(), CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                                CU_SHAREDMEM_CARVEOUT_MAX_SHARED),
          "cuFuncSetAttribute");
    void* memory = nullptr;
    check(SCANTUNE_TEST_DRIVER(cuMemAllocHost)(&memory, (1 + u64{ctas}) * sizeof(unsigned)), "cuMemAllocHost");
    words_ = static_cast<volatile unsigned*>(memory);
    for (u32 word = 0; word <= ctas; ++word) words_[word] = 0;
  }
  ~Occupant() {
    leave();
    Driver::instance().cuStreamSynchronize(stream_);
    SCANTUNE_TEST_DRIVER(cuMemFreeHost)(const_cast<unsigned*>(words_));
  }
  Occupant(const Occupant&) = delete;

  // Starts the kernel; false if its CTAs do not all become resident.
  bool enter() {
    KernelArguments arguments{};
    arguments.output = const_cast<unsigned*>(words_);
    kernel_.enqueue(launch_, arguments, stream_);
    return comes_true([&] {
      for (u32 cta = 0; cta < launch_.grid_blocks; ++cta)
        if (words_[1 + cta] == 0) return false;
      return true;
    });
  }
  bool is_there() const { return !is_idle(stream_); }
  void leave() { *words_ = 1; }

 private:
  TestKernel kernel_;
  Launch launch_;
  TestStream stream_;
  volatile unsigned* words_;
};

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
  // Two CTAs with so much shared memory do not fit one SM, so each has an SM of its own.
  int half_of_shared_bytes() const { return limits_of(sm()).shared_bytes_per_block / 2; }

  void expect_to_finish_beside_a_kernel_that_holds_all_sms_but(u32 left_over, const std::vector<Scan>& scans) {
    Occupant occupant(*device_, sm_count() - left_over, limits_of(sm()).shared_bytes_per_block);
    expect_to_finish_beside(occupant, scans);
  }

  void expect_to_finish_after_a_kernel_that_holds_all_sms_but(u32 left_over, const std::vector<Scan>& scans) {
    Occupant occupant(*device_, sm_count() - left_over, limits_of(sm()).shared_bytes_per_block);
    expect_to_finish(occupant, scans, [&](auto&&) { EXPECT_TRUE(occupant.is_there()); });
  }

  void expect_to_finish_beside_a_kernel_that_holds_half_of_every_sms_shared_memory(const std::vector<Scan>& scans) {
    Occupant occupant(*device_, sm_count(), half_of_shared_bytes());
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
  const std::vector<Scan> scans = scans_within(shared_bytes_of_an_sm() - half_of_shared_bytes() - kReservedSharedBytes);
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
