// Selections on the host device compared with a plain loop: which items are kept, where these and the others go, and
// what is left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <numeric>

#include "bench.h"
#include "designed_rows.h"
#include "edge_sizes.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "scan_kernels.h"
#include "select_case.h"

namespace scantune::select_test {
namespace {

// ---- the design: every pair of what decides where items go ----

constexpr int kMostTileItems = 2048;
// Bytes, and what their address is a multiple of, of structs; and numbers.
const std::vector<std::string> kItems{"1_1",  "2_2",   "3_1",  "4_4",   "6_2", "8_4", "8_8",
                                      "12_4", "16_16", "24_8", "32_16", "u8",  "i32", "f64"};
const std::vector<std::string> kPatterns{"all", "none", "half", "few", "every_other", "first_half", "last"};

SelectRequest request_of(const RowReader& row) {
  SelectRequest request{.criterion = row.token_of<Criterion>("criterion"),
                        .selected = row.token_of<Selected>("selected"),
                        .rejected = row.token_of<Rejected>("rejected"),
                        .subject = row.token_of<Subject>("subject"),
                        .room = row.token_of<OutputRoom>("room"),
                        .n = 1};
  if (!row.is("flags", "none")) request.flag_type = row.token_of<FlagType>("flags");
  request.index_type = row.is("index", "i64")   ? ValueType::i64
                       : row.is("index", "u32") ? ValueType::u32
                                                : ValueType::u64;
  const std::string& values = row["values"];  // units of so many bytes, after a multiplication sign where several
  if (values != "none") request.values = *parse_token<Values>("bytes_" + values.substr(values.find('x') + 1));
  if (const auto sign = values.find('x'); sign != std::string::npos) {
    request.value_units = ValueUnits::several;
    request.units = std::stoul(values);
  }
  if (row.is("values", "2") || row.is("rejected", "apart")) request.count_width = IntegerWidth::bits_32;
  const std::string& item = row["item"];
  if (const auto number = parse_token<ValueType>(item)) {
    request.input_type = *number;
    return request;
  }
  request.input_type = ValueType::custom;
  request.custom_bytes = std::stoi(item);
  request.custom_alignment = std::stoi(item.substr(item.find('_') + 1));
  return request;
}

const Design& select_design() {
  static const Design kDesign("selections", 2, 1,
                              {{"family", names_of(algorithm_of<SelectRequest>().families())},
                               {"item", kItems},
                               {"criterion", {"flagged", "predicate", "unique_by", "parts"}},
                               {"subject", all_tokens<Subject>()},
                               {"flags", {"none", "u8", "u16", "i32", "u64"}},
                               {"selected", all_tokens<Selected>()},
                               {"index", {"none", "u32", "i64"}},
                               {"rejected", all_tokens<Rejected>()},
                               {"values", {"none", "1", "2", "4", "8", "16", "3x1", "5x2", "3x4", "2x8", "2x16"}},
                               {"room", all_tokens<OutputRoom>()},
                               {"place", {"apart", "in_place"}},
                               {"pattern", kPatterns, true},
                               {"pointers", {"aligned", "any"}, true}},
                              [](const DesignRow& values) {
                                const RowReader row(select_design(), values);
                                const SelectRequest request = request_of(row);
                                if (row.is("index", "none") == request.writes_indices()) return false;
                                if (row.is("flags", "none") == request.reads_flags()) return false;
                                if (row.is("place", "in_place") && !request.may_be_in_place()) return false;
                                if (request.input_type != ValueType::custom && !request.reads_flags()) return false;
                                return row.family().unsupported_reason(request, kHostSm) == nullptr;
                              });
  return kDesign;
}

TEST(SelectDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (select_design().write_if_asked()) return;
  EXPECT_EQ(select_design().gaps(), std::vector<std::string>{});
}

std::vector<DesignedCase> cases_of(const std::vector<DesignRow>& rows) {
  CoveringConfigs configs(kMostTileItems);
  return designed_cases(select_design(), rows, [&](const DesignRow&, const RowReader& row) {
    const SelectRequest request = request_of(row);
    return configs.next(
        row.family(),
        {.draw = [&](Random& random) { return drawn_config(row.family(), request, random); },
         .is_legal = [&](const Config& config) { return reject_reason(config, request, kHostSm) == nullptr; }});
  });
}

// The rows, whose configs have between them every value of every parameter.
const std::vector<DesignedCase>& designed_selections() {
  static const std::vector<DesignedCase> kSelections = cases_of(rows_to_run(select_design()));
  return kSelections;
}

// A source that looks at the lowest bits of items or flags, so that these tell what is kept.
CustomOperator source_of(const SelectRequest& request) {
  if (request.subject == Subject::flag) {
    if (request.criterion == Criterion::parts)
      return {.source = "__device__ int part(Value flag) { return static_cast<int>(flag & 3); }\n", .name = {}};
    return {.source = "__device__ bool keep(Value flag) { return (flag & 1) != 0; }\n", .name = {}};
  }
  const std::string value = "struct alignas(" + std::to_string(request.custom_alignment) +
                            ") Value { unsigned char bytes[" + std::to_string(request.custom_bytes) + "]; };\n";
  if (request.criterion == Criterion::predicate)
    return {.source = value + "__device__ bool keep(Value item) { return (item.bytes[0] & 1) != 0; }\n", .name = {}};
  if (request.criterion == Criterion::parts)
    return {.source = value + "__device__ int part(Value item) { return item.bytes[0] & 3; }\n", .name = {}};
  return {.source = value +
                    "__device__ bool equal(Value before, Value item) {\n"
                    "  return ((before.bytes[0] ^ item.bytes[0]) & 1) == 0;\n}\n",
          .name = {}};
}

// Writes what is kept into the items or the flags, as the source reads them.
void put_kept(Case& selection, Random& random) {
  const SelectRequest& request = selection.request;
  const bool of_flags = request.subject == Subject::flag;
  const auto bytes = static_cast<u64>(of_flags ? request.flag_bytes() : request.input_bytes());
  if (of_flags) selection.flags = random_bytes(request.n * bytes, random);
  Bytes& subjects = of_flags ? selection.flags : selection.items;
  if (request.criterion == Criterion::unique_by && request.n > 0) selection.kept[0] = 1;
  u32 last = 1;
  for (u64 index = 0; index < request.n; ++index) {
    const bool kept = selection.kept[index] != 0;
    unsigned char& first = subjects[index * bytes];
    if (request.criterion == Criterion::parts) {
      if (kept) selection.second[index] = 0;
      first = static_cast<unsigned char>((first & ~3u) | (kept ? 0 : selection.second[index] != 0 ? 1 : 2 + index % 2));
      continue;
    }
    last = request.criterion == Criterion::predicate ? u32{kept} : last ^ u32 { kept };
    first = static_cast<unsigned char>((first & ~1u) | last);
  }
}

// Room for none of a part, for all of them, for one less or more, for any number, or for all items.
void limit(Case& selection, Random& random) {
  SelectRequest& request = selection.request;
  const auto count = [](const Flags& flags) {
    return static_cast<u64>(std::ranges::count_if(flags, [](unsigned char flag) { return flag != 0; }));
  };
  const auto drawn = [&](u64 items) {
    const u64 choices[] = {0,        items, items - (items > 0), items + 1, random.below(static_cast<u32>(items) + 1),
                           request.n};
    return std::min(choices[random.below(6)], request.n);
  };
  const u64 kept = count(selection.kept), second = count(selection.second);
  request.capacity = drawn(kept);
  request.second_capacity = drawn(second);
  request.rejected_capacity = drawn(request.n - kept - second);
}

class Selections : public testing::TestWithParam<DesignedCase> {};

// The row's pattern at the edge sizes, and several full tiles of which all items are kept, which counters must hold.
TEST_P(Selections, PutItemsWhereTheyBelong) {
  const RowReader row = GetParam().read();
  const Config& config = GetParam().config;
  Random random(row.seed());
  SelectRequest request = request_of(row);
  const CustomOperator source = source_of(request);
  const auto tile = static_cast<u64>(config.family().tile_items(config, request));
  const int pattern_of_row = static_cast<int>(std::ranges::find(kPatterns, row["pattern"]) - kPatterns.begin());
  std::vector<std::pair<u64, int>> runs{{3 * tile, 0}};
  // A value that needs large tiles takes no more items than any others: it takes fewer tiles.
  for (const u64 n : edge_sizes(tile))
    if (n <= std::max<u64>(6000, tile + 1)) runs.emplace_back(n, pattern_of_row);
  for (const auto& [n, kept] : runs) {
    request.n = n;
    Case selection{.request = request,
                   .config = config,
                   .items = random_bytes(n * static_cast<u64>(request.input_bytes()), random),
                   .kept = pattern(kept, n, random),
                   .seed = random.below(1u << 30),
                   .misaligned_items = row.is("pointers", "aligned") ? 0 : 1 + random.below(15),
                   .in_place = row.is("place", "in_place")};
    if (request.criterion == Criterion::parts)
      selection.second = pattern(static_cast<int>(random.below(kPatternCount)), n, random);
    if (request.criterion != Criterion::flagged) {
      put_kept(selection, random);
      selection.custom = &source;
    }
    if (request.is_limited()) limit(selection, random);
    check(selection);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Designed, Selections, testing::ValuesIn(designed_selections()), kNameOfRow);
INSTANTIATE_TEST_SUITE_P(Drawn, Selections,
                         testing::ValuesIn(drawn_in_long_runs(cases_of(select_design().drawn(100 * kTestEffort, 2)))),
                         [](const auto& tested) { return std::to_string(tested.index); });

TEST(SelectDesign, HasEveryValueOfEveryParameter) {
  needs_no_kernel();
  for (const FamilyModel* family : algorithm_of<SelectRequest>().families())
    EXPECT_EQ(values_that_none_has(*family, designed_selections()), std::vector<std::string>{}) << family->name();
}

class SelectCompared : public testing::TestWithParam<ValueType> {};

// Numbers around the constant, and those that compare in their own way.
template <class T>
std::vector<T> numbers(T constant) {
  std::vector<T> all{constant, static_cast<T>(constant + 1),  static_cast<T>(constant - 1),
                     T{0},     std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
  if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
    all.insert(all.end(), {-T{0}, std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::denorm_min()});
  }
  return all;
}

template <class T>
void check_comparisons(ValueType type, T constant) {
  Random random(static_cast<u64>(type));
  const std::vector<T> choices = numbers(constant);
  const auto keeps = [&](Criterion criterion, T item) {
    switch (criterion) {
      case Criterion::less:
        return item < constant;
      case Criterion::less_equal:
        return item <= constant;
      case Criterion::greater:
        return item > constant;
      case Criterion::greater_equal:
        return item >= constant;
      case Criterion::equal:
        return item == constant;
      default:
        return item != constant;
    }
  };
  const auto check_one = [&](const SelectRequest& request) {
    Case selection{.request = request, .config = drawn_config(request, random), .items = {}, .kept = {}};
    selection.constant.resize(sizeof constant);
    std::memcpy(selection.constant.data(), &constant, sizeof constant);
    Bytes numbers(request.n * sizeof(T));
    for (u64 index = 0; index < request.n; ++index) {
      const T item = choices[random.below(static_cast<u32>(choices.size()))];
      std::memcpy(&numbers[index * sizeof(T)], &item, sizeof item);
      selection.kept.push_back(keeps(request.criterion, item));
    }
    selection.items = request.reads_flags() ? random_bytes(2 * request.n, random) : numbers;
    if (request.reads_flags()) selection.flags = numbers;
    check(selection);
  };
  for (int criterion = 0; criterion <= static_cast<int>(Criterion::not_equal); ++criterion)
    check_one(of_type(type, static_cast<Criterion>(criterion), 1000));
  SelectRequest by_flag = of_type(ValueType::i16, Criterion::less_equal, 1000);
  by_flag.subject = Subject::flag;
  by_flag.flag_type = *parse_token<FlagType>(token(type));
  check_one(by_flag);
}

TEST_P(SelectCompared, KeepsWhatComparesSo) {
  switch (GetParam()) {
    case ValueType::i8:
      return check_comparisons<i8>(GetParam(), -3);
    case ValueType::i16:
      return check_comparisons<i16>(GetParam(), 1000);
    case ValueType::i32:
      return check_comparisons<i32>(GetParam(), -100000);
    case ValueType::i64:
      return check_comparisons<i64>(GetParam(), i64{1} << 40);
    case ValueType::u8:
      return check_comparisons<u8>(GetParam(), 128);
    case ValueType::u16:
      return check_comparisons<u16>(GetParam(), 40000);
    case ValueType::u32:
      return check_comparisons<u32>(GetParam(), 3000000000u);
    case ValueType::u64:
      return check_comparisons<u64>(GetParam(), u64{1} << 63);
    case ValueType::f32:
      return check_comparisons<f32>(GetParam(), -0.0f);
    default:
      return check_comparisons<f64>(GetParam(), 1.5);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryNumber, SelectCompared,
                         testing::Values(ValueType::i8, ValueType::i16, ValueType::i32, ValueType::i64, ValueType::u8,
                                         ValueType::u16, ValueType::u32, ValueType::u64, ValueType::f32,
                                         ValueType::f64),
                         [](const auto& type) { return std::string(token(type.param)); });

TEST(Select, ComparesHalfPrecisionNumbersAsNumbers) {
  // 1, -1, 0, -0, 2, an infinity and a NaN; those above -0 are kept.
  const u16 of_f16[] = {0x3c00, 0xbc00, 0, 0x8000, 0x4000, 0x7c00, 0x7e00},
            of_bf16[] = {0x3f80, 0xbf80, 0, 0x8000, 0x4000, 0x7f80, 0x7fc0};
  const bool above[] = {true, false, false, false, true, true, false};
  Random random(5);
  for (const auto& [type, items] : {std::pair(ValueType::f16, of_f16), {ValueType::bf16, of_bf16}}) {
    const SelectRequest request = of_type(type, Criterion::greater, 700);
    Case selection{.request = request, .config = drawn_config(request, random), .items = {}, .kept = {}};
    selection.constant = {0, 0x80};
    for (u64 index = 0; index < request.n; ++index) {
      const u32 choice = random.below(7);
      selection.items.push_back(static_cast<unsigned char>(items[choice]));
      selection.items.push_back(static_cast<unsigned char>(items[choice] >> 8));
      selection.kept.push_back(above[choice]);
    }
    check(selection);
  }
}

TEST(SelectFlagged, TakesNegativeZerosForZerosAndNansForOthers) {
  const std::vector<f32> flags{
      0.0f, -0.0f, 1, -1, std::numeric_limits<f32>::quiet_NaN(), std::numeric_limits<f32>::denorm_min()};
  Random random(47);
  SelectRequest request = of_type(ValueType::u8, Criterion::flagged, 900);
  request.flag_type = FlagType::f32;
  Case selection{.request = request,
                 .config = drawn_config(request, random),
                 .items = random_bytes(request.n, random),
                 .kept = {},
                 .flags = Bytes(4 * request.n)};
  for (u64 index = 0; index < request.n; ++index) {
    const f32 flag = flags[random.below(static_cast<u32>(flags.size()))];
    std::memcpy(&selection.flags[4 * index], &flag, sizeof flag);
    selection.kept.push_back(flag != 0);
  }
  check(selection);
}

// Runs of equal items, of which each first one is kept.
template <class T>
Case unique_case(ValueType type, u64 n, u32 run, Random& random) {
  const SelectRequest request = of_type(type, Criterion::unique, n);
  Case selection{.request = request, .config = drawn_config(request, random), .items = {}, .kept = {}};
  T last{};
  for (u64 index = 0; index < n; ++index) {
    const T item = index > 0 && random.below(run) != 0 ? last : static_cast<T>(random.below(3));
    selection.kept.push_back(index == 0 || item != last);
    last = item;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&item);
    selection.items.insert(selection.items.end(), bytes, bytes + sizeof item);
  }
  return selection;
}

TEST(SelectUnique, KeepsTheFirstOfEachRun) {
  Random random(11);
  for (int draw = 0; draw < 2 * kTestEffort; ++draw)
    for (const u32 run : {1u, 4u, 1000u}) {
      const u64 n = 1 + random.below(3000);
      for (Case selection :
           {unique_case<u8>(ValueType::u8, n, run, random), unique_case<i32>(ValueType::i32, n, run, random),
            unique_case<f64>(ValueType::f64, n, run, random)}) {
        selection.misaligned_items = random.below(2) * (1 + random.below(15));
        selection.in_place = random.below(2) == 0;
        check(selection);
      }
    }
}

TEST(SelectUnique, TakesEveryNanForAnotherItem) {
  Random random(3);
  const f32 nan = std::numeric_limits<f32>::quiet_NaN();
  const std::vector<f32> items{nan, nan, 1, 1, nan, 0.0f, -0.0f, 0.0f};
  const SelectRequest request = of_type(ValueType::f32, Criterion::unique, items.size());
  Case selection{.request = request,
                 .config = drawn_config(request, random),
                 .items = Bytes(items.size() * 4),
                 .kept = {1, 1, 1, 0, 1, 1, 0, 0}};
  std::memcpy(selection.items.data(), items.data(), selection.items.size());
  check(selection);
}

TEST(Select, TellsThreePartsApartAroundAPivot) {
  Random random(43);
  const f32 pivot = 1.5f;
  const std::vector<f32> choices = numbers(pivot);
  for (const Rejected rejected : {Rejected::apart, Rejected::behind}) {
    SelectRequest request = of_type(ValueType::f32, Criterion::around, 2500);
    request.rejected = rejected;
    Case selection{.request = request, .config = drawn_config(request, random), .items = {}, .kept = {}};
    selection.constant.resize(sizeof pivot);
    std::memcpy(selection.constant.data(), &pivot, sizeof pivot);
    for (u64 index = 0; index < request.n; ++index) {
      const f32 item = choices[random.below(static_cast<u32>(choices.size()))];
      const auto* const bytes = reinterpret_cast<const unsigned char*>(&item);
      selection.items.insert(selection.items.end(), bytes, bytes + sizeof item);
      selection.kept.push_back(item < pivot);
      selection.second.push_back(item == pivot);
    }
    check(selection);
  }
}

// No items have a count, too.
TEST(Select, CountsNothingWhereThereIsNothing) {
  Random random(31);
  for (const Criterion criterion : {Criterion::flagged, Criterion::unique, Criterion::less}) {
    SelectRequest request = of_type(ValueType::i32, criterion, 0);
    for (const Rejected rejected : {Rejected::dropped, Rejected::apart, Rejected::behind, Rejected::behind_reversed}) {
      request.rejected = rejected;
      check({.request = request, .config = drawn_config(request, random), .items = {}, .kept = {}});
    }
  }
}

class SelectInTheLastEpoch : public testing::TestWithParam<const char*> {};

// The last epoch wraps: what follows starts from zeroed words.
TEST_P(SelectInTheLastEpoch, GoesOnWhereTheEpochsAreUsedUp) {
  Random random(37);
  HostDevice& device = bench().device;
  const SelectRequest request = of_type(ValueType::u16, Criterion::flagged, 3000);
  const Config config =
      config_of(*find_family(GetParam()), Request(request), {{"block_threads", "64"}, {"items_per_thread", "8"}});
  const Workspace workspace(device, config.family().workspace(config, request));
  const Bytes items = random_bytes(6000, random);
  const Flags kept = pattern(2, 3000, random);
  const GuardedMemory input(device, 6000), output(device, 6000), flags(device, 3000), count(device, 8);
  std::ranges::copy(items, input.data());
  std::ranges::copy(kept, flags.data());
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, input.data());
  arguments.set_operand(OperandRole::output, output.data());
  arguments.workspace = workspace.data();
  arguments.set_operand(OperandRole::flags, flags.data());
  arguments.set_operand(OperandRole::count, count.data());
  workspace.header().epoch = kLastEpoch - 2;
  const HostLaunch launch{&bench().kernels.get(instantiate(request, config, Variant::aligned)),
                          config.family().launches(config, request, Variant::aligned).launches[0], arguments};
  const u64 right = static_cast<u64>(std::ranges::count_if(kept, [](unsigned char flag) { return flag != 0; }));
  if (is_rehearsal()) return;
  const u32 epochs[] = {kLastEpoch - 1, 0, 1, 2};  // the second launch has the last epoch
  for (u64 time = 0; time < 4; ++time) {
    std::fill_n(output.data(), output.size(), kPoison);
    std::fill_n(count.data(), count.size(), kPoison);
    ASSERT_NO_THROW(device.run({&launch, 1}, Schedule::from_seed(time)));
    ASSERT_EQ(workspace.header().epoch, epochs[time]) << "time " << time;
    ASSERT_TRUE(holds(output, taken(items, 2, kept))) << "time " << time;
    ASSERT_EQ(std::memcmp(count.data(), &right, sizeof right), 0) << "time " << time;
  }
}

INSTANTIATE_TEST_SUITE_P(FamiliesWithEpochs, SelectInTheLastEpoch, testing::Values("select_lookback", "select_ring"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace scantune::select_test
