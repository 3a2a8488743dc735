// What requests with strides, and requests of one row or column, come to before a config is chosen.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "c_api/canonical_layout.h"
#include "c_api/request.h"

namespace scantune::c_api {
namespace {

// Rows with strides, as callers write them. An output's stride of 0 is the input's.
struct Written {
  u64 planes, rows, length;
  Strides in, out = {};
  scantune_direction direction = SCANTUNE_FORWARD;
  bool has_inits = false;
  const char* config = nullptr;
  bool is_fixed = false;

  u64 items() const { return planes * rows * length; }
};

constexpr int kMemory = 0;

template <class Caller>
void put(const Written& written, Caller& caller) {
  caller.input_type = caller.output_type = SCANTUNE_F32;
  caller.head.n = written.items();
  caller.head.config = written.config;
  caller.segments = SCANTUNE_ROWS;
  caller.rows = written.planes * written.rows;
  caller.planes = written.planes;
  caller.item_stride = written.in.item;
  caller.row_stride = written.in.sequence;
  caller.plane_stride = written.in.plane;
}

scantune_scan_request scan_of(const Written& written) {
  scantune_scan_request caller = SCANTUNE_SCAN_REQUEST_INIT;
  put(written, caller);
  caller.out_item_stride = written.out.item;
  caller.out_row_stride = written.out.sequence;
  caller.out_plane_stride = written.out.plane;
  caller.direction = written.direction;
  if (written.is_fixed) caller.head.determinism = SCANTUNE_RUN_TO_RUN;
  if (written.has_inits) caller.device_inits = &kMemory;
  return caller;
}

template <class Typed, class Caller>
Typed asked(const Caller& caller) {
  Room room;
  return typed<Typed>(checked_request(caller, room).request);
}

// A request without strides.
template <class Typed>
Typed dense(Typed like, Segments segments, u64 count) {
  like.layout = {};
  like.segments = segments;
  like.rows = segments == Segments::rows ? count : 0;
  like.columns = segments == Segments::columns ? count : 0;
  return like;
}

std::string to_string(const Layout& layout) {
  std::string text = std::to_string(layout.plane_sequences) + " in a plane";
  for (const Strides& strides : {layout.input, layout.output})
    text += ", {" + std::to_string(strides.item) + ", " + std::to_string(strides.sequence) + ", " +
            std::to_string(strides.plane) + ", first " + std::to_string(strides.first) + "}";
  return text;
}

struct Case {
  const char* rule;
  Written written;
  Segments segments;
  u64 count = 0;
  Direction direction = Direction::forward;
  Layout layout = {};
};

Layout begins_at(i64 in, i64 out) { return {.input = {.first = in}, .output = {.first = out}}; }

constexpr scantune_direction kReverse = SCANTUNE_REVERSE;

// Strides are those of items, rows and planes.
// clang-format off
const std::vector<Case>& scans() {
  static const auto& cases = *new std::vector<Case>{
      {"one row is one sequence", {1, 1, 99, {}}, Segments::none},
      {"one row backwards is the other direction", {1, 1, 99, {-1}}, Segments::none, 0, Direction::reverse, begins_at(-98, -98)},
      {"one row backwards in reverse is forward", {.planes = 1, .rows = 1, .length = 99, .in = {-1}, .direction = kReverse}, Segments::none, 0, Direction::forward, begins_at(-98, -98)},
      {"one row in reverse, with strides", {.planes = 1, .rows = 1, .length = 99, .in = {1, 200}, .out = {1, 300}, .direction = kReverse}, Segments::none, 0, Direction::reverse},
      {"one row turned in the input alone keeps its strides", {1, 1, 99, {-1}, {1}}, Segments::rows, 1, Direction::forward, {{-1}, {1}, 1}},
      {"one plane of one item is one item", {1, 1, 1, {7, 8, 9}, {4, 5, 6}}, Segments::none},
      {"one row with gaps keeps its stride", {1, 1, 99, {3}}, Segments::rows, 1, Direction::forward, {{3}, {3}, 1}},
      {"one row of an initial value of its own begins with that", {.planes = 1, .rows = 1, .length = 99, .in = {-1}, .has_inits = true}, Segments::none, 0, Direction::reverse, begins_at(-98, -98)},
      {"planes of one row are rows", {5, 1, 99, {1, 0, 99}}, Segments::rows, 5},
      {"planes of one row are columns", {5, 1, 99, {5, 0, 1}}, Segments::columns, 5},
      {"one plane has no stride", {1, 5, 99, {1, 100, 7}}, Segments::rows, 5, Direction::forward, {{1, 100}, {1, 100}, 5}},
      {"planes merge into rows", {3, 5, 99, {1, 99, 495}}, Segments::rows, 15},
      {"planes merge into rows with gaps", {3, 5, 99, {1, 100, 500}, {1, 101, 505}}, Segments::rows, 15, Direction::forward, {{1, 100}, {1, 101}, 15}},
      {"planes that go on in the input alone stay", {3, 5, 99, {1, 100, 500}, {1, 100, 501}}, Segments::rows, 15, Direction::forward, {{1, 100, 500}, {1, 100, 501}, 5}},
      {"planes merge whose initial values are in order", {.planes = 3, .rows = 5, .length = 99, .in = {1, 99, 495}, .has_inits = true}, Segments::rows, 15},
      {"rows and planes change places to merge", {3, 5, 99, {1, 297, 99}}, Segments::rows, 15},
      {"rows and planes change places to be columns", {3, 5, 99, {15, 3, 1}}, Segments::columns, 15},
      {"rows and planes change places to lie close", {3, 5, 99, {50, 8, 1}}, Segments::columns, 15, Direction::forward, {{50, 1, 8}, {50, 1, 8}, 3}},
      {"rows and planes of an output that lie otherwise stay", {3, 5, 9, {1, 27, 9}, {1, 9, 50}}, Segments::rows, 15, Direction::forward, {{1, 27, 9}, {1, 9, 50}, 5}},
      {"rows and planes of initial values of their own stay", {.planes = 3, .rows = 5, .length = 99, .in = {1, 297, 99}, .has_inits = true}, Segments::rows, 15, Direction::forward, {{1, 297, 99}, {1, 297, 99}, 5}},
      {"rows backwards are rows in the other direction", {1, 5, 99, {-1, 99}}, Segments::rows, 5, Direction::reverse, begins_at(-98, -98)},
      {"rows from the other end are the same rows", {1, 5, 99, {1, -99}}, Segments::rows, 5, Direction::forward, begins_at(-396, -396)},
      {"planes from the other end merge too", {3, 5, 99, {1, -99, 495}}, Segments::rows, 15, Direction::forward, begins_at(-396, -396)},
      {"rows with gaps from the other end keep their strides", {1, 5, 99, {1, -100}}, Segments::rows, 5, Direction::forward, {{1, -100}, {1, -100}, 5}},
      {"everything backwards", {3, 5, 99, {-1, -99, -495}}, Segments::rows, 15, Direction::reverse, begins_at(-1484, -1484)},
      {"everything backwards in reverse", {.planes = 3, .rows = 5, .length = 99, .in = {-1, -99, -495}, .direction = kReverse}, Segments::rows, 15, Direction::forward, begins_at(-1484, -1484)},
      {"rows from the other end with initial values of their own", {.planes = 1, .rows = 5, .length = 99, .in = {1, -99}, .has_inits = true}, Segments::rows, 5, Direction::forward, {{1, -99}, {1, -99}, 5}},
      {"columns backwards are columns in the other direction", {1, 5, 99, {-5, 1}}, Segments::columns, 5, Direction::reverse, begins_at(-490, -490)},
      {"columns from the other end are the same columns", {1, 5, 99, {5, -1}}, Segments::columns, 5, Direction::forward, begins_at(-4, -4)},
      {"rows with gaps in reverse go backwards", {.planes = 1, .rows = 5, .length = 99, .in = {1, 100}, .direction = kReverse}, Segments::rows, 5, Direction::forward, {{-1, 100, 0, 98}, {-1, 100, 0, 98}, 5}},
      {"few long rows with gaps are rows", {1, 2, 20000, {1, 20001}}, Segments::rows, 2, Direction::forward, {{1, 20001}, {1, 20001}, 2}},
      {"few long rows with gaps are columns to a fixed association", {.planes = 1, .rows = 2, .length = 20000, .in = {1, 20001}, .is_fixed = true}, Segments::columns, 2, Direction::forward, {{1, 20001}, {1, 20001}, 2}},
      {"a config of the caller's is one for the request as it is written", {.planes = 1, .rows = 1, .length = 99, .in = {-1}, .config = "{\"family\": \"scan_rows\"}"}, Segments::rows, 1, Direction::forward, {{-1, 99}, {-1, 99}, 1}}};
  return cases;
}
// clang-format on

TEST(CanonicalScans, ComeFromStridesByTheirMeaning) {
  for (const Case& its : scans()) {
    SCOPED_TRACE(its.rule);
    const ScanRequest found = asked<ScanRequest>(scan_of(its.written));
    EXPECT_EQ(to_string(found.layout), to_string(its.layout));
    ScanRequest expected = dense(found, its.segments, its.count);
    expected.direction = its.direction;
    expected.layout = its.layout;
    EXPECT_EQ(found, expected) << scantune::to_string(Request(found)) << " and not "
                               << scantune::to_string(Request(expected));
    EXPECT_EQ(found.n, its.written.items());
    if (!its.written.has_inits) continue;
    EXPECT_EQ(found.init, its.segments == Segments::none ? Init::memory : Init::each);
  }
}

TEST(CanonicalScans, AreTheirOwnCanonicalRequests) {
  for (const Case& its : scans()) {
    if (its.written.config != nullptr) continue;
    const ScanRequest found = asked<ScanRequest>(scan_of(its.written));
    EXPECT_EQ(may_be_simpler(found) ? canonical(found) : found, found) << its.rule;
  }
}

TEST(CanonicalScans, OfOneRowOrColumnAreThoseOfOneSequence) {
  scantune_scan_request flat = SCANTUNE_SCAN_REQUEST_INIT;
  flat.head.n = 999'983;
  flat.input_type = flat.output_type = SCANTUNE_F16;
  flat.head.determinism = SCANTUNE_RUN_TO_RUN;
  for (const scantune_kind kind : {SCANTUNE_INCLUSIVE, SCANTUNE_EXCLUSIVE})
    for (const scantune_direction direction : {SCANTUNE_FORWARD, SCANTUNE_REVERSE}) {
      flat.kind = kind;
      flat.direction = direction;
      scantune_scan_request row = flat, column = flat;
      row.segments = SCANTUNE_ROWS;
      column.segments = SCANTUNE_COLUMNS;
      row.rows = column.columns = 1;
      EXPECT_EQ(asked<ScanRequest>(row), asked<ScanRequest>(flat));
      EXPECT_EQ(asked<ScanRequest>(column), asked<ScanRequest>(flat));
      column.head.config = "{\"family\": \"scan_columns\"}";
      EXPECT_EQ(asked<ScanRequest>(column).columns, 1u);
      column.columns = column.head.n;
      column.head.config = nullptr;
      EXPECT_EQ(asked<ScanRequest>(column).columns, column.head.n);
    }
}

struct Reduction {
  const char* rule;
  Written written;
  bool has_position;
  Segments segments;
  u64 count = 0;
  Layout layout = {};
};

TEST(CanonicalReductions, ComeFromStridesByTheirMeaning) {
  // clang-format off
  const std::vector<Reduction> cases = {
      {"one row is one sequence", {1, 1, 99, {1, 200}}, true, Segments::none},
      {"one row backwards is one sequence, where items commute", {1, 1, 99, {-1}}, false, Segments::none, 0, begins_at(-98, 0)},
      {"positions are counted from the first item", {1, 1, 99, {-1}}, true, Segments::columns, 1, {{-1}, {}, 1}},
      {"planes merge into rows", {3, 5, 99, {1, 99, 495}}, true, Segments::rows, 15},
      {"planes merge into rows with gaps", {3, 5, 99, {1, 100, 500}}, true, Segments::rows, 15, {{1, 100}, {}, 15}},
      {"planes of one row are columns", {5, 1, 99, {5, 0, 1}}, true, Segments::columns, 5},
      {"rows backwards are rows", {1, 5, 99, {-1, 99}}, false, Segments::rows, 5, begins_at(-98, 0)},
      {"rows with gaps backwards are rows", {1, 5, 99, {-1, 100}}, false, Segments::rows, 5, {{1, 100, 0, -98}, {}, 5}},
      {"rows of planes with gaps backwards are rows", {3, 5, 99, {-1, -100, 600}}, false, Segments::rows, 15, {{1, -100, 600, -98}, {}, 5}},
      {"rows with gaps backwards, with positions, are columns", {1, 5, 99, {-1, 100}}, true, Segments::columns, 5, {{-1, 100}, {}, 5}},
      {"few long rows with gaps are rows", {1, 2, 200000, {1, 200001}}, true, Segments::rows, 2, {{1, 200001}, {}, 2}},
      {"few long rows with gaps backwards are rows", {1, 2, 200000, {-1, 200001}}, false, Segments::rows, 2, {{1, 200001, 0, -199999}, {}, 2}},
      {"many short rows with gaps are rows", {1, 2000, 8, {1, 10}}, true, Segments::rows, 2000, {{1, 10}, {}, 2000}},
      {"many rows with gaps that hold no two vectors are columns", {1, 2000, 7, {1, 10}}, true, Segments::columns, 2000, {{1, 10}, {}, 2000}},
      {"many short rows without gaps are rows", {1, 2000, 9, {-1, 9}}, false, Segments::rows, 2000, begins_at(-8, 0)},
      {"columns backwards are columns", {1, 5, 99, {-5, 1}}, false, Segments::columns, 5, begins_at(-490, 0)},
      {"columns with gaps backwards go backwards", {1, 5, 99, {-6, 1}}, false, Segments::columns, 5, {{-6, 1}, {}, 5}},
      {"results keep their order", {1, 5, 99, {1, -99}}, false, Segments::rows, 5, {{1, -99}, {}, 5}},
      {"results of planes keep their order", {3, 5, 99, {1, 297, 99}}, false, Segments::rows, 15, {{1, 297, 99}, {}, 5}},
      {"rows of one item have none that lie apart", {1, 5, 1, {9, 3}}, false, Segments::rows, 5, {{1, 3}, {}, 5}},
      {"dense rows of one item are columns", {3, 5, 1, {9, 1, 5}}, true, Segments::columns, 15},
      {"columns are taken in the order of memory", {3, 5, 9, {100, 10, 1}}, true, Segments::columns, 15, {{100, 1, 10}, {0, 5, 1}, 3}}};
  // clang-format on
  for (const Reduction& its : cases) {
    SCOPED_TRACE(its.rule);
    scantune_reduce_request caller = SCANTUNE_REDUCE_REQUEST_INIT;
    put(its.written, caller);
    if (its.has_position) {
      caller.op = SCANTUNE_MIN;
      caller.position = SCANTUNE_FIRST_POSITION;
    }
    const ReduceRequest found = asked<ReduceRequest>(caller);
    EXPECT_EQ(to_string(found.layout), to_string(its.layout));
    ReduceRequest expected = dense(found, its.segments, its.count);
    expected.layout = its.layout;
    EXPECT_EQ(found, expected) << scantune::to_string(Request(found)) << " and not "
                               << scantune::to_string(Request(expected));
    EXPECT_EQ(may_be_simpler(found) ? canonical(found) : found, found);
  }
}

TEST(CanonicalReductions, KeepTheOrderOfItemsThatNeedNotCommute) {
  scantune_function combine = SCANTUNE_FUNCTION_INIT;
  combine.source = "__device__ Value combine(Value a, Value b) { return a; }";
  scantune_reduce_request caller = SCANTUNE_REDUCE_REQUEST_INIT;
  put({1, 1, 99, {-1}}, caller);
  caller.op = SCANTUNE_CUSTOM;
  caller.combine = &combine;
  EXPECT_EQ(asked<ReduceRequest>(caller).layout, (Layout{.input = {.item = -1}, .plane_sequences = 1}));
}

TEST(CanonicalReductions, OfOneColumnOrItemAreSimpler) {
  scantune_reduce_request flat = SCANTUNE_REDUCE_REQUEST_INIT;
  flat.head.n = 999'983;
  flat.input_type = flat.output_type = SCANTUNE_F16;
  for (const bool has_position : {false, true}) {
    flat.op = has_position ? SCANTUNE_MAX : SCANTUNE_SUM;
    flat.position = has_position ? SCANTUNE_LAST_POSITION : SCANTUNE_NO_POSITION;
    scantune_reduce_request row = flat, column = flat;
    row.segments = SCANTUNE_ROWS;
    column.segments = SCANTUNE_COLUMNS;
    row.rows = column.columns = 1;
    EXPECT_EQ(asked<ReduceRequest>(row), asked<ReduceRequest>(flat));
    EXPECT_EQ(asked<ReduceRequest>(column), asked<ReduceRequest>(flat));
    row.rows = column.columns = flat.head.n;
    EXPECT_EQ(asked<ReduceRequest>(row), asked<ReduceRequest>(column)) << "rows of one item";
  }
}

}  // namespace
}  // namespace scantune::c_api
