// Scans of every family at once, for seconds here and for a minute in the long tests.
#include <latch>
#include <map>
#include <thread>

#include "effort.h"
#include "families_under_test.h"
#include "family_test.h"
#include "known_sums.h"
#include "launch/workspace_layout.h"
#include "measure/prepared_config.h"

namespace scantune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kStreams = 8;
constexpr std::chrono::seconds kDuration(5 * kTestEffort);

struct Job {
  ScanRequest request;
  std::shared_ptr<const KnownSums> sums;
  std::unique_ptr<const PreparedConfig> scan;

  WorkspaceNeed need() const { return scan->config().family().workspace(scan->config(), request); }
};

// The memory of one stream's scans. There is one workspace for each layout, as in the runtime, so that a family meets
// words that another has left.
class StreamMemory {
 public:
  StreamMemory(Device& device, const std::vector<Job>& jobs)
      : items_(device, most(jobs, &ScanRequest::input_bytes)),
        results_(device, most(jobs, &ScanRequest::output_bytes)) {
    std::map<int, u64> bytes;
    for (const Job& job : jobs)
      if (const WorkspaceNeed need = job.need(); need.kind != WorkspaceKind::none)
        bytes[layout_of(need)] = std::max(bytes[layout_of(need)], need.bytes);
    for (const auto& [layout, most_bytes] : bytes) {
      const auto made = workspaces_.emplace(layout, DeviceBuffer(device, most_bytes)).first;
      device.zero(made->second.data(), most_bytes);
    }
  }

  std::byte* items() const { return items_.data(); }
  std::byte* results() const { return results_.data(); }
  std::byte* workspace(const WorkspaceNeed& need) const {
    return need.kind == WorkspaceKind::none ? nullptr : workspaces_.at(layout_of(need)).data();
  }

 private:
  static u64 most(const std::vector<Job>& jobs, int (ScanRequest::*item_bytes)() const) {
    u64 bytes = 0;
    for (const Job& job : jobs) bytes = std::max(bytes, job.request.n * static_cast<u64>((job.request.*item_bytes)()));
    return bytes;
  }

  DeviceBuffer items_;
  DeviceBuffer results_;
  std::map<int, DeviceBuffer> workspaces_;
};

class EightStreamsOnGpu : public FamiliesOnGpu {
 protected:
  std::vector<Job> all_jobs() {
    std::vector<Job> jobs;
    for (const Types& types : {same("i8"), same("i32"), same("i64"), same("f32"), from_to("u8", "u32")}) {
      const auto sums = std::make_shared<const KnownSums>(*device_, types.request(Operator::sum, 1));
      for (const u64 n : {u64{10'007}, u64{700'001}, (u64{1} << 23) + 9})
        for (const FamilyModel* family : scan_families()) {
          const ScanRequest request = types.request(Operator::sum, n);
          if (family->unsupported_reason(request, sm()) != nullptr) continue;
          jobs.push_back(
              {request, sums,
               std::make_unique<const PreparedConfig>(*device_, request, family->default_config(request, sm()))});
        }
    }
    return jobs;
  }

  // Scans by one cluster, by few and by more than the GPU holds at once.
  std::vector<Job> jobs_in_clusters() {
    std::vector<Job> jobs;
    for (const Types& types : {same("i8"), same("i32"), same("i64"), same("f32")}) {
      const auto sums = std::make_shared<const KnownSums>(*device_, types.request(Operator::sum, 1));
      for (const int blocks : {8, 16})
        for (const u64 clusters : {1u, 9u, 1000u}) {
          if (blocks > limits_of(sm()).cluster_blocks) continue;
          const auto [request, config] = scan_in_clusters(types, Operator::sum, sm(), blocks, clusters);
          jobs.push_back({request, sums, std::make_unique<const PreparedConfig>(*device_, request, config)});
        }
    }
    return jobs;
  }

  void scan_in_all_streams(const std::vector<Job>& jobs) {
    std::latch ready(kStreams);
    std::vector<std::thread> threads;
    for (unsigned stream = 0; stream < kStreams; ++stream)
      threads.emplace_back([&, stream] { scan(jobs, stream, ready); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  // Scans in a stream of its own until the time is over; every result is checked in that stream.
  void scan(const std::vector<Job>& jobs, unsigned seed, std::latch& ready) {
    cuda_device();  // makes a context current on this thread
    const TestStream stream;
    const StreamMemory memory(*device_, jobs);
    const Verdict verdict(*device_);
    std::mt19937 random(seed);
    ready.arrive_and_wait();  // later allocations would wait for the others' scans, which do not end
    const Clock::time_point end = Clock::now() + kDuration;
    u64 scans = 0;
    for (; Clock::now() < end; ++scans) {
      const u64 drawn = random() % jobs.size();
      const Job& job = jobs[drawn];
      const u64 n = job.request.n, seed_of_items = scans * jobs.size() + drawn;
      job.sums->fill(memory.items(), n, seed_of_items, stream);
      job.scan->enqueue({memory.items(), memory.results()}, n, memory.workspace(job.need()), stream);
      job.sums->check(memory.results(), n, seed_of_items, verdict, stream);
    }
    stream.synchronize();
    EXPECT_GT(scans, 100u);
    const std::string problem = verdict.problem();
    if (problem.empty()) return;
    const Job& job = jobs[verdict.seed_of_problem() % jobs.size()];
    ADD_FAILURE() << "stream " << seed << ", " << to_string(job.scan->config()) << " of " << to_string(job.request)
                  << ": " << problem;
  }
};

TEST_F(EightStreamsOnGpu, ScanWithEveryFamilyAtOnce) { scan_in_all_streams(all_jobs()); }

TEST_F(EightStreamsOnGpu, ScanInClustersAtOnce) {
  const std::vector<Job> jobs = jobs_in_clusters();
  if (jobs.empty()) GTEST_SKIP() << "needs a GPU with clusters";
  scan_in_all_streams(jobs);
}

}  // namespace
}  // namespace scantune
