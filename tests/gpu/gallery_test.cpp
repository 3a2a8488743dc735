// The gallery on a GPU: every family, at few items and at millions, and under compute-sanitizer.
#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

std::vector<const FamilyModel*> gallery() {
  const auto scans = families_of<ScanRequest>(Standing::gallery), sums = families_of<ReduceRequest>(Standing::gallery);
  std::vector<const FamilyModel*> all(scans.begin(), scans.end());
  all.insert(all.end(), sums.begin(), sums.end());
  return all;
}

class GalleryOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  explicit GalleryOnGpu(std::chrono::seconds limit = std::chrono::minutes(2)) : FamiliesOnGpu(limit) {}

  // So many items of a type, in rows where the family has no room for all of them as one sequence; fewer where it has
  // no rows either.
  Request request_of(const char* type, u64 n) const {
    const ScanRequest scan = same(type).request(Operator::sum, n);
    if (&GetParam()->algorithm() == &algorithm_of<ReduceRequest>())
      return ReduceRequest{.input_type = scan.input_type,
                           .accumulator_type = scan.accumulator_type,
                           .output_type = scan.output_type,
                           .n = n};
    ScanRequest request = taken_by(*GetParam(), scan);
    while (GetParam()->unsupported_reason(request, sm()) != nullptr && n > 1) {
      request = scan;
      request.n = n /= 2;
    }
    return request;
  }

  // Verifies a few configs of every type; returns how many types the family is for.
  int verify_all(u64 n, std::initializer_list<const char*> names = {"i32", "u64", "f32", "f64"}) {
    int types = 0;
    unsigned turn = 0;
    for (const char* type : names) {
      const Request request = request_of(type, n);
      if (GetParam()->unsupported_reason(request, sm()) != nullptr) continue;
      verify(request, GetParam()->default_config(request, sm()), true);
      for (const Config& config : drawn_configs(*GetParam(), request, sm(), 2, turn++)) verify(request, config, false);
      ++types;
    }
    return types;
  }
};

TEST_P(GalleryOnGpu, IsRight) {
  EXPECT_GT(verify_all(1'000), 0);
  EXPECT_GT(verify_all(10'000'019), 0);
}

class SmallGalleryOnGpu : public GalleryOnGpu {
 protected:
  SmallGalleryOnGpu() : GalleryOnGpu(std::chrono::minutes(9)) {}
};

// Two types, so that each tool ends in time.
TEST_P(SmallGalleryOnGpu, RunsUnderTheSanitizers) { EXPECT_GT(verify_all(5'001, {"i32", "f64"}), 0); }

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, GalleryOnGpu, testing::ValuesIn(gallery()), name_of_family);
INSTANTIATE_TEST_SUITE_P(OfEveryFamily, SmallGalleryOnGpu, testing::ValuesIn(gallery()), name_of_family);

}  // namespace
}  // namespace scantune
