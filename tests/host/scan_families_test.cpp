// What every family of scans promises: long scans, heads before a vector boundary, items past 2^32, the order of
// operands, and special numbers.
#include <gtest/gtest.h>

#include <cstring>

#include "bench.h"
#include "edge_sizes.h"
#include "effort.h"
#include "families_under_test.h"
#include "scan/config/three_phase.h"
#include "scan_case.h"
#include "scan_items.h"

namespace scantune::scan_families_test {
namespace {

class Family : public testing::TestWithParam<const FamilyModel*> {};
// What the design has in fewer kernels.
class DrawnFamily : public testing::TestWithParam<const FamilyModel*> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DrawnFamily);

TEST_P(DrawnFamily, GoesFromTheLastItemToTheFirst) {
  const FamilyModel& family = *GetParam();
  Random random(71);
  const TestOperator maps = affine_maps(), odd = maps_of_bytes(3, 1);
  for (const auto& [asked, custom] :
       std::vector<std::pair<ScanRequest, const TestOperator*>>{{scan_of(ValueType::i32), nullptr},
                                                                {scan_of(ValueType::i8), nullptr},
                                                                {scan_of(ValueType::u16, Operator::max), nullptr},
                                                                {scan_of(ValueType::f16), nullptr},
                                                                {scan_of(ValueType::f64), nullptr},
                                                                {maps.request, &maps},
                                                                {odd.request, &odd}}) {
    ScanRequest request = asked;
    request.direction = Direction::reverse;
    if (family.standing() == Standing::gallery) {
      EXPECT_FALSE(solves(family, request));
      continue;
    }
    request.kind = random.chance(50) ? Kind::exclusive : Kind::inclusive;
    request.init = request.kind == Kind::exclusive ? Init::value : Init::none;
    request.n = kSomeItems;
    if (!solves(family, request)) continue;
    check_edge_sizes(request, random_config(family, request, kMaxScanTileItems, random), random, custom);
    if (HasFatalFailure()) return;
  }
}

// Each value of each parameter is tested once; the others are those of a small config.
TEST_P(DrawnFamily, IsRightWithEveryValueOfEveryParameter) {
  const FamilyModel& family = *GetParam();
  Random random(7);
  for (int parameter = 0; parameter < static_cast<int>(family.parameters().size()); ++parameter) {
    for (const int value : family.parameters()[static_cast<std::size_t>(parameter)].values) {
      ScanRequest request{.kind = Kind::exclusive, .init = Init::value, .n = kSomeItems};
      Config config = random_config(family, request, 1 << 20, random);
      for (config[parameter] = value; family.invalid_reason(config, request, kHostSm) != nullptr;
           config[parameter] = value)
        config = random_config(family, request, 1 << 20, random);
      request.n = 2 * static_cast<u64>(family.tile_items(config, request)) + 100;
      ScanCase scan{request, config, random.below(1u << 30)};
      scan.in_place = random.chance(50);
      check(scan);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Family, IsRightForAMillionItems) {
  const FamilyModel& family = *GetParam();
  ScanRequest request = scan_of(ValueType::f32, Operator::sum);
  request.n = 1u << 20;
  if (!solves(family, request, request.n)) request.n = 1u << 17;  // single_block takes no more
  check({request, family.default_config(request, kHostSm), 0});
}

// Tiles of families that load vectors begin at the input's first vector boundary, behind the head. It has no item, one,
// or as many as there can be, which may be all items. What follows it is one item short of a tile more or less.
TEST_P(Family, IsRightBehindAHeadOfEveryKind) {
  const FamilyModel& family = *GetParam();
  Random random(17);
  int turn = 0;
  for (ScanRequest request : {scan_of(ValueType::u8), scan_of(ValueType::i16, Operator::max), scan_of(ValueType::f32),
                              scan_of(ValueType::u64, Operator::min), scan_of(ValueType::i8, ValueType::i32),
                              scan_of(ValueType::f16), scan_of(ValueType::bf16, Operator::product)}) {
    if (!solves(family, request) || (kTestEffort == 1 && turn++ % 3 != 0)) continue;
    request.init = static_cast<Init>(packs_extremes(request) ? 0 : random.below(3));
    request.n = kSomeItems;
    const Config config = random_config(family, request, 1024, random);
    const u64 tile = static_cast<u64>(family.tile_items(config, request));
    const u64 item_bytes = static_cast<u64>(request.input_bytes()), most = kVectorAlignmentBytes / item_bytes - 1;
    for (const u64 head : {u64{0}, u64{1}, most}) {
      for (const u64 n : {u64{1}, head, head + 1, tile - 1, tile, tile + head, tile + head + 1, 3 * tile + head / 2}) {
        if (n == 0 || !solves(family, request, n)) continue;
        request.n = n;
        ScanCase scan{request, config, random.below(1u << 30)};
        scan.variant = Variant::any;
        scan.in_place = request.input_bytes() == request.output_bytes() && random.chance(30);
        scan.misaligned_input_bytes = (kVectorAlignmentBytes - head * item_bytes) % kVectorAlignmentBytes;
        scan.misaligned_output_bytes = scan.misaligned_input_bytes;
        if (request.input_bytes() != request.output_bytes() || random.chance(70))
          scan.misaligned_output_bytes = random_misalignment(request, request.output_type, random);
        check(scan);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// There are more tiles than one tile of sums takes, so the sums themselves are reduced and scanned by tiles.
TEST(ThreePhase, ScansSumsOfSums) {
  const TestOperator maps = affine_maps();
  ScanRequest inclusive;
  ScanRequest exclusive{.kind = Kind::exclusive, .init = Init::value};
  ScanRequest from_memory{.init = Init::memory};
  ScanRequest custom = maps.request;
  for (ScanRequest request : {inclusive, exclusive, from_memory, custom}) {
    request.n = (1u << 20) + 5;
    const ThreePhaseConfig small_tiles{.block_threads = 128, .items_per_thread = 4};
    ASSERT_EQ(scantune::Family<ThreePhaseConfig>::levels(small_tiles, request).count, 2);
    const FamilyModel& family = *find_family(scantune::Family<ThreePhaseConfig>::kName);
    const Config config = config_of(family, request, {{"block_threads", "128"}, {"items_per_thread", "4"}});
    check({request, config, 5, is_custom(request.op) ? &maps : nullptr});
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Behind a head, the last tile but one may have to leave an item to the last. Padding must not enter its aggregate.
TEST(OneShot, AddsUpTheItemsAloneOfATileThatLeavesOneToTheLast) {
  const FamilyModel& family = *find_family("one_shot");
  for (ScanRequest request :
       {scan_of(ValueType::u32, Operator::min), scan_of(ValueType::f16, Operator::min),
        scan_of(ValueType::bf16, Operator::product), scan_of(ValueType::u16, Operator::bit_and)}) {
    request.n = 2 * 512 + 2;
    for (const char* blocks : {"1", "2"}) {
      const Config config = config_of(
          family, request,
          {{"block_threads", "64"}, {"items_per_thread", "8"}, {"vector_bytes", "16"}, {"cluster_blocks", blocks}});
      ScanCase scan{request, config, 3};
      scan.variant = Variant::any;
      scan.misaligned_input_bytes = 4;
      check(scan);
    }
  }
}

// The kernels of a scan, for tiles from first_tile on.
Instantiation starting_at(u64 first_tile, const ScanCase& scan) {
  const bool is_custom = scan.custom != nullptr;
  Instantiation result =
      instantiate(scan.request, scan.config, scan.variant, is_custom ? &scan.custom->custom : nullptr);
  const std::string before = is_custom ? ", 0, Operation" : ">;\n";
  const std::string number = ", " + std::to_string(first_tile);
  result.source.replace(result.source.find(before), before.size(),
                        is_custom ? number + ", Operation" : number + before);
  return result;
}

// The indices of items do not fit 32 bits: the buffers hold the last tiles of a scan that long.
TEST_P(Family, IsRightPastTwoToThe32Items) {
  const FamilyModel& family = *GetParam();
  const TestOperator wide = maps_of_bytes(12, 4);
  for (ScanRequest request : {scan_of(ValueType::i32), scan_of(ValueType::f64), scan_of(ValueType::u8),
                              scan_of(ValueType::i8, ValueType::i64), wide.request}) {
    if (!solves(family, request)) continue;
    const TestOperator* const custom = is_custom(request.op) ? &wide : nullptr;
    request.init = Init::value;
    request.n = kSomeItems;
    Random random(3);
    for (int sample = 0; sample < (kTestEffort == 1 ? 1 : 3); ++sample) {
      const Config config = random_config(family, request, kMaxScanTileItems, random);
      const u64 tile = static_cast<u64>(family.tile_items(config, request));
      const u64 first_tile = ((1ull << 32) - 2 * tile) / tile;
      request.n = 7 * tile + 5;
      const ScanCase scan{request, config, random.below(1000), custom};
      check(scan, scan_items(request, scan.seed, custom), scan_init(request, custom),
            bench().kernels.get(starting_at(first_tile, scan)), first_tile * tile);
      if (HasFatalFailure()) return;
    }
  }
}

// An operator that does not commute and checks its operands: it joins half-open intervals that touch. If anything else
// is joined, such as an item that does not exist or two in the wrong order, it makes an access out of bounds.
TestOperator joined_intervals() {
  return {.name = "joined_intervals",
          .request = {.input_type = ValueType::i64,
                      .accumulator_type = ValueType::i64,
                      .output_type = ValueType::i64,
                      .op = Operator::custom_cheap},
          .custom = {.source = R"(__device__ Value combine(Value earlier, Value later) {
  if ((earlier & 0xffffffff) != (later >> 32))
    scantune::store_global<scantune::CacheHint::normal>(reinterpret_cast<unsigned*>(64), 0u);
  return (earlier & ~0xffffffffll) | (later & 0xffffffff);
}
)",
                     .name = ""},
          .combine =
              [](void* result, const void* earlier, const void* later) {
                std::memcpy(result, later, sizeof(u32));  // the end of the interval
                std::memcpy(static_cast<u32*>(result) + 1, static_cast<const u32*>(earlier) + 1, sizeof(u32));
              },
          .draw = nullptr};
}

// Intervals of length 1, each of which begins where the one before ends.
Bytes intervals(u64 begin, u64 count) {
  Bytes items(count * sizeof(u64));
  for (u64 index = 0; index < count; ++index) {
    const u64 interval = (begin + index) << 32 | (begin + index + 1);
    std::memcpy(&items[index * sizeof interval], &interval, sizeof interval);
  }
  return items;
}

TEST_P(Family, ShowsTheOperatorOnlyRealItemsInOrder) {
  const FamilyModel& family = *GetParam();
  const TestOperator join = joined_intervals();
  Random random(11);
  for (const Kind kind : {Kind::inclusive, Kind::exclusive}) {
    for (const Init init : {Init::none, Init::value, Init::memory}) {
      ScanRequest request = join.request;
      request.kind = kind;
      request.init = init;
      request.n = kSomeItems;
      if (unsupported_reason(request) != nullptr) continue;
      const Config config = random_config(family, request, 1024, random);
      const Module& module = bench().kernels.get(request, config, &join.custom);
      for (const u64 n : edge_sizes(static_cast<u64>(family.tile_items(config, request)))) {
        if (!solves(family, request, n)) continue;
        request.n = n;
        check({request, config, random.below(1u << 30), &join, true}, intervals(1, n), intervals(0, 1), module);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// NaN propagates from where it stands, and -0 orders below +0, whatever the order of combining.
TEST_P(Family, TakesExtremesOfNaNInfinitiesAndZerosOfBothSigns) {
  const FamilyModel& family = *GetParam();
  Random random(13);
  std::size_t turn = std::string_view(family.name()).size();
  for (const ValueType type : {ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64}) {
    for (const Operator op : {Operator::min, Operator::max}) {
      // In turn: all types have both operators in the families together.
      if (kTestEffort == 1 && turn++ % 2 != 0) continue;
      ScanRequest request = scan_of(type, op);
      request.n = 3000;
      const Config config = random_config(family, request, 1024, random);
      for (u64 seed = 0; seed < 5 * kTestEffort; ++seed) {
        check({request, config, seed}, special_items(request, seed), {}, bench().kernels.get(request, config));
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, DrawnFamily, testing::ValuesIn(drawn_in_long_runs(families_of_long_scans())),
                         [](const auto& family) { return std::string(family.param->name()); });
INSTANTIATE_TEST_SUITE_P(AllFamilies, Family, testing::ValuesIn(families_of_long_scans()),
                         [](const auto& family) { return std::string(family.param->name()); });

}  // namespace
}  // namespace scantune::scan_families_test
