#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "measure/verify.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::Scanned;
using testing::ScanningDevice;

constexpr u64 kItems = 5000;

ScanRequest request_of(ValueType type, Operator op = Operator::sum) {
  return {.input_type = type, .accumulator_type = type, .output_type = type, .op = op, .n = kItems};
}

Config small_tiles(const ScanRequest& request) {
  const FamilyModel& lookback = *find_family("lookback");
  Config config = lookback.default_config(request, 90);
  for (std::size_t index = 0; index < lookback.parameters().size(); ++index) {
    if (std::string(lookback.parameters()[index].name) == "block_threads") config[static_cast<int>(index)] = 128;
    if (std::string(lookback.parameters()[index].name) == "items_per_thread") config[static_cast<int>(index)] = 4;
  }
  return config;
}

int verify(ScanningDevice& device, const ScanRequest& request, const VerifyOptions& options = {}) {
  return Verifier(device).verify(request, small_tiles(request), options);
}

// The message of the WrongResult; empty if the scan passes.
std::string complaint(const std::function<void(const Scanned&)>& mistake,
                      const ScanRequest& request = request_of(ValueType::i32)) {
  ScanningDevice device;
  device.mistake = mistake;
  try {
    verify(device, request);
  } catch (const WrongResult& error) {
    return error.what();
  }
  return {};
}

TEST(Verifier, AcceptsARightScanOfEveryTypeAndOperator) {
  for (const ValueType type : {ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64})
    for (const Operator op : {Operator::sum, Operator::max}) {
      ScanningDevice device;
      EXPECT_GE(verify(device, request_of(type, op)), 70) << token(type) << " " << token(op);
    }
}

TEST(Verifier, RunsTheRequestedSizeItsNeighbourAndSizesAroundTheTile) {
  ScanningDevice device;
  std::set<u64> sizes;
  device.mistake = [&](const Scanned& scanned) { sizes.insert(scanned.request.n); };
  verify(device, request_of(ValueType::i32));
  for (const u64 n : {u64{1}, u64{31}, u64{33}, u64{511}, u64{512}, u64{513}, kItems - 1, kItems})
    EXPECT_TRUE(sizes.contains(n)) << n;
}

TEST(Verifier, GivesTheAlignedKernelAlignedPointersAndTheOtherOneOthers) {
  ScanningDevice device;
  int aligned = 0, unaligned = 0;
  device.mistake = [&](const Scanned& scanned) {
    const auto past = [](const std::byte* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16; };
    const bool vectors = scanned.request.alignment_bytes == 16;
    (vectors ? aligned : unaligned) += 1;
    EXPECT_EQ(past(scanned.input) == 0 && past(scanned.output) == 0, vectors);
  };
  verify(device, request_of(ValueType::f32));
  EXPECT_GT(aligned, 30);
  EXPECT_GT(unaligned, 30);
}

TEST(Verifier, NamesTheFirstWrongItemAndHowItWasScanned) {
  const std::string message = complaint([](const Scanned& scanned) {
    if (scanned.request.n == 513) scanned.flip(512);
  });
  EXPECT_NE(message.find("inclusive sum of 513 items"), std::string::npos) << message;
  EXPECT_NE(message.find("aligned to vectors, out of place"), std::string::npos) << message;
  EXPECT_NE(message.find("item 512 should be"), std::string::npos) << message;
  EXPECT_NE(message.find("lookback{"), std::string::npos) << message;
}

struct Mistake {
  const char* name;
  std::function<void(const Scanned&)> make;
  const char* said;  // in the message
};

TEST(Verifier, CatchesEveryKindOfMistake) {
  const Mistake mistakes[] = {
      {"the last item only at the requested size",
       [](const Scanned& scanned) {
         if (scanned.request.n == kItems) scanned.flip(kItems - 1);
       },
       "item 4999"},
      {"ragged end",
       [](const Scanned& scanned) {
         if (scanned.request.n == kItems - 1) scanned.flip(kItems - 2);
       },
       "item 4998"},
      {"unaligned pointers",
       [](const Scanned& scanned) {
         if (scanned.request.alignment_bytes != 16) scanned.flip(0);
       },
       "aligned to items only"},
      {"in place",
       [](const Scanned& scanned) {
         if (scanned.input == scanned.output) scanned.flip(0);
       },
       "in place"},
      {"a second scan on the workspace",
       [](const Scanned& scanned) {
         if (scanned.scans % 5 == 3) scanned.flip(0);
       },
       "repeated on one workspace"},
      {"another kind",
       [](const Scanned& scanned) {
         if (scanned.request.kind == Kind::exclusive) scanned.flip(0);
       },
       "exclusive sum"},
      {"an item that is not written",
       [](const Scanned& scanned) {
         if (scanned.request.n >= 513) std::memset(scanned.output + 4 * 512, 0xa5, 4);
       },
       "item 512"},
      {"writes before the output", [](const Scanned& scanned) { scanned.output[-1] = {}; }, "before the output"},
      {"writes behind the output", [](const Scanned& scanned) { scanned.output[scanned.bytes()] = {}; },
       "behind the output"},
      {"changes its input",
       [](const Scanned& scanned) {
         if (scanned.input != scanned.output) const_cast<std::byte*>(scanned.input)[3] ^= std::byte{1};
       },
       ""},
      {"writes behind the workspace",
       [](const Scanned& scanned) { scanned.workspace[scanned.workspace_bytes - 4096] = {}; }, "behind the workspace"},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string message = complaint(mistake.make);
    EXPECT_NE(message, "") << mistake.name;
    EXPECT_NE(message.find(mistake.said), std::string::npos) << mistake.name << ": " << message;
  }
}

TEST(Verifier, CatchesAMaximumThatDropsNan) {
  const std::string message = complaint(
      [](const Scanned& scanned) {
        auto* items = reinterpret_cast<f32*>(scanned.output);
        for (u64 index = 1; index < scanned.request.n; ++index)
          if (std::isnan(items[index])) items[index] = items[index - 1];
      },
      request_of(ValueType::f32, Operator::max));
  EXPECT_NE(message.find("should be nan"), std::string::npos) << message;
}

TEST(Verifier, LeavesOtherKindsAloneWhenToldTo) {
  ScanningDevice device;
  device.mistake = [](const Scanned& scanned) { EXPECT_EQ(scanned.request.kind, Kind::inclusive); };
  verify(device, request_of(ValueType::i32), {.all_kinds = false});
  EXPECT_EQ(device.compiler().sources.size(), 2u);
}

TEST(Verifier, RunsLargeSizesSeldomButWithBothKernels) {
  ScanningDevice device;
  ScanRequest request = request_of(ValueType::i64);
  request.n = (u64{1} << 23) + 1;
  int aligned_out_of_place = 0, unaligned_in_place = 0, large = 0;
  device.mistake = [&](const Scanned& scanned) {
    if (scanned.request.n < (1 << 23)) return;
    ++large;
    aligned_out_of_place += scanned.request.alignment_bytes == 16 && scanned.input != scanned.output;
    unaligned_in_place += scanned.request.alignment_bytes != 16 && scanned.input == scanned.output;
  };
  verify(device, request);
  EXPECT_EQ(aligned_out_of_place, 2);
  EXPECT_EQ(unaligned_in_place, 1);
  EXPECT_EQ(large, 3);
}

TEST(Verifier, RefusesAConfigThatIsNotLegalBeforeRunningIt) {
  ScanningDevice device;
  const ScanRequest request = request_of(ValueType::i32);
  Config config = small_tiles(request);
  config[0] = 100;
  EXPECT_THROW(Verifier(device).verify(request, config), RequestError);
  EXPECT_EQ(device.scans, 0);
}

TEST(Verifier, GivesAllMemoryBackWhenAResultIsWrong) {
  ScanningDevice device;
  device.mistake = [](const Scanned& scanned) { scanned.flip(0); };
  EXPECT_THROW(verify(device, request_of(ValueType::i32)), WrongResult);
  EXPECT_EQ(device.live_allocations(), 0u);
}

}  // namespace
}  // namespace scantune
