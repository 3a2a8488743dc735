// Scans whose number of items lies in memory, and is read when they run: every family that serves them, at every number
// that kernels launched for more items may find there, and under seeded schedules where the number comes from the scan
// before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "bench.h"
#include "designed_rows.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "sampled_requests.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune::n_in_memory_test {
namespace {

constexpr int kMaxTileItems = 2048;
constexpr u32 kNeverWritten = 0x5c5c5c5c;

ScanRequest reading_n(ValueType input, ValueType output, Operator op, Kind kind, Init init) {
  return {.input_type = input,
          .accumulator_type = default_accumulator(input, output),
          .output_type = output,
          .op = op,
          .kind = kind,
          .init = init,
          .n_source = NSource::memory};
}

ScanRequest sums_of(ValueType type) { return reading_n(type, type, Operator::sum, Kind::inclusive, Init::none); }

ScanRequest repeatable_sums_of(ValueType type) {
  ScanRequest request = sums_of(type);
  request.determinism = Determinism::run_to_run;
  return request;
}

struct Tried {
  ScanRequest request;
  std::optional<TestOperator> custom = {};
};

Tried by(TestOperator custom, Kind kind, Init init) {
  ScanRequest request = custom.request;
  request.kind = kind;
  request.init = init;
  request.n_source = NSource::memory;
  return {request, std::move(custom)};
}

// ---- the design: every pair of what scans differ in that read n ----

struct Items {
  std::string name;
  Tried tried;  // of any kind and initial value
};

// Every class of types, and operators that see real items only, in order.
const std::vector<Items>& all_items() {
  using enum ValueType;
  static const std::vector<Items> kItems = [] {
    const auto items = [](ValueType input, ValueType output, Operator op) {
      return Tried{reading_n(input, output, op, Kind::inclusive, Init::none)};
    };
    std::vector<Items> all = {{"i32_sum", {sums_of(i32)}},
                              {"i8_sum", {sums_of(i8)}},
                              {"u8_sum", {sums_of(u8)}},
                              {"u16_max", items(u16, u16, Operator::max)},
                              {"i8_to_i64_sum", items(i8, i64, Operator::sum)},
                              {"f16_min", items(f16, f16, Operator::min)},
                              {"f64_sum", {sums_of(f64)}},
                              {"u64_bit_xor", items(u64, u64, Operator::bit_xor)},
                              {"f32_repeatable_sum", {repeatable_sums_of(f32)}}};
    for (const TestOperator& custom : {maps_of_bytes(12, 4), affine_maps(), maps_of_bytes(32, 16)})
      all.push_back({custom.name, by(custom, Kind::inclusive, Init::none)});
    return all;
  }();
  return kItems;
}

Tried tried_by(const RowReader& row) {
  Tried tried = std::ranges::find(all_items(), row["items"], &Items::name)->tried;
  tried.request.kind = row.token_of<Kind>("kind");
  tried.request.init = row.token_of<Init>("init");
  if (row.is("init", "value")) tried.request.n_width = IntegerWidth::bits_32;
  return tried;
}

bool takes(const FamilyModel& family, ScanRequest request) {
  request.n = kMaxTileItems;
  return family.unsupported_reason(request, kHostSm) == nullptr;
}

std::vector<const FamilyModel*> families() {
  std::vector<const FamilyModel*> all(all_scan_families().begin(), all_scan_families().end());
  std::erase_if(all, [](const FamilyModel* family) { return !takes(*family, sums_of(ValueType::i32)); });
  return all;
}

const Design& design() {
  static const Design kDesign = [] {
    std::vector<std::string> items;
    for (const Items& of : all_items()) items.push_back(of.name);
    return Design("n_in_memory", 2, 1,
                  {{"family", names_of(families())},
                   {"items", items},
                   {"kind", all_tokens<Kind>()},
                   {"init", {"none", "value", "memory"}},
                   {"pointers", {"aligned", "any"}},
                   {"place", {"apart", "in_place"}},
                   {"room", {"part_of_a_tile", "tiles"}}},
                  [](const DesignRow& values) {
                    const RowReader row(design(), values);
                    const ScanRequest request = tried_by(row).request;
                    // A part of a tile is for n within its head, which aligned pointers do not have.
                    return takes(row.family(), request) && (row.is("room", "tiles") || row.is("pointers", "any")) &&
                           (row.is("place", "apart") || request.input_bytes() == request.output_bytes());
                  });
  }();
  return kDesign;
}

TEST(NInMemoryDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (design().write_if_asked()) return;
  EXPECT_EQ(design().gaps(), std::vector<std::string>{});
}

// A plan's kernels and workspace, and memory for what it reads and writes.
class Subject {
 public:
  Subject(const FamilyModel& family, const Tried& tried, Variant variant, u64 most_tiles, Random& random)
      : request_(with_most(family, tried.request, most_tiles, random)),
        custom_(tried.custom ? &*tried.custom : nullptr),
        variant_(variant),
        module_(bench().kernels.get(request_, config_, custom_ != nullptr ? &custom_->custom : nullptr, variant)),
        workspace_(bench().device, family.workspace(config_, request_)),
        init_(scan_init(request_, custom_)),
        init_memory_(bench().device, init_.size()) {
    std::copy(init_.begin(), init_.end(), init_memory_.data());
    if (variant == Variant::aligned) return;
    misaligned_[0] = misalignment(request_.input_type, random);
    misaligned_[1] = misalignment(request_.output_type, random);
  }

  // The numbers at which kernels take other ways, and two that are more than there is room for.
  std::vector<u64> numbers() const {
    const u64 tile = static_cast<u64>(config_.family().tile_items(config_, request_)), most = request_.n;
    std::vector<u64> all = {0, 1, 7, tile - 1, tile, tile + 1, most - 1, most, most + 5, ~u64{0}};
    std::erase_if(all, [&](u64 n) { return n > most && n < most + 5; });
    return all;
  }

  void check(u64 n, bool in_place, u64 seed) const {
    if (is_rehearsal()) return;
    SCOPED_TRACE(to_string(Request(request_)) + " by " + to_string(config_) + " of " + std::to_string(n) +
                 (in_place ? " in place" : "") + (variant_ == Variant::any ? ", any pointers" : "") + ", seed " +
                 std::to_string(seed));
    ScanRequest scanned = request_;
    scanned.n = std::min(n, request_.n);
    Bytes items = scan_items(request_, seed, custom_);
    const GuardedMemory input(bench().device, items.size(), misaligned_[0]);
    const GuardedMemory output(bench().device, request_.n * static_cast<u64>(request_.output_bytes()), misaligned_[1]);
    const auto n_bytes = static_cast<std::size_t>(bytes_of(request_.n_width));
    const GuardedMemory cell(bench().device, n_bytes, n_bytes), flag(bench().device, sizeof kNeverWritten);
    std::copy(items.begin(), items.end(), input.data());
    std::memcpy(cell.data(), &n, n_bytes);  // the low bytes come first, and of the greatest number all are the same
    std::memcpy(flag.data(), &kNeverWritten, sizeof kNeverWritten);
    const GuardedMemory& result = in_place ? input : output;
    const Bytes before(result.data(), result.data() + result.size());
    const void* const init = request_.init == Init::memory ? init_memory_.data() : init_.data();
    const auto launches =
        scan_launches(module_, config_, request_,
                      {input.data(), result.data(), workspace_.data(), init, cell.data(), flag.data()}, variant_);
    ASSERT_NO_THROW(bench().device.run(launches, Schedule::from_seed(seed)));

    items.resize(scanned.n * static_cast<u64>(request_.input_bytes()));
    const Bytes expected = scanned.n > 0 ? expected_scan(scanned, items, init_.data(), custom_) : Bytes{};
    if (scanned.n > 0) {
      ASSERT_EQ(difference(scanned, result.data(), expected, custom_), std::nullopt);
    }
    EXPECT_TRUE(std::equal(before.begin() + static_cast<std::ptrdiff_t>(expected.size()), before.end(),
                           result.data() + expected.size()))
        << "written behind the items";
    EXPECT_TRUE(input.surroundings_intact() && output.surroundings_intact() && flag.surroundings_intact());
    u32 clamped = 0;
    std::memcpy(&clamped, flag.data(), sizeof clamped);
    EXPECT_EQ(clamped, n > request_.n ? 1u : 0u);
  }

 private:
  // Chooses the config, too.
  ScanRequest with_most(const FamilyModel& family, ScanRequest request, u64 most_tiles, Random& random) {
    request.n = kMaxTileItems;
    config_ = random_config(family, request, kMaxTileItems, random);
    request.n = most_tiles * static_cast<u64>(family.tile_items(config_, request)) + 7 + random.below(100);
    if (most_tiles == 0) request.n = 16 + random.below(16);
    return request;
  }

  u64 misalignment(ValueType type, Random& random) const {
    return static_cast<u64>(request_.alignment_of(type)) * random.below(kVectorAlignmentBytes);
  }

  Config config_{*all_scan_families().front()};
  ScanRequest request_;
  const TestOperator* custom_;
  Variant variant_;
  const Module& module_;
  Workspace workspace_;
  Bytes init_;
  GuardedMemory init_memory_;
  u64 misaligned_[2] = {};
};

class NInMemory : public testing::TestWithParam<DesignRow> {};

TEST_P(NInMemory, MayBeAnyNumberAndChangeFromRunToRun) {
  const RowReader row(design(), GetParam());
  const Tried tried = tried_by(row);
  Random random(row.seed());
  const u64 most_tiles = row.is("room", "tiles") ? 1 + random.below(6) : 0;
  const Subject subject(row.family(), tried, row.variant(), most_tiles, random);
  auto numbers = subject.numbers();
  for (std::size_t left = numbers.size(); left > 1; --left)
    std::swap(numbers[left - 1], numbers[random.below(static_cast<u32>(left))]);
  for (const u64 n : numbers) {
    subject.check(n, row.is("place", "in_place"), random.below(1u << 30));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Designed, NInMemory, testing::ValuesIn(rows_to_run(design())), kNameOf<design>);

// More tiles than one tile of sums takes.
TEST(NInMemoryOfThreePhase, CountsSumsOfSumsToo) {
  Random random(5);
  const FamilyModel& family = *find_family("three_phase");
  for (const Tried& tried : {Tried{sums_of(ValueType::i32)}, by(affine_maps(), Kind::inclusive, Init::none)}) {
    ScanRequest request = tried.request;
    request.n = (u64{1} << 20) + 5;
    const TestOperator* const custom = tried.custom ? &*tried.custom : nullptr;
    const Config config = config_of(family, request, {{"block_threads", "128"}, {"items_per_thread", "4"}});
    const Module& module = bench().kernels.get(request, config, custom != nullptr ? &custom->custom : nullptr);
    if (is_rehearsal()) continue;
    const Workspace workspace(bench().device, family.workspace(config, request));
    for (const u64 n : {u64{512} * 1024 + 1, u64{512} * 1024, u64{700}}) {
      ScanRequest scanned = request;
      scanned.n = n;
      const Bytes items = scan_items(scanned, n, custom), expected = expected_scan(scanned, items, nullptr, custom);
      const GuardedMemory input(bench().device, items.size()), output(bench().device, expected.size());
      const GuardedMemory cell(bench().device, sizeof n);
      std::copy(items.begin(), items.end(), input.data());
      std::memcpy(cell.data(), &n, sizeof n);
      const auto launches =
          scan_launches(module, config, request, {input.data(), output.data(), workspace.data(), nullptr, cell.data()});
      ASSERT_NO_THROW(bench().device.run(launches, Schedule::from_seed(n)));
      ASSERT_EQ(difference(scanned, output.data(), expected, custom), std::nullopt) << n;
      EXPECT_TRUE(output.surroundings_intact()) << n;
    }
  }
}

// ---- schedules ----

bool has_epoch(const WorkspaceNeed& need) {
  return need.kind == WorkspaceKind::packed_status || need.kind == WorkspaceKind::split_status;
}

// Scans of ones that follow each other closely: the first result of each says how many items the next one has, because
// it is the initial value of an exclusive scan. So whoever reads it before the scan before has ended reads another
// number, and CTAs without a tile race with those of other scans.
class NInMemorySchedules : public testing::TestWithParam<const FamilyModel*> {
 protected:
  static constexpr u64 kTiles = 6;

  explicit NInMemorySchedules(u64 seed = 0) : random_(seed) {}

  static ScanRequest request() {
    ScanRequest request = reading_n(ValueType::u64, ValueType::u64, Operator::sum, Kind::exclusive, Init::value);
    request.n = kMaxTileItems;
    return request;
  }

  // Runs as many scans under one schedule, each of a number of items that is drawn.
  void check(const Config& config, const Module& module, const ScanRequest& request, const Workspace& workspace,
             int scans, u64 seed) {
    if (is_rehearsal()) return;
    SCOPED_TRACE(to_string(config) + ", seed " + std::to_string(seed));
    HostDevice& device = bench().device;
    Random random(seed);
    const GuardedMemory input(device, request.n * sizeof(u64)), first(device, sizeof(u64));
    const std::vector<u64> ones(request.n, 1);
    std::memcpy(input.data(), ones.data(), input.size());
    std::deque<GuardedMemory> outputs;
    std::vector<HostLaunch> launches;
    std::vector<u64> numbers{1 + random.below(static_cast<u32>(request.n))};
    std::memcpy(first.data(), &numbers[0], sizeof(u64));
    const void* n = first.data();
    for (int scan = 0; scan < scans; ++scan) {
      const u64 next = random.chance(20) ? request.n + random.below(3) : 1 + random.below(static_cast<u32>(request.n));
      outputs.emplace_back(device, request.n * sizeof(u64));
      for (const HostLaunch& launch :
           scan_launches(module, config, request, {input.data(), outputs.back().data(), workspace.data(), &next, n}))
        launches.push_back(launch);
      numbers.push_back(next);
      n = outputs.back().data();
    }
    ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(seed)));
    for (std::size_t scan = 0; scan < outputs.size(); ++scan) {
      std::vector<u64> found(request.n);
      std::memcpy(found.data(), outputs[scan].data(), outputs[scan].size());
      const u64 items = std::min(numbers[scan], request.n);
      for (u64 item = 0; item < request.n; ++item)
        ASSERT_EQ(found[item], item < items ? numbers[scan + 1] + item : 0xcbcbcbcbcbcbcbcb)
            << "item " << item << " of scan " << scan << ", of " << numbers[scan] << " items";
      EXPECT_TRUE(outputs[scan].surroundings_intact());
    }
  }

  // Calls visit(config, module, request) for configs that are drawn.
  template <class Visit>
  void for_drawn_configs(int draws, const Visit& visit) {
    for (int draw = 0; draw < draws && !HasFatalFailure(); ++draw) {
      ScanRequest drawn = request();
      const Config config = random_config(*GetParam(), drawn, kMaxTileItems, random_);
      drawn.n = kTiles * static_cast<u64>(GetParam()->tile_items(config, drawn)) + 9;
      if (GetParam()->invalid_reason(config, drawn, kHostSm) == nullptr)
        visit(config, bench().kernels.get(drawn, config), drawn);
    }
  }

  Random random_;
};

TEST_P(NInMemorySchedules, MayComeFromTheScanBefore) {
  for_drawn_configs(3, [&](const Config& config, const Module& module, const ScanRequest& request) {
    const Workspace workspace(bench().device, GetParam()->workspace(config, request));
    for (u64 seed = 1; seed <= 4 * kTestEffort; ++seed) {
      check(config, module, request, workspace, 4, seed);
      if (HasFatalFailure()) return;
    }
  });
}

class NInMemoryEpochs : public NInMemorySchedules {};

TEST_P(NInMemoryEpochs, MayWrapWhileNChanges) {
  for_drawn_configs(3, [&](const Config& config, const Module& module, const ScanRequest& request) {
    const WorkspaceNeed need = GetParam()->workspace(config, request);
    if (!has_epoch(need)) return;  // so few tiles that one cluster holds them
    for (u64 seed = 1; seed <= 3 * kTestEffort; ++seed) {
      const Workspace workspace(bench().device, need);
      workspace.header().epoch = kLastEpoch - 2;
      for (int run = 0; run < 3; ++run) {
        check(config, module, request, workspace, 2, 100 * seed + static_cast<u64>(run));
        if (HasFatalFailure()) return;
      }
      if (is_rehearsal()) return;
      ASSERT_EQ(workspace.header().epoch, 4u);
      ASSERT_EQ(workspace.header().ticket, 0u);
      ASSERT_EQ(workspace.header().finished, 0u);
    }
  });
}

std::vector<const FamilyModel*> families_with_epochs() {
  ScanRequest request = sums_of(ValueType::i32);
  request.n = 100'000;
  std::vector<const FamilyModel*> all = families();
  std::erase_if(all, [&](const FamilyModel* family) {
    return family->unsupported_reason(request, kHostSm) != nullptr ||
           !has_epoch(family->workspace(family->default_config(request, kHostSm), request));
  });
  return all;
}

const auto kName = [](const auto& family) { return std::string(family.param->name()); };
INSTANTIATE_TEST_SUITE_P(EveryFamily, NInMemorySchedules, testing::ValuesIn(families()), kName);
INSTANTIATE_TEST_SUITE_P(EveryFamily, NInMemoryEpochs, testing::ValuesIn(families_with_epochs()), kName);

// Somebody serves every number, and somebody with equal bits.
TEST(NInMemoryFamilies, ServeAllThatAnNOfTheCallMayBe) {
  needs_no_kernel();
  for (ScanRequest request : {sums_of(ValueType::f32), repeatable_sums_of(ValueType::f32)})
    for (const u64 n : {u64{1}, u64{1} << 10, u64{1} << 20, u64{1} << 33}) {
      request.n = n;
      EXPECT_TRUE(std::ranges::any_of(families(), [&](const FamilyModel* family) {
        return family->unsupported_reason(request, 90) == nullptr;
      })) << n;
    }
}

TEST(NInMemoryFamilies, RefuseItWithAReasonWhereTheyGoByTheLaunch) {
  needs_no_kernel();
  ScanRequest request = sums_of(ValueType::i32);
  request.n = 1000;
  ScanRequest of_the_call = request;
  of_the_call.n_source = NSource::call;
  for (const FamilyModel* family : families_of<ScanRequest>(Standing::gallery)) {
    if (family->unsupported_reason(of_the_call, kHostSm) != nullptr) continue;
    ASSERT_NE(family->unsupported_reason(request, kHostSm), nullptr) << family->name();
    EXPECT_NE(std::string(family->unsupported_reason(request, kHostSm)).find("memory"), std::string::npos);
  }
  request.segments = Segments::rows;
  request.rows = 10;
  ASSERT_NE(unsupported_reason(request), nullptr);
  EXPECT_NE(std::string(unsupported_reason(request)).find("device_n"), std::string::npos);
}

}  // namespace
}  // namespace scantune::n_in_memory_test
