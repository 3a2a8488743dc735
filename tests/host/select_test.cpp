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
#include "edge_sizes.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

using Flags = std::vector<unsigned char>;

constexpr unsigned char kPoison = 0xa5;

// A selection of items that are in memory, and which of them are to be kept.
struct Case {
  SelectRequest request;
  Config config;
  Bytes items;
  Flags kept;
  Flags second = {};  // of three parts, those of the other items that are in the second one
  u64 seed = 1;
  const CustomOperator* custom = nullptr;
  Bytes constant = {};       // or state
  u64 misaligned_items = 0;  // how many items input and output lie behind a vector boundary
  bool in_place = false;
};

std::string to_string(const Case& selection) {
  return scantune::to_string(Request(selection.request)) + ", " + scantune::to_string(selection.config) + ", " +
         std::to_string(selection.misaligned_items) + " items from alignment" +
         (selection.in_place ? ", in place" : "") + ", seed " + std::to_string(selection.seed);
}

// The bytes of the items that are flagged.
Bytes taken(const Bytes& items, int item_bytes, const Flags& flags) {
  Bytes result;
  for (std::size_t index = 0; index < flags.size(); ++index)
    if (flags[index] != 0) {
      const auto begin = items.begin() + static_cast<std::ptrdiff_t>(index) * item_bytes;
      result.insert(result.end(), begin, begin + item_bytes);
    }
  return result;
}

Bytes indices(u64 n, int bytes) {
  Bytes result(n * static_cast<u64>(bytes));
  for (u64 index = 0; index < n; ++index)
    std::memcpy(&result[index * static_cast<u64>(bytes)], &index, static_cast<std::size_t>(bytes));
  return result;
}

// Whether memory begins with these bytes, and the rest is as it was.
testing::AssertionResult holds(const GuardedMemory& memory, const Bytes& expected,
                               const unsigned char* rest = nullptr) {
  for (u64 byte = 0; byte < memory.size(); ++byte) {
    const unsigned char right = byte < expected.size() ? expected[byte] : rest != nullptr ? rest[byte] : kPoison;
    if (memory.data()[byte] != right)
      return testing::AssertionFailure() << "byte " << byte << " of " << memory.size() << ", " << expected.size()
                                         << " of which are results, is " << int{memory.data()[byte]} << ", not "
                                         << int{right};
  }
  if (!memory.surroundings_intact()) return testing::AssertionFailure() << "it wrote beside the array";
  return testing::AssertionSuccess();
}

// Runs the selection twice on one workspace.
void check(const Case& selection) {
  SCOPED_TRACE(to_string(selection));
  HostDevice& device = bench().device;
  const SelectRequest& request = selection.request;
  const Variant variant = selection.misaligned_items == 0 ? Variant::aligned : Variant::any;
  const Module& module = bench().kernels.get(instantiate(request, selection.config, variant, selection.custom));
  if (is_rehearsal()) return;
  const u64 n = request.n, item_bytes = static_cast<u64>(request.input_bytes());
  const auto value_bytes = static_cast<u64>(request.value_bytes()),
             index_bytes = static_cast<u64>(request.index_bytes());
  const u64 off = selection.misaligned_items;
  const auto array = [&](u64 bytes_of_item, u64 distance) {
    return std::make_unique<GuardedMemory>(device, n * bytes_of_item, off == 0 ? 0 : (off + distance) * bytes_of_item);
  };

  // An output lies otherwise than the input, where they are two.
  const auto input = array(item_bytes, 0);
  const auto output = array(request.writes_items() ? item_bytes : index_bytes, 1);
  const auto flags = array(1, 3), values = array(value_bytes, 2), values_output = array(value_bytes, 0);
  const auto positions = array(index_bytes, 0), rejected = array(item_bytes, 2), second = array(item_bytes, 3);
  const u64 counts = static_cast<u64>(request.parts()) - 1;
  const GuardedMemory count(device, counts * sizeof(u64), off == 0 ? 0 : sizeof(u64));
  Bytes beside(n * value_bytes);
  for (std::size_t byte = 0; byte < beside.size(); ++byte) beside[byte] = static_cast<unsigned char>(31 * byte + 7);
  const Workspace workspace(device, selection.config.family().workspace(selection.config, request));
  KernelArguments arguments{};
  arguments.input = input->data();
  arguments.output = selection.in_place ? input->data() : output->data();
  arguments.workspace = workspace.data();
  arguments.position = positions->data();
  arguments.flags = flags->data();
  arguments.values = values->data();
  arguments.values_output = values_output->data();
  arguments.rejected = rejected->data();
  arguments.second = second->data();
  arguments.count = count.data();
  std::ranges::copy(selection.constant, arguments.init);
  const LaunchList list = selection.config.family().launches(selection.config, request, variant);

  Flags others(n), of_second = selection.second;
  of_second.resize(n);
  for (u64 index = 0; index < n; ++index) others[index] = selection.kept[index] == 0 && of_second[index] == 0;
  Bytes items = taken(selection.items, request.input_bytes(), selection.kept);
  const Bytes seconds = taken(selection.items, request.input_bytes(), of_second);
  const Bytes rest = taken(selection.items, request.input_bytes(), others);
  const u64 found[] = {items.size() / item_bytes, seconds.size() / item_bytes};
  Bytes expected_count(counts * sizeof(u64));
  std::memcpy(expected_count.data(), found, expected_count.size());
  if (request.rejected == Rejected::behind)
    for (const Bytes& part : {seconds, rest}) items.insert(items.end(), part.begin(), part.end());
  for (int time = 0; time < 2; ++time) {
    std::ranges::copy(selection.items, input->data());
    std::ranges::copy(selection.kept, flags->data());
    std::ranges::copy(beside, values->data());
    for (const GuardedMemory* written : std::initializer_list<const GuardedMemory*>{
             output.get(), values_output.get(), positions.get(), rejected.get(), second.get(), &count})
      std::fill_n(written->data(), written->size(), kPoison);
    std::vector<HostLaunch> launches;
    for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
    ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(selection.seed + static_cast<u64>(time))));
    ASSERT_TRUE(holds(count, expected_count)) << "the count";
    const Bytes places = taken(indices(n, request.index_bytes()), request.index_bytes(), selection.kept);
    if (selection.in_place)
      ASSERT_TRUE(holds(*input, items, selection.items.data())) << "the items, in place";
    else
      ASSERT_TRUE(holds(*output, request.writes_items() ? items : places)) << "the output";
    if (!selection.in_place) {
      ASSERT_TRUE(holds(*input, selection.items)) << "the input";
    }
    if (request.criterion == Criterion::flagged) {
      ASSERT_TRUE(holds(*flags, Bytes(selection.kept.begin(), selection.kept.end()))) << "the flags";
    }
    if (request.has_values()) {
      ASSERT_TRUE(holds(*values_output, taken(beside, request.value_bytes(), selection.kept))) << "the values";
    }
    if (request.selected == Selected::items_and_indices) {
      ASSERT_TRUE(holds(*positions, places)) << "the indices";
    }
    ASSERT_TRUE(holds(*rejected, request.rejected == Rejected::apart ? rest : Bytes{})) << "the rest";
    ASSERT_TRUE(holds(*second, request.rejected == Rejected::apart ? seconds : Bytes{})) << "the second part";
  }
}

Bytes random_bytes(u64 bytes, Random& random) {
  Bytes result(bytes);
  for (unsigned char& byte : result) byte = static_cast<unsigned char>(random.below(256));
  return result;
}

// All kept, none, half at random, few, every other one, the first half, the last one.
constexpr int kPatterns = 7;
Flags pattern(int which, u64 n, Random& random) {
  Flags flags(n);
  for (u64 index = 0; index < n; ++index) {
    const bool kept[kPatterns] = {true,           false,         random.below(2) == 0, random.below(100) == 0,
                                  index % 2 == 0, index < n / 2, index + 1 == n};
    flags[index] = kept[which] ? static_cast<unsigned char>(1 + random.below(255)) : 0;
  }
  return flags;
}

// A legal config with small tiles, family and parameters drawn.
Config drawn_config(const SelectRequest& request, Random& random) {
  std::vector<const FamilyModel*> able;
  for (const FamilyModel* family : algorithm_of<SelectRequest>().families())
    if (family->unsupported_reason(request, kHostSm) == nullptr) able.push_back(family);
  const FamilyModel& family = *able.at(random.below(static_cast<u32>(able.size())));
  const auto set = [&](Config& config, const char* name, std::vector<int> values) {
    const auto parameters = family.parameters();
    const auto found = std::ranges::find(parameters, std::string_view(name), &ParameterModel::name);
    if (found != parameters.end())
      config[static_cast<int>(found - parameters.begin())] = values[random.below(static_cast<u32>(values.size()))];
  };
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Config config = family.default_config(request, kHostSm);
    set(config, "block_threads", {32, 64, 96});
    set(config, "items_per_thread", {2, 4, 6, 8, 12, 16, 32, 64});
    set(config, "vector_bytes", {4, 8, 16});
    set(config, "window", {1, 4, 32, 64});
    set(config, "tile_order", {0, 1});
    set(config, "ctas_per_sm", {1, 2, 4});
    if (reject_reason(config, request, kHostSm) == nullptr) return config;
  }
  throw std::runtime_error("no config is legal");
}

SelectRequest of_type(ValueType type, Criterion criterion, u64 n) {
  return {.input_type = type, .criterion = criterion, .n = n};
}
SelectRequest of_struct(int bytes, int alignment, Criterion criterion, u64 n) {
  SelectRequest request = of_type(ValueType::custom, criterion, n);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  return request;
}

class SelectFlagged : public testing::TestWithParam<SelectRequest> {};

// What is kept is a matter of flags, so this is about where items go.
TEST_P(SelectFlagged, PutsItemsWhereTheyBelong) {
  Random random(static_cast<u64>(GetParam().input_bytes()) * 64 + static_cast<u64>(GetParam().selected) * 8 +
                static_cast<u64>(GetParam().values));
  for (int draw = 0; draw < kTestEffort; ++draw) {
    SelectRequest request = GetParam();
    request.n = 1;
    const Config config = drawn_config(request, random);
    const bool is_aligned = random.chance(50);
    for (const u64 n : edge_sizes(static_cast<u64>(config.family().tile_items(config, request)))) {
      request.n = n;
      const Bytes items = random_bytes(n * static_cast<u64>(request.input_bytes()), random);
      const Flags kept = pattern(static_cast<int>(random.below(kPatterns)), n, random);
      const u64 off = is_aligned ? 0 : 1 + random.below(15);
      check({.request = request,
             .config = config,
             .items = items,
             .kept = kept,
             .seed = random.below(1u << 30),
             .misaligned_items = off,
             .in_place = request.may_be_in_place() && random.below(3) == 0});
      if (HasFailure()) return;
    }
  }
}

constexpr u64 kItems = 5000;

std::vector<SelectRequest> requests() {
  std::vector<SelectRequest> all;
  const std::pair<int, int> sizes[] = {{1, 1}, {2, 2},  {3, 1},   {4, 4},  {6, 2},  {8, 4},
                                       {8, 8}, {12, 4}, {16, 16}, {24, 8}, {32, 16}};
  for (const auto& [bytes, alignment] : sizes) all.push_back(of_struct(bytes, alignment, Criterion::flagged, kItems));
  for (const Rejected rejected : {Rejected::apart, Rejected::behind})
    for (int turn = static_cast<int>(rejected); const auto& [bytes, alignment] : sizes) {
      if (kTestEffort == 1 && turn++ % 2 == 0) continue;  // sizes are apart and behind in turn
      SelectRequest request = of_struct(bytes, alignment, Criterion::flagged, kItems);
      request.rejected = rejected;
      all.push_back(request);
    }
  int turn = 0;
  for (const ValueType type : {ValueType::u8, ValueType::i32, ValueType::f64})
    for (const Selected selected : {Selected::indices, Selected::items_and_indices})
      for (const ValueType index : {ValueType::u32, ValueType::i64}) {
        if (kTestEffort == 1 && turn++ % 3 == 2) continue;
        SelectRequest request = of_type(type, Criterion::flagged, kItems);
        request.selected = selected;
        request.index_type = index;
        all.push_back(request);
      }
  for (const ValueType type : {ValueType::u8, ValueType::u16, ValueType::f32, ValueType::u64})
    for (const Values values : {Values::bytes_1, Values::bytes_2, Values::bytes_4, Values::bytes_8}) {
      if (kTestEffort == 1 && (static_cast<int>(type) + turn++) % 2 == 0) continue;
      SelectRequest request = of_type(type, Criterion::flagged, kItems);
      request.values = values;
      all.push_back(request);
    }
  return all;
}

std::string name_of(const testing::TestParamInfo<SelectRequest>& info) {
  const SelectRequest& request = info.param;
  std::string name = request.input_type == ValueType::custom ? "struct_" + std::to_string(request.custom_bytes) + "_" +
                                                                   std::to_string(request.custom_alignment)
                                                             : token(request.input_type);
  if (request.keeps_rejected()) name += std::string("_") + token(request.rejected);
  if (request.writes_indices()) name += std::string("_") + token(request.selected) + "_" + token(request.index_type);
  if (request.has_values()) name += std::string("_with_values_of_") + token(request.values);
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryKind, SelectFlagged, testing::ValuesIn(requests()), name_of);

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
  for (int criterion = 0; criterion <= static_cast<int>(Criterion::not_equal); ++criterion) {
    const SelectRequest request = of_type(type, static_cast<Criterion>(criterion), 1000);
    Case selection{.request = request, .config = drawn_config(request, random), .items = {}, .kept = {}};
    selection.constant.resize(sizeof constant);
    std::memcpy(selection.constant.data(), &constant, sizeof constant);
    selection.items.resize(request.n * sizeof(T));
    for (u64 index = 0; index < request.n; ++index) {
      const T item = choices[random.below(static_cast<u32>(choices.size()))];
      std::memcpy(&selection.items[index * sizeof(T)], &item, sizeof item);
      selection.kept.push_back(keeps(request.criterion, item));
    }
    check(selection);
  }
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

class SelectThreeParts : public testing::TestWithParam<SelectRequest> {};

// By a source that looks at two bits, so this is about where items go.
TEST_P(SelectThreeParts, PutsItemsWhereTheyBelong) {
  const auto bytes = static_cast<u64>(GetParam().custom_bytes);
  const CustomOperator two_bits{.source = "struct alignas(" + std::to_string(GetParam().custom_alignment) +
                                          ") Value { unsigned char bytes[" + std::to_string(bytes) +
                                          "]; };\n__device__ int part(Value item) { return item.bytes[0] & 3; }\n",
                                .name = {}};
  Random random(bytes * 4 + static_cast<u64>(GetParam().rejected));
  for (int draw = 0; draw < kTestEffort; ++draw) {
    SelectRequest request = GetParam();
    request.n = 1;
    const Config config = drawn_config(request, random);
    const bool is_aligned = random.chance(50);
    for (const u64 n : edge_sizes(static_cast<u64>(config.family().tile_items(config, request)))) {
      request.n = n;
      Case selection{.request = request,
                     .config = config,
                     .items = random_bytes(n * bytes, random),
                     .kept = pattern(static_cast<int>(random.below(kPatterns)), n, random),
                     .second = pattern(static_cast<int>(random.below(kPatterns)), n, random),
                     .seed = random.below(1u << 30),
                     .custom = &two_bits};
      for (u64 index = 0; index < n; ++index) {
        if (selection.kept[index] != 0) selection.second[index] = 0;
        const u32 part = selection.kept[index] != 0 ? 0 : selection.second[index] != 0 ? 1 : 2 + random.below(2);
        unsigned char& first = selection.items[index * bytes];
        first = static_cast<unsigned char>((first & ~3u) | part);
      }
      selection.misaligned_items = is_aligned ? 0 : 1 + random.below(15);
      check(selection);
      if (HasFailure()) return;
    }
  }
}

std::vector<SelectRequest> of_three_parts() {
  std::vector<SelectRequest> all;
  for (const Rejected rejected : {Rejected::apart, Rejected::behind})
    for (const auto& [bytes, alignment] :
         {std::pair(1, 1), {2, 2}, {3, 1}, {4, 4}, {8, 8}, {12, 4}, {16, 16}, {32, 16}}) {
      all.push_back(of_struct(bytes, alignment, Criterion::parts, kItems));
      all.back().rejected = rejected;
    }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EverySize, SelectThreeParts, testing::ValuesIn(of_three_parts()), name_of);

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

// A predicate and an equality of the caller's own, with states that change.
TEST(SelectByOwnSource, KeepsWhatThePredicateSays) {
  const CustomOperator above{.source =
                                 "struct State { int least; int most; };\n"
                                 "__device__ bool keep(int item, State state) {\n"
                                 "  return item >= state.least && item <= state.most;\n}\n",
                             .name = {},
                             .state_bytes = 8};
  Random random(17);
  const SelectRequest request = of_type(ValueType::i32, Criterion::predicate, 2000);
  const Config config = drawn_config(request, random);
  for (const auto& [least, most] : {std::pair(-10, 20), {0, 0}, {50, -50}}) {
    Case selection{
        .request = request, .config = config, .items = {}, .kept = {}, .custom = &above, .constant = Bytes(8)};
    std::memcpy(selection.constant.data(), &least, 4);
    std::memcpy(selection.constant.data() + 4, &most, 4);
    for (u64 index = 0; index < request.n; ++index) {
      const i32 item = static_cast<i32>(random.below(100)) - 50;
      const auto* const bytes = reinterpret_cast<const unsigned char*>(&item);
      selection.items.insert(selection.items.end(), bytes, bytes + 4);
      selection.kept.push_back(item >= least && item <= most);
    }
    check(selection);
  }
}

TEST(SelectByOwnSource, NeverAsksForItemsThatDoNotExist) {
  // A predicate that ends the process for what no item is.
  const CustomOperator picky{.source =
                                 "__device__ bool keep(unsigned item) {\n"
                                 "  if (item != 7 && item != 8) __builtin_trap();\n  return item == 7;\n}\n",
                             .name = {}};
  Random random(23);
  SelectRequest request = of_type(ValueType::u32, Criterion::predicate, 1);
  for (const u64 n : {1, 31, 63, 65, 200, 777}) {
    request.n = n;
    Case selection{
        .request = request, .config = drawn_config(request, random), .items = {}, .kept = {}, .custom = &picky};
    selection.misaligned_items = random.below(4);
    for (u64 index = 0; index < n; ++index) {
      const bool kept = random.below(2) == 0;
      selection.items.insert(selection.items.end(), {static_cast<unsigned char>(kept ? 7 : 8), 0, 0, 0});
      selection.kept.push_back(kept);
    }
    check(selection);
  }
}

TEST(SelectByOwnSource, TellsNeighboursApartAsItSays) {
  const CustomOperator keys{.source =
                                "struct Value { int key; int value; int more; };\n"
                                "__device__ bool equal(Value before, Value item) { return before.key == item.key; }\n",
                            .name = {}};
  Random random(29);
  SelectRequest request = of_struct(12, 4, Criterion::unique_by, 1500);
  Case selection{.request = request,
                 .config = drawn_config(request, random),
                 .items = random_bytes(1500 * 12, random),
                 .kept = {},
                 .custom = &keys};
  i32 last = 0;
  for (u64 index = 0; index < request.n; ++index) {
    const i32 key = static_cast<i32>(random.below(2));
    std::memcpy(&selection.items[index * 12], &key, 4);
    selection.kept.push_back(index == 0 || key != last);
    last = key;
  }
  check(selection);
}

// Lanes pass on items of every size, one by one or in vectors.
TEST(SelectByOwnSource, TellsNeighboursOfEverySizeApart) {
  Random random(41);
  for (const auto& [bytes, alignment] :
       {std::pair(1, 1), {2, 2}, {3, 1}, {6, 2}, {8, 4}, {16, 16}, {24, 8}, {32, 16}}) {
    const CustomOperator odd{.source = "struct alignas(" + std::to_string(alignment) +
                                       ") Value { unsigned char bytes[" + std::to_string(bytes) +
                                       "]; };\n__device__ bool equal(Value before, Value item) {\n"
                                       "  return ((before.bytes[0] ^ item.bytes[0]) & 1) == 0;\n}\n",
                             .name = {}};
    const auto size = static_cast<u64>(bytes);
    for (const bool aligned : {true, false}) {
      const u64 n = 500 + random.below(1000);
      const SelectRequest request = of_struct(bytes, alignment, Criterion::unique_by, n);
      Case selection{.request = request,
                     .config = drawn_config(request, random),
                     .items = random_bytes(n * size, random),
                     .kept = {},
                     .custom = &odd};
      for (u64 index = 0; index < n; ++index)
        selection.kept.push_back(index == 0 ||
                                 ((selection.items[index * size] ^ selection.items[(index - 1) * size]) & 1) != 0);
      selection.misaligned_items = aligned ? 0 : 1 + random.below(15);
      selection.in_place = random.below(2) == 0;
      check(selection);
    }
  }
}

// No items have a count, too.
TEST(Select, CountsNothingWhereThereIsNothing) {
  Random random(31);
  for (const Criterion criterion : {Criterion::flagged, Criterion::unique, Criterion::less}) {
    SelectRequest request = of_type(ValueType::i32, criterion, 0);
    for (const Rejected rejected : {Rejected::dropped, Rejected::apart, Rejected::behind}) {
      request.rejected = rejected;
      check({.request = request, .config = drawn_config(request, random), .items = {}, .kept = {}});
    }
  }
}

// The last epoch wraps: what follows starts from zeroed words.
TEST(Select, GoesOnWhereTheEpochsAreUsedUp) {
  Random random(37);
  HostDevice& device = bench().device;
  const SelectRequest request = of_type(ValueType::u16, Criterion::flagged, 3000);
  const Config config = config_of(*find_family("select_lookback"), Request(request),
                                  {{"block_threads", "32"}, {"items_per_thread", "8"}});
  const Workspace workspace(device, config.family().workspace(config, request));
  const Bytes items = random_bytes(6000, random);
  const Flags kept = pattern(2, 3000, random);
  const GuardedMemory input(device, 6000), output(device, 6000), flags(device, 3000), count(device, 8);
  std::ranges::copy(items, input.data());
  std::ranges::copy(kept, flags.data());
  KernelArguments arguments{};
  arguments.input = input.data();
  arguments.output = output.data();
  arguments.workspace = workspace.data();
  arguments.flags = flags.data();
  arguments.count = count.data();
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

}  // namespace
}  // namespace scantune
