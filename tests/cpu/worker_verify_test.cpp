#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/contract/check.h"
#include "measure/verify.h"
#include "message_of.h"
#include "worker_problems.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::Scanned;
using testing::ScanningDevice;

constexpr u64 kVerifiedItems = 5000;

ScanRequest request_of(ValueType type, Operator op = Operator::sum) {
  ScanRequest request = testing::request_of(type, default_accumulator(type, type), type, op);
  request.n = kVerifiedItems;
  return request;
}

int& parameter(Config& config, std::string_view name) {
  int index = 0;
  while (config.family().parameters()[static_cast<std::size_t>(index)].name != name) ++index;
  return config[index];
}

// Look-back with the fewest items in a tile of 128 threads that are legal for the types.
Config small_tiles(const ScanRequest& request) {
  Config config = find_family("lookback")->default_config(request, 90);
  parameter(config, "block_threads") = 128;
  int& items = parameter(config, "items_per_thread");
  for (items = 4; items < 64 && reject_reason(config, request, 90) != nullptr; items *= 2) {
  }
  return config;
}

int verify(ScanningDevice& device, const ScanRequest& request, const VerifyOptions& options = {},
           const CustomOperator* custom = nullptr) {
  return Verifier(device).verify(request, small_tiles(request), custom, options);
}

// The message of the WrongResult; empty if the scan passes.
std::string complaint(const std::function<void(const Scanned&)>& mistake,
                      const ScanRequest& request = request_of(ValueType::i32)) {
  ScanningDevice device;
  device.mistake = mistake;
  return message_of<WrongResult>([&] { verify(device, request); });
}

TEST(Verifier, AcceptsARightScanOfEveryTypeAndOperator) {
  auto all = testing::type_triples();
  for (const ScanRequest& custom : testing::custom_types()) all.push_back(custom);
  for (const ScanRequest& types : all)
    for (ScanRequest request : testing::with_operators(types)) {
      request.n = 600;
      ScanningDevice device;
      EXPECT_GE(verify(device, request), 40) << to_string(request);
    }
}

TEST(Verifier, RunsEveryKindWithItsInitialValueInMemoryToo) {
  for (const Init init : {Init::none, Init::value, Init::memory})
    for (const Kind kind : {Kind::inclusive, Kind::exclusive}) {
      if (kind == Kind::exclusive && init == Init::none) continue;
      ScanningDevice device;
      std::set<std::pair<Kind, Init>> run;
      device.mistake = [&](const Scanned& scanned) { run.insert({scanned.request.kind, scanned.request.init}); };
      ScanRequest request = request_of(ValueType::i32);
      request.kind = kind;
      request.init = init;
      verify(device, request);
      for (const auto& expected :
           {std::pair{kind, init}, std::pair{Kind::inclusive, Init::none}, std::pair{Kind::exclusive, Init::value},
            std::pair{Kind::inclusive, Init::memory}, std::pair{Kind::exclusive, Init::memory}})
        EXPECT_TRUE(run.contains(expected)) << token(expected.first) << " " << token(expected.second);
    }
}

// The kernels of a request whose n lies in memory are launched for more items than there are, too.
TEST(Verifier, NoticesWritesBehindTheItemsThatMemorySaysThereAre) {
  ScanRequest request = request_of(ValueType::i32);
  request.n_source = NSource::memory;
  std::set<u64> numbers;
  EXPECT_EQ(complaint([&](const Scanned& scanned) { numbers.insert(scanned.request.n); }, request), "");
  EXPECT_TRUE(numbers.contains(0) && numbers.contains(1) && numbers.contains(request.n));

  const std::string of_nothing = complaint(
      [](const Scanned& scanned) {
        if (scanned.request.n == 0) scanned.output[12] = {};
      },
      request);
  EXPECT_NE(of_nothing.find("there are no items: it wrote past the items"), std::string::npos) << of_nothing;

  // So far behind that no guard notices.
  const std::string of_one = complaint(
      [](const Scanned& scanned) {
        if (scanned.request.n == 1) scanned.output[scanned.bytes() + 4096] = {};
      },
      request);
  EXPECT_NE(of_one.find("past the items that memory says there are, at byte 4096"), std::string::npos) << of_one;
}

// A config is tuned for up to 2^30 items, of which no output need be looked through for writes of none.
TEST(Verifier, LooksForWritesOfNoItemsOnlyAsFarAsSeveralTiles) {
  ScanRequest request = request_of(ValueType::i32);
  request.n_source = NSource::memory;
  request.n = u64{1} << 20;
  ScanningDevice device;
  std::set<u64> launched;
  device.mistake = [&](const Scanned& scanned) {
    if (scanned.request.n == 0) launched.insert(scanned.launched_items);
  };
  verify(device, request, {.all_kinds = false});
  ASSERT_FALSE(launched.empty());
  EXPECT_GT(*launched.begin(), 2 * 512u);  // two tiles
  EXPECT_LT(*launched.rbegin(), 3 * 512u);
}

TEST(Verifier, ScansInPlaceOnlyWhereItemsKeepTheirSize) {
  for (const ValueType output : {ValueType::i32, ValueType::u32, ValueType::i64, ValueType::i16}) {
    ScanRequest request = testing::request_of(ValueType::i32, default_accumulator(ValueType::i32, output), output);
    request.n = kVerifiedItems;
    ScanningDevice device;
    int in_place = 0;
    device.mistake = [&](const Scanned& scanned) { in_place += scanned.input == scanned.output; };
    verify(device, request);
    EXPECT_EQ(in_place > 0, size_of(output) == 4) << token(output);
  }
}

// The kernel for any alignment gets input and output that are misaligned differently, down to single bytes.
TEST(Verifier, MovesPointersOffTheVectorsByAsLittleAsTheTypesAllow) {
  const struct {
    ScanRequest types;
    unsigned input_past, output_past;
  } table[] = {{testing::request_of(ValueType::i8, ValueType::i32, ValueType::i8), 1, 15},
               {testing::request_of(ValueType::f16, ValueType::f32, ValueType::f32), 2, 12},
               {testing::custom_request(3), 1, 15},
               {testing::custom_request(12), 4, 12}};
  for (const auto& [types, input_past, output_past] : table) {
    ScanRequest request = types;
    request.n = kVerifiedItems;
    ScanningDevice device;
    std::set<std::uintptr_t> inputs, outputs;
    device.mistake = [&](const Scanned& scanned) {
      if (scanned.variant == Variant::aligned || scanned.input == scanned.output) return;
      inputs.insert(reinterpret_cast<std::uintptr_t>(scanned.input) % 16);
      outputs.insert(reinterpret_cast<std::uintptr_t>(scanned.output) % 16);
    };
    verify(device, request);
    EXPECT_EQ(inputs, std::set<std::uintptr_t>{input_past}) << to_string(request);
    EXPECT_EQ(outputs, std::set<std::uintptr_t>{output_past}) << to_string(request);
  }
}

const CustomOperator kCallersOwn{.source = "struct Value { float a, b; };\nValue combine(Value, Value);\n",
                                 .name = "affine"};

ScanRequest callers_own_request() {
  ScanRequest request = testing::custom_request(8, 4);
  request.n = kVerifiedItems;
  return request;
}

TEST(Verifier, ProvesAConfigWithTheStandInBeforeItRunsTheCallersOwnOperator) {
  ScanningDevice device;
  std::vector<bool> runs_own;
  device.mistake = [&](const Scanned& scanned) { runs_own.push_back(scanned.runs(kCallersOwn)); };
  verify(device, callers_own_request(), {}, &kCallersOwn);
  EXPECT_FALSE(runs_own.front());
  EXPECT_TRUE(runs_own.back());
  EXPECT_TRUE(std::ranges::is_sorted(runs_own));
  // What it returns is not known, so a wrong item passes; with the stand-in it does not.
  device.mistake = [](const Scanned& scanned) {
    if (scanned.runs(kCallersOwn)) scanned.flip(0);
  };
  EXPECT_NO_THROW(verify(device, callers_own_request(), {}, &kCallersOwn));
  device.mistake = [](const Scanned& scanned) {
    if (!scanned.runs(kCallersOwn)) scanned.flip(0);
  };
  EXPECT_THROW(verify(device, callers_own_request(), {}, &kCallersOwn), WrongResult);
}

TEST(Verifier, CatchesTheCallersOwnKernelWhereItTouchesOtherMemory) {
  const std::pair<const char*, std::function<void(const Scanned&)>> mistakes[] = {
      {"past the output", [](const Scanned& scanned) { scanned.output[scanned.bytes()] = {}; }},
      {"changed its input", [](const Scanned& scanned) { const_cast<std::byte*>(scanned.input)[3] ^= std::byte{1}; }}};
  for (const auto& [said, mistake] : mistakes) {
    ScanningDevice device;
    device.mistake = [&, make = mistake](const Scanned& scanned) {
      if (scanned.runs(kCallersOwn)) make(scanned);
    };
    const std::string message =
        message_of<WrongResult>([&] { verify(device, callers_own_request(), {}, &kCallersOwn); });
    EXPECT_NE(message.find(said), std::string::npos) << message;
    EXPECT_NE(message.find("the caller's own operator"), std::string::npos) << message;
  }
}

TEST(Verifier, HoldsTheCallersOwnKernelToEqualBitsWhereTheRequestAsksForThem) {
  for (const Determinism determinism : {Determinism::unconstrained, Determinism::run_to_run}) {
    ScanningDevice device;
    device.mistake = [](const Scanned& scanned) {
      if (scanned.runs(kCallersOwn) && scanned.scans % 2 == 0) scanned.flip(0);
    };
    ScanRequest request = callers_own_request();
    request.determinism = determinism;
    const Config config = default_config(request, 90);
    const auto verify_it = [&] { Verifier(device).verify(request, config, &kCallersOwn, {}); };
    if (determinism == Determinism::unconstrained)
      EXPECT_NO_THROW(verify_it());
    else
      EXPECT_THROW(verify_it(), WrongResult);
  }
}

TEST(Verifier, TellsOfTheCallersOwnKernelThatItTouchedOtherMemoryBeforeWhatElseItDid) {
  ScanningDevice device;
  device.mistake = [](const Scanned& scanned) {
    if (!scanned.runs(kCallersOwn) || scanned.scans % 2 != 0) return;
    scanned.output[scanned.bytes()] = {};
    scanned.flip(0);
  };
  ScanRequest request = callers_own_request();
  request.determinism = Determinism::run_to_run;
  const std::string message =
      message_of<WrongResult>([&] { Verifier(device).verify(request, default_config(request, 90), &kCallersOwn, {}); });
  EXPECT_NE(message.find("past the output"), std::string::npos) << message;
}

TEST(Verifier, RunsTheRequestedSizeItsNeighbourAndSizesAroundTheTile) {
  ScanningDevice device;
  std::set<u64> sizes;
  device.mistake = [&](const Scanned& scanned) { sizes.insert(scanned.request.n); };
  verify(device, request_of(ValueType::i32));
  for (const u64 n : {u64{1}, u64{31}, u64{33}, u64{511}, u64{512}, u64{513}, kVerifiedItems - 1, kVerifiedItems})
    EXPECT_TRUE(sizes.contains(n)) << n;
}

TEST(Verifier, RunsRowsOfEveryLengthAndOtherNumbersOfThem) {
  ScanRequest request = request_of(ValueType::i32);
  request.segments = Segments::rows;
  request.rows = 20;
  ScanningDevice device;
  std::set<std::pair<u64, u64>> lengths;  // by the number of rows
  device.mistake = [&](const Scanned& scanned) {
    lengths.insert({scanned.request.rows, ceil_div(scanned.request.n, scanned.request.rows)});
  };
  const Config config = find_family("scan_rows")->default_config(request, 90);
  const u64 tile = static_cast<u64>(config.family().tile_items(config, request));
  Verifier(device).verify(request, config);
  for (const u64 rows : {u64{1}, u64{2}, request.rows, u64{33}})
    for (const u64 length : {u64{1}, u64{31}, u64{33}, tile - 1, tile, tile + 1, 5 * tile / 2 | 1})
      EXPECT_TRUE(lengths.contains({rows, length})) << rows << " rows of " << length;
  EXPECT_TRUE(lengths.contains({request.rows, request.n / request.rows}));
}

// A record serves other numbers of rows too, and a CTA of scan_short_rows holds whole rows.
TEST(Verifier, ShortensRowsThatDoNotFitAConfigOfWholeRows) {
  ScanRequest request = request_of(ValueType::i32);
  request.segments = Segments::rows;
  request.rows = 20;
  const Config config = find_family("scan_short_rows")->default_config(request, 90);
  ScanningDevice device;
  u64 longest = 0;
  device.mistake = [&](const Scanned& scanned) {
    if (scanned.request.rows == 1) longest = std::max(longest, scanned.request.n);
  };
  EXPECT_NO_THROW(Verifier(device).verify(request, config));
  EXPECT_GT(longest, request.n / request.rows);
  EXPECT_LT(longest, request.n);
}

TEST(Verifier, NoticesARowThatGoesOnFromTheOneBefore) {
  ScanRequest request = request_of(ValueType::i32);
  request.segments = Segments::rows;
  request.rows = 20;
  ScanningDevice device;
  device.mistake = [](const Scanned& scanned) {
    ScanRequest flat = scanned.request;
    flat.segments = Segments::none;
    if (scanned.request.rows > 1 && !scanned.request.has_init() && scanned.input != scanned.output)
      testing::plain_scan(flat, scanned.input, nullptr, scanned.output);
  };
  const Config config = find_family("scan_rows")->default_config(request, 90);
  EXPECT_THROW(Verifier(device).verify(request, config), WrongResult);
}

TEST(Verifier, GivesTheAlignedKernelAlignedPointersAndTheOtherOneOthers) {
  ScanningDevice device;
  int aligned = 0, unaligned = 0;
  device.mistake = [&](const Scanned& scanned) {
    const auto past = [](const std::byte* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16; };
    const bool vectors = scanned.variant == Variant::aligned;
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

struct PlantedMistake {
  const char* name;
  std::function<void(const Scanned&)> make;
  const char* said;  // part of the message
};

TEST(Verifier, CatchesEveryKindOfMistake) {
  const PlantedMistake mistakes[] = {
      {"the last item only at the requested size",
       [](const Scanned& scanned) {
         if (scanned.request.n == kVerifiedItems) scanned.flip(kVerifiedItems - 1);
       },
       "item 4999"},
      {"ragged end",
       [](const Scanned& scanned) {
         if (scanned.request.n == kVerifiedItems - 1) scanned.flip(kVerifiedItems - 2);
       },
       "item 4998"},
      {"unaligned pointers",
       [](const Scanned& scanned) {
         if (scanned.variant == Variant::any) scanned.flip(0);
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
       "past the output"},
      {"the initial value in memory",
       [](const Scanned& scanned) {
         if (scanned.request.init == Init::memory) scanned.flip(0);
       },
       "from memory"},
      {"changes its input",
       [](const Scanned& scanned) {
         if (scanned.input != scanned.output) const_cast<std::byte*>(scanned.input)[3] ^= std::byte{1};
       },
       ""},
      {"writes behind the workspace",
       [](const Scanned& scanned) { scanned.workspace[scanned.workspace_bytes - 4096] = {}; }, "past the workspace"},
  };
  for (const PlantedMistake& mistake : mistakes) {
    const std::string message = complaint(mistake.make);
    EXPECT_NE(message, "") << mistake.name;
    EXPECT_NE(message.find(mistake.said), std::string::npos) << mistake.name << ": " << message;
  }
}

// The message about the second of two configs; the first is right.
std::string complaint_after_a_right_one(const std::function<void(const Scanned&)>& mistake) {
  const ScanRequest request = request_of(ValueType::i32);
  ScanningDevice device;
  Verifier verifier(device);
  verifier.verify(request, small_tiles(request));
  device.mistake = mistake;
  return message_of<WrongResult>([&] { verifier.verify(request, small_tiles(request)); });
}

TEST(Verifier, SaysTheSameOfAWrongItemWhetherItKnowsTheOutputOrNot) {
  const auto last_item = [](const Scanned& scanned) {
    if (scanned.request.n == kVerifiedItems) scanned.flip(kVerifiedItems - 1);
  };
  const std::string message = complaint_after_a_right_one(last_item);
  EXPECT_NE(message.find("item 4999 should be"), std::string::npos) << message;
  EXPECT_EQ(message, complaint(last_item));
}

// The last of the three scans out of place changes the input, so that no output shows it.
TEST(Verifier, NoticesAChangedInputWhetherItKnowsTheInputOrNot) {
  const auto after_third_scan = [scans = 0](const Scanned& scanned) mutable {
    if (scanned.input == scanned.output || ++scans % 3 != 0 || scanned.request.n != kVerifiedItems) return;
    const_cast<std::byte*>(scanned.input)[4 * kVerifiedItems - 1] ^= std::byte{1};
  };
  for (const std::string& message : {complaint(after_third_scan), complaint_after_a_right_one(after_third_scan)}) {
    EXPECT_NE(message.find("of 5000 items"), std::string::npos) << message;
    EXPECT_NE(message.find("it changed its input"), std::string::npos) << message;
  }
}

// The first of these parts holds the guard before the output, and the last one the guard after it.
TEST(Verifier, CatchesWritesAroundAnOutputThatIsCopiedInParts) {
  ScanRequest request = request_of(ValueType::i8);
  request.n = (u64{1} << 21) + 77;
  const std::pair<const char*, std::function<void(const Scanned&)>> mistakes[] = {
      {"before the output, at byte 4095", [](const Scanned& scanned) { scanned.output[-1] = {}; }},
      {"past the output, at byte 4095", [](const Scanned& scanned) { scanned.output[scanned.bytes() + 4095] = {}; }}};
  for (const auto& [said, mistake] : mistakes) {
    const std::string message = complaint(
        [&, make = mistake](const Scanned& scanned) {
          if (scanned.request.n == request.n) make(scanned);
        },
        request);
    EXPECT_NE(message.find(said), std::string::npos) << message;
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

TEST(Verifier, RunsLargeSizesSeldomButWithBothKernelsAndUploadsTheirInputOnce) {
  ScanningDevice device;
  ScanRequest request = request_of(ValueType::i64);
  request.n = (u64{1} << 23) + 1;
  int aligned_out_of_place = 0, unaligned_in_place = 0, large = 0;
  device.mistake = [&](const Scanned& scanned) {
    if (scanned.request.n < (1 << 23)) return;
    ++large;
    aligned_out_of_place += scanned.variant == Variant::aligned && scanned.input != scanned.output;
    unaligned_in_place += scanned.variant == Variant::any && scanned.input == scanned.output;
  };
  verify(device, request);
  EXPECT_EQ(aligned_out_of_place, 2);
  EXPECT_EQ(unaligned_in_place, 1);
  EXPECT_EQ(large, 3);
  EXPECT_LT(device.uploaded_bytes, request.n * sizeof(i64) * 5 / 4);
}

// With these options only the device checks outputs of kVerifiedItems and of one item fewer.
const VerifyOptions kCheckedOnDevice{.most_items_on_cpu = kVerifiedItems - 2};

TEST(Verifier, ChecksLargeOutputsOnTheDevice) {
  ScanningDevice device;
  const int scans = verify(device, request_of(ValueType::i32), kCheckedOnDevice);
  EXPECT_EQ(scans, verify(device, request_of(ValueType::i32)));
  EXPECT_GE(device.checks, 10);
}

TEST(Verifier, SaysTheSameOfAWrongItemWhereverItIsFound) {
  for (const u64 item : {u64{0}, kCheckedItems - 1, kCheckedItems, kVerifiedItems - 1}) {
    const auto mistake = [item](const Scanned& scanned) {
      if (scanned.request.n == kVerifiedItems) scanned.flip(item);
    };
    ScanningDevice device;
    device.mistake = mistake;
    const std::string of_cpu = complaint(mistake);
    EXPECT_NE(of_cpu, "") << item;
    EXPECT_EQ(message_of<WrongResult>([&] { verify(device, request_of(ValueType::i32), kCheckedOnDevice); }), of_cpu);
  }
}

TEST(Verifier, LooksAroundOutputsThatAreCheckedOnTheDevice) {
  for (const bool behind : {false, true}) {
    ScanningDevice device;
    device.mistake = [behind](const Scanned& scanned) {
      if (scanned.request.n == kVerifiedItems) (behind ? scanned.output[scanned.bytes()] : scanned.output[-1]) = {};
    };
    const std::string message =
        message_of<WrongResult>([&] { verify(device, request_of(ValueType::i32), kCheckedOnDevice); });
    EXPECT_NE(message.find(behind ? "past the output" : "before the output"), std::string::npos) << message;
  }
}

// The message of the NoCheck; empty if there is none.
std::string refusal(const std::function<u64(u64 n, u64 first_wrong)>& verdict) {
  ScanningDevice device;
  device.verdict = verdict;
  return message_of<NoCheck>([&] { verify(device, request_of(ValueType::i32), kCheckedOnDevice); });
}

TEST(Verifier, TrustsNoCheckThatAcceptsASpoiledOutputOrRefusesARightOne) {
  const std::string accepts_all = refusal([](u64 n, u64) { return n; });
  EXPECT_NE(accepts_all.find("whose item 0 is wrong"), std::string::npos) << accepts_all;
  const std::string refuses_all = refusal([](u64, u64) { return u64{0}; });
  EXPECT_NE(refuses_all.find("what it should return"), std::string::npos) << refuses_all;
  const std::string names_another = refusal([](u64 n, u64 wrong) { return std::min(n, wrong + 1); });
  EXPECT_NE(names_another.find("finds item 1 wrong, and the CPU item 0"), std::string::npos) << names_another;
}

TEST(Verifier, ChecksOnTheCpuWhereTheCheckForTheDeviceDoesNotCompile) {
  const auto mistake = [](const Scanned& scanned) {
    if (scanned.request.n == kVerifiedItems) scanned.flip(kVerifiedItems - 1);
  };
  ScanningDevice device;
  device.compiler().refuses = [](const std::string& source) {
    return source.find("check_scan.h") != std::string::npos;
  };
  EXPECT_GT(verify(device, request_of(ValueType::i32), kCheckedOnDevice), 0);
  EXPECT_EQ(device.checks, 0);
  device.mistake = mistake;
  const std::string of_cpu = complaint(mistake);
  EXPECT_NE(of_cpu, "");
  EXPECT_EQ(message_of<WrongResult>([&] { verify(device, request_of(ValueType::i32), kCheckedOnDevice); }), of_cpu);
}

TEST(Verifier, RefusesToDecideWhereDeviceAndCpuDisagree) {
  const std::string message = refusal([](u64 n, u64 wrong) { return n == kVerifiedItems ? 17 : wrong; });
  EXPECT_NE(message.find("finds item 17 wrong, and the CPU none"), std::string::npos) << message;
}

TEST(Verifier, ChecksOnTheCpuWhatTheDeviceHasNoRoomToKeep) {
  ScanningDevice device;
  device.memory_bytes = u64{90} << 20;
  device.total_bytes = u64{160} << 20;
  ScanRequest request = request_of(ValueType::i64);
  request.n = u64{9} << 20;
  device.mistake = [&](const Scanned& scanned) {
    if (scanned.request.n == request.n) scanned.flip(request.n - 1);
  };
  const std::string message = message_of<WrongResult>([&] { verify(device, request, {.all_kinds = false}); });
  EXPECT_NE(message.find("item 9437183 should be"), std::string::npos) << message;
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
