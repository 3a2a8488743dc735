// Every family on the GPU: types, operators, kinds, edge sizes, alignments, in place, repeated on one workspace.
#include <algorithm>

#include "gpu_test.h"
#include "measure/device_buffer.h"
#include "measure/prepared_scan.h"
#include "measure/verify.h"
#include "space/space.h"

namespace scantune {
namespace {

constexpr ValueType kTypes[] = {ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64};
constexpr Operator kOperators[] = {Operator::sum, Operator::max};

ScanRequest request_of(ValueType type, Operator op, u64 n) {
  return {.input_type = type, .accumulator_type = type, .output_type = type, .op = op, .n = n};
}

// The default, and configs drawn from the searched space.
std::vector<Config> sampled_configs(const FamilyModel& family, const ScanRequest& request, int sm, std::size_t count) {
  std::vector<Config> all = searched_configs(family, request, sm);
  std::vector<Config> sample{family.default_config(request, sm)};
  std::mt19937 random(20);
  std::sample(all.begin(), all.end(), std::back_inserter(sample), static_cast<std::ptrdiff_t>(count), random);
  return sample;
}

class FamiliesOnGpu : public GpuTest {
 protected:
  // Verifies sampled configs for every family, type and operator at n items.
  void verify_all(u64 n, std::size_t sampled) {
    const int sm = device_->identity().sm;
    Verifier verifier(*device_);
    for (const FamilyModel* family : families())
      for (const ValueType type : kTypes)
        for (const Operator op : kOperators) {
          const ScanRequest request = request_of(type, op, n);
          if (family->unsupported_reason(request, sm) != nullptr) continue;
          for (const Config& config : sampled_configs(*family, request, sm, sampled)) {
            try {
              EXPECT_GT(verifier.verify(request, config), 0);
            } catch (const Error& error) {
              ADD_FAILURE() << to_string(config) << " of " << to_string(request) << ": " << error.what();
              if (!device_->failure().empty()) return;
            }
          }
        }
  }
};

TEST_F(FamiliesOnGpu, ScanEdgeSizes) {
  for (const u64 n : {1, 31, 33, 1000}) verify_all(n, 1);
}

TEST_F(FamiliesOnGpu, ScanManyTiles) { verify_all(100'003, 4); }

TEST_F(FamiliesOnGpu, ScanMillionsOfItems) { verify_all((1u << 24) + 5, 1); }

// Small enough to run under compute-sanitizer (CONTRIBUTING says how).
TEST_F(FamiliesOnGpu, ScanUnderTheSanitizers) {
  const int sm = device_->identity().sm;
  Verifier verifier(*device_);
  for (const FamilyModel* family : families())
    for (const ValueType type : {ValueType::i32, ValueType::f64}) {
      const ScanRequest request = request_of(type, Operator::sum, 20'001);
      for (const Config& config : sampled_configs(*family, request, sm, 5))
        EXPECT_GT(verifier.verify(request, config), 0) << to_string(config);
    }
}

TEST_F(FamiliesOnGpu, StatusWordsSurviveTheWrapOfTheEpoch) {
  const ScanRequest request = request_of(ValueType::i64, Operator::sum, 100'000);
  const int sm = device_->identity().sm;
  for (const FamilyModel* family : families()) {
    const WorkspaceNeed need = family->workspace(family->default_config(request, sm), request);
    if (need.kind != WorkspaceKind::packed_status && need.kind != WorkspaceKind::split_status) continue;
    for (const Config& config : sampled_configs(*family, request, sm, 12)) {
      const PreparedScan scan(*device_, request, config);
      std::vector<std::int64_t> items(request.n), sums(request.n), found(request.n);
      std::int64_t sum = 0;
      for (std::size_t index = 0; index < items.size(); ++index)
        sums[index] = sum += items[index] = static_cast<std::int64_t>(index * 7919 % 1000) - 400;
      const u64 bytes = request.n * 8;
      DeviceBuffer input(*device_, bytes), output(*device_, bytes),
          workspace(*device_, scan.workspace_bytes(request.n));
      device_->upload(input.data(), items.data(), bytes);
      device_->zero(workspace.data(), scan.workspace_bytes(request.n));
      const u32 epoch = kLastEpoch - 3;
      device_->upload(workspace.data() + offsetof(WorkspaceHeader, epoch), &epoch, sizeof epoch);
      for (int launch = 0; launch < 6; ++launch) {
        device_->zero(output.data(), bytes);
        scan.enqueue(input.data(), output.data(), request.n, workspace.data(), nullptr);
        device_->download(found.data(), output.data(), bytes);
        ASSERT_EQ(found, sums) << to_string(config) << ", launch " << launch;
      }
      WorkspaceHeader header;
      device_->download(&header, workspace.data(), sizeof header);
      EXPECT_EQ(header.epoch, 3u) << "three launches to the last epoch, which ends at 0, then three more";
      EXPECT_EQ(header.ticket, 0u);
      EXPECT_EQ(header.finished, 0u);
    }
  }
}

}  // namespace
}  // namespace scantune
