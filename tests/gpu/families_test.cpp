// Every family on the GPU: types, operators, kinds, edge sizes, alignments, in place, repeated on one workspace. Most
// of the time goes into compiling, within one process one kernel after the other: GTEST_TOTAL_SHARDS and
// GTEST_SHARD_INDEX share the tests out among processes.
#include <algorithm>
#include <optional>
#include <ostream>
#include <string_view>
#include <tuple>
#include <utility>

#include "gpu_test.h"
#include "measure/device_buffer.h"
#include "measure/prepared_scan.h"
#include "measure/upload_input.h"
#include "measure/verify.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune {
namespace {

constexpr u64 kManyTiles = 100'003;  // verifying so many also scans every edge size
constexpr u64 kMillions = (u64{1} << 24) + 5;
constexpr u64 kHundredsOfMillions = (u64{1} << 28) + 3;

struct Types {
  ValueType input;
  ValueType accumulator;
  ValueType output;
  int custom_bytes = 0;

  ScanRequest request(Operator op, u64 n) const {
    return {.input_type = input,
            .accumulator_type = accumulator,
            .output_type = output,
            .op = op,
            .custom_bytes = custom_bytes,
            .custom_alignment = custom_bytes == 0 ? 0 : natural_alignment(custom_bytes),
            .n = n};
  }
};

Types through(std::string_view input, std::string_view accumulator, std::string_view output) {
  const auto type = [](std::string_view name) { return parse_token<ValueType>(name).value(); };
  return {type(input), type(accumulator), type(output)};
}
Types from_to(std::string_view input, std::string_view output) {
  Types types = through(input, input, output);
  types.accumulator = default_accumulator(types.input, types.output);
  return types;
}
Types same(std::string_view type) { return from_to(type, type); }
Types custom(int bytes) { return {ValueType::custom, ValueType::custom, ValueType::custom, bytes}; }

std::vector<Types> equal_types() {
  std::vector<Types> all;
  for (const char* type : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"})
    all.push_back(same(type));
  return all;
}

// Widening, narrowing, change of sign, integers combined as floating-point numbers, accumulators of either width.
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

// The legal operators, for custom types the stand-ins of each cost class.
std::vector<Operator> operators_of(const Types& types) {
  std::vector<Operator> all;
  for (int index = 0; index < static_cast<int>(std::size(Tokens<Operator>::kNames)); ++index) {
    const auto op = static_cast<Operator>(index);
    if (is_custom(op) == (types.custom_bytes != 0) && unsupported_reason(types.request(op, 1)) == nullptr)
      all.push_back(op);
  }
  return all;
}

// Where the value that a scan starts from may come from.
constexpr std::pair<Kind, Init> kStarts[] = {{Kind::inclusive, Init::none},
                                             {Kind::exclusive, Init::value},
                                             {Kind::inclusive, Init::memory},
                                             {Kind::exclusive, Init::memory},
                                             {Kind::inclusive, Init::value}};

ScanRequest started(ScanRequest request, unsigned which) {
  std::tie(request.kind, request.init) = kStarts[which % std::size(kStarts)];
  return request;
}

// Configs of the searched space.
std::vector<Config> drawn_configs(const FamilyModel& family, const ScanRequest& request, int sm, std::size_t count,
                                  unsigned seed = 20) {
  std::vector<Config> all = searched_configs(family, request, sm), drawn;
  std::mt19937 random(seed);
  std::ranges::sample(all, std::back_inserter(drawn), static_cast<std::ptrdiff_t>(count), random);
  return drawn;
}

std::vector<Config> default_and_drawn(const FamilyModel& family, const ScanRequest& request, int sm,
                                      std::size_t count) {
  std::vector<Config> configs = drawn_configs(family, request, sm, count);
  configs.push_back(family.default_config(request, sm));
  return configs;
}

struct Tested {
  const FamilyModel* family;
  Types types;
  unsigned turn;  // of the types, by which they take other kinds and configs than those before them
};

std::string name_of(const Tested& tested) {
  const ScanRequest request = tested.types.request(Operator::sum, 1);
  return std::string(tested.family->name()) + "_" + spell_type(request, request.input_type) + "_" +
         spell_type(request, request.accumulator_type) + "_" + spell_type(request, request.output_type);
}
std::ostream& operator<<(std::ostream& out, const Tested& tested) { return out << name_of(tested); }

// The families take turns, so that shards get as much of each.
std::vector<Tested> every_family_with(const std::vector<std::vector<Types>>& lists) {
  std::vector<Tested> all;
  unsigned turn = 0;
  for (const auto& list : lists)
    for (const Types& types : list) {
      for (const FamilyModel* family : families()) all.push_back({family, types, turn});
      ++turn;
    }
  return all;
}

class FamiliesOnGpu : public GpuTest {
 protected:
  void verify(const ScanRequest& request, const Config& config, bool all_kinds) {
    try {
      EXPECT_GT(verifier().verify(request, config, nullptr, {.all_kinds = all_kinds}), 0);
    } catch (const Error& error) {
      ADD_FAILURE() << to_string(config) << " of " << to_string(request) << ": " << error.what();
    }
  }

  int sm() const { return device_->identity().sm; }

 private:
  Verifier& verifier() {
    if (!verifier_) verifier_.emplace(*device_);
    return *verifier_;
  }
  std::optional<Verifier> verifier_;
};

class FamilyOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<Tested> {
 protected:
  // Whether the family scans so many items at all.
  bool scans(const ScanRequest& request) const {
    return GetParam().family->unsupported_reason(request, sm()) == nullptr;
  }
};

// One operator of each type in every kind and with both configs; the others in the kind and with the config whose turn
// it is.
TEST_P(FamilyOnGpu, ScansEdgeSizesWithEveryOperator) {
  const auto& [family, types, turn_of_types] = GetParam();
  unsigned turn = turn_of_types;
  const std::vector<Operator> operators = operators_of(types);
  for (const Operator op : operators) {
    const ScanRequest request = types.request(op, kManyTiles);
    ASSERT_TRUE(scans(request)) << to_string(request);
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
  verify(request, family->default_config(request, sm()), false);
}

// The kinds of scan take turns.
TEST_P(FamilyOnGpu, ScansMillionsOfItemsWithEveryOperator) {
  const auto& [family, types, turn_of_types] = GetParam();
  unsigned turn = turn_of_types;
  for (const Operator op : operators_of(types)) {
    const ScanRequest request = started(types.request(op, kMillions), turn++);
    if (!scans(request)) GTEST_SKIP() << family->unsupported_reason(request, sm());
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
  if (!scans(request)) GTEST_SKIP() << family->unsupported_reason(request, sm());
  verify(request, family->default_config(request, sm()), false);
}

INSTANTIATE_TEST_SUITE_P(SomeTypes, FamilyOfManyItemsOnGpu,
                         testing::ValuesIn(every_family_with({{same("i8"), same("f16"), same("i32"), same("f64"),
                                                               from_to("i8", "i32"), from_to("i32", "i64"),
                                                               custom(12)}})),
                         [](const auto& tested) { return name_of(tested.param); });

// Small enough to run under compute-sanitizer (CONTRIBUTING says how).
TEST_F(FamiliesOnGpu, ScanUnderTheSanitizers) {
  const std::pair<Types, std::size_t> drawn_of[] = {
      {same("i32"), 2}, {same("f64"), 1}, {same("u8"), 1}, {from_to("i8", "i64"), 1},
      {same("f16"), 1}, {custom(12), 1},  {custom(32), 1}};
  for (const FamilyModel* family : families())
    for (const auto& [types, drawn] : drawn_of) {
      const ScanRequest request = types.request(operators_of(types).front(), 20'001);
      for (const Config& config : default_and_drawn(*family, request, sm(), drawn)) verify(request, config, true);
    }
}

TEST_F(FamiliesOnGpu, StatusWordsSurviveTheWrapOfTheEpoch) {
  for (const Types& types : {same("i64"), custom(12)})
    for (const FamilyModel* family : families()) {
      const ScanRequest request = types.request(operators_of(types).front(), 100'000);
      const WorkspaceNeed need = family->workspace(family->default_config(request, sm()), request);
      if (need.kind != WorkspaceKind::packed_status && need.kind != WorkspaceKind::split_status) continue;
      const InputSpec input{.request = request};
      const auto reference = make_reference(input);
      const u64 bytes = request.n * static_cast<u64>(request.output_bytes());
      for (const Config& config : default_and_drawn(*family, request, sm(), 12)) {
        const PreparedScan scan(*device_, request, config);
        DeviceBuffer items(*device_, bytes), results(*device_, bytes),
            workspace(*device_, scan.workspace_bytes(request.n));
        upload_input(*device_, input, items.data());
        device_->zero(workspace.data(), scan.workspace_bytes(request.n));
        const u32 epoch = kLastEpoch - 3;
        device_->upload(workspace.data() + offsetof(WorkspaceHeader, epoch), &epoch, sizeof epoch);
        std::vector<std::byte> found(bytes);
        for (int launch = 0; launch < 6; ++launch) {
          device_->zero(results.data(), bytes);
          scan.enqueue(items.data(), results.data(), request.n, workspace.data(), nullptr);
          device_->download(found.data(), results.data(), bytes);
          const auto wrong = reference->check(0, found);
          ASSERT_FALSE(wrong) << to_string(config) << ", launch " << launch << ", item " << wrong->index
                              << ": expected " << wrong->expected << ", found " << wrong->found;
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
