#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "measure/measure.h"
#include "measure/statistics.h"
#include "worker_problems.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::ScanningDevice;

constexpr int kNeighbour = -1;  // stands for a neighbour in the order of what was timed

// A device that times contenders and their neighbours by a script: the times of the runs of each, sample after sample.
// The last one repeats for ever.
class ScriptedDevice : public ScanningDevice {
 public:
  std::vector<std::vector<double>> run_us;
  std::vector<double> neighbour_us{0};  // times of neighbours alone; beside runs they take the last
  std::vector<int> order;               // contenders in the order in which they were timed
  std::vector<int> replays;

  double time_us(const std::function<void(Stream)>& enqueue, int wanted_replays) override {
    launches_ = neighbours_ = 0;
    enqueue(nullptr);
    order.push_back(launches_ == 0 ? kNeighbour : current_);
    replays.push_back(wanted_replays);
    if (launches_ == 0) return next_of(neighbour_us) * neighbours_;
    return next_of(run_us[static_cast<std::size_t>(current_)]) * launches_ + neighbour_us.back() * neighbours_;
  }

  Batch between_neighbours(int launches) {
    return {.launches = launches, .neighbour = [this](Stream, int) {
              if (!neighbours_refused.empty()) throw DeviceError(neighbours_refused);
              ++neighbours_;
            }};
  }

  Contender contender(int index, bool is_ceiling = false) {
    return {"contender " + std::to_string(index),
            [this, index](Stream, int buffer) {
              if (index == refused) throw DeviceError("the driver refused");
              if (index == deadly) lost = "the context died";
              if (!lost.empty()) throw DeviceError(lost);
              current_ = index;
              ++launches_;
              buffers.push_back(buffer);
            },
            is_ceiling};
  }
  std::vector<Contender> contenders() {
    std::vector<Contender> all;
    for (int index = 0; index < static_cast<int>(run_us.size()); ++index) all.push_back(contender(index));
    return all;
  }

  std::string neighbours_refused;
  int refused = -1;
  int deadly = -1;
  std::vector<int> buffers;

 private:
  static double next_of(std::vector<double>& script) {
    const double time = script.front();
    if (script.size() > 1) script.erase(script.begin());
    return time;
  }

  int current_ = 0;
  int launches_ = 0;
  int neighbours_ = 0;
};

const Measurement& measurement(const MeasureOutcome& outcome) { return std::get<Measurement>(outcome); }

TEST(Statistics, QuantilesInterpolateBetweenSamples) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({5}, 0.25), 5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 1), 5);
  EXPECT_DOUBLE_EQ(spread({1, 2, 3, 4, 5}), 2.0 / 3);
}

TEST(Race, ReportsMedianAndSpreadOfTheSamplesWithoutTheProbe) {
  ScriptedDevice device;
  device.run_us = {{100, 100, 10, 30, 20}};
  const auto outcome = race(device, device.contenders(), {}, {.rounds = 3, .min_round_ms = 0});
  EXPECT_DOUBLE_EQ(measurement(outcome[0]).median_us, 20);
  EXPECT_DOUBLE_EQ(measurement(outcome[0]).spread, 0.5);
  EXPECT_EQ(measurement(outcome[0]).samples_us, (std::vector<double>{10, 30, 20}));
  EXPECT_EQ(measurement(outcome[0]).sm_clock_mhz, 1980);
}

TEST(Race, InterleavesTheContenders) {
  ScriptedDevice device;
  device.run_us = {{10'000}, {10'001}};
  race(device, device.contenders(), {}, {.rounds = 3});
  EXPECT_EQ(device.order, (std::vector{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(Race, RepeatsRunsUntilASampleIsLongEnough) {
  ScriptedDevice device;
  device.run_us = {{10}};
  const auto outcome =
      race(device, device.contenders(), {.launches = 64, .buffers = 4}, {.rounds = 1, .min_round_ms = 2});
  EXPECT_EQ(device.replays.back(), 4);  // 64 launches of 10 us fit into 2 ms three times, and do not fill it
  EXPECT_EQ(measurement(outcome[0]).launches_per_sample, 256);
  EXPECT_DOUBLE_EQ(measurement(outcome[0]).median_us, 10);
}

TEST(Race, TakesOffTheNeighboursOfIsolatedRuns) {
  ScriptedDevice device;
  device.run_us = {{10}, {30}};
  device.neighbour_us = {7};
  const auto outcome = race(device, device.contenders(), device.between_neighbours(4), {.rounds = 3});
  EXPECT_DOUBLE_EQ(measurement(outcome[0]).median_us, 10);
  EXPECT_DOUBLE_EQ(measurement(outcome[1]).median_us, 30);
}

TEST(Race, TimesTheNeighboursAloneInEveryRound) {
  ScriptedDevice device;
  device.run_us = {{10'000}, {10'001}};
  device.neighbour_us = {5'000};
  race(device, device.contenders(), device.between_neighbours(1), {.rounds = 2});
  const std::vector probed{kNeighbour, kNeighbour, kNeighbour, 0, 1}, round{kNeighbour, 0, 1};
  std::vector<int> expected = probed;
  for (int times = 0; times < 2; ++times) expected.insert(expected.end(), round.begin(), round.end());
  EXPECT_EQ(device.order, expected);
}

TEST(Race, DropsIsolatedRunsByTheirOwnTime) {
  ScriptedDevice device;
  device.run_us = {{10'000}, {31'000}};
  device.neighbour_us = {100'000};
  const auto outcome = race(device, device.contenders(), device.between_neighbours(1), {.rounds = 2, .slower_than = 3});
  EXPECT_TRUE(measurement(outcome[1]).probe_only);
}

// Times of a warm-up, the probes and four rounds of neighbours. There are two for each run, so quartiles lie 3 us
// apart.
const std::vector<double> kNoisyNeighbours{900, 50, 51, 52, 53, 49, 51};

std::vector<MeasureOutcome> race_beside_noisy_neighbours(ScriptedDevice& device, const MeasurePolicy& policy) {
  device.neighbour_us = kNoisyNeighbours;
  return race(device, device.contenders(), device.between_neighbours(1), policy);
}

TEST(Race, GivesNoTimeToAnIsolatedRunThatIsLostInTheNoiseOfItsNeighbours) {
  for (const double run_us : {-2.0, 0.0, 1.0}) {
    ScriptedDevice device;
    device.run_us = {{run_us}, {50}};
    const auto outcome = race_beside_noisy_neighbours(device, {.rounds = 4, .min_round_ms = 0});
    const auto& failure = std::get<MeasureFailure>(outcome[0]);
    EXPECT_TRUE(failure.of_device);
    EXPECT_FALSE(failure.fatal);
    EXPECT_NE(failure.message.find("within the 3 us by which their own time varies"), std::string::npos)
        << failure.message;
    EXPECT_NEAR(measurement(outcome[1]).median_us, 50, 4);
  }
}

TEST(Race, LetsNoSampleBelowTheNoiseMakeAnIsolatedRunTheFastest) {
  ScriptedDevice device;
  device.run_us = {{20, 20, 20, -60, 20}, {18}};
  device.neighbour_us = {50};
  const auto outcome =
      race(device, device.contenders(), device.between_neighbours(1), {.rounds = 3, .min_round_ms = 0});
  EXPECT_DOUBLE_EQ(measurement(outcome[0]).median_us, 20);
}

TEST(Race, DropsNoIsolatedRunOnAProbeThatTheNoiseOfItsNeighboursExplains) {
  for (const auto& [rival_us, is_dropped] : {std::pair{3.0, false}, std::pair{30.0, true}}) {
    ScriptedDevice device;
    device.run_us = {{0.5, 0.5, 5}, {rival_us}};
    device.neighbour_us = {900, 50, 54};
    const auto outcome = race(device, device.contenders(), device.between_neighbours(1),
                              {.rounds = 3, .min_round_ms = 0, .slower_than = 1.25});
    EXPECT_EQ(measurement(outcome[1]).probe_only, is_dropped) << rival_us;
  }
}

TEST(Race, ClosesIsolatedRunsWithANeighbour) {
  ScriptedDevice device;
  device.run_us = {{10}};
  std::string enqueued;
  const Batch batch{.launches = 2, .neighbour = [&](Stream, int) { enqueued += 'n'; }};
  const Contender run{"run", [&](Stream, int) { enqueued += 'r'; }};
  race(device, std::span(&run, 1), batch, {.rounds = 0});
  EXPECT_TRUE(enqueued.ends_with("nrnrn")) << enqueued;
  EXPECT_TRUE(enqueued.starts_with("nnnnnn")) << "as many alone as beside the runs: " << enqueued;
}

TEST(Race, BlamesTheDeviceAndNoContenderWhereNeighboursCannotBeLaunched) {
  ScriptedDevice device;
  device.run_us = {{10}, {20}};
  device.neighbours_refused = "the driver refused";
  for (const MeasureOutcome& outcome : race(device, device.contenders(), device.between_neighbours(1), {})) {
    const auto& failure = std::get<MeasureFailure>(outcome);
    EXPECT_TRUE(failure.of_device);
    EXPECT_FALSE(failure.fatal);
    EXPECT_EQ(failure.message, "what is enqueued between the runs: the driver refused");
  }
}

TEST(Race, FailsEveryContenderOnceTheDeviceIsLostUnderTheirNeighbours) {
  ScriptedDevice device;
  device.run_us = {{10}, {20}};
  device.neighbours_refused = device.lost = "the context died";
  for (const MeasureOutcome& outcome : race(device, device.contenders(), device.between_neighbours(1), {}))
    EXPECT_TRUE(std::get<MeasureFailure>(outcome).fatal);
}

TEST(Race, TakesTheBuffersInTurn) {
  ScriptedDevice device;
  device.run_us = {{10'000}};
  race(device, device.contenders(), {.launches = 5, .buffers = 3}, {.rounds = 1});
  EXPECT_EQ(std::vector(device.buffers.begin(), device.buffers.begin() + 5), (std::vector{0, 1, 2, 0, 1}));
}

TEST(Race, DropsWhatTheProbeFindsClearlySlower) {
  ScriptedDevice device;
  device.run_us = {{10'000}, {29'000}, {31'000}};
  const auto outcome = race(device, device.contenders(), {}, {.rounds = 2, .slower_than = 3});
  EXPECT_FALSE(measurement(outcome[1]).probe_only);
  EXPECT_TRUE(measurement(outcome[2]).probe_only);
  EXPECT_EQ(measurement(outcome[2]).samples_us.size(), 1u);
  EXPECT_DOUBLE_EQ(measurement(outcome[2]).median_us, 31'000);
}

TEST(Race, DropsNothingUnlessToldTo) {
  ScriptedDevice device;
  device.run_us = {{10'000}, {900'000}};
  EXPECT_FALSE(measurement(race(device, device.contenders(), {}, {.rounds = 2})[1]).probe_only);
}

TEST(Race, MeasuresOnlyTheFastestCeilingAndDropsNoScanForIt) {
  ScriptedDevice device;
  device.run_us = {{50'000}, {10'000}, {9'000}};
  const std::vector<Contender> contenders{device.contender(0), device.contender(1, true), device.contender(2, true)};
  const auto outcome = race(device, contenders, {}, {.rounds = 2, .slower_than = 2});
  EXPECT_FALSE(measurement(outcome[0]).probe_only);
  EXPECT_TRUE(measurement(outcome[1]).probe_only);
  EXPECT_FALSE(measurement(outcome[2]).probe_only);
}

TEST(Race, GoesOnWithoutAContenderThatIsRefused) {
  ScriptedDevice device;
  device.run_us = {{10'000}, {10'000}, {20'000}};
  device.refused = 1;
  const auto outcome = race(device, device.contenders(), {}, {.rounds = 2});
  EXPECT_DOUBLE_EQ(measurement(outcome[2]).median_us, 20'000);
  const auto& failure = std::get<MeasureFailure>(outcome[1]);
  EXPECT_FALSE(failure.fatal);
  EXPECT_NE(failure.message.find("contender 1: the driver refused"), std::string::npos) << failure.message;
}

TEST(Race, FailsEveryContenderOnceTheDeviceIsLost) {
  ScriptedDevice device;
  device.run_us = {{10'000}, {10'000}, {10'000}};
  device.deadly = 1;
  for (const MeasureOutcome& outcome : race(device, device.contenders(), {}, {.rounds = 2})) {
    EXPECT_TRUE(std::get<MeasureFailure>(outcome).fatal);
    EXPECT_NE(std::get<MeasureFailure>(outcome).message.find("the context died"), std::string::npos);
  }
}

class MeasuringScans : public ::testing::Test {
 protected:
  MeasuringScans() { device_.computes = false; }

  std::vector<MeasureOutcome> measure(u64 n, const MeasurePolicy& policy) {
    return measure(ScanRequest{.n = n}, policy);
  }
  std::vector<MeasureOutcome> measure(const ScanRequest& request, const MeasurePolicy& policy) {
    const PreparedConfig scan(device_, request, default_config(request, 90));
    const PreparedConfig* const scans[] = {&scan};
    measured_ = Measurer(device_).measure(scans, policy);
    return measured_.configs;
  }

  ScanningDevice device_;
  Measurements measured_;
};

TEST_F(MeasuringScans, RotatesOverSoManyBuffersAsExceedTheCache) {
  std::set<const std::byte*> inputs;
  device_.mistake = [&](const testing::Scanned& scanned) { inputs.insert(scanned.input); };
  measure(1 << 20, {.rounds = 1, .min_round_ms = 0});
  EXPECT_EQ(inputs.size(), 64u);
}

// Between the two a part of them would stay in L2, the larger the less a config asks to keep there.
TEST_F(MeasuringScans, RotatesOverBuffersThatAllStayInL2OrOverFourTimesItsBytes) {
  device_.l2 = u64{60} << 20;
  std::set<const std::byte*> inputs;
  device_.mistake = [&](const testing::Scanned& scanned) { inputs.insert(scanned.input); };
  const std::pair<u64, std::size_t> kBuffers[] = {{1 << 12, 64}, {60'000, 64}, {1 << 16, 480}, {1 << 17, 240}};
  for (const auto& [n, buffers] : kBuffers) {
    inputs.clear();
    const auto outcomes = measure(n, {.rounds = 1, .min_round_ms = 0});
    EXPECT_EQ(inputs.size(), buffers) << n;
    EXPECT_EQ(measurement(outcomes[0]).launches_per_sample, static_cast<int>(buffers)) << n;
  }
}

// A workspace that all buffers shared would stay in the cache, and favour configs that exchange more through it.
TEST_F(MeasuringScans, GivesEachBufferAWorkspaceOfItsOwn) {
  const ScanRequest request{.n = 1 << 20};
  const u64 needed = PreparedConfig(device_, request, default_config(request, 90)).workspace_bytes(request.n);
  ASSERT_GT(needed, 0u);
  std::map<const std::byte*, std::set<const std::byte*>> inputs_of;
  device_.mistake = [&](const testing::Scanned& scanned) {
    inputs_of[scanned.workspace].insert(scanned.input);
    EXPECT_GE(scanned.workspace_bytes, needed);
  };
  measure(request, {.rounds = 1, .min_round_ms = 0});
  EXPECT_EQ(inputs_of.size(), 64u);
  for (const auto& [workspace, inputs] : inputs_of) EXPECT_EQ(inputs.size(), 1u);
}

TEST_F(MeasuringScans, PutsAnOrdinaryKernelBesideEachIsolatedScanAlone) {
  measure(1 << 12, {.rounds = 1, .min_round_ms = 0});
  EXPECT_EQ(device_.other_launches, 0);
  measure({.latency = Latency::isolated, .n = 1 << 12}, {.rounds = 1, .min_round_ms = 0});
  // The ordinary kernel runs beside the scans of two probes and a sample, alone for each of them, and once to warm up.
  // Each time one more closes the row.
  EXPECT_EQ(device_.other_launches, 7 * (64 + 1));
}

TEST_F(MeasuringScans, BlamesTheMachineForAnOrdinaryKernelThatDoesNotCompile) {
  device_.compiler().refuses = [](const std::string& source) { return source.find("ordinary") != std::string::npos; };
  measure(1 << 12, {.rounds = 1});
  EXPECT_THROW(measure({.latency = Latency::isolated, .n = 1 << 12}, {.rounds = 1}), NoInstrument);
}

TEST_F(MeasuringScans, PutsNothingBesideScansOfTheHostDeviceWhichRunOneByOne) {
  device_.mutable_identity() = {"host", kHostSm, "plain", 1};
  measure({.latency = Latency::isolated, .n = 1 << 12}, {.rounds = 1});
  EXPECT_EQ(device_.other_launches, 0);
}

TEST_F(MeasuringScans, StaysOnOneBufferWhenHot) {
  std::set<const std::byte*> inputs;
  device_.mistake = [&](const testing::Scanned& scanned) { inputs.insert(scanned.input); };
  measure(1 << 12, {.rounds = 1, .min_round_ms = 0, .rotate = false});
  EXPECT_EQ(inputs.size(), 1u);
}

TEST_F(MeasuringScans, DividesTheTimeOfAGraphByItsLaunches) {
  const auto outcomes = measure(1 << 12, {.rounds = 2, .min_round_ms = 0});
  EXPECT_DOUBLE_EQ(measurement(outcomes[0]).median_us, 10);
  EXPECT_EQ(measurement(outcomes[0]).launches_per_sample, 64);
}

TEST_F(MeasuringScans, RunsOneLaunchAtATimeOnTheHostDevice) {
  device_.mutable_identity() = {"host", kHostSm, "plain", 1};
  const auto outcomes = measure(1 << 12, {.rounds = 2, .min_round_ms = 0});
  EXPECT_EQ(measurement(outcomes[0]).launches_per_sample, 1);
}

TEST_F(MeasuringScans, FeedsItemsThatAreNotZero) {
  device_.mistake = [&](const testing::Scanned& scanned) {
    const auto* items = reinterpret_cast<const i32*>(scanned.input);
    EXPECT_EQ(std::count(items, items + scanned.request.n, 0), 0);
  };
  measure(1 << 10, {.rounds = 1, .min_round_ms = 0});
}

TEST_F(MeasuringScans, GivesInputsAndOutputsTheRoomOfTheirOwnItems) {
  ScanRequest request = testing::request_of(ValueType::i8, ValueType::i64, ValueType::i64);
  request.n = 1 << 16;
  std::set<const std::byte*> inputs, outputs;
  device_.mistake = [&](const testing::Scanned& scanned) {
    inputs.insert(scanned.input);
    outputs.insert(scanned.output);
  };
  measure(request, {.rounds = 1, .min_round_ms = 0});
  ASSERT_GT(inputs.size(), 2u);
  EXPECT_EQ(*std::next(inputs.begin()) - *inputs.begin(), 1 << 16);
  EXPECT_EQ(*std::next(outputs.begin()) - *outputs.begin(), 8 << 16);
}

TEST_F(MeasuringScans, CountsTheBytesOfBothSidesWhenItRotates) {
  ScanRequest request = testing::request_of(ValueType::i8, ValueType::i64, ValueType::i64);
  request.n = 1 << 22;
  std::set<const std::byte*> inputs;
  device_.mistake = [&](const testing::Scanned& scanned) { inputs.insert(scanned.input); };
  measure(request, {.rounds = 1, .min_round_ms = 0});
  EXPECT_EQ(inputs.size(), (u64{512} << 20) / (9 << 22));
}

TEST_F(MeasuringScans, NamesTheMissingMemory) {
  device_.memory_bytes = 1 << 20;
  EXPECT_THROW(measure(1 << 24, {}), OutOfDeviceMemory);
}

}  // namespace
}  // namespace scantune
