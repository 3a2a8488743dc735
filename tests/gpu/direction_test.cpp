// Scans from the last item to the first, by every family.
#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

class ReverseOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  ReverseOnGpu() : FamiliesOnGpu(std::chrono::minutes(5)) {}  // the CPU checks what it returns
};

TEST_P(ReverseOnGpu, IsRight) {
  unsigned turn = 0;
  int verified = 0;
  for (const Types& types : {same("i8"), same("i32"), same("f32"), same("f64"), same("f16"), custom(12)})
    for (const u64 n : {u64{1000}, u64{100'003}, u64{1} << 20, (u64{1} << 22) + 1}) {
      ScanRequest request = taken_by(*GetParam(), types.request(operators_of(types).front(), n));
      if (request.segments != Segments::none && n > 100'000) {
        const u64 count = ++turn % 2 == 0 ? 7 : 1000;
        (request.segments == Segments::rows ? request.rows : request.columns) = count;
      }
      request.direction = Direction::reverse;
      if (GetParam()->unsupported_reason(request, sm()) != nullptr) continue;
      verify(request, GetParam()->default_config(request, sm()), false);
      ++verified;
      ASSERT_EQ(device_->failure(), "");
    }
  EXPECT_GT(verified, 5);
}

std::vector<const FamilyModel*> reversed_families() {
  std::vector<const FamilyModel*> families;
  for (const FamilyModel* family : families_of<ScanRequest>(Standing::library)) families.push_back(family);
  return families;
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, ReverseOnGpu, testing::ValuesIn(reversed_families()), name_of_family);

}  // namespace
}  // namespace scantune
