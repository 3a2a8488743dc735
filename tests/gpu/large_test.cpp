// Integer sums at the sizes where signed or unsigned 32-bit arithmetic would wrap; the device checks every result.
#include <ostream>

#include "families_under_test.h"
#include "family_test.h"
#include "known_sums.h"
#include "test_scan.h"

namespace scantune {
namespace {

struct Tested {
  const FamilyModel* family;
  Types types;
};

std::string name_of(const Tested& tested) { return std::string(tested.family->name()) + "_" + name_of(tested.types); }
std::ostream& operator<<(std::ostream& out, const Tested& tested) { return out << name_of(tested); }

std::vector<Tested> all_tested() {
  std::vector<Tested> all;
  for (const Types& types : {same("i8"), same("i32"), from_to("u8", "u32"), from_to("u8", "u64")})
    for (const FamilyModel* family : scan_families())
      if (may_scan(*family, types.request(Operator::sum, u64{1} << 32))) all.push_back({family, types});
  return all;
}

class LargeOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<Tested> {
 protected:
  void expect_exact_sums(u64 n, const Placement& placement) {
    const auto& [family, types] = GetParam();
    const ScanRequest request = types.request(Operator::sum, n);
    const KnownSums sums(*device_, request);
    const TestScan scan(*device_, request, family->default_config(request, sm()), placement);
    const Verdict verdict(*device_);
    sums.fill(scan.items(), n, n, nullptr);
    scan.enqueue(nullptr);
    sums.check(scan.results(), n, n, verdict, nullptr);
    EXPECT_EQ(verdict.problem(), "") << to_string(scan.config()) << " of " << to_string(request)
                                     << ", input and output " << placement.input_offset << " and "
                                     << placement.output_offset << " items behind a vector boundary";
    EXPECT_TRUE(scan.surroundings_intact());
  }

  // Why this GPU cannot scan so many items; empty if it can.
  std::string reason_to_skip(u64 n, const Placement& placement) const {
    const ScanRequest request = GetParam().types.request(Operator::sum, n);
    if (const char* reason = GetParam().family->unsupported_reason(request, sm())) return reason;
    const u64 item_bytes = static_cast<u64>((placement.in_place ? 0 : request.input_bytes()) + request.output_bytes());
    if (n * item_bytes + n * item_bytes / 50 <= free_device_bytes()) return {};  // includes a workspace of 1 %
    return "needs more memory than the GPU has free, for " + std::to_string(n) + " items";
  }
};

TEST_P(LargeOnGpu, SumsAreExactAround2To31And2To32Items) {
  const bool equal_sizes = GetParam().types.input == GetParam().types.output;
  bool scanned = false;
  std::string skipped_because;
  for (const u64 power : {u64{1} << 31, u64{1} << 32})
    for (const u64 n : {power - 1, power, power + 1})
      for (const Placement& placement : {Placement{}, Placement{.input_offset = 1, .output_offset = 3},
                                         Placement{.input_offset = 2, .output_offset = 2, .in_place = equal_sizes}}) {
        if (const std::string reason = reason_to_skip(n, placement); !reason.empty()) {
          skipped_because = reason;
          continue;
        }
        expect_exact_sums(n, placement);
        ASSERT_EQ(device_->failure(), "");
        scanned = true;
      }
  if (!scanned) GTEST_SKIP() << skipped_because;
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, LargeOnGpu, testing::ValuesIn(all_tested()),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace scantune
