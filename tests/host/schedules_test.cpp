// The families whose CTAs wait for each other, under thousands of schedules. Tiles are so small that dozens of them
// race in every run. Scans run back to back, so that each overlaps the one before it and reads what that has just
// written. The workspace is never cleared.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <ostream>

#include "effort.h"
#include "expected_scan.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

struct Subject {
  std::string family;
  std::string name;
  Values values;  // values of parameters, with small tiles
  ScanRequest request = {};
  std::optional<TestOperator> custom = {};
  u64 misaligned_input_bytes = 0;
  u64 misaligned_output_bytes = 0;
  Variant variant = Variant::aligned;  // that of the kernels

  // Whether each scan can read the results of the one before in the same memory.
  bool in_place() const {
    return request.input_type == request.output_type && misaligned_input_bytes == misaligned_output_bytes;
  }
};

void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.family << " " << subject.name; }

Subject misaligned(u64 input_bytes, u64 output_bytes, Subject subject) {
  subject.name += "_misaligned_by_" + std::to_string(input_bytes) + "_and_" + std::to_string(output_bytes);
  subject.variant = Variant::any;
  subject.misaligned_input_bytes = input_bytes;
  subject.misaligned_output_bytes = output_bytes;
  return subject;
}

// ---- look-back ----

// The smallest legal tiles whose status is no more than a hundredth of their items.
Subject lookback(const std::string& name, const Values& values, const ScanRequest& request = {}) {
  const bool narrow = request.input_bytes() == 1;
  Values all = {{"block_threads", "128"}, {"items_per_thread", narrow ? "12" : "4"}, {"layout", "direct"}};
  if (narrow) all.emplace_back("vector_bytes", "4");
  all.insert(all.end(), values.begin(), values.end());
  return {"lookback", name, all, request};
}

Subject lookback(const char* status_layout, const char* tile_order, const char* window) {
  return lookback(std::string(status_layout) + "_" + tile_order + "_window_" + window,
                  {{"status_layout", status_layout}, {"tile_order", tile_order}, {"window", window}});
}

Subject lookback(const TestOperator& custom, const char* status_layout, const char* tile_order) {
  Subject subject =
      lookback(custom.name + "_" + status_layout + "_" + tile_order,
               {{"status_layout", status_layout}, {"tile_order", tile_order}, {"window", "32"}}, custom.request);
  subject.custom = custom;
  return subject;
}

// Look-back whose scans start from the last result of the one before.
Subject lookback_from_memory(const char* status_layout, const char* tile_order) {
  return lookback(std::string("i8_to_i32_from_memory_") + status_layout + "_" + tile_order,
                  {{"status_layout", status_layout}, {"tile_order", tile_order}},
                  {.input_type = ValueType::i8, .init = Init::memory});
}

const std::vector<Subject> kLookback = {
    lookback("packed", "block_index", "32"),
    lookback("packed", "ticket", "8"),
    lookback("packed", "block_index", "1"),
    lookback("packed", "ticket", "64"),
    lookback("split", "block_index", "32"),
    lookback("split", "ticket", "32"),
    lookback("split", "ticket", "1"),
    lookback("split", "block_index", "64"),
    misaligned(4, 4, lookback("packed", "block_index", "16")),
    misaligned(12, 8, lookback("packed", "ticket", "32")),
    misaligned(3, 8, lookback_from_memory("packed", "ticket")),
    lookback_from_memory("packed", "ticket"),
    lookback_from_memory("split", "block_index"),
    lookback(maps_of_bytes(12, 4), "split", "block_index"),
    lookback(maps_of_bytes(12, 4), "packed", "ticket"),
    lookback(maps_of_bytes(3, 1), "split", "ticket"),
    // Several words for a value, which a reader may find half written.
    lookback(maps_of_bytes(20, 4), "packed", "block_index"),
    lookback(maps_of_bytes(32, 16), "packed", "block_index"),
    lookback(affine_maps(), "packed", "block_index"),
    lookback(complex_products(), "split", "ticket"),
    lookback(running_extremes(), "packed", "ticket"),
    lookback(last_nonzero(ValueType::f32, ValueType::f32, ValueType::f32), "packed", "block_index"),
};

// ---- one-shot ----

// one_shot with small tiles of several warps.
Subject one_shot(const std::string& name, const Values& values, const ScanRequest& request = {}) {
  const bool narrow = request.input_bytes() == 1;
  Values all = {{"block_threads", "128"},
                {"items_per_thread", narrow ? "16" : "4"},
                {"layout", "direct"},
                {"cluster_blocks", "1"}};
  all.insert(all.end(), values.begin(), values.end());
  return {"one_shot", name, all, request};
}

Subject one_shot(const char* status_layout, const char* tile_order, const char* poll_warps) {
  return one_shot(std::string(status_layout) + "_" + tile_order + "_" + poll_warps + "_polling",
                  {{"status_layout", status_layout}, {"tile_order", tile_order}, {"poll_warps", poll_warps}});
}

Subject one_shot(const TestOperator& custom, const std::string& name, const Values& values) {
  Subject subject = one_shot(custom.name + "_" + name, values, custom.request);
  subject.custom = custom;
  return subject;
}

// one_shot in clusters. The last of them is ragged: some of its CTAs have no items, and one has few.
Subject clusters_of(const char* blocks, const char* status_layout, const ScanRequest& request = {}) {
  return one_shot(std::string("clusters_of_") + blocks + "_" + status_layout,
                  {{"cluster_blocks", blocks}, {"status_layout", status_layout}}, request);
}

const std::vector<Subject> kOneShot = {
    one_shot("packed", "block_index", "1"),
    one_shot("packed", "ticket", "2"),
    one_shot("split", "block_index", "2"),
    one_shot("split", "ticket", "1"),
    one_shot("i8_to_i32_from_memory_packed_ticket", {{"tile_order", "ticket"}},
             {.input_type = ValueType::i8, .init = Init::memory}),
    one_shot("without_pdl", {{"pdl", "0"}}),
    one_shot("next_one_released_late", {{"pdl", "1"}}),
    one_shot(maps_of_bytes(12, 4), "split", {{"status_layout", "split"}}),
    // Several words for a value, which a reader may find half written.
    one_shot(maps_of_bytes(20, 4), "packed", {{"status_layout", "packed"}}),
    one_shot(affine_maps(), "ticket", {{"tile_order", "ticket"}}),
    one_shot(complex_products(), "split", {{"status_layout", "split"}}),
    one_shot(last_nonzero(ValueType::f32, ValueType::f32, ValueType::f32), "packed", {{"status_layout", "packed"}}),
    clusters_of("2", "packed"),
    clusters_of("4", "packed"),
    clusters_of("4", "split"),
    clusters_of("8", "packed"),
    one_shot("clusters_of_8_without_pdl", {{"cluster_blocks", "8"}, {"pdl", "0"}}),
    one_shot("clusters_of_4_i8_to_i32_from_memory", {{"cluster_blocks", "4"}},
             {.input_type = ValueType::i8, .init = Init::memory}),
    one_shot(maps_of_bytes(3, 1), "clusters_of_4", {{"cluster_blocks", "4"}}),
    one_shot(maps_of_bytes(32, 16), "clusters_of_4", {{"cluster_blocks", "4"}}),
    one_shot(affine_maps(), "clusters_of_8", {{"cluster_blocks", "8"}}),
    misaligned(12, 12, one_shot("packed", "ticket", "2")),
    misaligned(4, 8, clusters_of("4", "packed")),
};

// Configs that put all tiles in one cluster, which needs no workspace.
const std::vector<Subject> kOneCluster = {
    one_shot("i32", {{"cluster_blocks", "16"}}),
    one_shot("i32_of_two_warps_each", {{"cluster_blocks", "16"}, {"block_threads", "64"}}),
    one_shot(running_extremes(), "", {{"cluster_blocks", "16"}}),
    one_shot(last_nonzero(ValueType::f32, ValueType::f32, ValueType::f32), "", {{"cluster_blocks", "16"}}),
};

// ---- pipelined ----

// The ring of a CTA, and how its warps move through it.
struct Ring {
  int stages, look_ahead, refill_distance, look_back_warps, poll_distance;
};

// pipelined with a single consumer warp, so that all others race with it. Its tile is the smallest legal one with that
// status.
Subject pipelined(const std::string& name, const Ring& ring, const char* status_layout, const ScanRequest& request = {},
                  const Values& values = {}) {
  const auto digits = [](int value) { return std::to_string(value); };
  const bool packed = std::string_view(status_layout) == "packed";
  const u64 descriptor =
      descriptor_bytes(packed ? StatusLayout::packed : StatusLayout::split, request.accumulator_bytes());
  const int vectors = static_cast<int>(100 * descriptor / (32 * kVectorAlignmentBytes)) + 1;
  Values all = {{"consumer_warps", "1"},
                {"vectors_per_thread", digits(vectors | 1)},
                {"stages", digits(ring.stages)},
                {"look_ahead", digits(ring.look_ahead)},
                {"refill_distance", digits(ring.refill_distance)},
                {"look_back_warps", digits(ring.look_back_warps)},
                {"poll_distance", digits(ring.poll_distance)},
                {"status_layout", status_layout}};
  all.insert(all.end(), values.begin(), values.end());
  return {"pipelined", name + "_" + status_layout, all, request};
}

Subject pipelined(const TestOperator& custom, const Ring& ring, const char* status_layout, const Values& values = {}) {
  Subject subject = pipelined(custom.name, ring, status_layout, custom.request, values);
  subject.custom = custom;
  return subject;
}

ScanRequest from_memory(ValueType type) {
  return {.input_type = type,
          .accumulator_type = default_accumulator(type, type),
          .output_type = type,
          .kind = Kind::exclusive,
          .init = Init::memory};
}

ScanRequest sums_of(ValueType type) {
  return {.input_type = type, .accumulator_type = default_accumulator(type, type), .output_type = type};
}

// A running maximum, whose results have the same bits in every order of combining.
ScanRequest largest_of(ValueType type) {
  ScanRequest request = sums_of(type);
  request.op = Operator::max;
  return request;
}

constexpr Ring kTightest{.stages = 2, .look_ahead = 1, .refill_distance = 0, .look_back_warps = 1, .poll_distance = 0};
constexpr Ring kTight{.stages = 3, .look_ahead = 1, .refill_distance = 1, .look_back_warps = 2, .poll_distance = 1};
constexpr Ring kAhead{.stages = 4, .look_ahead = 2, .refill_distance = 1, .look_back_warps = 2, .poll_distance = 2};
constexpr Ring kRefilledLate{
    .stages = 4, .look_ahead = 1, .refill_distance = 2, .look_back_warps = 1, .poll_distance = 1};
constexpr Ring kThreeLookBack{
    .stages = 4, .look_ahead = 2, .refill_distance = 0, .look_back_warps = 3, .poll_distance = 1};
constexpr Ring kAllLookBack{
    .stages = 2, .look_ahead = 1, .refill_distance = 0, .look_back_warps = 2, .poll_distance = 0};

const std::vector<Subject> kPipelined = {
    pipelined("tightest", kTightest, "packed"),
    pipelined("tightest", kTightest, "split", {}, {{"pdl", "0"}}),
    pipelined("tight", kTight, "packed"),
    pipelined("tight", kTight, "split"),
    pipelined("ahead", kAhead, "packed", {}, {{"pdl", "0"}}),
    pipelined("ahead", kAhead, "split"),
    pipelined("refilled_late", kRefilledLate, "packed"),
    pipelined("three_look_back", kThreeLookBack, "packed"),
    pipelined("as_many_look_back_as_stages", kAllLookBack, "packed"),
    pipelined("two_consumers_two_ctas_per_sm", kTight, "packed", {}, {{"consumer_warps", "2"}, {"ctas_per_sm", "2"}}),
    pipelined("i64", kTight, "packed", sums_of(ValueType::i64)),
    pipelined("i64", kAhead, "split", sums_of(ValueType::i64)),
    pipelined("i8", kAhead, "packed", sums_of(ValueType::i8)),
    pipelined("u16", kTight, "packed", sums_of(ValueType::u16)),
    pipelined("largest_f16", kTight, "split", largest_of(ValueType::f16)),
    pipelined("u32_to_i32_from_memory", kTightest, "packed",
              {.input_type = ValueType::u32, .kind = Kind::exclusive, .init = Init::memory}),
    misaligned(4, 4, pipelined("i32", kTight, "packed")),
    misaligned(12, 8, pipelined("i32_from_memory", kAhead, "packed", from_memory(ValueType::i32))),
    misaligned(0, 8, pipelined("f64_from_memory", kTightest, "packed", from_memory(ValueType::f64))),
    misaligned(3, 3, pipelined("u8", kTight, "packed", sums_of(ValueType::u8))),
    misaligned(3, 9, pipelined("i8", kTight, "packed", sums_of(ValueType::i8))),
    misaligned(6, 0, pipelined("bf16", kAhead, "packed", sums_of(ValueType::bf16))),
    pipelined("stored_directly", kTight, "packed", {}, {{"store_path", "direct"}}),
    misaligned(
        2, 2,
        pipelined("i16_stored_directly", kTightest, "packed", sums_of(ValueType::i16), {{"store_path", "direct"}})),
    pipelined(affine_maps(), kTight, "packed"),
    misaligned(4, 4, pipelined(affine_maps(), kAhead, "split")),
    // Items lie across vector boundaries, and results do not.
    misaligned(4, 0, pipelined(affine_maps(), kTight, "packed")),
    pipelined(maps_of_bytes(16, 16), kTight, "packed"),
    pipelined(maps_of_bytes(16, 2), kTightest, "split"),
    pipelined(last_nonzero(ValueType::f32, ValueType::f32, ValueType::f32), kAhead, "packed"),
};

class Schedules : public testing::TestWithParam<Subject> {
 protected:
  Schedules()
      : family_(*find_family(GetParam().family)),
        config_(small_config()),
        module_(ScanKernels().get(GetParam().request, config_, custom() != nullptr ? &custom()->custom : nullptr,
                                  GetParam().variant)) {}

  static const TestOperator* custom() { return GetParam().custom ? &*GetParam().custom : nullptr; }

  static ScanRequest request_of(u64 n) {
    ScanRequest request = GetParam().request;
    request.n = n;
    return request;
  }

  static Config small_config() { return config_of(*find_family(GetParam().family), request_of(1), GetParam().values); }

  // Scans `scans` times under one schedule.
  void check(u64 n, int scans, Workspace& workspace, u64 seed) {
    const ScanRequest request = request_of(n);
    const Schedule schedule = Schedule::from_seed(seed);
    SCOPED_TRACE(to_string(schedule) + ", " + std::to_string(n) + " items");
    if (GetParam().in_place()) {
      check_in_place(request, scans, workspace, schedule);
    } else {
      check_one_after_the_other(request, scans, workspace, schedule);
    }
  }

  // A number of items that needs a workspace: one that every family scans, or a larger one.
  u64 drawn_items(Random& random) const {
    u64 least = 16;
    while (family_.workspace(config_, request_of(least)).kind == WorkspaceKind::none) ++least;
    return least + random.below(static_cast<u32>(items_ - least + 1));
  }

  WorkspaceNeed need() const { return family_.workspace(config_, request_of(items_)); }

 private:
  // Each scan's input is the result of the one before.
  void check_in_place(const ScanRequest& request, int scans, const Workspace& workspace, const Schedule& schedule) {
    Bytes expected = scan_items(request, schedule.seed, custom());
    const GuardedMemory memory(device_, expected.size(), GetParam().misaligned_input_bytes);
    std::copy(expected.begin(), expected.end(), memory.data());
    std::vector<HostLaunch> launches;
    for (int scan = 0; scan < scans; ++scan) {
      append(launches, request, {memory.data(), memory.data(), workspace.data(), nullptr});
      expected = expected_scan(request, expected, nullptr, custom());
    }
    ASSERT_NO_THROW(device_.run(launches, schedule));
    ASSERT_EQ(difference(request, memory.data(), expected, custom()), std::nullopt);
  }

  // Each scan's initial value is the last result of the one before, if it has one.
  void check_one_after_the_other(const ScanRequest& request, int scans, const Workspace& workspace,
                                 const Schedule& schedule) {
    const Bytes items = scan_items(request, schedule.seed, custom());
    const Bytes first_init = scan_init(request, custom());
    const GuardedMemory input(device_, items.size(), GetParam().misaligned_input_bytes);
    const GuardedMemory init_memory(device_, first_init.size());
    std::copy(items.begin(), items.end(), input.data());
    std::copy(first_init.begin(), first_init.end(), init_memory.data());
    std::deque<GuardedMemory> results;
    std::deque<Bytes> expected;
    std::vector<HostLaunch> launches;
    const unsigned char* init = request.has_init() ? init_memory.data() : nullptr;
    const unsigned char* expected_init = request.has_init() ? first_init.data() : nullptr;
    for (int scan = 0; scan < scans; ++scan) {
      expected.push_back(expected_scan(request, items, expected_init, custom()));
      results.emplace_back(device_, expected.back().size(), GetParam().misaligned_output_bytes);
      append(launches, request, {input.data(), results.back().data(), workspace.data(), init});
      if (!request.has_init()) continue;
      init = results.back().data() + expected.back().size() - first_init.size();
      expected_init = expected.back().data() + expected.back().size() - first_init.size();
    }
    ASSERT_NO_THROW(device_.run(launches, schedule));
    for (std::size_t scan = 0; scan < results.size(); ++scan)
      ASSERT_EQ(difference(request, results[scan].data(), expected[scan], custom()), std::nullopt)
          << "of scan " << scan;
  }

  void append(std::vector<HostLaunch>& launches, const ScanRequest& request, const ScanBuffers& buffers) const {
    for (const HostLaunch& launch : scan_launches(module_, config_, request, buffers, GetParam().variant))
      launches.push_back(launch);
  }

 protected:
  static constexpr u64 kTiles = 11;  // full tiles; a ragged one follows, whose tail takes several lanes
  HostDevice device_;
  const FamilyModel& family_;
  const Config config_;
  const u64 items_ = kTiles * static_cast<u64>(family_.tile_items(config_, request_of(1))) + 79;
  const Module& module_;
};

TEST_P(Schedules, GiveTheSameResultForTwoOverlappingScans) {
  if (is_rehearsal()) return;
  Workspace workspace(device_, need());
  for (u64 seed = 1; seed <= 24 * kTestEffort; ++seed) {
    check(items_, 2, workspace, seed);
    if (HasFatalFailure()) return;
    ASSERT_EQ(workspace.header().epoch, 2 * seed);
    ASSERT_EQ(workspace.header().ticket, 0u);
    ASSERT_EQ(workspace.header().finished, 0u);
  }
}

// The launches begin a few before the last epoch and end a few after it, with sizes that change.
TEST_P(Schedules, CarryAWorkspaceThroughTheWrapOfItsEpoch) {
  if (is_rehearsal()) return;
  Random random(5);
  for (u64 seed = 1; seed <= 6 * kTestEffort; ++seed) {
    Workspace workspace(device_, need());
    workspace.header().epoch = kLastEpoch - 2;
    for (int run = 0; run < 3; ++run) {
      check(drawn_items(random), 2, workspace, 1000 * seed + static_cast<u64>(run));
      if (HasFatalFailure()) return;
    }
    ASSERT_EQ(workspace.header().epoch, 4u);
    ASSERT_EQ(workspace.header().finished, 0u);
  }
}

// Words that a launch of another epoch has left must never be taken for this one's.
TEST_P(Schedules, TakeNoWordOfAnEarlierLaunchForTheirOwn) {
  if (is_rehearsal()) return;
  Random random(9);
  Workspace workspace(device_, need());
  for (u64 seed = 1; seed <= 10 * kTestEffort; ++seed) {
    check(drawn_items(random), 1 + static_cast<int>(random.below(3)), workspace, 7000 + seed);
    if (HasFatalFailure()) return;
  }
}

class SchedulesOfOneCluster : public Schedules {};

TEST_P(SchedulesOfOneCluster, GiveTheSameResultWithoutAWorkspace) {
  Random random(3);
  ASSERT_EQ(need(), WorkspaceNeed{});
  if (is_rehearsal()) return;
  Workspace none(device_, need());
  for (u64 seed = 1; seed <= 24 * kTestEffort; ++seed) {
    check(1 + random.below(static_cast<u32>(items_)), 2, none, seed);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(OneShot, SchedulesOfOneCluster, testing::ValuesIn(kOneCluster),
                         [](const auto& subject) { return subject.param.name; });
INSTANTIATE_TEST_SUITE_P(Lookback, Schedules, testing::ValuesIn(kLookback),
                         [](const auto& subject) { return subject.param.name; });
INSTANTIATE_TEST_SUITE_P(OneShot, Schedules, testing::ValuesIn(kOneShot),
                         [](const auto& subject) { return subject.param.name; });
INSTANTIATE_TEST_SUITE_P(Pipelined, Schedules, testing::ValuesIn(kPipelined),
                         [](const auto& subject) { return subject.param.name; });

}  // namespace
}  // namespace scantune
