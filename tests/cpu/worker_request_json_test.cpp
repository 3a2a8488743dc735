#include "space/request_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "families_under_test.h"
#include "message_of.h"
#include "scantune/error.hpp"
#include "space/space.h"
#include "worker_problems.h"

namespace scantune {
namespace {

TEST(RequestJson, RequestsSurviveTheRoundTrip) {
  ScanRequest custom = testing::custom_request(12, 2, Operator::custom_expensive);
  custom.n = 3;
  const StatedRequest requests[] = {
      {ScanRequest{.n = 1}, {}},
      {ScanRequest{.input_type = ValueType::i8,
                   .accumulator_type = ValueType::i64,
                   .output_type = ValueType::u16,
                   .op = Operator::max,
                   .kind = Kind::exclusive,
                   .init = Init::value,
                   .n = u64{1} << 40},
       {}},
      {ScanRequest{.init = Init::memory,
                   .determinism = Determinism::run_to_run,
                   .forward_progress = ForwardProgress::documented,
                   .latency = Latency::isolated,
                   .n = 7},
       {}},
      {ScanRequest{.segments = Segments::rows, .n = 60, .rows = 20}, {}},
      {custom, {}},
      {custom, {.source = "struct Value {};\n// \"quoted\" \u00e9", .name = "a.b"}},
      {ScanRequest{.op = Operator::custom_cheap, .n = 2}, {.source = {}, .name = "only-a-name"}}};
  for (const StatedRequest& stated : requests)
    EXPECT_EQ(stated_request(to_json(stated)), stated) << to_string(stated.request);
}

// None is read as another whose name it begins with.
TEST(RequestJson, EveryValueOfAMemberIsReadAsItself) {
  for (const FamilyModel* family : families())
    for (const MemberModel& member : family->algorithm().members()) {
      if (member.spelling != Spelling::token || !member.is_recorded()) continue;
      for (int value = 0; value < static_cast<int>(member.tokens.size()); ++value) {
        Request request = plain_request(*family, 256);
        request.set(member, value);
        const StatedRequest parsed = parse_request(family->algorithm(), canonical_request({request, {}}));
        EXPECT_EQ(parsed.request[member], value) << member.name << " of " << to_string(request);
      }
    }
}

TEST(RequestJson, ARequestIsOfTheAlgorithmThatItNames) {
  const Request copy = stated_request(Json::parse(R"({"algorithm": "copy", "input_type": "i8", "n": 9})")).request;
  EXPECT_EQ(typed<CopyRequest>(copy), (CopyRequest{.input_type = ValueType::i8, .output_type = ValueType::i8, .n = 9}));
  EXPECT_EQ(canonical_request({copy, {}}), R"({"input_type":"i8","output_type":"i8"})");
  EXPECT_THROW(typed<ScanRequest>(copy), Error);
  EXPECT_THROW(stated_request(Json::parse(R"({"algorithm": "median", "input_type": "i8", "n": 9})")), RequestError);
  EXPECT_THROW(stated_request(Json::parse(R"({"algorithm": "copy", "op": "sum", "input_type": "i8", "n": 9})")),
               RequestError);
}

constexpr const char* kStridedCopy = R"({"algorithm": "copy", "input_type": "i8", "segments": "rows", "n": 600,
    "rows": 6, "layout": {"plane_sequences": 3, "input": {"item": -2, "sequence": 301, "plane": 1000, "first": 198},
                          "output": {"item": 6, "sequence": 2, "plane": 1}}})";

// The planes of this output are between its rows, and its rows between the items of each other.
TEST(RequestJson, ACopyHasTheStridesThatItNames) {
  const StatedRequest stated = stated_request(Json::parse(kStridedCopy));
  const Layout layout{.input = {-2, 301, 1000, 198}, .output = {6, 2, 1, 0}, .plane_sequences = 3};
  EXPECT_EQ(typed<CopyRequest>(stated.request), (CopyRequest{.input_type = ValueType::i8,
                                                             .output_type = ValueType::i8,
                                                             .segments = Segments::rows,
                                                             .n = 600,
                                                             .rows = 6,
                                                             .layout = layout}));
  EXPECT_EQ(stated_request(to_json(stated)), stated);
  EXPECT_EQ(to_string(stated.request), "i8 copy with strides of 600 items");

  Json in_one_plane = Json::parse(kStridedCopy);
  in_one_plane["layout"].erase("plane_sequences");
  in_one_plane["layout"]["output"] = {{"item", 6}, {"sequence", 1}};
  EXPECT_EQ(stated_request(in_one_plane).request.layout.plane_sequences, 6u);
}

TEST(RequestJson, RecordsNameNoStrides) {
  const StatedRequest stated = stated_request(Json::parse(kStridedCopy));
  EXPECT_EQ(canonical_request(stated), R"({"input_type":"i8","output_type":"i8"})");
  EXPECT_EQ(canonical_shape(stated.request), "");
  for (const char* member : {R"("segments":"rows")", R"("layout":{})"})
    EXPECT_THROW(parse_request(stated.request.algorithm(), std::string(R"({"input_type":"i8",)") + member + "}"),
                 RequestError)
        << member;
}

TEST(RequestJson, RefusesStridesThatLeadNowhereAndSaysWhy) {
  const auto told = [](const char* place, const Json& value) {
    Json json = Json::parse(kStridedCopy);
    json[Json::json_pointer(place)] = value;
    return message_of<RequestError>([&] { stated_request(json); });
  };
  const std::tuple<const char*, Json, const char*> table[] = {
      {"/algorithm", "scan", "request has an unknown member \"layout\""},
      {"/layout", 3, "request.layout must be a JSON object, found 3"},
      {"/layout/inputs", 3, "request.layout has an unknown member \"inputs\""},
      {"/layout/output", 3, "request.layout.output must be a JSON object, found 3"},
      {"/layout/input/row", 3, "request.layout.input has an unknown member \"row\""},
      {"/layout/input/item", 1.5, "request.layout.input.item must be an integer from -2^48 to 2^48; found 1.5"},
      {"/layout/input/first", u64{1} << 63, "first must be an integer from -2^48"},
      {"/layout/input/first", -(i64{1} << 49), "first must be an integer from -2^48"},
      {"/layout/plane_sequences", 0, "request.plane_sequences must be an integer from 1"},
      {"/layout/plane_sequences", 4, "planes have equally many rows or columns"},
      {"/n", 601, "strided rows or columns are equally long: n must be"},
      {"/output_type", "i16", "strided items are copied as they are"},
      {"/layout/input/item", i64{1} << 48, ""},
      {"/layout/output/plane", 2, "with these numbers of sequence and plane two results may share a place"}};
  for (const auto& [place, value, said] : table) {
    const std::string message = told(place, value);
    EXPECT_EQ(message.empty(), *said == '\0') << place;
    EXPECT_NE(message.find(said), std::string::npos) << place << ": " << message;
  }
  Json whole = Json::parse(kStridedCopy);
  whole.erase("segments");
  whole.erase("rows");
  EXPECT_NE(message_of<RequestError>([&] { stated_request(whole); }).find("strides are those of rows or columns"),
            std::string::npos);
  Json far = Json::parse(kStridedCopy);
  far["n"] = 6 * (u64{1} << 40);
  far["layout"]["input"]["item"] = i64{1} << 40;
  EXPECT_NE(message_of<RequestError>([&] { stated_request(far); }).find("farther than 64 bits count"),
            std::string::npos);
}

TEST(RequestJson, ARequestNeedsOnlyItsInputTypeAndN) {
  const auto request =
      typed<ScanRequest>(stated_request(Json::parse(R"({"input_type": "f64", "kind": "exclusive", "n": 9})")).request);
  EXPECT_EQ(request.accumulator_type, ValueType::f64);
  EXPECT_EQ(request.output_type, ValueType::f64);
  EXPECT_EQ(request.op, Operator::sum);
  EXPECT_EQ(request.init, Init::value);
}

TEST(RequestJson, ARequestsAccumulatorFollowsFromInputAndOutput) {
  const std::pair<const char*, ValueType> table[] = {
      {R"({"input_type": "u8", "n": 9})", ValueType::u32},
      {R"({"input_type": "bf16", "n": 9})", ValueType::f32},
      {R"({"input_type": "i8", "output_type": "i64", "n": 9})", ValueType::i64},
      {R"({"input_type": "custom6", "op": "custom_cheap", "n": 9})", ValueType::custom}};
  for (const auto& [json, accumulator] : table)
    EXPECT_EQ(stated_request(Json::parse(json)).request.accumulator_type(), accumulator) << json;
}

TEST(RequestJson, ACustomTypeIsAlignedByItsSizeUnlessTheRequestSays) {
  EXPECT_EQ(stated_request(Json::parse(R"({"input_type": "custom12", "n": 9})")).request.custom_alignment, 4);
  EXPECT_EQ(
      stated_request(
          Json::parse(R"({"input_type": "custom12", "op": "custom_cheap", "n": 9, "operator": {"alignment": 2}})"))
          .request.custom_alignment,
      2);
}

TEST(RequestJson, AnExtentIsToldOfTheRequestsThatHaveIt) {
  const ScanRequest flat{.n = 1024}, rows{.segments = Segments::rows, .n = 1024, .rows = 100};
  EXPECT_FALSE(to_json(StatedRequest{flat, {}}).contains("rows"));
  EXPECT_EQ(canonical_shape(flat), "");
  EXPECT_EQ(to_string(flat), "i32 inclusive sum of 1024 items");
  EXPECT_EQ(to_json(StatedRequest{rows, {}})["rows"], 100);
  EXPECT_EQ(canonical_shape(rows), R"({"row_items":3.5})") << "11 items";
  EXPECT_EQ(to_string(rows), "i32 inclusive sum of 1024 items, 100 rows");
  const auto key = [](u64 n, u64 count) {
    return key_of(ScanRequest{.segments = Segments::rows, .n = n, .rows = count});
  };
  EXPECT_NE(key(1024, 100), key(1024, 200));
  EXPECT_EQ(key(1024, 100), key(102'400, 10'000)) << "as long as these";
}

TEST(RequestJson, ClassesTellFourNumbersOfAnOctaveApart) {
  const std::tuple<u64, int, u64> fine[] = {
      {1, 0, 1},      {2, 4, 2},      {3, 6, 3},      {4, 8, 4},
      {5, 9, 5},      {6, 10, 6},     {7, 11, 7},     {8, 12, 8},
      {71, 24, 64},   {72, 25, 80},   {188, 30, 192}, {240, 32, 256},
      {256, 32, 256}, {287, 32, 256}, {288, 33, 320}, {kMostItems, 192, kMostItems}};
  for (const auto& [number, found, stands_for] : fine) {
    EXPECT_EQ(class_of(number, true), found) << number;
    EXPECT_EQ(number_of_class(found), stands_for) << number;
  }
  for (const auto& [number, found] : {std::pair<u64, int>{0, -1}, {1, 0}, {181, 28}, {182, 32}, {256, 32}})
    EXPECT_EQ(class_of(number, false), found) << number;
}

TEST(RequestJson, RowsKeepTheirLengthWhereARequestGetsOtherItems) {
  for (const auto& [n, count] : {std::pair<u64, u64>{1'880'000, 10'000}, {100, 1}, {188 * 3, 3}}) {
    Request rows = ScanRequest{.segments = Segments::rows, .n = 188'000, .rows = 1000};
    resize(rows, n);
    EXPECT_EQ(typed<ScanRequest>(rows).rows, count) << n;
  }
  Request columns = ScanRequest{.segments = Segments::columns, .n = 1000, .columns = 10};
  resize(columns, 5000);
  EXPECT_EQ(typed<ScanRequest>(columns).columns, 10u);
  EXPECT_EQ(size_step(columns), 10u);
  EXPECT_EQ(size_step(ScanRequest{.segments = Segments::rows, .n = 188'000, .rows = 1000}), 188u);
  EXPECT_EQ(size_step(ScanRequest{.n = 1000}), 1u);
}

TEST(RequestJson, AShapeIsAdoptedByTheRequestsThatHaveItsExtents) {
  Request rows = ScanRequest{.segments = Segments::rows};
  adopt_shape(rows, R"({"row_items":7.5})");
  EXPECT_EQ(rows.n, 192u);
  EXPECT_EQ(typed<ScanRequest>(rows).rows, 1u);
  Request columns = ScanRequest{.segments = Segments::columns};
  adopt_shape(columns, R"({"columns":10})");
  EXPECT_EQ(typed<ScanRequest>(columns).columns, 1024u);
  Request segments = ScanRequest{.segments = Segments::offsets};
  EXPECT_THROW(adopt_shape(segments, R"({"segment_count":7.5})"), RequestError) << "one class an octave";
  Request flat = ScanRequest{};
  EXPECT_NO_THROW(adopt_shape(flat, ""));
  EXPECT_THROW(adopt_shape(flat, R"({"row_items":7})"), RequestError);
  for (const char* other : {"", "{}", "7", R"({"row_items":-1})", R"({"row_items":49})", R"({"row_items": 7})",
                            R"({"row_items":7,"n":1})", R"({"row_items":7.0})", R"({"row_items":7.3})",
                            R"({"row_items":0.25})", R"({"row_items":1e300})", R"({"row_items":"7"})", R"({"rows":7})"})
    EXPECT_THROW(adopt_shape(rows, other), RequestError) << other;
}

TEST(RequestJson, RefusesRequestsAndSaysWhy) {
  const std::pair<const char*, const char*> table[] = {
      {R"([])", "must be a JSON object"},
      {R"({"n": 4})", "request.input_type is missing"},
      {R"({"input_type": "i32"})", "request.n is missing"},
      {R"({"input_type": "i33", "n": 4})", "request.input_type must be one of i8, i16"},
      {R"({"input_type": 3, "n": 4})", "found 3"},
      {R"({"input_type": "i32", "segments": "keys", "equality": "source", "n": 4})",
       "request.equality is source: equalities come with the calls of programs"},
      {R"({"input_type": "i32", "n": 0})", "request.n must be an integer from 1 to 2^48; found 0"},
      {R"({"input_type": "i32", "n": -4})", "found -4"},
      {R"({"input_type": "i32", "n": 4.0})", "found 4.0"},
      {R"({"input_type": "i32", "n": "4"})", "found \"4\""},
      {R"({"input_type": "i32", "n": 281474976710657})", "found 281474976710657"},
      {R"({"input_type": "i32", "n": 18446744073709551616})", "request.n must be"},
      {R"({"input_type": "i32", "n": [[[]]]})", "found an array"},
      {R"({"input_type": "i32", "n": 4, "init": 1})", "request.init"},
      {R"({"input_type": "i32", "n": 4, "has_init": true})", "unknown member \"has_init\""},
      {R"({"input_type": "i32", "n": 4, "segments": "rows"})", "request.rows is missing"},
      {R"({"input_type": "i32", "n": 4, "segments": "rows", "rows": 0})", "request.rows must be an integer from 1"},
      {R"({"input_type": "i32", "n": 4, "rows": 2})",
       "request.rows is for requests with segments rows, and this one has none"},
      {R"({"algorithm": "copy", "input_type": "i32", "n": 4, "operator": {}})",
       "request.operator is for custom operators, and a copy takes no operator"},
      {R"({"algorithm": "select", "input_type": "i32", "n": 4, "criterion": "less", "operator": {}})",
       "request.operator is for criteria of the caller's own, predicate and unique_by, and request.criterion is less"},
      {R"({"algorithm": "sort", "input_type": "i32", "n": 4, "operator": {}})",
       "request.operator is for comparisons of the caller's own, source, and request.comparison is built_in"},
      {R"({"algorithm": "select", "input_type": "i32", "n": 4, "criterion": "predicate", "operator": {"name": "odd"}})",
       "request.operator has an unknown member \"name\""},
  };
  for (const auto& [json, said] : table) {
    const std::string message = message_of<RequestError>([&] { stated_request(Json::parse(json)); });
    EXPECT_NE(message.find(said), std::string::npos) << json << ": " << message;
  }
}

}  // namespace
}  // namespace scantune
