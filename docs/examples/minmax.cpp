// The least and the greatest of all items so far, in one scan.
#include <scantune/runtime.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

namespace runtime = scantune::runtime;

struct Range {
  int least, greatest;
};

int main() {
  const auto widen = runtime::Op::custom(
      "struct Value { int least, greatest; };\n"
      "__device__ Value combine(Value a, Value b) {\n"
      "  return {a.least < b.least ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest};\n"
      "}",
      Range{std::numeric_limits<int>::max(), std::numeric_limits<int>::min()},
      {.name = "range", .cost = runtime::Cost::cheap});

  std::vector<Range> items;
  for (int i = 0, walk = 0; i < 10'000; ++i) {
    walk += i * 7919 % 201 - 100;
    items.push_back({walk, walk});
  }
  const runtime::Buffer<Range> in(items), out(items.size());
  runtime::scan(in.data(), out.data(), items.size(), {.op = widen});
  std::vector<Range> ranges(items.size());
  out.download(ranges.data());

  Range expected = items.front();
  for (std::size_t i = 0; i < items.size(); ++i) {
    expected = {std::min(expected.least, items[i].least), std::max(expected.greatest, items[i].greatest)};
    if (ranges[i].least != expected.least || ranges[i].greatest != expected.greatest) return 1;
  }
  std::printf("the walk stayed between %d and %d\n", ranges.back().least, ranges.back().greatest);
}
