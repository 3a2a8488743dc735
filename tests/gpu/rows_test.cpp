// Rows of every length, beside few others and beside very many.
#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

struct Shape {
  u64 rows, length;
};
constexpr Shape kShapes[] = {{1, 1'000'003}, {3, 100'000}, {1000, 1000}, {4096, 1024}, {100'000, 33}, {1 << 20, 4}};

class RowsOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {};

TEST_P(RowsOnGpu, AreScansOfTheirOwn) {
  unsigned turn = 0;
  for (const Types& types : {same("i32"), same("u8"), same("f64"), from_to("i8", "i64"), same("f16"), custom(12)})
    for (const auto& [rows, length] : kShapes) {
      ScanRequest request = types.request(operators_of(types).front(), rows * length);
      request.segments = Segments::rows;
      request.rows = rows;
      if (GetParam()->unsupported_reason(request, sm()) != nullptr) continue;
      verify(request, GetParam()->default_config(request, sm()), turn % 6 == 0);
      for (const Config& config : drawn_configs(*GetParam(), request, sm(), 1, turn)) verify(request, config, false);
      ASSERT_EQ(device_->failure(), "");
      ++turn;
    }
  EXPECT_GT(turn, 0u);
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, RowsOnGpu, testing::ValuesIn(row_families()), name_of_family);

}  // namespace
}  // namespace scantune
