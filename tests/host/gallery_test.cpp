// The families of the gallery on the host device: compared with a plain loop, under seeded schedules, and what they
// declare to cost with what is counted while they run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include "bench.h"
#include "counted_operations.h"
#include "designed_rows.h"
#include "edge_sizes.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "gallery_steps.h"
#include "sampled_requests.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune::gallery_test {
namespace {

constexpr int kProblems = 5 * kTestEffort;  // of each family, drawn from all, in long runs
constexpr int kMaxTileItems = 512;

// More take too long on the host device.
u64 most_items(const FamilyModel& family) { return family.name() == std::string_view("quadratic") ? 700 : 5000; }

struct Case {
  ScanRequest request;  // includes n
  Config config;
  u64 seed;
  const TestOperator* custom = nullptr;
  bool in_place = false;
  Variant variant = Variant::aligned;
  u64 misaligned_input_bytes = 0;
  u64 misaligned_output_bytes = 0;
};

void check(const Case& scan, const Bytes& items, const Bytes& init) {
  const ScanRequest request = taken_by(scan.config, scan.request);
  ASSERT_EQ(reject_reason(scan.config, request, kHostSm), nullptr);
  SCOPED_TRACE(to_string(request) + ", " + to_string(scan.config) + ", seed " + std::to_string(scan.seed));
  HostDevice& device = bench().device;
  const CustomOperator* const custom = scan.custom != nullptr ? &scan.custom->custom : nullptr;
  const Module& module = bench().kernels.get(request, scan.config, custom, scan.variant);
  if (is_rehearsal()) return;
  const GuardedMemory init_memory(device, init.size(),
                                  static_cast<u64>(request.alignment_of(request.accumulator_type)));
  std::copy(init.begin(), init.end(), init_memory.data());
  const GuardedMemory input(device, items.size(), scan.misaligned_input_bytes);
  const GuardedMemory output(device, request.n * static_cast<u64>(request.output_bytes()),
                             scan.misaligned_output_bytes);
  std::copy(items.begin(), items.end(), input.data());
  const GuardedMemory& result = scan.in_place ? input : output;
  const Workspace workspace(device, scan.config.family().workspace(scan.config, request));
  const void* const init_argument = request.init == Init::memory ? init_memory.data() : init.data();
  const auto launches = scan_launches(module, scan.config, request,
                                      {input.data(), result.data(), workspace.data(), init_argument}, scan.variant);
  ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(scan.seed)));
  // The workspace is used again, as by the next call.
  for (u64 again = 1; again < 2 && !scan.in_place; ++again)
    ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(scan.seed + again)));
  ASSERT_EQ(difference(request, result.data(), expected_scan(request, items, init.data(), scan.custom), scan.custom),
            std::nullopt);
  EXPECT_TRUE(input.surroundings_intact() && output.surroundings_intact());
  EXPECT_TRUE(scan.in_place || std::equal(items.begin(), items.end(), input.data())) << "the input has changed";
}

void check(const Case& scan) {
  const ScanRequest request = taken_by(scan.config, scan.request);
  check(scan, scan_items(request, scan.seed, scan.custom), scan_init(request, scan.custom));
}

// Whether the family can do such a scan at all, of few items.
bool solves(const FamilyModel& family, ScanRequest request) {
  request.n = 100;
  return family.unsupported_reason(request, kHostSm) == nullptr;
}

Config drawn_config(const FamilyModel& family, ScanRequest request, Random& random) {
  request.n = 1;
  const std::vector<Config> configs = searched_configs(family, request, kHostSm);
  std::vector<Config> small;
  std::ranges::copy_if(configs, std::back_inserter(small),
                       [&](const Config& config) { return family.tile_items(config, request) <= kMaxTileItems; });
  const std::vector<Config>& drawn = small.empty() ? configs : small;
  return drawn[random.below(static_cast<u32>(drawn.size()))];
}

// At the sizes around a warp and a tile, and at several tiles; aligned and not, in place and not.
void check_edge_sizes(ScanRequest request, const Config& config, Random& random, const TestOperator* custom = nullptr,
                      const std::vector<Variant>& variants = {Variant::aligned, Variant::any}) {
  for (const u64 n : edge_sizes(static_cast<u64>(config.family().tile_items(config, request)))) {
    if (n > most_items(config.family())) continue;
    request.n = n;
    for (const Variant variant : variants) {
      Case scan{request, config, random.below(1u << 30), custom};
      scan.variant = variant;
      scan.in_place = request.input_bytes() == request.output_bytes() && random.chance(50);
      if (variant == Variant::any) {
        scan.misaligned_input_bytes = static_cast<u64>(request.alignment_of(request.input_type)) * random.below(16);
        scan.misaligned_output_bytes = static_cast<u64>(request.alignment_of(request.output_type)) * random.below(16);
      }
      check(scan);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

std::string name_of_family(const testing::TestParamInfo<const FamilyModel*>& tested) { return tested.param->name(); }

// ---- the design: every pair of what these scans differ in ----

constexpr ValueType kDesignedTypes[] = {ValueType::i8, ValueType::u32, ValueType::i64, ValueType::f16, ValueType::f32};
constexpr Operator kDesignedOperators[] = {Operator::sum, Operator::product, Operator::max, Operator::bit_xor};
constexpr const char* kStarts[] = {"inclusive", "inclusive_from_value", "exclusive_from_value",
                                   "exclusive_from_memory"};

ScanRequest designed_request(const DesignRow& row) {
  const ValueType type = kDesignedTypes[row[1]];
  ScanRequest request{.input_type = type, .accumulator_type = default_accumulator(type, type), .output_type = type};
  request.op = kDesignedOperators[row[2]];
  const std::string_view start = kStarts[row[3]];
  if (start.starts_with("exclusive")) request.kind = Kind::exclusive;
  if (start.ends_with("value")) request.init = Init::value;
  if (start.ends_with("memory")) request.init = Init::memory;
  return request;
}

Design gallery_design() {
  std::vector<std::string> families, types, operators;
  for (const FamilyModel* family : families_of<ScanRequest>(Standing::gallery)) families.emplace_back(family->name());
  std::ranges::sort(families);
  for (const ValueType type : kDesignedTypes) types.emplace_back(token(type));
  for (const Operator op : kDesignedOperators) operators.emplace_back(token(op));
  return Design("gallery", 2, 1,
                {{"family", families},
                 {"types", types},
                 {"operator", operators},
                 {"start", {std::begin(kStarts), std::end(kStarts)}},
                 {"place", {"aligned", "unaligned"}, true}},
                [families](const DesignRow& row) {
                  return solves(*find_family(families[static_cast<std::size_t>(row[0])]), designed_request(row));
                });
}

TEST(GalleryDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (gallery_design().write_if_asked()) return;
  EXPECT_EQ(gallery_design().gaps(), std::vector<std::string>{});
}

using Value = std::tuple<const FamilyModel*, int, int>;  // of a parameter

// The rows, each with the config of small tiles that has most values which those before do not have.
const std::vector<DesignedCase>& designed_scans() {
  static const Design kDesign = gallery_design();
  static const std::vector<DesignedCase> kScans = [] {
    std::set<Value> seen;
    std::size_t count = 0;
    return designed_cases(kDesign, rows_to_run(kDesign), [&](const DesignRow& values, const RowReader& row) {
      const FamilyModel& family = row.family();
      Random random(++count);
      const auto new_values = [&](const Config& config) {
        int fresh = 0;
        for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index)
          fresh += !seen.contains({&family, index, config[index]});
        return fresh;
      };
      Config best = drawn_config(family, designed_request(values), random);
      for (int draw = 0; draw < 20; ++draw)
        if (const Config config = drawn_config(family, designed_request(values), random);
            new_values(config) > new_values(best))
          best = config;
      for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index)
        seen.insert({&family, index, best[index]});
      return best;
    });
  }();
  return kScans;
}

class DesignedGalleryScan : public testing::TestWithParam<DesignedCase> {};

TEST_P(DesignedGalleryScan, IsRightAtEdgeSizes) {
  const auto& [design, row, config] = GetParam();
  Random random(GetParam().read().seed());
  check_edge_sizes(designed_request(row), config, random, nullptr, {row[4] == 0 ? Variant::aligned : Variant::any});
}

INSTANTIATE_TEST_SUITE_P(Designed, DesignedGalleryScan, testing::ValuesIn(designed_scans()), kNameOfRow);

class DrawnGalleryScan : public testing::TestWithParam<const FamilyModel*> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DrawnGalleryScan);
class GalleryScan : public testing::TestWithParam<const FamilyModel*> {};

TEST_P(DrawnGalleryScan, IsRightAtEdgeSizesOfDrawnProblems) {
  const FamilyModel& family = *GetParam();
  Random random(static_cast<u64>(family.name()[0]) * 31 + static_cast<u64>(family.name()[1]));
  std::vector<ScanRequest> all = all_requests();
  std::erase_if(all, [&](const ScanRequest& request) { return !solves(family, request); });
  ASSERT_GT(all.size(), 100u);
  for (int problem = 0; problem < kProblems; ++problem) {
    const ScanRequest& request = all[random.below(static_cast<u32>(all.size()))];
    check_edge_sizes(request, drawn_config(family, request, random), random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(GalleryScan, IsRightWithEveryValueOfEveryParameter) {
  needs_no_kernel();  // where rows of the design have all values
  const FamilyModel& family = *GetParam();
  Random random(7);
  for (int parameter = 0; parameter < static_cast<int>(family.parameters().size()); ++parameter) {
    for (const int value : family.parameters()[static_cast<std::size_t>(parameter)].values) {
      ScanRequest request{.kind = Kind::exclusive, .init = Init::value, .n = 1};
      Config config = drawn_config(family, request, random);
      config[parameter] = value;
      if (family.invalid_reason(config, request, kHostSm) != nullptr) continue;
      // Rows of the design have most.
      const bool is_designed = std::ranges::any_of(designed_scans(), [&](const DesignedCase& scan) {
        return &scan.config.family() == &family && scan.config[parameter] == value;
      });
      if (kTestEffort == 1 && is_designed) continue;
      request.n = std::min(2 * static_cast<u64>(family.tile_items(config, request)) + 100, most_items(family));
      check({request, config, random.below(1u << 30)});
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GalleryScan, IsRightForOperatorsThatDoNotCommute) {
  const FamilyModel& family = *GetParam();
  Random random(11);
  int turn = family.name()[0];
  for (const TestOperator& custom : {affine_maps(), maps_of_bytes(20, 4)}) {
    ScanRequest request = custom.request;
    if (!solves(family, request)) continue;
    // Families have the two operators in turn.
    if (kTestEffort == 1 && turn++ % 2 != 0 && solves(family, affine_maps().request)) continue;
    const std::vector<Variant> one{turn % 4 < 2 ? Variant::aligned : Variant::any};
    request.kind = random.chance(50) ? Kind::exclusive : Kind::inclusive;
    request.init = request.kind == Kind::exclusive ? Init::value : Init::none;
    check_edge_sizes(request, drawn_config(family, request, random), random, &custom,
                     kTestEffort == 1 ? one : std::vector{Variant::aligned, Variant::any});
    if (HasFatalFailure()) return;
  }
}

TEST_P(GalleryScan, IsRightUnderEverySchedule) {
  constexpr u64 kSeeds = 25 * kTestEffort;
  const FamilyModel& family = *GetParam();
  Random random(3);
  ScanRequest request{.n = 1};
  const Config config = drawn_config(family, request, random);
  request.n = std::min(7 * static_cast<u64>(family.tile_items(config, request)) - 5, most_items(family) / 2);
  for (u64 seed = 0; seed < kSeeds; ++seed) {
    check({request, config, seed, nullptr, seed % 2 == 1});
    if (HasFatalFailure()) return;
  }
}

// What a run of kernels with counted operations came to.
struct Counts {
  u64 operations = 0;
  u64 steps = 0;
  u64 bytes = 0;
};

template <class Typed>
Counts counted(const Config& config, const Typed& request) {
  HostDevice& device = bench().device;
  const Module& module = bench().kernels.get(with_counted_operations(instantiate(request, config, Variant::aligned)));
  if (is_rehearsal()) return {};
  const u64 results = &config.family().algorithm() == &algorithm_of<ReduceRequest>() ? 1 : request.n;
  const GuardedMemory input(device, request.n * static_cast<u64>(request.input_bytes()));
  const GuardedMemory output(device, results * static_cast<u64>(request.output_bytes()));
  std::fill_n(input.data(), input.size(), static_cast<unsigned char>(0));
  const Workspace workspace(device, config.family().workspace(config, request));
  std::vector<HostLaunch> launches;
  const LaunchList list = config.family().launches(config, request, Variant::aligned);
  for (int index = 0; index < list.count; ++index) {
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::input, input.data());
    arguments.set_operand(OperandRole::output, output.data());
    arguments.workspace = workspace.data();
    launches.push_back({&module, list.launches[index], arguments});
  }
  const u64 moved = device.moved_bytes();
  Counts counts;
  counted_operations().clear();
  device.run(launches, Schedule::from_seed(request.n));
  counts.operations = counted_operations().size();
  counts.bytes = device.moved_bytes() - moved;
  for (u64 index = 0; index < results; ++index) {
    u64 steps = 0;
    std::memcpy(&steps, output.data() + index * static_cast<u64>(request.output_bytes()),
                static_cast<std::size_t>(request.output_bytes()));
    counts.steps = std::max(counts.steps, steps);
  }
  return counts;
}

// Configs with CTAs of four threads, which no program runs, so that a few hundred items have four levels. Warps are
// left out, which have 32 lanes.
std::vector<Config> with_tiny_blocks(const FamilyModel& family, std::vector<Config> configs) {
  std::erase_if(configs, [&](const Config& config) {
    const std::string text = to_string(config);
    const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
    return has("=warp_shuffle") || has("=hybrid") || has("shuffles=1") || !has("block_threads=64");
  });
  const std::string name = family.name();
  if (name != "scan_then_add" && name != "reduce_then_scan" && name != "fenwick") return {};
  for (Config& config : configs) config[0] = 4;
  return configs;
}

// Those that between them have every value of every parameter that any of the configs has; long runs take all.
std::vector<Config> with_every_value(const std::vector<Config>& configs) {
  std::set<std::pair<int, int>> seen;
  std::vector<Config> chosen;
  for (const Config& config : configs) {
    bool is_new = kTestEffort > 1;
    for (int index = 0; index < static_cast<int>(config.family().parameters().size()); ++index)
      is_new |= seen.insert({index, config[index]}).second;
    if (is_new) chosen.push_back(config);
  }
  return chosen;
}

template <class Typed>
void check_work(const FamilyModel& family, Typed request) {
  request.n = 1;
  const std::vector<Config> searched = searched_configs(family, request, kHostSm);
  std::vector<Config> configs = with_every_value(searched);
  const std::vector<Config> tiny = with_every_value(with_tiny_blocks(family, searched));
  const std::size_t legal = configs.size();
  configs.insert(configs.end(), tiny.begin(), tiny.end());
  for (std::size_t index = 0; index < configs.size(); ++index) {
    const Config& config = configs[index];
    const bool is_tiny = index >= legal;
    const u64 tile = static_cast<u64>(family.tile_items(config, request));
    for (const u64 n : {u64{1}, u64{2}, u64{3}, u64{7}, u64{32}, u64{33}, u64{100}, u64{261}, tile - 1, tile, tile + 1,
                        2 * tile, 3 * tile + 37, u64{4100}}) {
      if (n == 0 || n > most_items(family)) continue;
      request.n = n;
      const Typed taken = is_tiny ? request : taken_by(config, request);
      if (is_tiny ? n > 300 : reject_reason(config, taken, kHostSm) != nullptr) continue;
      const std::optional<Work> work = family.work(config, taken);
      ASSERT_TRUE(work.has_value());
      const Counts counts = counted(config, taken);
      if (is_rehearsal()) continue;
      EXPECT_EQ(work->operations, counts.operations) << to_string(config) << " of " << n;
      EXPECT_EQ(work->steps, counts.steps) << to_string(config) << " of " << n;
      EXPECT_EQ(work->bytes, counts.bytes) << to_string(config) << " of " << n;
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(GalleryScan, CostsWhatItDeclares) {
  check_work(
      *GetParam(),
      ScanRequest{.input_type = ValueType::u64, .accumulator_type = ValueType::u64, .output_type = ValueType::u64});
}

TEST_P(GalleryScan, HasALegalDefaultForWhateverItIsFor) {
  needs_no_kernel();
  const FamilyModel& family = *GetParam();
  std::vector<ScanRequest> all = all_requests();
  for (const TestOperator& custom : test_operators()) all.push_back(custom.request);
  for (ScanRequest request : all)
    for (const u64 items : {1, 100, 1024, 3000, 5000, 9000, 16384, 1 << 20}) {
      request.n = items;
      if (family.unsupported_reason(request, kHostSm) != nullptr) continue;
      EXPECT_EQ(reject_reason(family.default_config(request, kHostSm), request, kHostSm), nullptr)
          << to_string(family.default_config(request, kHostSm)) << " of " << to_string(request);
    }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, DrawnGalleryScan,
                         testing::ValuesIn(drawn_in_long_runs(
                             std::vector<const FamilyModel*>(families_of<ScanRequest>(Standing::gallery).begin(),
                                                             families_of<ScanRequest>(Standing::gallery).end()))),
                         name_of_family);
INSTANTIATE_TEST_SUITE_P(OfEveryFamily, GalleryScan, testing::ValuesIn(families_of<ScanRequest>(Standing::gallery)),
                         name_of_family);

class GallerySum : public testing::TestWithParam<const FamilyModel*> {};

TEST_P(GallerySum, CostsWhatItDeclares) {
  check_work(*GetParam(), ReduceRequest{.input_type = ValueType::u32,
                                        .accumulator_type = ValueType::u32,
                                        .output_type = ValueType::u32,
                                        .init = Init::none});
}

TEST_P(GallerySum, IsRightAtEdgeSizes) {
  const FamilyModel& family = *GetParam();
  Random random(5);
  HostDevice& device = bench().device;
  for (const ReduceRequest& sum :
       {ReduceRequest{}, ReduceRequest{.input_type = ValueType::i8, .output_type = ValueType::i32, .init = Init::none},
        ReduceRequest{.input_type = ValueType::f16,
                      .accumulator_type = ValueType::f32,
                      .output_type = ValueType::f32,
                      .op = Operator::max},
        ReduceRequest{.input_type = ValueType::f64, .accumulator_type = ValueType::f64, .output_type = ValueType::f64},
        ReduceRequest{.input_type = ValueType::u32,
                      .accumulator_type = ValueType::u32,
                      .output_type = ValueType::u32,
                      .op = Operator::bit_xor,
                      .init = Init::memory}}) {
    ReduceRequest request = sum;
    request.n = 100;
    if (family.unsupported_reason(request, kHostSm) != nullptr) continue;
    const std::vector<Config> configs = searched_configs(family, request, kHostSm);
    const Config& config = configs[random.below(static_cast<u32>(configs.size()))];
    std::vector<u64> sizes = edge_sizes(static_cast<u64>(family.tile_items(config, request)));
    if (request.has_init()) sizes.insert(sizes.begin(), 0);
    for (const u64 n : sizes) {
      request.n = n;
      const ScanRequest scan{.input_type = request.input_type,
                             .accumulator_type = request.accumulator_type,
                             .output_type = request.output_type,
                             .op = request.op,
                             .init = request.init,
                             .n = n};
      const Bytes items = scan_items(scan, n), init = scan_init(scan);
      const u64 misaligned = static_cast<u64>(request.input_bytes()) * random.below(16);
      const GuardedMemory input(device, items.size(), misaligned), init_memory(device, init.size(), 16);
      const GuardedMemory output(device, static_cast<u64>(request.output_bytes()), 16);
      std::copy(items.begin(), items.end(), input.data());
      std::copy(init.begin(), init.end(), init_memory.data());
      const Workspace workspace(device, family.workspace(config, request));
      KernelArguments arguments{};
      arguments.set_operand(OperandRole::input, input.data());
      arguments.set_operand(OperandRole::output, output.data());
      arguments.workspace = workspace.data();
      arguments.set_operand(OperandRole::init, init_memory.data());
      std::copy(init.begin(), init.end(), arguments.init);
      const Module& module = bench().kernels.get(instantiate(request, config, Variant::any));
      if (is_rehearsal()) continue;
      const LaunchList list = family.launches(config, request, Variant::any);
      std::vector<HostLaunch> launches;
      for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
      // Twice, as a workspace is used again.
      for (u64 seed = n; seed < n + 2; ++seed) {
        SCOPED_TRACE(to_string(Request(request)) + ", " + to_string(config) + ", seed " + std::to_string(seed));
        ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(seed)));
        ASSERT_EQ(difference(scan, output.data(), expected_total(scan, items, init.data())), std::nullopt);
      }
      EXPECT_TRUE(input.surroundings_intact() && output.surroundings_intact());
    }
  }
}

// The pictures show what the kernels do now.
TEST(GallerySteps, AreThoseOfThePictures) {
  std::ifstream file(SCANTUNE_GALLERY_STEPS);
  ASSERT_TRUE(file);
  std::ostringstream drawn;
  drawn << file.rdbuf();
  const std::string steps = gallery_steps();
  if (is_rehearsal()) return;
  EXPECT_EQ(steps, drawn.str()) << "print them anew: gallery_steps >docs/gallery/steps.jsonl";
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, GallerySum, testing::ValuesIn(families_of<ReduceRequest>(Standing::gallery)),
                         name_of_family);

}  // namespace
}  // namespace scantune::gallery_test
