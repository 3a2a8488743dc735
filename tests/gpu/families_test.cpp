// Every family on the GPU: types, operators, kinds, edge sizes, alignments, in place, repeated on one workspace. Most
// of the time is spent compiling, and a process compiles one kernel after the other. GTEST_TOTAL_SHARDS and
// GTEST_SHARD_INDEX distribute the tests among processes.
#include <ostream>
#include <tuple>
#include <utility>

#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

constexpr u64 kManyTiles = 100'003;  // verifying so many also scans every edge size
constexpr u64 kMillions = (u64{1} << 24) + 5;
constexpr u64 kHundredsOfMillions = (u64{1} << 28) + 3;

std::vector<Types> equal_types() {
  std::vector<Types> all;
  for (const char* type : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"})
    all.push_back(same(type));
  return all;
}

// Types that widen, narrow, change sign, combine integers as floating-point numbers, or have accumulators of either
// width.
std::vector<Types> mixed_types() {
  return {from_to("i8", "i32"),          from_to("i8", "i64"),         from_to("i16", "i32"),
          from_to("u8", "u32"),          from_to("u16", "u64"),        from_to("i32", "i64"),
          from_to("i64", "i8"),          from_to("u64", "u16"),        from_to("i8", "u64"),
          from_to("u32", "i16"),         from_to("i8", "f32"),         from_to("u16", "f16"),
          from_to("i64", "f64"),         from_to("i32", "bf16"),       from_to("f16", "f32"),
          from_to("bf16", "f32"),        from_to("f32", "f16"),        from_to("f64", "bf16"),
          from_to("f16", "bf16"),        from_to("f32", "f64"),        through("i32", "i64", "i32"),
          through("u8", "u64", "u8"),    through("i32", "u32", "i32"), through("f16", "f64", "f16"),
          through("bf16", "f64", "f32"), through("i64", "f32", "f32")};
}

std::vector<Types> custom_types() {
  std::vector<Types> all;
  for (const int bytes : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 31, 32}) all.push_back(custom(bytes));
  return all;
}

// The kinds of scans, each with the places that its initial value may come from.
constexpr std::pair<Kind, Init> kStarts[] = {{Kind::inclusive, Init::none},
                                             {Kind::exclusive, Init::value},
                                             {Kind::inclusive, Init::memory},
                                             {Kind::exclusive, Init::memory},
                                             {Kind::inclusive, Init::value}};

ScanRequest started(ScanRequest request, unsigned which) {
  std::tie(request.kind, request.init) = kStarts[which % std::size(kStarts)];
  return request;
}

struct Tested {
  const FamilyModel* family;
  Types types;
  unsigned turn;  // number of the types, by which they take other kinds and configs than those before them
};

std::string name_of(const Tested& tested) { return std::string(tested.family->name()) + "_" + name_of(tested.types); }
std::ostream& operator<<(std::ostream& out, const Tested& tested) { return out << name_of(tested); }

// The types of some lists that each family solves. The families take turns, so that shards get as much of each.
std::vector<Tested> every_family_with(const std::vector<std::vector<Types>>& lists) {
  std::vector<Tested> all;
  unsigned turn = 0;
  for (const auto& list : lists)
    for (const Types& types : list) {
      for (const FamilyModel* family : scan_families())
        if (may_scan(*family, types.request(operators_of(types).front(), kManyTiles)))
          all.push_back({family, types, turn});
      ++turn;
    }
  return all;
}

class FamilyOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<Tested> {
 protected:
  // Why the family does not solve this problem on this GPU; null if it does.
  const char* unsupported(const ScanRequest& request) const {
    return GetParam().family->unsupported_reason(request, sm());
  }
};

// One operator of each type is scanned in every kind and with both configs; the others in one kind and with one config,
// which take turns.
TEST_P(FamilyOnGpu, ScansEdgeSizesWithEveryOperator) {
  const auto& [family, types, turn_of_types] = GetParam();
  unsigned turn = turn_of_types;
  const std::vector<Operator> operators = operators_of(types);
  for (const Operator op : operators) {
    const ScanRequest request = types.request(op, kManyTiles);
    if (const char* reason = unsupported(request)) GTEST_SKIP() << reason;
    const bool every_kind = turn % operators.size() == 0;
    if (every_kind) verify(request, family->default_config(request, sm()), true);
    if (!every_kind && turn % 2 == 0) verify(started(request, turn), family->default_config(request, sm()), false);
    if (every_kind || turn % 2 != 0)
      for (const Config& config : drawn_configs(*family, request, sm(), 1, turn))
        verify(started(request, turn), config, false);
    ASSERT_EQ(device_->failure(), "");
    ++turn;
  }
}

TEST_P(FamilyOnGpu, ScansFewItemsWithTheConfigForThose) {
  const auto& [family, types, turn] = GetParam();
  const ScanRequest request = started(types.request(operators_of(types).back(), 1000), turn);
  if (const char* reason = unsupported(request)) GTEST_SKIP() << reason;
  verify(request, family->default_config(request, sm()), false);
}

// The kinds of scan take turns.
TEST_P(FamilyOnGpu, ScansMillionsOfItemsWithEveryOperator) {
  const auto& [family, types, turn_of_types] = GetParam();
  unsigned turn = turn_of_types;
  for (const Operator op : operators_of(types)) {
    const ScanRequest request = started(types.request(op, kMillions), turn++);
    if (const char* reason = unsupported(request)) GTEST_SKIP() << reason;
    verify(request, family->default_config(request, sm()), false);
    ASSERT_EQ(device_->failure(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(EveryType, FamilyOnGpu,
                         testing::ValuesIn(every_family_with({equal_types(), mixed_types(), custom_types()})),
                         [](const auto& tested) { return name_of(tested.param); });

class FamilyOfManyItemsOnGpu : public FamilyOnGpu {};

TEST_P(FamilyOfManyItemsOnGpu, ScansHundredsOfMillions) {
  const auto& [family, types, turn] = GetParam();
  const ScanRequest request = types.request(operators_of(types).front(), kHundredsOfMillions);
  if (const char* reason = unsupported(request)) GTEST_SKIP() << reason;
  verify(request, family->default_config(request, sm()), false);
}

INSTANTIATE_TEST_SUITE_P(SomeTypes, FamilyOfManyItemsOnGpu,
                         testing::ValuesIn(every_family_with({{same("i8"), same("f16"), same("i32"), same("f64"),
                                                               from_to("i8", "i32"), from_to("i32", "i64"),
                                                               custom(12)}})),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace scantune
