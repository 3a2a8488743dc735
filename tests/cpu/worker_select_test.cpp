// What selections are fed and must return, and that a wrong one is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "measure/verify.h"
#include "message_of.h"
#include "space/spelling.h"
#include "worker_plain_selection.h"
#include "worker_selecting_device.h"

namespace scantune {
namespace {

using testing::Bytes;
using testing::plain_selection;
using testing::Ran;
using testing::SelectingDevice;
using testing::Selection;

constexpr u64 kSelectChunk = Reference::kChunkItems;
constexpr u64 kItems = 3000;

SelectRequest request_of(ValueType type, Criterion criterion) { return {.input_type = type, .criterion = criterion}; }

SelectRequest custom_request(int bytes, Criterion criterion) {
  SelectRequest request = request_of(ValueType::custom, criterion);
  request.custom_bytes = bytes;
  request.custom_alignment = natural_alignment(bytes);
  return request;
}

// Every criterion with every type that has it.
std::vector<SelectRequest> criteria_and_types() {
  std::vector<SelectRequest> all;
  const auto add = [&](SelectRequest request) {
    if (has_three_parts(request.criterion)) request.rejected = Rejected::apart;
    if (unsupported_reason(request) == nullptr) all.push_back(request);
  };
  for (std::size_t criterion = 0; criterion < std::size(Tokens<Criterion>::kNames); ++criterion) {
    for (std::size_t type = 0; type < std::size(Tokens<ValueType>::kNames); ++type)
      if (static_cast<ValueType>(type) != ValueType::custom)
        add(request_of(static_cast<ValueType>(type), static_cast<Criterion>(criterion)));
    for (const int bytes : {1, 3, 12, 16, 32}) add(custom_request(bytes, static_cast<Criterion>(criterion)));
  }
  return all;
}

// Every criterion that may look at flags, with flags of every type.
std::vector<SelectRequest> criteria_and_flags() {
  std::vector<SelectRequest> all;
  for (std::size_t criterion = 0; criterion < std::size(Tokens<Criterion>::kNames); ++criterion)
    for (std::size_t type = 0; type < std::size(Tokens<FlagType>::kNames); ++type) {
      SelectRequest request = custom_request(12, static_cast<Criterion>(criterion));
      request.flag_type = static_cast<FlagType>(type);
      request.subject = request.criterion == Criterion::flagged ? Subject::item : Subject::flag;
      if (has_three_parts(request.criterion)) request.rejected = Rejected::apart;
      if (unsupported_reason(request) == nullptr) all.push_back(request);
    }
  return all;
}

// A request with everything that may be written beside kept items.
std::vector<SelectRequest> with_all_outputs(const SelectRequest& request) {
  std::vector<SelectRequest> all(9, request);
  all[1].selected = Selected::indices;
  all[1].index_type = ValueType::u32;
  all[2].selected = Selected::items_and_indices;
  all[2].index_type = ValueType::i64;
  all[2].values = Values::bytes_2;
  all[3].rejected = Rejected::apart;
  all[4].values = Values::bytes_8;
  all[5].rejected = Rejected::behind;
  all[6].values = Values::bytes_4;
  all[6].value_units = ValueUnits::several;
  all[6].units = 3;
  all[7].values = Values::bytes_16;
  all[8].rejected = Rejected::behind_reversed;
  return all;
}

InputSpec with(SelectRequest request, u64 n, InputPattern pattern = InputPattern::exact) {
  request.n = n;
  return {request, pattern, 7};
}

std::string named_selection(const InputSpec& spec) { return to_string(spec.request) + ", " + token(spec.pattern); }

// Everything that a reference says, of which some in parts, against the plain loop.
void expect_agreement(const Reference& reference, const InputSpec& spec) {
  const auto request = typed<SelectRequest>(spec.request);
  const Selection right = plain_selection(spec);
  const Operands operands(spec.request);
  for (const RequestOperand& operand : operands.list()) {
    if (!is_written(operand.role)) continue;
    if (operand.role == OperandRole::count) {
      const auto counts = static_cast<std::size_t>(request.parts()) - 1;
      u64 found[2] = {~u64{0}, ~u64{0}};
      reference.expect_beside(operand.role, 0, std::as_writable_bytes(std::span(found).first(counts)));
      EXPECT_TRUE(std::equal(found, found + counts, right.counts)) << named_selection(spec);
      EXPECT_EQ(reference.written(operand), counts);
      continue;
    }
    const Bytes expected = right.of(request, operand.role);
    const u64 bytes = static_cast<u64>(operand.item_bytes), items = expected.size() / bytes;
    ASSERT_EQ(reference.written(operand), items) << operand.name << " of " << named_selection(spec);
    if (operand.role == OperandRole::output) {
      const auto wrong = reference.check(0, expected);
      EXPECT_FALSE(wrong) << named_selection(spec) << ", at " << wrong->index << ": " << wrong->expected << ", "
                          << wrong->found;
      continue;
    }
    for (const u64 first : {u64{0}, items / 3, items - std::min<u64>(items, 1)}) {
      Bytes part((items - first) * bytes);
      reference.expect_beside(operand.role, first, part);
      EXPECT_TRUE(std::ranges::equal(part, std::span(expected).subspan(first * bytes)))
          << operand.name << " from " << first << " of " << named_selection(spec);
    }
  }
}

TEST(ReferenceOfSelections, AgreesWithAPlainLoop) {
  for (const SelectRequest& request : criteria_and_types())
    for (const InputPattern pattern : {InputPattern::exact, InputPattern::specials})
      for (const u64 n : {u64{0}, u64{1}, u64{33}, u64{2000}}) {
        const InputSpec spec = with(request, n, pattern);
        ASSERT_TRUE(applies(pattern, spec.request));
        expect_agreement(*make_reference({spec}), spec);
      }
}

TEST(ReferenceOfSelections, AgreesOnFlagsOfEveryType) {
  ASSERT_EQ(criteria_and_flags().size(), std::size(Tokens<FlagType>::kNames) * 10);
  for (const SelectRequest& request : criteria_and_flags())
    for (const InputPattern pattern : {InputPattern::exact, InputPattern::specials}) {
      const InputSpec spec = with(request, 2000, pattern);
      expect_agreement(*make_reference({spec}), spec);
    }
}

TEST(ReferenceOfSelections, AgreesOnAllThatIsWrittenBesideKeptItems) {
  for (const Criterion criterion : {Criterion::greater, Criterion::flagged, Criterion::unique, Criterion::unique_by})
    for (const SelectRequest& request : with_all_outputs(request_of(ValueType::i16, criterion)))
      for (const u64 n : {u64{5}, kSelectChunk, 2 * kSelectChunk + 5}) {
        const InputSpec spec = with(request, n);
        ASSERT_EQ(unsupported_reason(request), nullptr);
        expect_agreement(*make_reference({spec}), spec);
      }
}

// Three parts, apart and one behind the other.
std::vector<SelectRequest> of_three_parts() {
  std::vector<SelectRequest> all;
  for (const Criterion criterion : {Criterion::parts, Criterion::around})
    for (const Rejected rejected : {Rejected::apart, Rejected::behind}) {
      all.push_back(request_of(ValueType::i32, criterion));
      all.back().rejected = rejected;
    }
  return all;
}

TEST(ReferenceOfSelections, AgreesOnThreeParts) {
  for (const SelectRequest& request : of_three_parts())
    for (const InputPattern pattern : {InputPattern::exact, InputPattern::specials})
      for (const u64 n : {u64{0}, u64{5}, 2 * kSelectChunk + 5}) {
        const InputSpec spec = with(request, n, pattern);
        expect_agreement(*make_reference({spec}), spec);
      }
}

// With room for fewer items than there are, for none, or for more than there are.
std::vector<SelectRequest> with_little_room() {
  std::vector<SelectRequest> all;
  std::vector<SelectRequest> roomy = with_all_outputs(request_of(ValueType::i32, Criterion::flagged));
  roomy.push_back(of_three_parts().front());
  for (SelectRequest request : roomy)
    for (const u64 room : {u64{0}, u64{100}, u64{1} << 20}) {
      request.room = OutputRoom::limited;
      request.capacity = room;
      request.second_capacity = room / 2;
      request.rejected_capacity = room + 3;
      if (unsupported_reason(request) == nullptr) all.push_back(request);
    }
  return all;
}

TEST(ReferenceOfSelections, AgreesWhereThereIsLittleRoom) {
  ASSERT_EQ(with_little_room().size(), 24u);
  for (const SelectRequest& request : with_little_room())
    for (const u64 n : {u64{0}, u64{5}, 2 * kSelectChunk + 5}) {
      const InputSpec spec = with(request, n);
      expect_agreement(*make_reference({spec}), spec);
      expect_agreement(*make_lasting_reference({spec, std::make_shared<const KnownItems>(spec)}), spec);
    }
}

// One that is kept for several runs has its output in memory.
TEST(ReferenceOfSelections, AgreesWhereItKeepsTheOutput) {
  for (const SelectRequest& request : with_all_outputs(request_of(ValueType::f32, Criterion::less_equal))) {
    const InputSpec spec = with(request, kSelectChunk + 100);
    expect_agreement(*make_lasting_reference({spec, std::make_shared<const KnownItems>(spec)}), spec);
  }
}

TEST(ReferenceOfSelections, FindsASpoiledItem) {
  for (const SelectRequest& types :
       {request_of(ValueType::u8, Criterion::flagged), request_of(ValueType::f16, Criterion::unique),
        request_of(ValueType::i32, Criterion::less), custom_request(12, Criterion::predicate)})
    for (const SelectRequest& request : with_all_outputs(types)) {
      const InputSpec spec = with(request, kSelectChunk + 100);
      const auto reference = make_reference({spec});
      const Bytes right = plain_selection(spec).of(request, OperandRole::output);
      const u64 bytes = reference->item_bytes(), items = right.size() / bytes;
      for (const u64 index : {u64{0}, items / 2, items - 1}) {
        Bytes wrong = right;
        wrong[(index + 1) * bytes - 1] ^= std::byte{0x20};
        const auto found = reference->check(0, wrong);
        ASSERT_TRUE(found) << named_selection(spec) << " at " << index;
        EXPECT_EQ(found->index, index);
        EXPECT_NE(found->found, found->expected);
        const auto part = reference->check(index, std::span(wrong).subspan(index * bytes));
        ASSERT_TRUE(part);
        EXPECT_EQ(part->index, index);
      }
    }
}

double kept_share(const InputSpec& spec, u64 first, u64 items) {
  const auto request = typed<SelectRequest>(spec.request);
  SelectRequest before = request;
  const auto kept = [&](u64 n) {
    before.n = n;
    return plain_selection(InputSpec{before, spec.pattern, spec.seed}).counts[0];
  };
  return static_cast<double>(kept(first + items) - kept(first)) / static_cast<double>(items);
}

TEST(InputsOfSelections, KeepAboutHalfOfTheItems) {
  std::vector<SelectRequest> all = criteria_and_types();
  for (const SelectRequest& request : criteria_and_flags()) all.push_back(request);
  for (const SelectRequest& request : all) {
    // The stand-in finds one in four neighbours equal that are drawn apart. Of three parts one is kept.
    const bool of_three = has_three_parts(request.criterion);
    const double least = of_three ? 0.2 : request.criterion == Criterion::unique_by ? 0.33 : 0.45;
    const double share = kept_share(with(request, 4000), 0, 4000);
    EXPECT_TRUE(share > least && share < (of_three ? 0.4 : 0.55))
        << share << " of " << named_selection(with(request, 4000));
  }
}

// Long runs of kept items and of others show whether a tile that is all kept, or not at all, is right.
TEST(InputsOfSelections, KeepAllOrNoneOfSomeNeighbours) {
  constexpr u64 kTogether = 64, kSeen = 40 * kTogether * 4;
  for (const Criterion criterion : {Criterion::not_equal, Criterion::equal, Criterion::less, Criterion::flagged,
                                    Criterion::unique, Criterion::predicate}) {
    const InputSpec spec = with(request_of(ValueType::i32, criterion), kSeen, InputPattern::specials);
    int all = 0, none = 0, some = 0;
    for (u64 first = kTogether; first + kTogether <= kSeen; first += kTogether) {
      const double share = kept_share(spec, first, kTogether);
      all += share > 0.97;
      none += share < 0.03;
      some += share > 0.25 && share < 0.75;
    }
    EXPECT_GT(all, 10) << token(criterion);
    EXPECT_GT(none, 10) << token(criterion);
    EXPECT_GT(some, 10) << token(criterion);
  }
}

// Tiles of 256 items, which are legal for every type.
Config small_tiles(const SelectRequest& request) {
  const FamilyModel* able = nullptr;
  for (const FamilyModel* family : algorithm_of<SelectRequest>().families())
    if (able == nullptr && family->unsupported_reason(request, 90) == nullptr) able = family;
  Config config = able->default_config(request, 90);
  for (std::size_t index = 0; index < config.family().parameters().size(); ++index)
    for (const auto& [name, value] :
         {std::pair("block_threads", 64), std::pair("items_per_thread", 4), std::pair("vector_bytes", 4)})
      if (std::string_view(config.family().parameters()[index].name) == name) config[static_cast<int>(index)] = value;
  return config;
}

// The message of the WrongResult; empty if the selection passes.
std::string complaint(const SelectRequest& request, const std::function<void(const Ran&)>& mistake) {
  SelectingDevice device(request);
  device.spoil = mistake;
  return message_of<WrongResult>([&] { Verifier(device).verify(request, small_tiles(request)); });
}

TEST(VerifierOfSelections, AcceptsARightOneOfEveryCriterionAndType) {
  for (const SelectRequest& types : criteria_and_types()) {
    SelectRequest request = types;
    request.n = 600;
    EXPECT_EQ(complaint(request, [](const Ran&) {}), "") << to_string(Request(request));
  }
  for (SelectRequest request : criteria_and_flags()) {
    request.n = 600;
    EXPECT_EQ(complaint(request, [](const Ran&) {}), "") << to_string(Request(request));
  }
  for (const Criterion criterion : {Criterion::flagged, Criterion::unique})
    for (SelectRequest request : with_all_outputs(request_of(ValueType::i32, criterion))) {
      request.n = kItems;
      EXPECT_EQ(complaint(request, [](const Ran&) {}), "") << to_string(Request(request));
    }
  for (SelectRequest request : with_little_room()) {
    request.n = kItems;
    EXPECT_EQ(complaint(request, [](const Ran&) {}), "") << to_string(Request(request));
  }
  for (SelectRequest request : of_three_parts()) {
    request.n = kItems;
    EXPECT_EQ(complaint(request, [](const Ran&) {}), "") << to_string(Request(request));
  }
}

// A record serves calls with little room, so its winner is run with some.
TEST(VerifierOfSelections, RunsWithLittleRoom) {
  SelectRequest request = request_of(ValueType::i32, Criterion::flagged);
  request.rejected = Rejected::apart;
  request.n = kItems;
  bool had_little = false;
  const auto look = [&](const Ran& ran) { had_little |= ran.request.is_limited() && ran.kept > ran.request.capacity; };
  EXPECT_EQ(complaint(request, look), "");
  EXPECT_TRUE(had_little);
  for (const OperandRole role : {OperandRole::output, OperandRole::rejected})
    EXPECT_NE(complaint(request,
                        [&](const Ran& ran) {
                          const u64 room =
                              role == OperandRole::output ? ran.request.capacity : ran.request.rejected_capacity;
                          if (ran.request.is_limited()) *ran.at(ran.arguments.operand(role), room, 4) = {};
                        })
                  .find("wrote past the output"),
              std::string::npos)
        << token(role);
}

TEST(VerifierOfSelections, RunsWithoutItemsAndInPlace) {
  SelectRequest request = request_of(ValueType::i32, Criterion::unique);
  request.n = kItems;
  std::set<u64> sizes, in_place;
  EXPECT_EQ(complaint(request,
                      [&](const Ran& ran) {
                        sizes.insert(ran.request.n);
                        if (ran.in_place()) in_place.insert(ran.request.n);
                      }),
            "");
  for (const u64 n : {u64{0}, u64{1}, u64{255}, u64{256}, u64{257}, kItems - 1, kItems})
    EXPECT_TRUE(sizes.contains(n)) << n;
  EXPECT_TRUE(in_place.contains(kItems));
}

constexpr int kThreeParts = -1;

struct Mistake {
  const char* name;
  int outputs;  // which of with_all_outputs(), or kThreeParts
  std::function<void(const Ran&)> make;
  const char* said;  // part of the message
};

TEST(VerifierOfSelections, CatchesEveryKindOfMistake) {
  const auto flip = [](std::byte* at) { *at ^= std::byte{4}; };
  const Mistake mistakes[] = {
      {"the last kept item", 0,
       [&](const Ran& ran) {
         if (ran.request.n == kItems) flip(ran.at(ran.arguments.operand(OperandRole::output), ran.kept - 1, 4));
       },
       "should be"},
      {"an item that is not written", 0,
       [](const Ran& ran) {
         if (ran.kept > 7) std::memset(ran.at(ran.arguments.operand(OperandRole::output), 7, 4), 0xa5, 4);
       },
       "item 7 should be"},
      {"one item too few", 0,
       [](const Ran& ran) {
         if (ran.request.n == kItems) --*ran.arguments.operand<u64>(OperandRole::count);
       },
       "count 0 should be"},
      {"a count of nothing", 0,
       [](const Ran& ran) {
         if (ran.request.n == 0) *ran.arguments.operand<u64>(OperandRole::count) = 1;
       },
       "count 0 should be 0, found 1"},
      {"a count that is not written", 0,
       [](const Ran& ran) { std::memset(ran.arguments.operand(OperandRole::count), 0xa5, sizeof(u64)); },
       "count 0 should be"},
      {"an item behind the kept ones", 0,
       [](const Ran& ran) {
         if (ran.request.n == kItems && !ran.in_place())
           *ran.at(ran.arguments.operand(OperandRole::output), ran.kept + 2, 4) = {};
       },
       "past the results that there are, at byte 8"},
      {"an item behind the output", 0,
       [](const Ran& ran) { *ran.at(ran.arguments.operand(OperandRole::output), ran.request.n, 4) = {}; },
       "past the output"},
      {"in place", 0,
       [&](const Ran& ran) {
         if (ran.in_place() && ran.kept > 0) flip(ran.at(ran.arguments.operand(OperandRole::output), 0, 4));
       },
       "in place"},
      {"an index", 1,
       [&](const Ran& ran) {
         if (ran.kept > 0) flip(ran.at(ran.arguments.operand(OperandRole::output), ran.kept - 1, 4));
       },
       "should be"},
      {"an index beside an item", 2,
       [&](const Ran& ran) {
         if (ran.kept > 3) flip(ran.at(ran.arguments.operand(OperandRole::indices), 3, 8));
       },
       "indices 3 should be"},
      {"an index behind those of kept items", 2,
       [](const Ran& ran) {
         if (ran.kept < ran.request.n) *ran.at(ran.arguments.operand(OperandRole::indices), ran.kept, 8) = {};
       },
       "past the results that there are, at byte 0"},
      {"a value", 2,
       [&](const Ran& ran) {
         if (ran.kept > 0) flip(ran.at(ran.arguments.operand(OperandRole::values_output), 0, 2));
       },
       "values_output 0 should be"},
      {"a value behind those of kept items", 4,
       [](const Ran& ran) {
         if (ran.kept < ran.request.n) *ran.at(ran.arguments.operand(OperandRole::values_output), ran.kept, 8) = {};
       },
       "past the results that there are, at byte 0"},
      {"the last unit of a value", 6,
       [&](const Ran& ran) {
         if (ran.kept > 4) flip(ran.at(ran.arguments.operand(OperandRole::values_output), 4, 12) + 11);
       },
       "values_output 4 should be 0x"},
      {"a rejected item", 3,
       [&](const Ran& ran) {
         if (ran.request.n - ran.kept > 5) flip(ran.at(ran.arguments.operand(OperandRole::rejected), 5, 4));
       },
       "rejected 5 should be"},
      {"an item behind the rejected ones", 3,
       [](const Ran& ran) {
         if (ran.kept > 0) *ran.at(ran.arguments.operand(OperandRole::rejected), ran.request.n - ran.kept, 4) = {};
       },
       "past the results that there are, at byte 0"},
      {"a rejected item behind the kept ones", 5,
       [&](const Ran& ran) {
         if (ran.request.n > ran.kept) flip(ran.at(ran.arguments.operand(OperandRole::output), ran.kept, 4));
       },
       "should be"},
      {"an item of the second part", kThreeParts,
       [&](const Ran& ran) {
         if (ran.arguments.operand<u64>(OperandRole::count)[1] > 2)
           flip(ran.at(ran.arguments.operand(OperandRole::second), 2, 4));
       },
       "second 2 should be"},
      {"the second count", kThreeParts,
       [&](const Ran& ran) {
         if (ran.request.n == kItems) --ran.arguments.operand<u64>(OperandRole::count)[1];
       },
       "count 1 should be"},
      {"changes its input", 0,
       [&](const Ran& ran) {
         // No result depends on an item that is not kept.
         const auto* const flags = ran.arguments.operand<const std::byte>(OperandRole::flags);
         for (u64 item = 0; item < ran.request.n && !ran.in_place(); ++item)
           if (flags[item] == std::byte{}) return flip(ran.at(ran.arguments.operand(OperandRole::input), item, 4));
       },
       "it changed its input"},
      {"changes what lies behind its results, in place", 0,
       [&](const Ran& ran) {
         if (ran.in_place() && ran.kept < ran.request.n)
           flip(ran.at(ran.arguments.operand(OperandRole::output), ran.kept, 4));
       },
       "it changed items past its results, in place"},
  };
  for (const Mistake& mistake : mistakes) {
    SelectRequest request = mistake.outputs == kThreeParts
                                ? of_three_parts().front()
                                : with_all_outputs(request_of(
                                      ValueType::i32, Criterion::flagged))[static_cast<std::size_t>(mistake.outputs)];
    request.n = kItems;
    const std::string message = complaint(request, mistake.make);
    EXPECT_NE(message, "") << mistake.name;
    EXPECT_NE(message.find(mistake.said), std::string::npos) << mistake.name << ": " << message;
  }
}

}  // namespace
}  // namespace scantune
