// Columns of every length, beside few others and beside very many.
#include "families_under_test.h"
#include "family_test.h"
#include "measure/known_input.h"
#include "measure/reference.h"
#include "test_scan.h"

namespace scantune {
namespace {

struct Shape {
  u64 columns, lines;
};
constexpr Shape kShapes[] = {{1, 1 << 20},       {2, 1 << 20},  {64, 1 << 16}, {1024, 1 << 12},
                             {1 << 14, 1 << 10}, {1 << 20, 16}, {3, 400'001},  {7, 77'777},
                             {33, 40'001},       {257, 3'001},  {1000, 1000},  {100'003, 33}};

class ColumnsOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  ColumnsOnGpu() : FamiliesOnGpu(std::chrono::minutes(9)) {}  // the CPU checks what it returns

  static ScanRequest columns_of(const Types& types, const Shape& shape) {
    ScanRequest request = types.request(operators_of(types).front(), shape.columns * shape.lines);
    request.segments = Segments::columns;
    request.columns = shape.columns;
    return request;
  }
};

TEST_P(ColumnsOnGpu, AreScansOfTheirOwn) {
  constexpr u64 kMostItemsOfDrawnConfigs = u64{1} << 22;  // the CPU takes a while for more
  unsigned turn = 0;
  for (const Types& types :
       {same("i8"), same("i32"), same("f32"), same("f64"), same("f16"), from_to("i8", "i64"), custom(12)})
    for (const Shape& shape : kShapes) {
      const ScanRequest request = columns_of(types, shape);
      // Every third shape of each type, by turns: compilers and the CPU take seconds for one.
      if (++turn % 3 != 0 || GetParam()->unsupported_reason(request, sm()) != nullptr) continue;
      verify(request, GetParam()->default_config(request, sm()), turn % 6 == 0);
      const std::size_t drawn = request.n <= kMostItemsOfDrawnConfigs ? 1 : 0;
      for (const Config& config : drawn_configs(*GetParam(), request, sm(), drawn, turn))
        verify(request, config, false);
      ASSERT_EQ(device_->failure(), "");
    }
  EXPECT_GT(turn, 0u);
}

// Nothing clears the workspace, and scans that follow each other closely overlap.
TEST_P(ColumnsOnGpu, AreRightWheneverAGraphOfManyScansIsReplayed) {
  constexpr int kReplays = 25, kScansOfAGraph = 4;
  const TestStream stream;
  for (const Types& types : {same("i8"), same("i32"), same("f32"), same("f64"), same("f16")})
    for (const Shape& shape : kShapes) {
      ScanRequest request = columns_of(types, shape);
      request.n -= shape.columns / 2;  // a shorter last line, where the family takes one
      if (GetParam()->unsupported_reason(request, sm()) != nullptr) request.n += shape.columns / 2;
      if (GetParam()->unsupported_reason(request, sm()) != nullptr) continue;
      const TestScan scan(*device_, request, GetParam()->default_config(request, sm()));
      const InputSpec spec{.request = request};
      const KnownInput input(spec, std::make_shared<const KnownItems>(spec));
      device_->upload(scan.items(), input.known->items().data(), input.bytes());
      const auto reference = make_lasting_reference(input);
      std::vector<std::byte> results(request.n * reference->item_bytes());
      const std::vector<std::byte> poison(results.size(), std::byte{0xa5});
      const TestGraph graph(stream, [&] {
        for (int repeat = 0; repeat < kScansOfAGraph; ++repeat) scan.enqueue(stream);
      });
      device_->upload(scan.results(), poison.data(), poison.size());
      for (int replay = 0; replay < kReplays; ++replay) graph.launch(stream);
      stream.synchronize();
      device_->download(results.data(), scan.results(), results.size());
      if (const auto wrong = reference->check(0, results))
        ADD_FAILURE() << to_string(scan.config()) << " of " << to_string(request) << ": item " << wrong->index
                      << " should be " << wrong->expected << ", found " << wrong->found;
      EXPECT_TRUE(scan.surroundings_intact()) << to_string(scan.config()) << " of " << to_string(request);
      ASSERT_EQ(device_->failure(), "");
    }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, ColumnsOnGpu, testing::ValuesIn(column_families()), name_of_family);

}  // namespace
}  // namespace scantune
