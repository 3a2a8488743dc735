// What follows from strides, compared with the places of all items.
#include "space/strided.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace scantune {
namespace {

std::vector<i64> places(const StridedAxes& axes) {
  std::vector<i64> all;
  for (i64 p = 0; p < static_cast<i64>(axes.plane.items); ++p)
    for (i64 r = 0; r < static_cast<i64>(axes.sequence.items); ++r)
      for (i64 i = 0; i < static_cast<i64>(axes.item.items); ++i)
        all.push_back(p * axes.plane.stride + r * axes.sequence.stride + i * axes.item.stride);
  return all;
}

class Drawer {
 public:
  StridedAxis axis(const char* name, u64 most) {
    return {name, number(-9, 9), static_cast<u64>(number(1, static_cast<i64>(most)))};
  }
  StridedAxes axes(u64 most_planes) { return {axis("item", 6), axis("row", 6), axis("plane", most_planes)}; }
  i64 number(i64 least, i64 most) { return std::uniform_int_distribution<i64>(least, most)(random_); }

 private:
  std::mt19937 random_{3};
};

std::string to_string(const StridedAxes& axes) {
  std::string text;
  for (const StridedAxis& axis : {axes.item, axes.sequence, axes.plane})
    text += std::string(axis.name) + " " + std::to_string(axis.stride) + " x " + std::to_string(axis.items) + " ";
  return text;
}

TEST(StridedRange, IsFromTheLowestToTheHighestItem) {
  Drawer draw;
  for (int time = 0; time < 2000; ++time) {
    const StridedAxes axes = draw.axes(4);
    const i64 first = draw.number(0, 20);
    const auto all = places(axes);
    const auto [low, high] = std::ranges::minmax(all);
    const auto range = range_of(axes, first);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->lowest, std::min<i64>(first + low, 0)) << to_string(axes);
    EXPECT_EQ(range->lowest + static_cast<i64>(range->items) - 1, std::max<i64>(first + high, range->lowest))
        << to_string(axes);
    // The kernels' arguments say the same.
    const Strides strides{axes.item.stride, axes.sequence.stride, axes.plane.stride, first};
    const Layout layout{.input = strides, .output = strides, .plane_sequences = axes.sequence.items};
    const StridedRange same = layout.range(strides, axes.sequence.items * axes.plane.items, axes.item.items);
    EXPECT_EQ(same.lowest, range->lowest) << to_string(axes) << first;
    EXPECT_EQ(same.items, range->items) << to_string(axes) << first;
  }
}

TEST(StridedRange, OfPlacesThatNoNumberHoldsIsNone) {
  constexpr i64 kMost = std::numeric_limits<i64>::max();
  const StridedAxis one{"one", 1, 1};
  EXPECT_FALSE(range_of({{"item", kMost, 2}, one, one}, 0));
  EXPECT_FALSE(range_of({{"item", -kMost - 1, 2}, one, one}, 0));
  EXPECT_FALSE(range_of({{"item", kMost / 100, 50}, {"row", kMost / 100, 51}, one}, 0));
  EXPECT_FALSE(range_of({{"item", 1, ~u64{0}}, one, one}, 0));
  EXPECT_TRUE(range_of({{"item", kMost, 1}, one, one}, 0));
  EXPECT_TRUE(range_of({{"item", kMost / 1000, 10}, one, one}, 0));
}

TEST(Strides, CoincideJustWhereTwoItemsLieInOnePlace) {
  Drawer draw;
  std::map<bool, int> seen;
  for (int time = 0; time < 5000; ++time) {
    const StridedAxes axes = draw.axes(1);
    const auto all = places(axes);
    const bool coincide = std::set<i64>(all.begin(), all.end()).size() < all.size();
    EXPECT_EQ(coinciding(axes).has_value(), coincide) << to_string(axes);
    ++seen[coincide];
  }
  EXPECT_GT(seen[false], 500);
  EXPECT_GT(seen[true], 500);
}

// Where the planes of rows lie in each other, nobody says for certain.
TEST(Strides, OfThreeAxesAreCalledApartOnlyWhereTheyAre) {
  Drawer draw;
  int apart = 0;
  for (int time = 0; time < 5000; ++time) {
    const StridedAxes axes = draw.axes(4);
    const auto all = places(axes);
    if (coinciding(axes)) continue;
    EXPECT_EQ(std::set<i64>(all.begin(), all.end()).size(), all.size()) << to_string(axes);
    apart += axes.plane.items > 1;
  }
  EXPECT_GT(apart, 300);
}

TEST(Strides, NameTheTwoThatCoincide) {
  const auto names = coinciding({{"item", 2, 10}, {"row", 4, 3}, {"plane", 0, 1}});
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, std::pair(std::string("item"), std::string("row")));
  EXPECT_FALSE(coinciding({{"item", 2, 2}, {"row", 4, 3}, {"plane", 0, 1}}));
  EXPECT_EQ(coinciding({{"item", 0, 2}, {"row", 4, 3}, {"plane", 0, 1}})->first, "item");
}

TEST(Strides, LetArraysMeetJustWhereTheirItemsDo) {
  Drawer draw;
  std::map<bool, int> seen;
  for (int time = 0; time < 5000; ++time) {
    StridedAxes axes = draw.axes(1);
    if (axes.item.stride == 0) axes.item.stride = 5;
    if (axes.sequence.stride == 0) axes.sequence.stride = 7;
    const i64 distance = draw.number(-40, 40);
    const auto all = places(axes);
    const std::set<i64> own(all.begin(), all.end());
    const bool meet = std::ranges::any_of(all, [&](i64 place) { return own.contains(place + distance); });
    EXPECT_EQ(items_meet(axes, 4 * distance, 4), meet) << to_string(axes) << distance;
    ++seen[meet];
  }
  EXPECT_GT(seen[false], 500);
  EXPECT_GT(seen[true], 500);
  EXPECT_TRUE(items_meet({{"item", 2, 10}, {"row", 40, 3}, {"plane", 0, 1}}, 2, 4)) << "half an item";
  // Halves of the rows of one matrix, which is too large to be looked through.
  EXPECT_FALSE(items_meet({{"item", 1, 1 << 20}, {"row", 1 << 21, 1 << 20}, {"plane", 0, 1}}, 4ll << 20, 4));
}

}  // namespace
}  // namespace scantune
