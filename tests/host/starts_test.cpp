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
    const auto bytes = static_cast<u64>(size_of(type_of(request.keys)));
    starts.entries.resize(request.n * bytes);
    for (u64 index = 0, kind = 0; index < request.n; ++index) {
      if (starts.at[index]) kind = (kind + 1 + random.below(2)) % 4;
      put_key(request.keys, kind, random, starts.entries.data() + index * bytes);
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
                                                               : static_cast<u64>(size_of(type_of(request.keys)));
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
  const auto key_bytes = static_cast<u64>(size_of(type_of(request.keys)));
  const auto bytes = static_cast<u64>(request.output_bytes());
  const GuardedMemory keys(device, request.n * key_bytes), count(device, 8);
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
  u64 segments = 0;
  for (u64 index = 0; index < request.n; ++index) {
    if (index + 1 < request.n && !starts.at[index + 1]) continue;
    const auto add = [&](Bytes& to, const Bytes& from, u64 size) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(index * size);
      to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    if (segments++ >= request.capacity && request.room == OutputRoom::limited) continue;
    add(totals, each, bytes);
    if (request.segments == Segments::keys) add(its_keys, starts.entries, key_bytes);
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
      scan.runs = 2;
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
