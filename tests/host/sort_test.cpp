// Sorts on the host device compared with a plain sort: keys of all types and distributions, what goes with them, rows,
// bits that are compared alone, and inputs that are consumed, in every pair with every family.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "bench.h"
#include "designed_rows.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "measure/prepared_config.h"
#include "offsets_in_memory.h"
#include "plain_sort.h"
#include "scan_kernels.h"
#include "sort_keys.h"

namespace scantune::sort_test {
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

// The sequences that are sorted by themselves.
Sequences sequences_of(const SortRequest& request) {
  if (!request.has_offsets()) return rows_of(request);
  Sequences segments = segments_of(request);
  segments.resize(count_of_segments(request));
  return segments;
}

// Items in an order, each in its place of a sequence; the others are as they were.
Bytes taken(const Bytes& items, u64 bytes, const std::vector<u64>& order, const Sequences& sequences) {
  Bytes result(items.size(), kPoison);
  for (const auto& [first, end] : sequences)
    for (u64 place = first; place < end; ++place)
      std::memcpy(&result[place * bytes], &items[order[place] * bytes], bytes);
  return result;
}

Bytes indices_in_sequences(const SortRequest& request, const std::vector<u64>& order, const Sequences& sequences) {
  const auto bytes = static_cast<u64>(request.value_bytes());
  Bytes result(order.size() * bytes, kPoison);
  for (const auto& [first, end] : sequences)
    for (u64 place = first; place < end; ++place) {
      const u64 index = order[place] - first;
      std::memcpy(&result[place * bytes], &index, bytes);
    }
  return result;
}

const Module& module_of(const Case& sort) {
  return bench().kernels.get(instantiate_measured(sort.request, sort.config, sort.variant(), nullptr));
}

// The arrays of a sort, and what must be in them.
class Sort {
 public:
  explicit Sort(const Case& sort) : sort_(sort) {
    const SortRequest& request = sort.request;
    Random random(sort.seed);
    values_ = random_bytes(values_in_->size(), random);
    const Sequences sequences = sequences_of(request);
    const std::vector<u64> order = plain_order(request, sort.keys.data(), sequences);
    const Bytes indices = request.writes_indices() ? indices_in_sequences(request, order, sequences) : Bytes{};
    expected_output_ = request.writes_keys() ? taken(sort.keys, key_bytes_, order, sequences) : indices;
    expected_beside_ = request.has_values() ? taken(values_, value_bytes_, order, sequences) : indices;
    if (request.has_offsets()) offsets_.emplace(bench().device, request);
  }

  void append(std::vector<HostLaunch>& launches, void* workspace) const {
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::input, input_->data());
    arguments.set_operand(OperandRole::output, output_->data());
    arguments.workspace = workspace;
    arguments.set_operand(OperandRole::indices, beside_->data());
    arguments.set_operand(OperandRole::values_output, beside_->data());
    arguments.set_operand(OperandRole::values, values_in_->data());
    if (offsets_) offsets_->set(arguments);
    const Module& module = module_of(sort_);
    const LaunchList list = sort_.config.family().launches(sort_.config, sort_.request, sort_.variant());
    for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
  }

  // Gives the sort its input, and poisons what it writes.
  void prepare() const {
    std::ranges::copy(sort_.keys, input_->data());
    std::ranges::copy(values_, values_in_->data());
    for (const auto* const written : {output_.get(), beside_.get()})
      std::fill_n(written->data(), written->size(), kPoison);
  }

  void check() const {
    ASSERT_TRUE(holds(*output_, expected_output_)) << "the output";
    if (sort_.request.consumes_input()) {
      ASSERT_TRUE(input_->surroundings_intact() && values_in_->surroundings_intact()) << "it wrote beside its input";
    } else {
      ASSERT_TRUE(holds(*input_, sort_.keys)) << "the input";
      ASSERT_TRUE(holds(*values_in_, values_)) << "the values";
    }
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
  std::optional<OffsetsInMemory> offsets_;
};

// Runs the sort twice on one workspace.
void check(const Case& sorted) {
  SCOPED_TRACE(to_string(sorted));
  module_of(sorted);
  if (is_rehearsal()) return;
  const Sort sort(sorted);
  const Workspace workspace(bench().device, sorted.config.family().workspace(sorted.config, sorted.request));
  for (u64 time = 0; time < 2; ++time) {
    sort.prepare();
    std::vector<HostLaunch> launches;
    sort.append(launches, workspace.data());
    ASSERT_NO_THROW(bench().device.run(launches, Schedule::from_seed(sorted.seed + time)));
    sort.check();
    if (testing::Test::HasFailure()) return;
  }
}

// Structs that a stand-in compares by their first bytes: those of another distribution than the uniform one are few.
Bytes structs_of(const SortRequest& request, int distribution, Random& random) {
  const auto bytes = static_cast<u64>(request.input_bytes());
  const Bytes few = random_bytes(distribution == 3 ? bytes : 5 * bytes, random);
  if (distribution == 0) return random_bytes(request.n * bytes, random);
  Bytes keys(request.n * bytes);
  for (u64 index = 0; index < request.n; ++index)
    std::memcpy(&keys[index * bytes], &few[random.below(static_cast<u32>(few.size() / bytes)) * bytes], bytes);
  return keys;
}

// Keys of a sort. Machines make different floats of half-precision NaNs, so that none is compared by a less().
Bytes sorted_keys(const SortRequest& request, int distribution, Random& random) {
  if (request.input_type == ValueType::custom) return structs_of(request, distribution, random);
  Bytes keys = keys_of(request, distribution, random);
  if (!request.is_by_source() || request.input_bytes() != 2 || !is_floating(request.input_type)) return keys;
  const u16 exponent_bit = request.input_type == ValueType::f16 ? 0x400 : 0x80;
  for (u64 index = 0; index < request.n; ++index) {
    u16 key = 0;
    std::memcpy(&key, &keys[index * sizeof key], sizeof key);
    key = static_cast<u16>(key & ~exponent_bit);
    std::memcpy(&keys[index * sizeof key], &key, sizeof key);
  }
  return keys;
}

// Smaller values than those of the tables, so that tiles are many and small, and few threads meet at barriers.
const std::map<std::string, std::vector<int>> kSmallValues{{"block_threads", {32, 64, 96, 128, 256}},
                                                           {"rows_per_block", {1, 2, 3, 4}},
                                                           {"items_per_thread", {1, 2, 3, 4, 5, 8, 12, 16}},
                                                           {"merge_threads", {32, 64, 96, 128}},
                                                           {"merge_items", {1, 2, 3, 5, 8}},
                                                           {"local_doublings", {1, 2, 3, 4}},
                                                           {"long_threads", {32, 64, 128}},
                                                           {"long_items", {4, 8}},
                                                           {"radix_items", {1, 2, 3, 5}},
                                                           {"vectors_per_thread", {1, 2}},
                                                           {"count_items", {512, 700, 1024, 4096}}};

// A config that can run what is asked, with small tiles, every parameter drawn.
Config drawn_config(const FamilyModel& family, const std::function<bool(const Config&)>& is_legal,
                    const SortRequest& request, Random& random) {
  constexpr int kDraws = 20'000, kCompared = 8;
  std::optional<Config> smallest;
  for (int draw = 0, legal = 0; draw < kDraws && legal < kCompared; ++draw) {
    Config config(family);
    for (int index = 0; const ParameterModel& parameter : family.parameters()) {
      const auto small = kSmallValues.find(parameter.name);
      const std::vector<int> values = small != kSmallValues.end()
                                          ? small->second
                                          : std::vector<int>(parameter.values.begin(), parameter.values.end());
      config[index++] = values[random.below(static_cast<u32>(values.size()))];
    }
    if (!is_legal(config)) continue;
    ++legal;
    // Several large tiles take the host device a minute.
    if (!smallest || family.tile_items(config, request) < family.tile_items(*smallest, request)) smallest = config;
  }
  if (!smallest) throw std::runtime_error(std::string("no config of ") + family.name() + " is legal");
  return *smallest;
}

SortRequest with_items(SortRequest request, u64 n) {
  request.n = n;
  return request;
}

std::vector<const FamilyModel*> able_families(const SortRequest& request) {
  std::vector<const FamilyModel*> able;
  for (const FamilyModel* family : algorithm_of<SortRequest>().families())
    if (family->unsupported_reason(request, kHostSm) == nullptr) able.push_back(family);
  return able;
}

SortRequest keys_of_type(ValueType type, Order order = Order::ascending) {
  return {.input_type = type, .order = order};
}
SortRequest by_less(SortRequest request) {
  request.comparison = Comparison::source;
  return request;
}
SortRequest in_segments(SortRequest request, u64 count) {
  request.segments = Segments::offsets;
  request.segment_count = count;
  return request;
}
SortRequest with(SortRequest request, Sorted sorted, ValueType type) {
  request.sorted = sorted;
  request.value_type = type;
  return request;
}

// ---- the design: every pair of what sorts differ in ----

// Rows of several keys, the last of which may be shorter, and beside these many rows of one or a few keys. Segments of
// any lengths between bounds, or with begins and ends.
const std::vector<std::string> kCuts{"none", "rows", "many_rows", "bounds", "begins_and_ends"};
const std::vector<std::string> kBits{"all",  "all_by_number", "highest",    "lowest", "middle",
                                     "most", "upper_half",    "lower_half", "none"};
const std::vector<std::string> kSizes{"less_than_tile", "tile", "more_than_tile", "three_tiles", "seven_tiles"};

// How many keys of a sequence or a row.
u64 size_of_row(const RowReader& row, u64 tile) {
  if (row.is("size", "less_than_tile")) return tile - 1;
  if (row.is("size", "tile")) return tile;
  if (row.is("size", "more_than_tile")) return tile + 1;
  return row.is("size", "three_tiles") ? 3 * tile : 7 * tile - 5;
}

// What is sorted, without how much of it.
SortRequest request_of(const RowReader& row) {
  const std::string &keys = row["keys"], &beside = row["beside"];
  const bool has_structs = keys.starts_with("struct");
  SortRequest request =
      keys_of_type(has_structs ? ValueType::custom : row.token_of<ValueType>("keys"), row.token_of<Order>("order"));
  request.sorted = row.token_of<Sorted>("sorted");
  if (row.is("family", "sort_merge")) request.comparison = Comparison::source;
  const bool is_first = row.is("numbers", "unsigned");
  if (beside.starts_with("struct")) request.value_type = ValueType::custom;
  if (const std::string& name = has_structs ? keys : beside; name.starts_with("struct")) {
    request.custom_bytes = name == "struct_12_4" ? 12 : name == "struct_3_1" ? 3 : 32;
    request.custom_alignment = name == "struct_12_4" ? 4 : name == "struct_3_1" ? 1 : 16;
  }
  if (beside == "1") request.value_type = is_first ? ValueType::u8 : ValueType::i8;
  if (beside == "2") request.value_type = is_first ? ValueType::u16 : ValueType::i16;
  if (beside == "4") request.value_type = is_first ? ValueType::u32 : ValueType::i32;
  if (beside == "8") request.value_type = is_first ? ValueType::u64 : ValueType::i64;
  const u64 width = 8 * static_cast<u64>(request.input_bytes());
  const std::map<std::string, std::pair<u64, u64>> ends{
      {"all_by_number", {width, width}},     {"highest", {width, 1}},          {"lowest", {1, 1}},
      {"middle", {width / 2 + 1, 3}},        {"most", {width - 1, width - 3}}, {"upper_half", {width, width / 2 + 1}},
      {"lower_half", {width / 2, width / 2}}};
  if (const auto found = ends.find(row["bits"]); found != ends.end()) {
    request.key_bits = KeyBits::some;
    request.end_bit = found->second.first;
    request.bits = found->second.second;
  }
  request.input_use = row.token_of<InputUse>("input");
  if (row.is("bits", "none")) request.key_bits = KeyBits::none;
  if (row.is("cut", "rows") || row.is("cut", "many_rows")) {
    request.segments = Segments::rows;
    request.rows = 1;
  } else if (!row.is("cut", "none")) {
    request.segments = Segments::offsets;
    request.segment_count = 1;
    request.offset_form = row.token_of<OffsetForm>("cut");
    Random random(row.seed());
    request.offset_type = static_cast<OffsetType>(random.below(4));
    request.count_source = static_cast<CountSource>(random.below(3));
  }
  request.n = 1;
  return request;
}

const Design& sort_design() {
  static const Design kDesign("sorts", 2, 1,
                              {{"family", names_of(algorithm_of<SortRequest>().families())},
                               {"keys",
                                {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64",
                                 "struct_12_4", "struct_3_1", "struct_32_16"}},
                               {"sorted", all_tokens<Sorted>()},
                               {"beside", {"nothing", "1", "2", "4", "8", "struct_12_4", "struct_3_1", "struct_32_16"}},
                               {"bits", kBits},
                               {"size", kSizes},
                               {"input", all_tokens<InputUse>()},
                               {"cut", kCuts},
                               {"numbers", {"unsigned", "signed"}, true},
                               {"order", all_tokens<Order>(), true},
                               {"distribution", {std::begin(kDistributionNames), std::end(kDistributionNames)}, true},
                               {"pointers", {"aligned", "any"}, true}},
                              [](const DesignRow& values) {
                                const RowReader row(sort_design(), values);
                                const SortRequest request = request_of(row);
                                if (row.is("beside", "nothing") == request.has_payload()) return false;
                                const bool has_two_structs =
                                    row["keys"].starts_with("struct") && row["beside"].starts_with("struct");
                                if (has_two_structs && row["keys"] != row["beside"])
                                  return false;  // a request has one struct
                                const bool is_in_one_tile = row.is("size", "less_than_tile") || row.is("size", "tile");
                                if (row.is("family", "sort_block") && !is_in_one_tile)
                                  return false;  // a tile is all that it holds
                                return row.family().unsupported_reason(request, kHostSm) == nullptr;
                              });
  return kDesign;
}

TEST(SortDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (sort_design().write_if_asked()) return;
  EXPECT_EQ(sort_design().gaps(), std::vector<std::string>{});
}

// The row's size, of a few rows if it is cut into such. Tiles that a value makes large are fewer.
SortRequest sized(const RowReader& row, const Config& config, u64 rows = 1) {
  constexpr u64 kMostItems = 6000;
  SortRequest request = request_of(row);
  const auto tile = static_cast<u64>(config.family().tile_items(config, request));
  u64 items = size_of_row(row, tile);
  if (items * rows > kMostItems) items = std::max(std::min(tile + 1, kMostItems / rows), kMostItems / rows);
  if (reject_reason(config, with_items(request, items), kHostSm) != nullptr) items = std::min(items, tile);
  request.n = items * rows;
  if (request.segments == Segments::rows) request.rows = rows;
  return request;
}

Config designed_config(CoveringConfigs& configs, const RowReader& row) {
  const auto is_legal = [&](const Config& config) {
    return reject_reason(config, sized(row, config), kHostSm) == nullptr;
  };
  return configs.next(
      row.family(),
      {.draw = [&](Random& random) { return drawn_config(row.family(), is_legal, request_of(row), random); },
       .is_legal = is_legal});
}

// The rows, whose configs have between them every value of every parameter.
const std::vector<DesignedCase>& designed_sorts() {
  static const std::vector<DesignedCase> kSorts = [] {
    CoveringConfigs configs(kMostTileItems);
    return designed_cases(sort_design(), rows_to_run(sort_design()),
                          [&](const DesignRow&, const RowReader& row) { return designed_config(configs, row); });
  }();
  return kSorts;
}

std::vector<DesignedCase> drawn_sorts() {
  CoveringConfigs configs(kMostTileItems);
  return designed_cases(sort_design(), sort_design().drawn(100 * kTestEffort, 2),
                        [&](const DesignRow&, const RowReader& row) { return designed_config(configs, row); });
}

class Sorts : public testing::TestWithParam<DesignedCase> {};

// The row's size, and few keys, which one warp holds.
TEST_P(Sorts, PutKeysInOrder) {
  const RowReader row = GetParam().read();
  const Config& config = GetParam().config;
  Random random(row.seed());
  const auto is_of = [&](const char* name) { return row.is("distribution", name); };
  const int distribution = static_cast<int>(std::ranges::find_if(kDistributionNames, is_of) - kDistributionNames);
  const u64 off = row.is("pointers", "aligned") ? 0 : 1 + random.below(15);
  const bool has_segments = request_of(row).has_offsets(), is_cut = !row.is("cut", "none") && !has_segments;
  // Every CTA goes through its whole tile, so that where tiles are large there are few CTAs.
  const auto tile = static_cast<u64>(config.family().tile_items(config, request_of(row)));
  const auto rows_of = [&](u64 wanted) { return std::clamp<u64>(u64{2 * kMostTileItems} / tile, 1, wanted); };
  std::vector<SortRequest> requests{sized(row, config, is_cut ? rows_of(2 + random.below(2)) : 1)};
  const u64 few = u64{31} + random.below(3);
  for (const u64 length : {u64{1}, few}) {
    SortRequest request = request_of(row);
    if (tile > 2 * kMostTileItems) continue;
    if (is_cut) request.rows = rows_of(row.is("cut", "many_rows") ? 40 / length + 2 : 3);
    requests.push_back(with_items(request, length * (has_segments ? 40 : std::max<u64>(request.rows, 1))));
  }
  // Of long segments there are few, and the last launches have short ones.
  if (has_segments)
    for (SortRequest& request : requests) request.segment_count = 1 + random.below(&request == &requests[0] ? 7 : 60);
  int run = 0;
  for (SortRequest& request : requests) {
    // The last row is shorter, or there is one fewer.
    const u64 length = row_items(request);
    if (is_cut && length > 1) request.n -= random.below(static_cast<u32>(std::min(request.rows, length)));
    if (reject_reason(config, request, kHostSm) != nullptr) continue;
    ++run;
    check({.request = request,
           .config = config,
           .keys = sorted_keys(request, distribution, random),
           .seed = random.below(1u << 30),
           .misaligned_items = off});
    if (HasFailure()) return;
  }
  EXPECT_GT(run, 0);
}

INSTANTIATE_TEST_SUITE_P(Designed, Sorts, testing::ValuesIn(designed_sorts()), kNameOfRow);
INSTANTIATE_TEST_SUITE_P(Drawn, Sorts, testing::ValuesIn(drawn_in_long_runs(drawn_sorts())),
                         [](const auto& tested) { return std::to_string(tested.index); });

TEST(SortDesign, HasEveryValueOfEveryParameter) {
  needs_no_kernel();
  for (const FamilyModel* family : algorithm_of<SortRequest>().families())
    EXPECT_EQ(values_that_none_has(*family, designed_sorts()), std::vector<std::string>{}) << family->name();
}

// The default configs, by which nothing small is drawn.
TEST(SortsByDefault, PutKeysInOrder) {
  Random random(5);
  const SortRequest pairs = with(keys_of_type(ValueType::u32), Sorted::pairs, ValueType::u32);
  for (const SortRequest& request :
       {with_items(pairs, 3000), with_items(keys_of_type(ValueType::u8), 5000), with_items(in_segments(pairs, 9), 3000),
        with_items(by_less(pairs), 9000), with_items(by_less(keys_of_type(ValueType::f64)), 5000),
        with_items(in_segments(keys_of_type(ValueType::u32), 3), 20'000)})
    for (const FamilyModel* family : able_families(request))
      check({.request = request,
             .config = family->default_config(request, kHostSm),
             .keys = sorted_keys(request, 0, random),
             .seed = random.below(1u << 30)});
}

// Sorts of many keys and of few follow each other on one workspace, at once where they may overlap.
TEST(SortsOnOneWorkspace, PutKeysInOrder) {
  Random random(7);
  SortRequest consumed = with(keys_of_type(ValueType::i16), Sorted::pairs, ValueType::f64);
  consumed.input_use = InputUse::consumed;
  for (const SortRequest& request :
       {keys_of_type(ValueType::i64), keys_of_type(ValueType::u8), consumed,
        with(keys_of_type(ValueType::u8), Sorted::indices, ValueType::u32),
        with(keys_of_type(ValueType::u32), Sorted::pairs, ValueType::u32), in_segments(consumed, 7), by_less(consumed),
        by_less(with(keys_of_type(ValueType::u32), Sorted::indices, ValueType::u64)),
        with(keys_of_type(ValueType::f32, Order::descending), Sorted::keys_and_indices, ValueType::u32)})
    for (const FamilyModel* family : able_families(with_items(request, 1000))) {
      const auto is_legal = [&](const Config& config) {
        return reject_reason(config, with_items(request, 1000), kHostSm) == nullptr;
      };
      const Config config = drawn_config(*family, is_legal, request, random);
      if (config.family().workspace(config, with_items(request, 1000)).kind == WorkspaceKind::none) continue;
      const u64 many = 5 * static_cast<u64>(family->tile_items(config, with_items(request, 1))) + 7;
      std::vector<Case> cases;
      for (const u64 n : {many, many / 7 + 1, many - 1, u64{1}, many})
        cases.push_back(
            {.request = with_items(request, n),
             .config = config,
             .keys = sorted_keys(with_items(request, n), static_cast<int>(random.below(kDistributions)), random)});
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
        for (const auto& sort : sorts) sort->prepare(), sort->append(launches, workspace.data());
        ASSERT_NO_THROW(bench().device.run(launches, Schedule::from_seed(random.below(1u << 30))));
        for (const auto& sort : sorts) sort->check();
        if (HasFailure()) return;
      }
    }
}

}  // namespace
}  // namespace scantune::sort_test
