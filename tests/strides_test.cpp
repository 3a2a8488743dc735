// Scans and reductions of rows whose items lie apart, by the public API, on the host device and on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "host/prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::strides_test {
namespace {

using u64 = std::uint64_t;
using i64 = std::int64_t;

constexpr int kPoison = 0x5a5a5a5a;

// In a rehearsal no result is right, and the kernels of all that follows are wanted too.
bool failed() { return testing::Test::HasFailure() && !is_rehearsal(); }

// An array of planes of rows, and which of its places items take.
struct Places {
  i64 item, row, plane;
  i64 first;  // the place of the first item of the first row
  u64 size;   // of the array

  u64 at(u64 p, u64 r, u64 i) const {
    return static_cast<u64>(first + static_cast<i64>(p) * plane + static_cast<i64>(r) * row +
                            static_cast<i64>(i) * item);
  }
};

struct Shape {
  u64 planes, rows, length;

  u64 items() const { return planes * rows * length; }
};

// The three axes in any order, with gaps, forward or backward.
Places drawn_places(const Shape& shape, std::mt19937& random) {
  const std::array<u64, 3> counts{shape.length, shape.rows, shape.planes};
  std::array<int, 3> order{0, 1, 2};
  std::shuffle(order.begin(), order.end(), random);
  std::array<i64, 3> strides{};
  i64 first = 0;
  u64 reach = 1;
  for (const int axis : order) {
    const auto place = static_cast<std::size_t>(axis);
    const u64 stride = reach + (random() % 3 == 0 ? random() % 4 : 0);
    reach += stride * (counts[place] - 1);
    strides[place] = static_cast<i64>(stride);
    if (random() % 3 != 0) continue;
    strides[place] = -strides[place];
    first += static_cast<i64>(stride * (counts[place] - 1));
  }
  return {strides[0], strides[1], strides[2], first, reach};
}

std::string to_string(const Shape& shape, const Places& in, const Places& out) {
  const auto text = [](const Places& places) {
    return std::to_string(places.plane) + ", " + std::to_string(places.row) + ", " + std::to_string(places.item);
  };
  return std::to_string(shape.planes) + " planes of " + std::to_string(shape.rows) + " rows of " +
         std::to_string(shape.length) + ", strides " + text(in) + " and " + text(out);
}

runtime::Segments segments_of(const Shape& shape, const Places& in, const Places& out) {
  return runtime::Segments::rows({.count = shape.rows,
                                  .length = shape.length,
                                  .row_stride = in.row,
                                  .item_stride = in.item,
                                  .out_row_stride = out.row,
                                  .out_item_stride = out.item,
                                  .planes = shape.planes,
                                  .plane_stride = in.plane,
                                  .out_plane_stride = out.plane});
}

// Runs the scan and compares all of the output's array, gaps included.
template <class T, class Out = int>
void check(const Shape& shape, const Places& in, const Places& out, runtime::ScanOptions<int> options, bool in_place,
           std::mt19937& random, bool has_inits = false) {
  SCOPED_TRACE(to_string(shape, in, out) + (in_place ? ", in place" : ""));
  std::vector<T> items(in.size);
  for (T& item : items) item = static_cast<T>(random() % 100);
  std::vector<Out> expected(out.size, static_cast<Out>(kPoison));
  if constexpr (std::is_same_v<T, int>)
    if (in_place) expected = items;
  std::vector<int> inits(has_inits ? shape.planes * shape.rows : 0);
  for (int& init : inits) init = static_cast<int>(random() % 1000);
  const runtime::Buffer<int> device_inits(inits);
  const bool reverse = options.direction == runtime::Direction::reverse;
  for (u64 p = 0; p < shape.planes; ++p)
    for (u64 r = 0; r < shape.rows; ++r) {
      int sum = inits.empty() ? 3 : inits[p * shape.rows + r];
      for (u64 step = 0; step < shape.length; ++step) {
        const u64 i = reverse ? shape.length - 1 - step : step;
        if (options.kind == runtime::Kind::exclusive) expected[out.at(p, r, i)] = static_cast<Out>(sum);
        sum += items[in.at(p, r, i)];
        if (options.kind == runtime::Kind::inclusive) expected[out.at(p, r, i)] = static_cast<Out>(sum);
      }
    }
  if (has_inits)
    options.device_inits = device_inits.data();
  else
    options.init = 3;
  options.segments = segments_of(shape, in, out);
  runtime::Buffer<T> from(items);
  runtime::Buffer<Out> to(std::vector<Out>(out.size, static_cast<Out>(kPoison)));
  std::vector<Out> found(out.size);
  if (in_place) {
    if constexpr (std::is_same_v<T, int>) {
      runtime::scan(from.data() + in.first, from.data() + out.first, shape.items(), options);
      from.download(found.data());
    }
  } else {
    runtime::scan(from.data() + in.first, to.data() + out.first, shape.items(), options);
    to.download(found.data());
  }
  EXPECT_EQ(found, expected);
}

// docs/types.md shows this. What is left out follows from what is given: planes lie one behind the other.
TEST(Strides, OfPlanesFollowFromThoseOfRowsAndItems) {
  constexpr Shape kShape{32, 64, 48};
  const runtime::Segments rows =
      runtime::Segments::rows({.count = 64, .length = 48, .row_stride = 1, .item_stride = 64, .planes = 32});
  std::vector<int> items(kShape.items()), expected(items.size()), sums(kShape.planes * kShape.rows);
  for (u64 item = 0; item < items.size(); ++item) items[item] = static_cast<int>(item * 37 % 101);
  for (u64 p = 0; p < kShape.planes; ++p)
    for (u64 r = 0; r < kShape.rows; ++r) {
      int& sum = sums[p * kShape.rows + r];
      for (u64 i = 0; i < kShape.length; ++i) {
        const u64 place = (p * kShape.length + i) * kShape.rows + r;
        expected[place] = sum += items[place];
      }
    }
  const runtime::Buffer<int> in(items), out(items.size()), totals(sums.size());
  std::vector<int> found(items.size()), found_sums(sums.size());
  runtime::scan(in.data(), out.data(), items.size(), {.segments = rows});
  out.download(found.data());
  EXPECT_EQ(found, expected);
  runtime::reduce(in.data(), totals.data(), items.size(), {.segments = rows});
  totals.download(found_sums.data());
  EXPECT_EQ(found_sums, sums);
}

// Each shape has one problem, since the strides are no part of a kernel: only they are drawn.
TEST(Strides, LeadToItemsAlongAnyAxisOfAnArray) {
  constexpr auto kExclusive = runtime::Kind::exclusive, kInclusive = runtime::Kind::inclusive;
  constexpr auto kForward = runtime::Direction::forward, kReverse = runtime::Direction::reverse;
  struct Case {
    Shape shape;
    runtime::Kind kind;
    runtime::Direction direction;
    int in_bytes, out_bytes;
    bool has_inits;
  };
  constexpr Case kCases[] = {
      {{1, 40, 33}, kExclusive, kForward, 4, 4, false},  {{3, 5, 300}, kInclusive, kForward, 1, 4, false},
      {{1, 1, 1000}, kInclusive, kReverse, 4, 4, false}, {{4, 7, 1}, kExclusive, kForward, 1, 1, false},
      {{2, 64, 64}, kExclusive, kReverse, 4, 4, true},   {{1, 3, 5000}, kInclusive, kForward, 4, 4, true},
      {{5, 1, 70}, kInclusive, kReverse, 1, 1, false},   {{1, 1, 9001}, kExclusive, kForward, 4, 4, false},
      {{2, 2, 6007}, kInclusive, kReverse, 1, 4, false}, {{1, 3, 4999}, kInclusive, kForward, 1, 1, false}};
  std::mt19937 random(5);
  for (int round = 0; round < 6; ++round)
    for (const Case& its : kCases) {
      const Shape& shape = its.shape;
      runtime::ScanOptions<int> options;
      options.kind = its.kind;
      options.direction = its.direction;
      const Places in = drawn_places(shape, random), out = drawn_places(shape, random);
      if (its.in_bytes == 1 && its.out_bytes == 1)
        check<std::int8_t, std::int8_t>(shape, in, out, options, false, random);
      else if (its.in_bytes == 1)
        check<std::int8_t>(shape, in, out, options, false, random);
      else if (round % 2 == 0)
        check<int>(shape, in, in, options, true, random, its.has_inits);
      else
        check<int>(shape, in, out, options, false, random, its.has_inits);
      if (failed()) return;
    }
}

// Reduces every row to a sum and to a minimum with its position.
void check_reductions(const Shape& shape, const Places& in, std::mt19937& random) {
  SCOPED_TRACE(to_string(shape, in, in));
  std::vector<int> items(in.size);
  for (int& item : items) item = static_cast<int>(random() % 1000);
  std::vector<int> sums, least;
  std::vector<u64> where;
  for (u64 p = 0; p < shape.planes; ++p)
    for (u64 r = 0; r < shape.rows; ++r) {
      sums.push_back(3);
      least.push_back(items[in.at(p, r, 0)]);
      where.push_back(0);
      for (u64 i = 0; i < shape.length; ++i) {
        const int item = items[in.at(p, r, i)];
        sums.back() += item;
        if (item >= least.back()) continue;
        least.back() = item;
        where.back() = i;
      }
    }
  const runtime::Segments rows = runtime::Segments::rows({.count = shape.rows,
                                                          .length = shape.length,
                                                          .row_stride = in.row,
                                                          .item_stride = in.item,
                                                          .planes = shape.planes,
                                                          .plane_stride = in.plane});
  const runtime::Buffer<int> from(items), to(std::vector<int>(sums.size(), kPoison));
  const runtime::Buffer<u64> at(where.size());
  std::vector<int> found(sums.size());
  std::vector<u64> found_at(where.size());
  runtime::reduce(from.data() + in.first, to.data(), shape.items(), {.segments = rows, .init = 3});
  to.download(found.data());
  EXPECT_EQ(found, sums);
  runtime::argmin(from.data() + in.first, to.data(), at.data(), shape.items(), {.segments = rows});
  to.download(found.data());
  at.download(found_at.data());
  EXPECT_EQ(found, least);
  EXPECT_EQ(found_at, where);
}

TEST(Strides, LeadReductionsToTheirItems) {
  std::mt19937 random(17);
  constexpr Shape kShapes[] = {{1, 40, 33}, {3, 5, 300}, {4, 7, 1}, {1, 3, 5000}};
  for (int draw = 0; draw < 24; ++draw) {
    const Shape& shape = kShapes[draw % std::size(kShapes)];
    check_reductions(shape, drawn_places(shape, random), random);
    if (failed()) return;
  }
}

// Rows that several CTAs reduce by default, with gaps, forward and backward. Their least item is in several shares.
TEST(Strides, OfFewLongRowsLeadSeveralCtasToTheirItems) {
  std::mt19937 random(23);
  constexpr Shape kShape{1, 2, 20'001};
  constexpr i64 kApart = 20'004;
  for (const Places& places : {Places{1, kApart, 0, 3, 2 * kApart}, Places{-1, kApart, 0, 20'002, 2 * kApart},
                               Places{1, -kApart, 0, kApart + 1, 2 * kApart}}) {
    check_reductions(kShape, places, random);
    if (failed()) return;
  }
}

// Views of dense items, which a request without strides solves: one row, and rows and columns, backwards, from the
// other end, and in planes. Pointers are of any alignment, that of the caller's and that where the items begin.
TEST(Strides, OfDenseItemsLeadToAllOfThem) {
  struct View {
    Shape shape;
    Places places;
  };
  const auto view = [](const Shape& shape, i64 item, i64 row, i64 plane, u64 unused) {
    i64 first = static_cast<i64>(unused);
    for (const auto& [stride, count] : {std::pair(item, shape.length), {row, shape.rows}, {plane, shape.planes}})
      if (stride < 0) first -= stride * static_cast<i64>(count - 1);
    return View{shape, {item, row, plane, first, unused + shape.items()}};
  };
  std::mt19937 random(19);
  for (const View& its :
       {view({1, 1, 1009}, 1, 1009, 1009, 0), view({1, 1, 1009}, -1, 1009, 1009, 0),
        view({1, 1, 1010}, -1, 1010, 1010, 3), view({1, 1, 1010}, -1, 1010, 1010, 4), view({1, 5, 33}, -1, 33, 165, 1),
        view({1, 5, 32}, 1, -32, 160, 1), view({3, 5, 33}, 1, 33, 165, 0), view({3, 5, 33}, 1, 99, 33, 0),
        view({3, 5, 33}, -1, -33, -165, 0), view({1, 7, 33}, -7, 1, 1, 1), view({1, 7, 33}, 7, -1, 1, 0),
        view({7, 1, 33}, -7, 1, -1, 0), view({1, 1, 1}, -5, -4, 3, 0)})
    for (const bool is_reverse : {false, true}) {
      runtime::ScanOptions<int> options;
      options.direction = is_reverse ? runtime::Direction::reverse : runtime::Direction::forward;
      options.kind = is_reverse ? runtime::Kind::exclusive : runtime::Kind::inclusive;
      const bool has_inits = is_reverse && (its.shape.rows == 5 || its.shape.length == 1010);
      check<int>(its.shape, its.places, its.places, options, !has_inits && random() % 2 == 0, random, has_inits);
      if (!is_reverse) check_reductions(its.shape, its.places, random);
      if (failed()) return;
    }
}

// What the Python array API says of cumulative_sum(x, axis=..., include_initial=...): sums along one axis of an array
// in row-major order; with include_initial the result has one more item along it, 0, before the others. Signed integers
// narrower than the default one widen to it.
template <class In, class Out>
void check_cumulative_sum(const std::vector<u64>& shape, std::size_t axis, bool include_initial) {
  u64 outer = 1, inner = 1;
  for (std::size_t before = 0; before < axis; ++before) outer *= shape[before];
  for (std::size_t behind = axis + 1; behind < shape.size(); ++behind) inner *= shape[behind];
  const u64 length = shape[axis], n = outer * length * inner, results = length + (include_initial ? 1 : 0);
  SCOPED_TRACE(std::to_string(outer) + " x " + std::to_string(length) + " x " + std::to_string(inner));
  std::vector<In> items(n);
  for (u64 item = 0; item < n; ++item) items[item] = static_cast<In>(item * 37 % 101) - In{50};
  std::vector<Out> expected(outer * results * inner);
  for (u64 p = 0; p < outer; ++p)
    for (u64 r = 0; r < inner; ++r) {
      Out sum = 0;
      u64 to = p * results * inner + r;
      if (include_initial) to += inner;
      for (u64 i = 0; i < length; ++i, to += inner)
        expected[to] = sum += static_cast<Out>(items[(p * length + i) * inner + r]);
    }
  const auto stride = [](u64 items_apart) { return static_cast<i64>(items_apart); };
  const runtime::Buffer<In> in(items);
  const runtime::Buffer<Out> out(std::vector<Out>(expected.size()));  // zeros, of which the initial ones stay
  runtime::scan<In, Out, Out>(in.data(), out.data() + (include_initial ? inner : 0), n,
                              {.segments = runtime::Segments::rows({.count = inner,
                                                                    .length = length,
                                                                    .row_stride = 1,
                                                                    .item_stride = stride(inner),
                                                                    .planes = outer,
                                                                    .plane_stride = stride(length * inner),
                                                                    .out_plane_stride = stride(results * inner)})});
  std::vector<Out> found(expected.size());
  out.download(found.data());
  EXPECT_EQ(found, expected);
}

TEST(ArrayApi, CumulativeSumsGoAlongEveryAxis) {
  for (const std::vector<u64>& shape : std::vector<std::vector<u64>>{
           {1}, {7}, {1000}, {2, 3}, {3, 1}, {1, 5}, {40, 33}, {2, 3, 4}, {5, 1, 6}, {3, 50, 7}, {2, 3, 4, 5}})
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      for (const bool include_initial : {false, true}) {
        check_cumulative_sum<std::int8_t, std::int64_t>(shape, axis, include_initial);
        if (shape.size() == 1) check_cumulative_sum<float, float>(shape, axis, include_initial);
        if (failed()) return;
      }
}

// An array without items has a result without any, but for the initial ones.
TEST(ArrayApi, CumulativeSumsOfNothingAreNothing) {
  for (const auto& [shape, axis] : std::vector<std::pair<std::vector<u64>, std::size_t>>{
           {{0}, 0}, {{0, 3}, 0}, {{0, 3}, 1}, {{3, 0}, 0}, {{2, 0, 4}, 1}, {{2, 0, 4}, 2}})
    for (const bool include_initial : {false, true}) check_cumulative_sum<float, float>(shape, axis, include_initial);
}

// Rows and columns that are dense, each from an initial value of its own, by every family of them.
TEST(InitialValues, OfEachRowOrColumnBeginIt) {
  std::mt19937 random(13);
  const auto rows = [](const Shape& shape) {
    const i64 length = static_cast<i64>(shape.length);
    return Places{1, length, length * static_cast<i64>(shape.rows), 0, shape.items()};
  };
  const auto columns = [](const Shape& shape) { return Places{static_cast<i64>(shape.rows), 1, 1, 0, shape.items()}; };
  struct Case {
    Shape shape;
    bool has_columns;
    const char* config;
  };
  for (
      const Case& its : std::vector<Case>{
          {{1, 40, 33},
           false,
           R"({"family": "scan_short_rows", "parameters": {"block_threads": 64, "items_per_thread": 5}})"},
          {{1, 40, 3},
           false,
           R"({"family": "scan_short_rows", "parameters": {"block_threads": 64, "items_per_thread": 7}})"},
          {{1, 100, 12},
           false,
           R"({"family": "scan_short_rows", "parameters": {"block_threads": 64, "items_per_thread": 4, "whole_runs": 1}})"},
          {{1, 9, 333}, false, R"({"family": "scan_rows", "parameters": {"block_threads": 64, "rows_per_block": 4}})"},
          {{1, 5, 3001},
           false,
           R"({"family": "pipelined", "parameters": {"consumer_warps": 2, "vectors_per_thread": 1}})"},
          {{1, 3, 2000}, true, R"({"family": "lookback", "parameters": {"block_threads": 64, "items_per_thread": 8}})"},
          {{1, 4, 1001},
           true,
           R"({"family": "pipelined", "parameters": {"consumer_warps": 2, "vectors_per_thread": 5}})"},
          {{1, 20, 300},
           true,
           R"({"family": "scan_columns", "parameters": {"block_threads": 64, "items_per_thread": 4}})"},
          {{1, 3, 700},
           true,
           R"({"family": "scan_columns", "parameters": {"block_threads": 64, "items_per_thread": 3, "columns_per_block": 0}})"}}) {
    SCOPED_TRACE(its.config);
    runtime::ScanOptions<int> options;
    options.config = its.config;
    const Places places = its.has_columns ? columns(its.shape) : rows(its.shape);
    for (const runtime::Direction direction : {runtime::Direction::forward, runtime::Direction::reverse}) {
      options.direction = direction;
      options.kind = random() % 2 == 0 ? runtime::Kind::exclusive : runtime::Kind::inclusive;
      for (const bool in_place : {false, true}) try {
          check<int>(its.shape, places, places, options, in_place, random, true);
        } catch (const RequestError& error) {
          // A GPU that is older than the family has it not.
          ASSERT_NE(std::string(error.what()).find("bulk copies need sm_90"), std::string::npos) << error.what();
        }
      if (failed()) return;
    }
  }
}

// Vectors of columns side by side, several to a thread, and those beyond the last one.
TEST(Strides, LeadToLinesThatVectorsFillAndOthers) {
  std::mt19937 random(7);
  for (const u64 columns : {8, 12, 13}) {
    const Shape shape{2, columns, 100};
    for (const i64 pitch : {16, 24, 25}) {
      const Places places{pitch, 1, 100 * pitch, 0, static_cast<u64>(200 * pitch)};
      for (const char* const parameters :
           {R"("columns_per_thread": 4, "columns_per_block": 32, "items_per_thread": 8)",
            R"("columns_per_thread": 2, "columns_per_block": 16, "items_per_thread": 3)"}) {
        runtime::ScanOptions<int> options;
        options.config =
            std::string(R"({"family": "scan_columns", "parameters": {"block_threads": 64, )") + parameters + "}}";
        check<int>(shape, places, places, options, random() % 2 == 0, random);
        if (failed()) return;
      }
    }
  }
}

// Lines of bytes that begin anywhere in a word, in planes of any number of columns, with gaps that stay as they are.
TEST(Strides, LeadToLinesThatShareWords) {
  std::mt19937 random(31);
  runtime::ScanOptions<int> options;
  options.config = R"({"family": "scan_columns", "parameters": {"block_threads": 64, "items_per_thread": 3, )"
                   R"("columns_per_thread": 4, "columns_per_block": 64, "shifted_words": 1}})";
  for (const Shape& shape :
       {Shape{1, 13, 48}, Shape{3, 13, 50}, Shape{5, 8, 20}, Shape{4, 35, 40}, Shape{70, 3, 9}, Shape{2, 130, 7}})
    for (const i64 gap : {0, 1, 6}) {
      const i64 rows = static_cast<i64>(shape.rows), length = static_cast<i64>(shape.length);
      const auto places = [&](i64 pitch, i64 first, bool descends) {
        const i64 plane = length * pitch + gap, from = descends ? (length - 1) * pitch : 0;
        return Places{descends ? -pitch : pitch, 1, plane, first + from,
                      static_cast<u64>(first) + shape.planes * static_cast<u64>(plane)};
      };
      const Places in = places(rows + gap, gap, false), out = places(rows + 2 * gap + 1, 1, gap == 6);
      check<std::int8_t, std::int8_t>(shape, in, out, options, false, random, gap == 1);
      if (failed()) return;
    }
}

// One kernel serves all strides, whatever the family.
TEST(Strides, AreServedByEveryFamilyOfRows) {
  std::mt19937 random(11);
  for (
      const char* const config :
      {R"({"family": "scan_rows", "parameters": {"block_threads": 64, "items_per_thread": 4, "vector_bytes": 4}})",
       R"({"family": "scan_rows", "parameters": {"block_threads": 32, "items_per_thread": 16, "layout": "warp_transposed", "vector_bytes": 16, "rows_per_block": 4}})",
       R"({"family": "scan_short_rows", "parameters": {"block_threads": 128, "items_per_thread": 5}})",
       R"({"family": "lookback", "parameters": {"block_threads": 128, "items_per_thread": 4}})",
       R"({"family": "lookback", "parameters": {"block_threads": 64, "items_per_thread": 8, "layout": "warp_transposed", "tile_order": "ticket"}})"}) {
    SCOPED_TRACE(config);
    const bool has_tiles = std::string(config).find("lookback") != std::string::npos;
    const i64 length = has_tiles ? 1100 : 150, apart = length + 10;  // lookback takes no row of 150
    const Shape shape{3, 9, static_cast<u64>(length)};
    const auto places = [&](i64 item, i64 row, i64 first) {
      const u64 size = static_cast<u64>(3 * 10 * row + first + 2 * apart);
      return Places{item, row, 10 * row, item < 0 ? first - item * length : first, size};
    };
    for (const Places& in :
         {places(1, apart, 0), places(-2, 2 * apart, 0), places(1, apart - 3, 1), places(-1, apart, 5)})
      for (const Places& out : {places(1, apart + 2, 8), places(3, 3 * apart, 0), places(-1, apart, 2)}) {
        runtime::ScanOptions<int> options;
        options.config = config;
        check<int>(shape, in, out, options, false, random);
        if (failed()) return;
      }
  }
}

// A thread's next item is in the same row, in a later one, or planes on; and the tiles of a plane end anywhere in it.
TEST(Strides, LeadThreadsOverRowsAndPlanesOfEveryLength) {
  std::mt19937 random(29);
  for (const Shape& shape : {Shape{1, 100, 3}, Shape{40, 3, 7}, Shape{300, 2, 1}, Shape{3, 50, 64}, Shape{5, 7, 100},
                             Shape{2, 3, 320}, Shape{65, 1, 33}}) {
    runtime::ScanOptions<int> options;
    options.config = R"({"family": "scan_short_rows", "parameters": {"block_threads": 64, "items_per_thread": 5}})";
    const i64 length = static_cast<i64>(shape.length), rows = static_cast<i64>(shape.rows);
    for (const bool descends : {false, true}) {
      const i64 sign = descends ? -1 : 1, row = 2 * length + 1, plane = rows * row + 3;
      const u64 size = shape.planes * static_cast<u64>(plane);
      const Places in{2, sign * row, plane, descends ? (rows - 1) * row : 0, size};
      const Places out{3 * sign, 3 * row, 3 * plane, descends ? 3 * row : 0, 3 * size + 3 * static_cast<u64>(row)};
      check<int>(shape, in, out, options, false, random);
      if (failed()) return;
    }
  }
}

}  // namespace
}  // namespace scantune::strides_test
