// Sorts on the host device compared with a plain sort: keys of all types and distributions, what goes with them, rows,
// and bits that are compared alone. Every family that takes a request is run.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>

#include "bench.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "plain_sort.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

constexpr unsigned char kPoison = 0xa5;
constexpr int kMostTileItems = 2048;

struct Case {
  SortRequest request;
  Config config;
  Bytes keys;
  u64 seed = 1;
  u64 misaligned_items = 0;  // how many items arrays lie behind a vector boundary

  Variant variant() const { return misaligned_items == 0 ? Variant::aligned : Variant::any; }
};

std::string to_string(const Case& sort) {
  return scantune::to_string(Request(sort.request)) + ", " + scantune::to_string(sort.config) + ", " +
         std::to_string(sort.misaligned_items) + " items from alignment, seed " + std::to_string(sort.seed);
}

testing::AssertionResult holds(const GuardedMemory& memory, const Bytes& expected) {
  for (u64 byte = 0; byte < memory.size(); ++byte)
    if (memory.data()[byte] != expected[byte])
      return testing::AssertionFailure() << "byte " << byte << " of " << memory.size() << " is "
                                         << int{memory.data()[byte]} << ", not " << int{expected[byte]};
  if (!memory.surroundings_intact()) return testing::AssertionFailure() << "it wrote beside the array";
  return testing::AssertionSuccess();
}

Bytes random_bytes(u64 bytes, Random& random) {
  Bytes result(bytes);
  for (unsigned char& byte : result) byte = static_cast<unsigned char>(random.below(256));
  return result;
}

Bytes taken(const Bytes& items, u64 bytes, const std::vector<u64>& order) {
  Bytes result(items.size());
  for (u64 place = 0; place < order.size(); ++place)
    std::memcpy(&result[place * bytes], &items[order[place] * bytes], bytes);
  return result;
}

Bytes indices_in_rows(const SortRequest& request, const std::vector<u64>& order) {
  const auto bytes = static_cast<u64>(request.value_bytes());
  Bytes result(order.size() * bytes);
  for (u64 place = 0; place < order.size(); ++place) {
    const u64 index = order[place] % std::max<u64>(row_items(request), 1);
    std::memcpy(&result[place * bytes], &index, bytes);
  }
  return result;
}

const Module& module_of(const Case& sort) {
  return bench().kernels.get(instantiate(sort.request, sort.config, sort.variant()));
}

// The arrays of a sort, and what must be in them.
class Sort {
 public:
  explicit Sort(const Case& sort) : sort_(sort) {
    const SortRequest& request = sort.request;
    Random random(sort.seed);
    values_ = random_bytes(values_in_->size(), random);
    const std::vector<u64> order = plain_order(request, sort.keys.data());
    const Bytes indices = request.writes_indices() ? indices_in_rows(request, order) : Bytes{};
    expected_output_ = request.writes_keys() ? taken(sort.keys, key_bytes_, order) : indices;
    expected_beside_ = request.has_values() ? taken(values_, value_bytes_, order) : indices;
    std::ranges::copy(sort.keys, input_->data());
    std::ranges::copy(values_, values_in_->data());
  }

  void append(std::vector<HostLaunch>& launches, void* workspace) const {
    KernelArguments arguments{};
    arguments.input = input_->data();
    arguments.output = output_->data();
    arguments.workspace = workspace;
    arguments.position = arguments.values_output = beside_->data();
    arguments.values = values_in_->data();
    const Module& module = module_of(sort_);
    const LaunchList list = sort_.config.family().launches(sort_.config, sort_.request, sort_.variant());
    for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
  }

  void poison() const {
    for (const auto* const written : {output_.get(), beside_.get()})
      std::fill_n(written->data(), written->size(), kPoison);
  }

  void check() const {
    ASSERT_TRUE(holds(*output_, expected_output_)) << "the output";
    ASSERT_TRUE(holds(*input_, sort_.keys)) << "the input";
    ASSERT_TRUE(holds(*values_in_, values_)) << "the values";
    if (beside_->size() > 0) {
      ASSERT_TRUE(holds(*beside_, expected_beside_)) << "what is written beside the output";
    }
  }

 private:
  // Arrays lie at different distances from a boundary, unless they begin there.
  std::unique_ptr<GuardedMemory> array(u64 item_bytes, u64 distance) const {
    const u64 off = sort_.misaligned_items == 0 ? 0 : sort_.misaligned_items + distance;
    return std::make_unique<GuardedMemory>(bench().device, sort_.request.n * item_bytes, off * item_bytes);
  }
  bool has_more_than_output() const {
    return sort_.request.has_values() || sort_.request.sorted == Sorted::keys_and_indices;
  }

  const Case& sort_;
  u64 key_bytes_ = static_cast<u64>(sort_.request.input_bytes());
  u64 value_bytes_ = static_cast<u64>(sort_.request.value_bytes());
  std::unique_ptr<GuardedMemory> input_ = array(key_bytes_, 0);
  std::unique_ptr<GuardedMemory> output_ = array(sort_.request.writes_keys() ? key_bytes_ : value_bytes_, 1);
  std::unique_ptr<GuardedMemory> values_in_ = array(sort_.request.has_values() ? value_bytes_ : 0, 2);
  std::unique_ptr<GuardedMemory> beside_ = array(has_more_than_output() ? value_bytes_ : 0, 3);
  Bytes values_, expected_output_, expected_beside_;
};

// Runs the sort twice on one workspace.
void check(const Case& sorted) {
  SCOPED_TRACE(to_string(sorted));
  module_of(sorted);
  if (is_rehearsal()) return;
  const Sort sort(sorted);
  const Workspace workspace(bench().device, sorted.config.family().workspace(sorted.config, sorted.request));
  for (u64 time = 0; time < 2; ++time) {
    sort.poison();
    std::vector<HostLaunch> launches;
    sort.append(launches, workspace.data());
    ASSERT_NO_THROW(bench().device.run(launches, Schedule::from_seed(sorted.seed + time)));
    sort.check();
    if (testing::Test::HasFailure()) return;
  }
}

// How keys are drawn.
constexpr int kDistributions = 9;
const char* const kDistributionNames[kDistributions] = {"uniform",   "few_bits_set", "few_keys", "constant", "one_byte",
                                                        "ascending", "descending",   "ends",     "runs"};

u64 random_key(Random& random) {
  return u64{random.below(1u << 31)} << 33 ^ u64 { random.below(1u << 31) } << 2 ^ random.below(4);
}

// Infinities, NaNs and zeros of both signs, the least and the greatest numbers, and their neighbours.
std::vector<u64> ends(ValueType type) {
  const u64 half = u64{1} << (8 * size_of(type) - 1);
  std::vector<u64> all{0, 1, 2, half, half + 1, half - 1, half - 2, 2 * half - 1, 2 * half - 2};
  const std::map<ValueType, u64> infinities{{ValueType::f16, 0x7c00},
                                            {ValueType::bf16, 0x7f80},
                                            {ValueType::f32, 0x7f800000},
                                            {ValueType::f64, 0x7ff0000000000000}};
  if (is_floating(type))
    for (const u64 sign : {u64{0}, half})
      for (const u64 distance : {0, 1, 2, 5}) {
        all.push_back(sign | (infinities.at(type) + distance));
        all.push_back(sign | (infinities.at(type) - distance));
      }
  return all;
}

Bytes keys_of(const SortRequest& request, int distribution, Random& random) {
  const auto bytes = static_cast<u64>(request.input_bytes());
  const u64 same = random_key(random), place = random.below(request.input_bytes());
  const std::array<u64, 5> few{random_key(random), random_key(random), random_key(random), 0, ~u64{0}};
  const std::vector<u64> special = ends(request.input_type);
  Bytes keys(request.n * bytes);
  u64 of_run = 0;
  for (u64 index = 0; index < request.n; ++index) {
    // An ascending number among all is the bits of a key that has it.
    const u64 ascent = (index << (8 * bytes - 1)) / std::max<u64>(request.n, 1) * 2 + random.below(2);
    const u64 rank = distribution == 5 ? ascent : ~ascent;
    const u64 half = u64{1} << (8 * bytes - 1);
    const u64 is_positive = rank & half;
    const u64 ordered = is_integer(request.input_type) ? rank ^ (is_signed(request.input_type) ? half : 0)
                        : is_positive != 0             ? rank ^ half
                                                       : ~rank;
    if (random.below(40) == 0) of_run = random_key(random);
    const u64 drawn[kDistributions] = {random_key(random),
                                       random_key(random) & random_key(random) & random_key(random),
                                       few[random.below(few.size())],
                                       same,
                                       same ^ u64{random.below(256)} << (8 * place),
                                       ordered,
                                       ordered,
                                       special[random.below(static_cast<u32>(special.size()))],
                                       of_run};
    std::memcpy(&keys[index * bytes], &drawn[distribution], bytes);
  }
  return keys;
}

// Smaller values than those of the tables, so that tiles are many and small.
const std::map<std::string, std::vector<int>> kSmallValues{{"block_threads", {32, 64, 96, 128, 256}},
                                                           {"rows_per_block", {1, 2, 3, 4}},
                                                           {"items_per_thread", {1, 2, 3, 4, 5, 8, 12, 16}},
                                                           {"vectors_per_thread", {1, 2}},
                                                           {"count_items", {512, 700, 1024, 4096}}};

// A legal config with small tiles, every parameter drawn.
Config drawn_config(const FamilyModel& family, const SortRequest& request, Random& random) {
  for (int attempt = 0; attempt < 20'000; ++attempt) {
    Config config(family);
    for (int index = 0; const ParameterModel& parameter : family.parameters()) {
      const auto small = kSmallValues.find(parameter.name);
      const std::vector<int> values = small != kSmallValues.end()
                                          ? small->second
                                          : std::vector<int>(parameter.values.begin(), parameter.values.end());
      config[index++] = values[random.below(static_cast<u32>(values.size()))];
    }
    if (reject_reason(config, request, kHostSm) == nullptr && family.tile_items(config, request) <= kMostTileItems)
      return config;
  }
  throw std::runtime_error(std::string("no config of ") + family.name() + " is legal");
}

std::vector<const FamilyModel*> able_families(const SortRequest& request) {
  std::vector<const FamilyModel*> able;
  for (const FamilyModel* family : algorithm_of<SortRequest>().families())
    if (family->unsupported_reason(request, kHostSm) == nullptr) able.push_back(family);
  return able;
}

// Sizes around those of a warp, of a tile and of several.
std::vector<u64> sizes(u64 tile) { return {1, 2, 31, 32, 33, tile - 1, tile, tile + 1, 3 * tile, 7 * tile + 5}; }

SortRequest with_items(SortRequest request, u64 n) {
  request.n = n;
  return request;
}

// Some bits of each key, or all of them.
SortRequest by_drawn_bits(SortRequest request, Random& random) {
  if (random.below(3) != 0) return request;
  request.key_bits = KeyBits::some;
  request.end_bit = 1 + random.below(static_cast<u32>(8 * request.input_bytes()));
  request.bits = random.below(static_cast<u32>(request.end_bit + 1));
  return request;
}

// Checks a sort if the config is for so many keys.
void check_if_legal(const SortRequest& request, const Config& config, int distribution, u64 misaligned_items,
                    Random& random) {
  if (reject_reason(config, request, kHostSm) != nullptr) return;
  check({.request = request,
         .config = config,
         .keys = keys_of(request, distribution, random),
         .seed = random.below(1u << 30),
         .misaligned_items = misaligned_items});
}

SortRequest keys_of_type(ValueType type, Order order = Order::ascending) {
  return {.input_type = type, .order = order};
}
SortRequest with(SortRequest request, Sorted sorted, ValueType type) {
  request.sorted = sorted;
  request.value_type = type;
  return request;
}
SortRequest with_structs(SortRequest request, int bytes, int alignment) {
  request = with(request, Sorted::pairs, ValueType::custom);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  return request;
}

// Keys with values of the type, or of one of as many bytes as no type has.
constexpr int kValueKinds = 7;
SortRequest with_values(const SortRequest& request, int kind) {
  constexpr ValueType kTypes[] = {ValueType::u8, ValueType::u16, ValueType::f32, ValueType::i64};
  constexpr std::pair<int, int> kStructs[] = {{12, 4}, {3, 1}, {32, 16}};
  if (kind < 4) return with(request, Sorted::pairs, kTypes[kind]);
  return with_structs(request, kStructs[kind - 4].first, kStructs[kind - 4].second);
}

constexpr ValueType kKeyTypes[] = {ValueType::i8,  ValueType::i16,  ValueType::i32, ValueType::i64,
                                   ValueType::u8,  ValueType::u16,  ValueType::u32, ValueType::u64,
                                   ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64};

// All types of keys in both orders, and everything that goes with keys.
std::vector<SortRequest> requests() {
  std::vector<SortRequest> all;
  constexpr ValueType kIndices[] = {ValueType::u32, ValueType::u64, ValueType::i32, ValueType::i64};
  for (int number = 0; const ValueType type : kKeyTypes) {
    const Order order = number % 2 == 0 ? Order::ascending : Order::descending,
                other = number % 2 == 0 ? Order::descending : Order::ascending;
    all.push_back(keys_of_type(type, order));
    all.push_back(keys_of_type(type, other));
    all.push_back(with_values(keys_of_type(type, order), number % kValueKinds));
    all.push_back(with_values(keys_of_type(type, other), (number + 3) % kValueKinds));
    all.push_back(with(keys_of_type(type, other), Sorted::indices, kIndices[number % 4]));
    all.push_back(with(keys_of_type(type, order), Sorted::keys_and_indices, kIndices[(number + 1) % 4]));
    ++number;
  }
  return all;
}

std::string name_of(const SortRequest& request) {
  std::string name = std::string(token(request.input_type)) + "_" + token(request.order) + "_" + token(request.sorted);
  if (!request.has_payload()) return name;
  return name + "_" +
         (request.value_type == ValueType::custom
              ? "struct_" + std::to_string(request.custom_bytes) + "_" + std::to_string(request.custom_alignment)
              : token(request.value_type));
}
std::string name_of_shown(const testing::TestParamInfo<SortRequest>& info) { return name_of(info.param); }

// Draws several configs and returns the one with the smallest tile: several large tiles take the host device a minute.
Config small_config(const FamilyModel& family, const SortRequest& request, Random& random) {
  constexpr int kDraws = 8;
  Config smallest = drawn_config(family, request, random);
  for (int draw = 1; draw < kDraws; ++draw) {
    const Config config = drawn_config(family, request, random);
    if (family.tile_items(config, request) < family.tile_items(smallest, request)) smallest = config;
  }
  return smallest;
}

class Sorts : public testing::TestWithParam<SortRequest> {};

TEST_P(Sorts, PutKeysInOrder) {
  const std::string name = name_of(GetParam());
  Random random(std::hash<std::string>{}(name));
  auto able = able_families(with_items(GetParam(), 1000));
  ASSERT_FALSE(able.empty());
  if (kTestEffort == 1) able = {able[random.below(static_cast<u32>(able.size()))]};  // long runs take all
  for (const FamilyModel* family : able)
    for (int draw = 0; draw < kTestEffort; ++draw) {
      const Config config = small_config(*family, with_items(GetParam(), 1), random);
      const u64 off = random.below(2) == 0 ? 0 : 1 + random.below(15);
      for (const u64 n : sizes(static_cast<u64>(family->tile_items(config, with_items(GetParam(), 1))))) {
        check_if_legal(by_drawn_bits(with_items(GetParam(), n), random), config,
                       static_cast<int>(random.below(kDistributions)), off, random);
        if (HasFailure()) return;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, Sorts, testing::ValuesIn(requests()), name_of_shown);

class SortedRows : public testing::TestWithParam<SortRequest> {};

// Rows of all lengths, of which the last ones are shorter or empty.
TEST_P(SortedRows, AreSortedOneByOne) {
  Random random(std::hash<std::string>{}(name_of(GetParam())));
  SortRequest request = GetParam();
  request.segments = Segments::rows;
  const auto of_rows = [&](u64 length, u64 rows, u64 missing) {
    request.rows = rows;
    request.n = length * rows - missing;
    return request;
  };
  const auto able = able_families(of_rows(100, 7, 0));
  ASSERT_FALSE(able.empty());
  for (const FamilyModel* family : able)
    for (int draw = 0; draw < kTestEffort; ++draw) {
      const Config config = small_config(*family, of_rows(1, 1, 0), random);
      const u64 tile = static_cast<u64>(family->tile_items(config, request));
      const u64 off = random.below(2) == 0 ? 0 : 1 + random.below(15);
      for (const u64 length : {u64{1}, u64{2}, u64{31}, u64{33}, tile / 3 + 1, tile, 2 * tile + 3})
        for (const u64 rows : {u64{1} + random.below(6), 60 / length + 1}) {
          const u64 missing = length > 1 ? random.below(static_cast<u32>(std::min(rows, length))) : 0;
          check_if_legal(by_drawn_bits(of_rows(length, rows, missing), random), config,
                         static_cast<int>(random.below(kDistributions)), off, random);
          if (HasFailure()) return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, SortedRows,
                         testing::Values(keys_of_type(ValueType::u32), keys_of_type(ValueType::f64, Order::descending),
                                         with(keys_of_type(ValueType::f32), Sorted::indices, ValueType::u32),
                                         with(keys_of_type(ValueType::i8), Sorted::keys_and_indices, ValueType::u64),
                                         with(keys_of_type(ValueType::i64), Sorted::indices, ValueType::i64),
                                         with(keys_of_type(ValueType::u32), Sorted::pairs, ValueType::u32),
                                         with(keys_of_type(ValueType::bf16, Order::descending), Sorted::pairs,
                                              ValueType::u8),
                                         with_structs(keys_of_type(ValueType::u16), 12, 4)),
                         name_of_shown);

// Families that keep all keys of a request with small tiles, the same for all tests that ask.
const std::vector<std::pair<SortRequest, std::vector<Config>>>& some_sorts() {
  static const auto kSorts = [] {
    Random random(3);
    std::vector<std::pair<SortRequest, std::vector<Config>>> all;
    for (const SortRequest& request :
         {keys_of_type(ValueType::i64), with(keys_of_type(ValueType::u8), Sorted::indices, ValueType::u32),
          with(keys_of_type(ValueType::u32), Sorted::pairs, ValueType::u32),
          with(keys_of_type(ValueType::f32, Order::descending), Sorted::keys_and_indices, ValueType::u32)}) {
      auto& configs = all.emplace_back(request, std::vector<Config>{}).second;
      for (const FamilyModel* family : able_families(with_items(request, 1000)))
        configs.push_back(drawn_config(*family, with_items(request, 1), random));
    }
    return all;
  }();
  return kSorts;
}

// Returns how many keys make several tiles, or how many the config is for if these are fewer.
u64 many_items(const Config& config, const SortRequest& request) {
  const auto tile = static_cast<u64>(config.family().tile_items(config, with_items(request, 1)));
  const u64 several = 5 * tile + 7;
  return reject_reason(config, with_items(request, several), kHostSm) == nullptr ? several : tile - 1;
}

class SortsOf : public testing::TestWithParam<int> {};

TEST_P(SortsOf, KeysOfADistribution) {
  Random random(static_cast<u64>(GetParam()) + 1);
  for (const auto& [request, configs] : some_sorts())
    for (const Config& config : configs)
      for (int draw = 0; draw < 2 * kTestEffort; ++draw) {
        check_if_legal(with_items(request, many_items(config, request)), config, GetParam(), 0, random);
        if (HasFailure()) return;
      }
}

INSTANTIATE_TEST_SUITE_P(EveryDistribution, SortsOf, testing::Range(0, kDistributions),
                         [](const auto& shown) { return std::string(kDistributionNames[shown.param]); });

class SortsBy : public testing::TestWithParam<ValueType> {};

// One bit, a digit and less, more than a digit, across digits, and all.
TEST_P(SortsBy, BitsFromAnyToAny) {
  Random random(static_cast<u64>(GetParam()) + 5);
  SortRequest request = with(keys_of_type(GetParam()), Sorted::pairs, ValueType::u16);
  request.key_bits = KeyBits::some;
  const u64 width = 8 * static_cast<u64>(request.input_bytes());
  request.end_bit = request.bits = width;
  for (const FamilyModel* family : able_families(with_items(request, 300))) {
    const Config config = drawn_config(*family, with_items(request, 1), random);
    for (const auto& [end, bits] : std::vector<std::pair<u64, u64>>{{width, 1},
                                                                    {1, 1},
                                                                    {width / 2 + 1, 3},
                                                                    {width - 1, width - 3},
                                                                    {width, width / 2 + 1},
                                                                    {width / 2, width / 2},
                                                                    {width, width}}) {
      request.end_bit = end;
      request.bits = bits;
      check_if_legal(with_items(request, many_items(config, request)), config, 0, 0, random);
      check_if_legal(with_items(request, 33), config, 2, 0, random);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, SortsBy,
                         testing::Values(ValueType::u8, ValueType::i16, ValueType::f16, ValueType::f32, ValueType::u32,
                                         ValueType::i64, ValueType::f64),
                         [](const auto& type) { return std::string(token(type.param)); });

// A parameter of a family.
struct Departure {
  const FamilyModel* family;
  int parameter;
};
void PrintTo(const Departure& departure, std::ostream* out) {
  *out << departure.family->name() << " "
       << departure.family->parameters()[static_cast<std::size_t>(departure.parameter)].name;
}

std::vector<Departure> departures() {
  std::vector<Departure> all;
  for (const FamilyModel* family : algorithm_of<SortRequest>().families())
    for (int parameter = 0; parameter < static_cast<int>(family->parameters().size()); ++parameter)
      all.push_back({family, parameter});
  return all;
}

class SortsWith : public testing::TestWithParam<Departure> {};

// Each value of a parameter beside defaults for few keys, where that is legal.
TEST_P(SortsWith, EveryValueOfAParameter) {
  const FamilyModel& family = *GetParam().family;
  Random random(static_cast<u64>(GetParam().parameter) + 11);
  const SortRequest request =
      taken_by(family, with_items(with(keys_of_type(ValueType::u32), Sorted::pairs, ValueType::u32), 500));
  int run = 0;
  const auto values = family.parameters()[static_cast<std::size_t>(GetParam().parameter)].values;
  for (const int value : values) {
    // The ends, in the gate; those between are drawn by other tests.
    if (kTestEffort == 1 && value != values.front() && value != values.back()) continue;
    Config config = family.default_config(with_items(request, 500), kHostSm);
    config[GetParam().parameter] = value;
    const u64 most = std::min<u64>(3 * static_cast<u64>(family.tile_items(config, with_items(request, 500))) + 5, 9000);
    for (const u64 n : {u64{100}, u64{500}, most}) {
      run += reject_reason(config, with_items(request, n), kHostSm) == nullptr;
      check_if_legal(with_items(request, n), config, n == 500 ? 2 : 0, 0, random);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(run, 0);
}

INSTANTIATE_TEST_SUITE_P(Departing, SortsWith, testing::ValuesIn(departures()), [](const auto& shown) {
  const ParameterModel& parameter = shown.param.family->parameters()[static_cast<std::size_t>(shown.param.parameter)];
  return std::string(shown.param.family->name()) + "_" + parameter.name;
});

// The default configs, by which nothing small is drawn.
TEST(SortsByDefault, PutKeysInOrder) {
  Random random(5);
  const SortRequest pairs = with(keys_of_type(ValueType::u32), Sorted::pairs, ValueType::u32);
  for (const SortRequest& request : {with_items(pairs, 3000), with_items(keys_of_type(ValueType::u8), 5000)})
    for (const FamilyModel* family : able_families(request))
      check_if_legal(request, family->default_config(request, kHostSm), 0, 0, random);
}

// Sorts of many keys and of few follow each other on one workspace, at once where they may overlap.
TEST(SortsOnOneWorkspace, PutKeysInOrder) {
  Random random(7);
  for (const auto& [request, configs] : some_sorts())
    for (const Config& config : configs) {
      const u64 many = many_items(config, request);
      if (config.family().workspace(config, with_items(request, many)).kind == WorkspaceKind::none) continue;
      std::vector<Case> cases;
      for (const u64 n : {many, many / 7 + 1, many - 1, u64{1}, many})
        cases.push_back(
            {.request = with_items(request, n),
             .config = config,
             .keys = keys_of(with_items(request, n), static_cast<int>(random.below(kDistributions)), random)});
      SCOPED_TRACE(to_string(cases.front()));
      if (is_rehearsal()) {
        for (const Case& sorted : cases) module_of(sorted);
        for (int time = 0; time < 2 * kTestEffort; ++time) random.below(1u << 30);
        continue;
      }
      std::vector<std::unique_ptr<Sort>> sorts;
      for (const Case& sorted : cases) sorts.push_back(std::make_unique<Sort>(sorted));
      const Workspace workspace(bench().device, config.family().workspace(config, cases.front().request));
      for (int time = 0; time < 2 * kTestEffort; ++time) {
        std::vector<HostLaunch> launches;
        for (const auto& sort : sorts) sort->poison(), sort->append(launches, workspace.data());
        ASSERT_NO_THROW(bench().device.run(launches, Schedule::from_seed(random.below(1u << 30))));
        for (const auto& sort : sorts) sort->check();
        if (HasFailure()) return;
      }
    }
}

}  // namespace
}  // namespace scantune
