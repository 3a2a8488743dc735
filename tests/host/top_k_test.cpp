// Top-k on the host device compared with a plain sort: keys of all types and distributions, what goes with them, rows
// and segments, k from 1 to all items and what memory says of it, in every pair with every family.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "bench.h"
#include "designed_rows.h"
#include "effort.h"
#include "families_under_test.h"
#include "offsets_in_memory.h"
#include "plain_sort.h"
#include "scan_kernels.h"
#include "sort_keys.h"
#include "top_k/config/top_k_tiles.h"

namespace scantune::top_k_test {
namespace {

constexpr unsigned char kPoison = 0xa5;
constexpr int kMostTileItems = 2048;

// Infinities, NaNs of both signs and their neighbours.
const int kEnds =
    static_cast<int>(std::ranges::find(kDistributionNames, std::string_view("ends")) - kDistributionNames);

struct Case {
  TopKRequest request;
  Config config;
  Bytes keys;
  u64 seed = 1;
  u64 misaligned_items = 0;  // how many items arrays lie behind a vector boundary
  u64 k_in_memory = 0;       // where the request reads it

  u64 k() const { return request.reads_k() ? std::min(request.k, k_in_memory) : request.k; }
  Variant variant() const { return misaligned_items == 0 ? Variant::aligned : Variant::any; }
};

std::string to_string(const Case& taken) {
  return scantune::to_string(Request(taken.request)) + ", " + scantune::to_string(taken.config) + ", " +
         std::to_string(taken.misaligned_items) + " items from alignment, " + std::to_string(taken.k()) +
         " results, seed " + std::to_string(taken.seed);
}

testing::AssertionResult holds(const GuardedMemory& memory, const Bytes& expected) {
  for (u64 byte = 0; byte < memory.size(); ++byte)
    if (memory.data()[byte] != expected[byte])
      return testing::AssertionFailure() << "byte " << byte << " of " << memory.size() << " is "
                                         << int{memory.data()[byte]} << ", not " << int{expected[byte]};
  if (!memory.surroundings_intact()) return testing::AssertionFailure() << "it wrote beside the array";
  return testing::AssertionSuccess();
}

// What is written for the results: a part of an array for the key, or an index.
struct Results {
  Results(const TopKRequest& request, u64 k, const Bytes& keys) : request_(request) {
    SortRequest sort{.input_type = request.input_type, .order = request.order, .n = request.n};
    if (request.has_offsets()) {
      sequences_ = segments_of(request);
      sequences_.resize(count_of_segments(request));
    } else {
      sort.segments = request.segments;
      sort.rows = request.rows;
      sequences_ = rows_of(sort);
    }
    for (const auto& sequence : sequences_) {
      const std::vector<u64> all = plain_order(sort, keys.data(), {sequence});
      std::vector<u64> own(all.begin() + static_cast<std::ptrdiff_t>(sequence.first),
                           all.begin() + static_cast<std::ptrdiff_t>(sequence.second));
      if (request.nan_order == NanOrder::last)
        std::sort(std::stable_partition(own.begin(), own.end(), [&](u64 index) { return !is_nan(keys, index); }),
                  own.end());
      own.resize(std::min<u64>(own.size(), k));
      if (request.result_order == ResultOrder::by_index) std::ranges::sort(own);
      results_.push_back(std::move(own));
    }
  }

  Bytes of(const Bytes& items, u64 bytes) const {
    return written(bytes,
                   [&](unsigned char* place, u64 index, u64) { std::memcpy(place, &items[index * bytes], bytes); });
  }
  Bytes indices(u64 bytes) const {
    return written(bytes, [&](unsigned char* place, u64 index, u64 first) {
      index -= first;
      std::memcpy(place, &index, bytes);
    });
  }

 private:
  bool is_nan(const Bytes& keys, u64 index) const {
    const auto bytes = static_cast<u64>(request_.input_bytes());
    u64 bits = 0;
    std::memcpy(&bits, &keys[index * bytes], bytes);
    const auto is = [&]<class Number>(Number) {
      Number number{};
      std::memcpy(&number, &bits, sizeof number);
      return std::isnan(number);
    };
    if (request_.input_type == ValueType::f16) return (bits & 0x7fff) > 0x7c00;
    if (request_.input_type == ValueType::bf16) bits <<= 16;
    return bytes == 8 ? is(0.0) : is(0.0f);
  }

  template <class Write>
  Bytes written(u64 bytes, const Write& write) const {
    Bytes all(request_.results() * bytes, kPoison);
    for (u64 number = 0; number < sequences_.size(); ++number)
      for (u64 place = 0; place < results_[number].size(); ++place)
        write(&all[(number * request_.k + place) * bytes], results_[number][place], sequences_[number].first);
    return all;
  }

  const TopKRequest& request_;
  Sequences sequences_;
  std::vector<std::vector<u64>> results_;
};

const Module& module_of(const Case& taken) {
  return bench().kernels.get(instantiate(taken.request, taken.config, taken.variant()));
}

// The arrays of a top-k, and what must be in them.
class TopK {
 public:
  explicit TopK(const Case& taken) : taken_(taken) {
    const TopKRequest& request = taken.request;
    Random random(taken.seed);
    values_.resize(values_in_->size());
    for (unsigned char& byte : values_) byte = static_cast<unsigned char>(random.below(256));
    const Results results(request, taken.k(), taken.keys);
    const Bytes indices = request.writes_indices() ? results.indices(value_bytes_) : Bytes{};
    expected_output_ = request.writes_keys() ? results.of(taken.keys, key_bytes_) : indices;
    expected_beside_ = request.has_values() ? results.of(values_, value_bytes_) : indices;
    if (request.has_offsets()) offsets_.emplace(bench().device, request);
    std::memcpy(k_->data(), &taken.k_in_memory, k_->size());  // in little-endian order
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
    arguments.set_operand(place_of(OperandRole::k), k_->data());
    const Module& module = module_of(taken_);
    const LaunchList list = taken_.config.family().launches(taken_.config, taken_.request, taken_.variant());
    for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
  }

  // Gives it its input, and poisons what it writes.
  void prepare() const {
    std::ranges::copy(taken_.keys, input_->data());
    std::ranges::copy(values_, values_in_->data());
    for (const auto* const written : {output_.get(), beside_.get()})
      std::fill_n(written->data(), written->size(), kPoison);
  }

  void check() const {
    ASSERT_TRUE(holds(*output_, expected_output_)) << "the output";
    ASSERT_TRUE(holds(*input_, taken_.keys)) << "the input";
    ASSERT_TRUE(holds(*values_in_, values_)) << "the values";
    if (beside_->size() > 0) {
      ASSERT_TRUE(holds(*beside_, expected_beside_)) << "what is written beside the output";
    }
  }

 private:
  // Arrays lie at different distances from a boundary, unless they begin there.
  std::unique_ptr<GuardedMemory> array(u64 items, u64 item_bytes, u64 distance) const {
    const u64 off = taken_.misaligned_items == 0 ? 0 : taken_.misaligned_items + distance;
    return std::make_unique<GuardedMemory>(bench().device, items * item_bytes, off * item_bytes);
  }
  bool has_more_than_output() const {
    return taken_.request.has_values() || taken_.request.sorted == Sorted::keys_and_indices;
  }

  const Case& taken_;
  u64 n_ = taken_.request.n, results_ = taken_.request.results();
  u64 key_bytes_ = static_cast<u64>(taken_.request.input_bytes());
  u64 value_bytes_ = static_cast<u64>(taken_.request.value_bytes());
  std::unique_ptr<GuardedMemory> input_ = array(n_, key_bytes_, 0);
  std::unique_ptr<GuardedMemory> output_ = array(results_, taken_.request.writes_keys() ? key_bytes_ : value_bytes_, 1);
  std::unique_ptr<GuardedMemory> values_in_ = array(n_, taken_.request.has_values() ? value_bytes_ : 0, 2);
  std::unique_ptr<GuardedMemory> beside_ = array(results_, has_more_than_output() ? value_bytes_ : 0, 3);
  const u64 width_of_k_ = taken_.request.k_source == CountSource::memory_32 ? 4 : 8;
  std::unique_ptr<GuardedMemory> k_ = std::make_unique<GuardedMemory>(bench().device, width_of_k_, width_of_k_);
  std::optional<OffsetsInMemory> offsets_;
  Bytes values_, expected_output_, expected_beside_;
};

// Takes the first twice on one workspace, which look() is shown after each time.
void check(const Case& taken, const std::function<void(const void*)>& look = {}) {
  SCOPED_TRACE(to_string(taken));
  module_of(taken);
  if (is_rehearsal()) return;
  const TopK top_k(taken);
  const Workspace workspace(bench().device, taken.config.family().workspace(taken.config, taken.request));
  for (u64 time = 0; time < 2; ++time) {
    top_k.prepare();
    std::vector<HostLaunch> launches;
    top_k.append(launches, workspace.data());
    ASSERT_NO_THROW(bench().device.run(launches, Schedule::from_seed(taken.seed + time)));
    top_k.check();
    if (look) look(workspace.data());
    if (testing::Test::HasFailure()) return;
  }
}

// Smaller values than those of the tables, so that few threads meet at barriers.
const std::map<std::string, std::vector<int>> kSmallValues{{"block_threads", {32, 64, 96, 128, 256}},
                                                           {"finish_threads", {32, 64, 128}},
                                                           {"vectors_at_once", {1, 2, 3}},
                                                           {"vectors_of_lane", {1, 2, 3}}};

Config drawn_config(const FamilyModel& family, Random& random) {
  Config config(family);
  for (int index = 0; const ParameterModel& parameter : family.parameters()) {
    const auto small = kSmallValues.find(parameter.name);
    const std::vector<int> values = small != kSmallValues.end()
                                        ? small->second
                                        : std::vector<int>(parameter.values.begin(), parameter.values.end());
    config[index++] = values[random.below(static_cast<u32>(values.size()))];
  }
  return config;
}

// ---- the design: every pair of what they differ in ----

const std::vector<std::string> kSizes{"few", "tile", "more_than_tile", "several_tiles"};
const std::vector<std::string> kResults{"one", "less_than_warp", "more_than_warp", "many", "all"};

// How many items a row has.
u64 size_of_row(const RowReader& row, u64 tile) {
  constexpr u64 kMostItems = 5000;
  if (row.is("size", "few")) return 37;
  if (row.is("size", "tile")) return std::min(tile, kMostItems);
  return row.is("size", "more_than_tile") ? std::min(tile + 1, kMostItems) : std::min(7 * tile - 5, kMostItems);
}

u64 results_of(const RowReader& row, u64 items) {
  const std::map<std::string, u64> results{{"one", 1}, {"less_than_warp", 19}, {"more_than_warp", 65}, {"many", 300}};
  const auto found = results.find(row["results"]);
  return std::min(items, found == results.end() ? u64{900} : found->second);
}

// What memory says of k, where that is read.
u64 k_in_memory(const RowReader& row, const TopKRequest& request) {
  if (row.is("k_in_memory", "none") || row.is("k_in_memory", "unread")) return 0;
  if (row.is("k_in_memory", "one")) return 1;
  if (row.is("k_in_memory", "some")) return request.k / 2 + request.k % 2;
  if (row.is("k_in_memory", "all")) return request.k;
  // Too many by the upper half of the number alone, or by one.
  return request.k_source == CountSource::memory ? (u64{1} << 32) + request.k / 2 : request.k + 1;
}

// What is taken, without of how much.
TopKRequest request_of(const RowReader& row) {
  TopKRequest request{.input_type = row.token_of<ValueType>("keys"),
                      .order = row.token_of<Order>("order"),
                      .sorted = row.token_of<Sorted>("sorted"),
                      .result_order = row.token_of<ResultOrder>("result_order"),
                      .nan_order = row.token_of<NanOrder>("nan_order"),
                      .n = 1,
                      .k = 1};
  const std::string& beside = row["beside"];
  if (beside.starts_with("struct")) {
    request.value_type = ValueType::custom;
    request.custom_bytes = beside == "struct_12_4" ? 12 : 3;
    request.custom_alignment = beside == "struct_12_4" ? 4 : 1;
  }
  if (beside == "1") request.value_type = ValueType::i8;
  if (beside == "4") request.value_type = ValueType::i32;
  if (beside == "8") request.value_type = ValueType::u64;
  if (!row.is("k_in_memory", "unread"))
    request.k_source = Random(row.seed() + 1).chance(50) ? CountSource::memory : CountSource::memory_32;
  if (row.is("cut", "rows")) {
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
  return request;
}

const Design& top_k_design() {
  static const Design kDesign(
      "top_ks", 2, 1,
      {{"family", names_of(algorithm_of<TopKRequest>().families())},
       {"keys", {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"}},
       {"sorted", all_tokens<Sorted>()},
       {"beside", {"nothing", "1", "4", "8", "struct_12_4", "struct_3_1"}},
       {"result_order", all_tokens<ResultOrder>()},
       {"nan_order", all_tokens<NanOrder>()},
       {"size", kSizes},
       {"results", kResults},
       {"cut", {"none", "rows", "bounds", "begins_and_ends"}},
       {"distribution", {std::begin(kDistributionNames), std::end(kDistributionNames)}, true},
       {"order", all_tokens<Order>(), true},
       {"pointers", {"aligned", "any"}, true},
       {"k_in_memory", {"unread", "none", "one", "some", "all", "more"}, true}},
      [](const DesignRow& values) {
        const RowReader row(top_k_design(), values);
        const TopKRequest request = request_of(row);
        if (row.is("beside", "nothing") == request.has_payload()) return false;
        return row.family().unsupported_reason(request, kHostSm) == nullptr;
      });
  return kDesign;
}

TEST(TopKDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (top_k_design().write_if_asked()) return;
  EXPECT_EQ(top_k_design().gaps(), std::vector<std::string>{});
}

TopKRequest sized(const RowReader& row, const Config& config, u64 rows) {
  TopKRequest request = request_of(row);
  const u64 items = size_of_row(row, static_cast<u64>(config.family().tile_items(config, request)));
  request.n = items * rows;
  request.k = results_of(row, items);
  if (request.segments == Segments::rows) request.rows = rows;
  return request;
}

Config designed_config(CoveringConfigs& configs, const RowReader& row) {
  const auto is_legal = [&](const Config& config) {
    return reject_reason(config, sized(row, config, 1), kHostSm) == nullptr;
  };
  return configs.next(
      row.family(), {.draw = [&](Random& random) { return drawn_config(row.family(), random); }, .is_legal = is_legal});
}

// The rows, whose configs have between them every value of every parameter.
const std::vector<DesignedCase>& designed_cases() {
  static const std::vector<DesignedCase> kCases = [] {
    CoveringConfigs configs(kMostTileItems);
    return scantune::designed_cases(
        top_k_design(), rows_to_run(top_k_design()),
        [&](const DesignRow&, const RowReader& row) { return designed_config(configs, row); });
  }();
  return kCases;
}

class TopKs : public testing::TestWithParam<DesignedCase> {};

// The row's size, and a single item.
TEST_P(TopKs, TakeTheFirstKeys) {
  const RowReader row = GetParam().read();
  const Config& config = GetParam().config;
  Random random(row.seed());
  const auto is_of = [&](const char* name) { return row.is("distribution", name); };
  const int distribution = static_cast<int>(std::ranges::find_if(kDistributionNames, is_of) - kDistributionNames);
  const bool has_rows = row.is("cut", "rows");
  TopKRequest several = sized(row, config, has_rows ? 3 : 1), one = request_of(row);
  // The last row is shorter, and has fewer items than results where these are all.
  if (has_rows) several.n -= random.below(3);
  std::vector<TopKRequest> requests{several, one};
  if (one.has_offsets()) {  // few segments and many, some of fewer items than results
    requests.push_back(several);
    for (TopKRequest& request : requests) request.segment_count = 1 + random.below(&request == &requests[2] ? 60 : 5);
  }
  for (const TopKRequest& request : requests)
    check({.request = request,
           .config = config,
           .keys = keys_of(request, distribution, random),
           .seed = random.below(1u << 30),
           .misaligned_items = row.is("pointers", "aligned") ? 0 : 1 + random.below(15),
           .k_in_memory = k_in_memory(row, request)});
}

INSTANTIATE_TEST_SUITE_P(Designed, TopKs, testing::ValuesIn(designed_cases()), kNameOfRow);

TEST(TopKDesign, HasEveryValueOfEveryParameter) {
  needs_no_kernel();
  for (const FamilyModel* family : algorithm_of<TopKRequest>().families())
    EXPECT_EQ(values_that_none_has(*family, designed_cases()), std::vector<std::string>{}) << family->name();
}

// The default configs, by which nothing small is drawn, for keys of which none, many or all are equal.
TEST(TopKsByDefault, TakeTheFirstKeys) {
  Random random(5);
  for (const u64 k : {u64{1}, u64{50}, u64{2000}})
    for (const int distribution : {0, 2, 3}) {
      const TopKRequest request{.input_type = ValueType::f32, .sorted = Sorted::keys_and_indices, .n = 20'000, .k = k};
      for (const FamilyModel* family : algorithm_of<TopKRequest>().families())
        check({.request = request,
               .config = family->default_config(request, kHostSm),
               .keys = keys_of(request, distribution, random),
               .seed = random.below(1u << 30)});
    }
}

// Many tiles have the last result's key, some of them many times: of these keys so few are candidates that no digits
// are counted. Lesser and greater keys are anywhere, also in the last tile.
TEST(TopKsOfEqualKeys, AreListedWithoutCountingDigits) {
  const FamilyModel& family = *find_family("top_k_tiles");
  TopKRequest request{.input_type = ValueType::u16, .sorted = Sorted::keys_and_indices, .n = 60'000};
  Random random(11);
  for (const u64 k : {u64{1}, u64{30}, u64{60}})
    for (const u32 others : {1, 2, 40}) {
      request.k = k;
      Config config = family.default_config(request, kHostSm);
      const u64 tile = static_cast<u64>(family.tile_items(config, request));
      ASSERT_GE(request.n / tile, 2 * k);
      std::vector<u16> keys(request.n);
      for (u16& key : keys) key = static_cast<u16>(random.below(others) == 0 ? 7 : random.below(7));
      for (u64 greater = 0; greater < k / 2; ++greater) keys[random.below(static_cast<u32>(request.n))] = 9;
      if (k > 1) keys.back() = 9;
      Bytes bytes(request.n * sizeof(u16));
      std::memcpy(bytes.data(), keys.data(), bytes.size());
      const u64 room = top_k_layout({}, request, request.n, k).room;
      ASSERT_GT(std::ranges::count(keys, u16{7}), others < 40 ? static_cast<i64>(room) : 0);
      check({.request = request, .config = config, .keys = bytes, .seed = random.below(1u << 30)},
            [&](const void* state) { EXPECT_LE(static_cast<const TopKState*>(state)->listed, room) << others; });
    }
}

// Infinities, NaNs of both signs and their neighbours: more results than there are numbers, and fewer.
TEST(TopKsOfNans, HaveThemLastInBothOrders) {
  Random random(7);
  for (const ValueType type : {ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64})
    for (const Order order : {Order::ascending, Order::descending})
      for (const u64 k : {u64{40}, u64{900}})
        for (const FamilyModel* family : algorithm_of<TopKRequest>().families()) {
          const TopKRequest request{.input_type = type,
                                    .order = order,
                                    .sorted = Sorted::keys_and_indices,
                                    .nan_order = NanOrder::last,
                                    .n = 1'000,
                                    .k = k};
          check({.request = request,
                 .config = family->default_config(request, kHostSm),
                 .keys = keys_of(request, kEnds, random),
                 .seed = random.below(1u << 30)});
        }
}

}  // namespace
}  // namespace scantune::top_k_test
