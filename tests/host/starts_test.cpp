// Scans of segments that start at any item, where flags, bits or keys say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "effort.h"
#include "families_under_test.h"
#include "measure/value_types.h"
#include "segmented_scan.h"

namespace scantune::starts_test {
namespace {

constexpr int kMaxTileItems = 2048;
constexpr u32 kMeanLengths[] = {1, 3, 50, 5000};  // of segments; one is drawn for each scan

ScanRequest by(Segments segments, ScanRequest request = {.n = kSomeItems}) {
  request.segments = segments;
  return request;
}

std::vector<const FamilyModel*> families() {
  std::vector<const FamilyModel*> families(all_scan_families().begin(), all_scan_families().end());
  std::erase_if(families, [](const FamilyModel* family) {
    return family->unsupported_reason(by(Segments::flags), kHostSm) != nullptr;
  });
  return families;
}

// Where segments start, and the entries that say so.
struct Starts {
  std::vector<bool> at;
  Bytes entries;
};

void put_key(Keys keys, u64 kind, Random& random, unsigned char* to) {
  const ValueType type = type_of(keys);
  if (is_floating(type)) {  // 0 of either sign is one key
    const long double value = kind == 0 && random.chance(50) ? -0.0L : static_cast<long double>(kind);
    return put_floating(type, value, reinterpret_cast<std::byte*>(to));
  }
  const u64 value = kind << 8 * (static_cast<u64>(size_of(type)) - 1);  // they differ in the last byte
  std::memcpy(to, &value, static_cast<std::size_t>(size_of(type)));
}

int key_alignment(const ScanRequest& request) {
  return request.equality == Equality::source ? request.key_type.alignment() : size_of(type_of(request.keys));
}

// Keys of a kind that an equality tells by. Everything else in them differs.
void put_compared_key(const ComparedType& type, u64 kind, Random& random, unsigned char* to) {
  if (is_floating(type.type))
    return put_floating(type.type, static_cast<long double>(kind) + static_cast<long double>(random.below(100)) / 256,
                        reinterpret_cast<std::byte*>(to));
  for (int byte = 0; byte < type.bytes(); ++byte) to[byte] = static_cast<unsigned char>(random.below(256));
  to[type.bytes() - 1] = static_cast<unsigned char>((to[type.bytes() - 1] & 0xf0) | kind);
}

Starts drawn_starts(const ScanRequest& request, Random& random) {
  const u32 length = kMeanLengths[random.below(static_cast<u32>(std::size(kMeanLengths)))];
  Starts starts;
  for (u64 index = 0; index < request.n; ++index) starts.at.push_back(index == 0 || random.below(length) == 0);
  if (request.segments == Segments::flags) {
    for (const bool starts_there : starts.at)
      starts.entries.push_back(static_cast<unsigned char>(starts_there ? 1 + random.below(255) : 0));
    if (request.n > 0 && random.chance(50)) starts.entries[0] = 0;  // item 0 starts a segment whatever its flag says
  } else if (request.segments == Segments::bits) {
    starts.entries.assign(ceil_div(request.n, u64{32}) * sizeof(u32), 0);
    for (u64 index = 0; index < request.n; ++index)
      if (starts.at[index]) starts.entries[index / 8] |= static_cast<unsigned char>(1 << index % 8);
    if (request.n % 32 != 0) starts.entries.back() |= 0x80;  // bits behind the last item say nothing
  } else {
    const auto bytes = static_cast<u64>(key_bytes(request));
    starts.entries.resize(request.n * bytes);
    for (u64 index = 0, kind = 0; index < request.n; ++index) {
      if (starts.at[index]) kind = (kind + 1 + random.below(2)) % 4;
      unsigned char* const to = starts.entries.data() + index * bytes;
      if (request.equality == Equality::source)
        put_compared_key(request.key_type, kind, random, to);
      else
        put_key(request.keys, kind, random, to);
    }
  }
  return starts;
}

// One initial value, or one of each segment.
Bytes drawn_inits(const SegmentedScan& scan, const Starts& starts) {
  if (scan.request.init != Init::each) return scan_init(scan.request, scan.custom);
  ScanRequest inits = scan.request;
  inits.input_type = inits.accumulator_type;
  inits.n = static_cast<u64>(std::ranges::count(starts.at, true));
  return scan_items(inits, scan.seed + 1, scan.custom);
}

// Every segment as a scan of its own.
Bytes expected_segments(const SegmentedScan& scan, const Starts& starts, const Bytes& items, const Bytes& init) {
  const auto in = static_cast<u64>(scan.request.input_bytes());
  const u64 step = scan.request.init == Init::each ? static_cast<u64>(scan.request.accumulator_bytes()) : 0;
  const unsigned char* its_init = init.data();
  Bytes expected;
  for (u64 first = 0; first < scan.request.n;) {
    u64 end = first + 1;
    while (end < scan.request.n && !starts.at[end]) ++end;
    ScanRequest one = scan.request;
    one.segments = Segments::none;
    one.n = end - first;
    const Bytes its(items.begin() + static_cast<std::ptrdiff_t>(first * in),
                    items.begin() + static_cast<std::ptrdiff_t>(end * in));
    const Bytes results = expected_scan(one, its, its_init, scan.custom);
    its_init += step;
    expected.insert(expected.end(), results.begin(), results.end());
    first = end;
  }
  return expected;
}

void check(SegmentedScan scan, Random& random) {
  SCOPED_TRACE(to_string(scan));
  const ScanRequest& request = scan.request;
  Bytes items, init, results;
  Starts starts;
  if (!is_rehearsal()) {
    items = scan_items(request, scan.seed, scan.custom);
    starts = drawn_starts(request, random);
    init = drawn_inits(scan, starts);
    scan.beside = request.segments == Segments::keys ? OperandRole::keys : OperandRole::flags;
    scan.entries = &starts.entries;
    const u64 alignment = request.segments == Segments::flags  ? 1
                          : request.segments == Segments::bits ? sizeof(u32)
                                                               : static_cast<u64>(key_alignment(request));
    scan.misaligned_entry_bytes = scan.variant() == Variant::any ? alignment * (1 + random.below(15)) : 0;
  }
  run(scan, items, init, results);
  if (testing::Test::HasFatalFailure() || is_rehearsal()) return;
  ASSERT_EQ(difference(request, results.data(), expected_segments(scan, starts, items, init), scan.custom),
            std::nullopt);
}

// Totals, keys and their number, and nothing behind them.
void check_totals(SegmentedScan scan, Random& random) {
  SCOPED_TRACE(to_string(scan));
  const ScanRequest& request = scan.request;
  if (is_rehearsal()) {
    Bytes none;
    return run(scan, none, none, none);
  }
  HostDevice& device = bench().device;
  const Bytes items = scan_items(request, scan.seed, scan.custom);
  const Starts starts = drawn_starts(request, random);
  const Bytes init = drawn_inits(scan, starts);
  const auto of_key = static_cast<u64>(key_bytes(request)), bytes = static_cast<u64>(request.output_bytes());
  const GuardedMemory keys(device, request.n * of_key), count(device, 8);
  const Bytes poison(keys.data(), keys.data() + keys.size());
  scan.beside = request.segments == Segments::keys ? OperandRole::keys : OperandRole::flags;
  scan.entries = &starts.entries;
  scan.written = {{OperandRole::count, count.data()}, {OperandRole::keys_output, keys.data()}};
  Bytes results;
  run(scan, items, init, results);
  if (testing::Test::HasFatalFailure()) return;
  ScanRequest all = request;
  all.results = Results::all;
  const Bytes each = expected_segments({all, scan.config, scan.seed, scan.custom}, starts, items, init);
  Bytes totals, its_keys;
  u64 segments = 0, first = 0;  // items of the segment
  for (u64 index = 0; index < request.n; ++index) {
    if (starts.at[index]) first = index;
    if (index + 1 < request.n && !starts.at[index + 1]) continue;
    const auto add = [&](Bytes& to, const Bytes& from, u64 item, u64 size) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(item * size);
      to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    if (segments++ >= request.capacity && request.room == OutputRoom::limited) continue;
    add(totals, each, index, bytes);
    if (request.segments == Segments::keys)
      add(its_keys, starts.entries, request.equality == Equality::source ? first : index, of_key);
  }
  ScanRequest written = all;
  written.n = totals.size() / bytes;
  ASSERT_EQ(difference(written, results.data(), totals, scan.custom), std::nullopt);
  u64 found = 0;
  std::memcpy(&found, count.data(), request.count_width == IntegerWidth::bits_32 ? 4 : 8);
  EXPECT_EQ(found, segments);
  EXPECT_TRUE(std::equal(its_keys.begin(), its_keys.end(), keys.data()));
  EXPECT_TRUE(std::equal(poison.begin() + static_cast<std::ptrdiff_t>(its_keys.size()), poison.end(),
                         keys.data() + its_keys.size()));
  EXPECT_TRUE(keys.surroundings_intact() && count.surroundings_intact());
}

// Gives each segment an initial value, where that is served.
void begin_each_by_chance(ScanRequest& request, Random& random) {
  if (!random.chance(40)) return;
  ScanRequest each = request;
  each.init = Init::each;
  if (random.chance(50)) each.count_width = IntegerWidth::bits_32;
  if (unsupported_reason(each) == nullptr && invalid_starts_reason(each) == nullptr) request = each;
}

const Design& design() {
  static const Design kDesign(
      "starts", 2, 1,
      factors_of_segmented_scans(families(), {{"segments", {"flags", "bits", "keys"}}, {"keys", all_tokens<Keys>()}}),
      [](const DesignRow& values) {
        const RowReader row(design(), values);
        ScanRequest request = by(row.token_of<Segments>("segments"), request_of(row));
        request.keys = row.token_of<Keys>("keys");
        return row.family().unsupported_reason(request, kHostSm) == nullptr;
      });
  return kDesign;
}

TEST(StartDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (design().write_if_asked()) return;
  EXPECT_EQ(design().gaps(), std::vector<std::string>{});
}

class StartsOfSegments : public testing::TestWithParam<DesignRow> {};

TEST_P(StartsOfSegments, BeginSegmentsAtEveryItem) {
  const RowReader row(design(), GetParam());
  Random random(row.seed());
  ScanRequest request = by(row.token_of<Segments>("segments"), request_of(row));
  request.keys = row.token_of<Keys>("keys");
  begin_each_by_chance(request, random);
  const Config config = random_config(row.family(), request, kMaxTileItems, random);
  const auto tile = static_cast<u64>(row.family().tile_items(config, request));
  for (const u64 n : {u64{1}, u64{31}, u64{33}, tile - 1, tile, tile + 1, 3 * tile + 5}) {
    request.n = n;
    if (n == 0 || reject_reason(config, request, kHostSm) != nullptr) continue;
    for (const bool aligned : alignments_of(row)) {
      SegmentedScan scan = drawn_scan(request, config, aligned, random, custom_of(row));
      scan.runs = 3;
      scan.wraps_epoch = scan.seed % 4 == 0;
      check(scan, random);
      if (HasFatalFailure()) return;
    }
  }
}

class TotalsOfSegments : public testing::TestWithParam<DesignRow> {};

TEST_P(TotalsOfSegments, AreTheLastResults) {
  const RowReader row(design(), GetParam());
  Random random(row.seed());
  ScanRequest request = by(row.token_of<Segments>("segments"), request_of(row));
  request.keys = row.token_of<Keys>("keys");
  request.results = Results::totals;
  if (random.chance(50)) request.count_width = IntegerWidth::bits_32;
  begin_each_by_chance(request, random);
  if (started_bytes(request) > kMaxValueBytes) GTEST_SKIP() << "the accumulator and a count do not fit";
  const Config config = random_config(row.family(), request, kMaxTileItems, random);
  const auto tile = static_cast<u64>(row.family().tile_items(config, request));
  for (const u64 n : {u64{0}, u64{1}, u64{33}, tile, 3 * tile + 5}) {
    Random its(row.seed() + n);  // what is drawn for one size must not hang on the others
    request.n = n;
    request.room = its.chance(50) ? OutputRoom::limited : OutputRoom::for_all;
    request.capacity = request.room == OutputRoom::limited ? n / 3 : 0;
    if (n != 0 && reject_reason(config, request, kHostSm) != nullptr) continue;
    SegmentedScan scan = drawn_scan(request, config, true, its, custom_of(row));
    scan.in_place = false;
    scan.runs = 2;
    check_totals(scan, its);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Designed, StartsOfSegments, testing::ValuesIn(rows_to_run(design())), kNameOf<design>);

std::vector<DesignRow> rows_with_totals() {
  std::vector<DesignRow> rows = rows_to_run(design());
  std::erase_if(rows, [](const DesignRow& values) {
    const RowReader row(design(), values);
    return !row.is("kind", "inclusive") || !row.is("direction", "forward");
  });
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Designed, TotalsOfSegments, testing::ValuesIn(rows_with_totals()), kNameOf<design>);

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Keys that a source of the caller's compares.
struct Compared {
  std::string name;
  ComparedType type;
  MapSource equal;
  Bytes state = {};
  std::optional<TestOperator> custom = {};
};

ComparedType of_struct(short bytes, short alignment) { return {ValueType::custom, bytes, alignment}; }

std::string struct_of(const ComparedType& type) {
  return "struct alignas(" + std::to_string(type.alignment()) + ") Value {\n  unsigned char bytes[" +
         std::to_string(type.bytes()) + "];\n};\n";
}

// By the low bits of the last byte. One takes the mask from its state, and is beside another struct that items are.
const std::vector<Compared>& all_compared() {
  static const std::vector<Compared> kAll = [] {
    const auto by_last_byte = [](const ComparedType& type, const std::string& state, const std::string& mask) {
      const std::string last = ".bytes[" + std::to_string(type.bytes() - 1) + "]";
      return struct_of(type) + (state.empty() ? "" : "struct State {\n  unsigned masks[8];\n};\n") +
             "__device__ bool equal(Value before, Value item" + state + ") {\n  return ((before" + last + " ^ item" +
             last + ") & " + mask + ") == 0;\n}\n";
    };
    Bytes state(32);
    state[31] = 0x0f;
    std::vector<Compared> all = {
        {"bytes_12_4",
         of_struct(12, 4),
         {by_last_byte(of_struct(12, 4), ", State state", "state.masks[7] >> 24"), 32},
         state,
         maps_of_bytes(16, 4)},
        {"f16",
         {ValueType::f16},
         {"__device__ bool equal(float x, Value y) { return x - y < 0.5f && y - x < 0.5f; }"}}};
    for (const ComparedType& type : {of_struct(1, 1), of_struct(3, 1), of_struct(32, 16)})
      all.push_back({"bytes_" + std::to_string(type.bytes()) + "_" + std::to_string(type.alignment()),
                     type,
                     {by_last_byte(type, "", "0x0f")}});
    return all;
  }();
  return kAll;
}

using FamilyAndKeys = std::tuple<const FamilyModel*, const Compared*>;

class KeysByASource : public testing::TestWithParam<FamilyAndKeys> {};

TEST_P(KeysByASource, TellSegmentsApart) {
  const auto& [family, compared] = GetParam();
  Random random(family->name()[0] + compared->name.size());
  ScanRequest request = compared->custom ? compared->custom->request : ScanRequest{};
  request.segments = Segments::keys;
  request.equality = Equality::source;
  request.key_type = compared->type;
  if (random.chance(50)) request.kind = Kind::exclusive;
  if (request.kind == Kind::exclusive) request.init = Init::value;
  request.n = kSomeItems;
  ScanRequest totals = request;
  totals.results = Results::totals;
  totals.kind = Kind::inclusive;
  if (random.chance(50)) request.direction = Direction::reverse;
  const auto with_keys = [&](SegmentedScan scan) {
    scan.equal = &compared->equal;
    scan.equal_state = compared->state;
    return scan;
  };
  const TestOperator* const custom = compared->custom ? &*compared->custom : nullptr;
  const auto config_of_tiles = [&](ScanRequest& of) {  // and several of them, if the family takes so many
    const Config config = random_config(*family, of, kMaxTileItems, random);
    ScanRequest many = of;
    many.n = 3 * static_cast<u64>(family->tile_items(config, of)) + 5;
    if (reject_reason(config, many, kHostSm) == nullptr) of = many;
    return config;
  };
  // What kernels depend on is drawn before anything that only a run draws.
  const Config config = config_of_tiles(request), config_of_totals = config_of_tiles(totals);
  for (const bool aligned : {true, false}) {
    check(with_keys(drawn_scan(request, config, aligned, random, custom)), random);
    if (HasFatalFailure()) return;
  }
  SegmentedScan scan = with_keys(drawn_scan(totals, config_of_totals, true, random, custom));
  scan.in_place = false;
  check_totals(scan, random);
}

std::vector<FamilyAndKeys> families_and_keys() {
  std::vector<FamilyAndKeys> all;
  for (const FamilyModel* family : families())
    for (const Compared& compared : all_compared()) all.emplace_back(family, &compared);
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, KeysByASource, testing::ValuesIn(families_and_keys()), [](const auto& test) {
  return std::string(std::get<0>(test.param)->name()) + "_" + std::get<1>(test.param)->name;
});

// A key that is no number equals nothing, itself neither.
TEST(KeysThatAreNoNumbers, AreSegmentsOfOneItem) {
  ScanRequest request = by(Segments::keys, {.n = 100});
  request.keys = Keys::f32;
  const FamilyModel& family = *find_family("lookback");
  SegmentedScan scan{request, family.default_config(request, kHostSm), 3};
  const std::vector<float> keys(request.n, std::nanf(""));
  const Bytes entries = bytes_of(keys);
  scan.beside = OperandRole::keys;
  scan.entries = &entries;
  const Bytes items = bytes_of(std::vector<i32>(request.n, 7));
  Bytes results;
  run(scan, items, Bytes(sizeof(i32)), results);
  if (is_rehearsal()) return;
  EXPECT_EQ(results, items);
}

}  // namespace
}  // namespace scantune::starts_test
