// The space of selections: their defaults.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "select/config/select_lookback.h"
#include "select/config/select_ring.h"
#include "space/operands.h"
#include "space_under_test.h"

namespace scantune {
namespace {

// A default is legal, and one of the searched values.
TEST(Space, EverySelectionHasALegalDefaultOfSearchedValuesOnEveryArchitecture) {
  std::vector<SelectRequest> types;
  for (const ValueType type : kTypes)
    for (const Criterion criterion : {Criterion::not_equal, Criterion::around})
      if (type != ValueType::custom) types.push_back({.input_type = type, .criterion = criterion});
  SelectRequest custom{.input_type = ValueType::custom};
  for (custom.custom_bytes = 1; custom.custom_bytes <= kMaxValueBytes; ++custom.custom_bytes)
    for (custom.custom_alignment = 1; custom.custom_alignment <= kVectorAlignmentBytes; custom.custom_alignment *= 2)
      for (const Criterion criterion : {Criterion::flagged, Criterion::parts}) {
        custom.criterion = criterion;
        if (invalid_custom_reason(custom.custom_bytes, custom.custom_alignment) == nullptr) types.push_back(custom);
      }
  for (const FlagType flags : {FlagType::i16, FlagType::f64})
    for (const ValueType type : kTypes)
      if (type != ValueType::custom)
        types.push_back({.input_type = type, .criterion = Criterion::flagged, .flag_type = flags});
  for (SelectRequest request : types)
    for (const Selected selected : {Selected::items, Selected::indices, Selected::items_and_indices})
      for (const Rejected rejected : {Rejected::dropped, Rejected::apart, Rejected::behind, Rejected::behind_reversed})
        for (const Values values : {Values::none, Values::bytes_8, Values::bytes_16})
          for (const ForwardProgress progress : {ForwardProgress::in_order, ForwardProgress::documented})
            for (const u64 n : kSizes) {
              request.selected = selected;
              request.rejected = rejected;
              request.values = values;
              request.forward_progress = progress;
              request.n = n;
              if (unsupported_reason(request) != nullptr) continue;
              for (const int sm : kArchs)
                for (const FamilyModel* family : algorithm_of<SelectRequest>().families()) {
                  if (family->unsupported_reason(request, sm) != nullptr) {
                    if (family->name() == std::string_view("select_ring")) continue;
                    // One family counts items before it stores any, the other needs a place of its own for the output.
                    const bool counts_first =
                        request.rejected == Rejected::behind || (request.parts() == 3 && n >> 32 != 0);
                    ASSERT_EQ(family->name() == std::string_view("select_lookback"), counts_first)
                        << family->name() << " of " << to_string(Request(request));
                    continue;
                  }
                  const Config config = family->default_config(request, sm);
                  ASSERT_EQ(reject_reason(config, request, sm), nullptr)
                      << to_string(config) << " of " << to_string(Request(request)) << ", sm " << sm;
                  ASSERT_EQ(unlisted_parameter(config), "") << to_string(config);
                }
            }
}

TEST(Space, SelectRingServesItemsThatFillVectorsInMemory) {
  const FamilyModel& ring = *find_family("select_ring");
  const SelectRequest request{.criterion = Criterion::flagged, .n = u64{1} << 26};
  EXPECT_EQ(ring.unsupported_reason(request, 90), nullptr);
  EXPECT_STREQ(ring.unsupported_reason(request, 80), "bulk copies need sm_90 or newer");
  SelectRequest other = request;
  other.rejected = Rejected::behind;
  EXPECT_NE(ring.unsupported_reason(other, 90), nullptr);
  other = request;
  other.load = Load::generated;
  EXPECT_STREQ(ring.unsupported_reason(other, 90), "bulk copies bring items as they are in memory: no map of them");
  other = request;
  other.input_type = ValueType::custom;
  other.custom_bytes = 12;
  other.custom_alignment = 4;
  EXPECT_STREQ(ring.unsupported_reason(other, 90), "items must fill 16-byte vectors");
  other.custom_bytes = 8;
  EXPECT_STREQ(ring.unsupported_reason(other, 90),
               "items that are aligned to less than their size may cross the boundaries of bulk copies");
  other.custom_alignment = 8;
  EXPECT_EQ(ring.unsupported_reason(other, 90), nullptr);
}

TEST(Space, SelectRingLooksNoFurtherAheadThanItHasStages) {
  const SelectRequest request{.criterion = Criterion::less, .n = u64{1} << 26};
  SelectRingConfig config{.stages = 2, .look_ahead = 1};
  EXPECT_EQ(Family<SelectRingConfig>::invalid_reason(config, request, 90), nullptr);
  config.look_ahead = 2;
  EXPECT_NE(Family<SelectRingConfig>::invalid_reason(config, request, 90), nullptr);
  config.stages = 3;
  EXPECT_EQ(Family<SelectRingConfig>::invalid_reason(config, request, 90), nullptr);
}

// Bulk copies begin on boundaries of 16 bytes, however wide a read of a stage is.
TEST(Space, SelectRingHasPlacesBeforeTheFirstBoundary) {
  for (const int vector_bytes : {4, 16}) {
    const SelectRingConfig config{.vector_bytes = vector_bytes};
    SelectRequest request{.criterion = Criterion::less, .n = config.tile_items()};
    EXPECT_EQ(tiles(config, request, Variant::aligned), 1u);
    EXPECT_EQ(tiles(config, request, Variant::any), 2u);
    request.n -= 3;
    EXPECT_EQ(tiles(config, request, Variant::any), 1u);
  }
}

// Until it is measured, it serves only where it is named or recorded.
TEST(Space, SelectRingIsNoDefault) {
  for (const u64 n : {u64{1} << 20, u64{1} << 26, u64{1} << 30}) {
    const SelectRequest request{.criterion = Criterion::less, .n = n};
    EXPECT_STREQ(default_config(request, 90).family().name(), "select_lookback") << n;
  }
}

// More items than 32 bits count.
static_assert(items_with_room(u64{1} << 33, (u64{1} << 33) - 5, 100) == 5);
static_assert(items_with_room(u64{1} << 33, (u64{1} << 32) - 5, 100) == 100);
static_assert(items_with_room(u64{1} << 33, u64{1} << 33, 100) == 0);
static_assert(items_with_room((u64{1} << 32) + 1, 0, 100) == 100);
static_assert(items_with_room(5, u64{1} << 32, 100) == 0);
static_assert(items_with_room(5, ~u64{0}, 100) == 0);
static_assert(items_with_room(0, 0, 100) == 0);

TEST(Space, RecordsOfSelectionsServeEveryRoom) {
  SelectRequest request{.criterion = Criterion::less, .n = 1000};
  const Request roomy = request;
  request.room = OutputRoom::limited;
  request.capacity = request.second_capacity = request.rejected_capacity = 10;
  EXPECT_EQ(key_of(Request(request)), key_of(roomy));
  EXPECT_EQ(to_string(Request(request)), to_string(roomy));
  EXPECT_EQ(Operands(Request(request)).of(OperandRole::output).bytes(), 40u);
}

TEST(Space, FlagsOfEverySignShareTheirKernels) {
  const auto compiled = [](SelectRequest request) { return Request(request).algorithm().compiled(Request(request)); };
  SelectRequest narrow{.criterion = Criterion::flagged, .flag_type = FlagType::i32}, wide = narrow;
  EXPECT_EQ(typed<SelectRequest>(compiled(narrow)).flag_type, FlagType::u32);
  wide.flag_type = FlagType::f32;
  EXPECT_EQ(typed<SelectRequest>(compiled(wide)).flag_type, FlagType::f32) << "a negative zero is not one by its bits";
  narrow.criterion = Criterion::less;
  narrow.subject = Subject::flag;
  EXPECT_EQ(typed<SelectRequest>(compiled(narrow)).flag_type, FlagType::i32);
}

// Measured: tests/bench/results/h200-one-shot-shapes.csv.
TEST(Space, SmallSelectionsHaveTilesByDefaultThatTwoPollsRead) {
  struct Case {
    ValueType type;
    Criterion criterion;
    u64 n;
    int items;
  };
  const Case kCases[] = {
      {ValueType::i32, Criterion::predicate, 130'000, 8},  {ValueType::i32, Criterion::predicate, 140'000, 16},
      {ValueType::i32, Criterion::unique, 140'000, 8},     {ValueType::i64, Criterion::predicate, 60'000, 4},
      {ValueType::i64, Criterion::flagged, 70'000, 8},     {ValueType::i64, Criterion::predicate, 200'000, 16},
      {ValueType::i16, Criterion::predicate, 250'000, 16}, {ValueType::i8, Criterion::predicate, 250'000, 16},
  };
  for (const Case& one : kCases) {
    const SelectRequest request{.input_type = one.type, .criterion = one.criterion, .n = one.n};
    const SelectLookbackConfig config = Family<SelectLookbackConfig>::default_config(request, 90);
    EXPECT_EQ(config.items_per_thread, one.items) << to_string(Request(request));
  }
}

}  // namespace
}  // namespace scantune
