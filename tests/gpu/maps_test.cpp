// Maps on the GPU: on the way in and out of scans and reductions, in every shape, beside plain loops.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gpu_test.h"

namespace scantune {
namespace {

using runtime::Buffer;
using runtime::Kind;
using runtime::Map;

class MapsOnGpu : public GpuTest {};

constexpr std::size_t kSizes[] = {1, 1000, 100'003, 3'000'001, (std::size_t{1} << 26) + 5};

template <class T>
std::vector<T> downloaded_items(const Buffer<T>& memory) {
  std::vector<T> items(memory.size());
  memory.download(items.data());
  return items;
}

std::vector<std::int32_t> readings(std::size_t n, unsigned seed) {
  std::vector<std::int32_t> items(n);
  for (std::size_t index = 0; index < n; ++index)
    items[index] = static_cast<std::int32_t>((index * 2654435761u + seed * 40503u) >> 7 & 1023);
  return items;
}

struct Limit {
  std::int32_t least;
};
const char* const kAbove =
    "struct State { int least; };\n__device__ int load(int x, State limit) { return x > limit.least; }";

// The same kernel with one limit after the other, in place too.
TEST_F(MapsOnGpu, TurnPredicatesIntoOffsets) {
  for (const std::size_t n : kSizes)
    for (const std::int32_t least : {-1, 500, 1023}) {
      const auto items = readings(n, 1);
      std::vector<std::int32_t> expected(n);
      std::int32_t sum = 0;
      for (std::size_t index = 0; index < n; ++index) {
        expected[index] = sum;
        sum += items[index] > least;
      }
      const Buffer<std::int32_t> in(items), out(n);
      const runtime::ScanOptions<std::int32_t> options{.kind = Kind::exclusive,
                                                       .load = Map::source(kAbove, Limit{least})};
      runtime::scan(in.data(), out.data(), n, options);
      EXPECT_EQ(downloaded(out), expected) << n << " items above " << least;
      runtime::scan(in.data(), in.data(), n, options);
      EXPECT_EQ(downloaded(in), expected) << n << " items above " << least << ", in place";
    }
}

// No input at all, and a store that knows where its result goes.
TEST_F(MapsOnGpu, CountWithoutInputAndScatterResults) {
  struct Target {
    std::uint64_t* memory;
    std::uint64_t n;
  };
  for (const std::size_t n : kSizes) {
    Buffer<std::uint64_t> backwards(n);
    runtime::scan<std::uint64_t, std::uint64_t, std::uint64_t>(
        nullptr, nullptr, n,
        {.load = Map::generated("__device__ unsigned long long load(unsigned long long i) { return i; }"),
         .store = Map::writing("struct State { unsigned long long *memory, n; };\n"
                               "__device__ void store(unsigned long long sum, unsigned long long i, State to) {\n"
                               "  to.memory[to.n - 1 - i] = sum;\n}",
                               Target{backwards.data(), n})});
    const auto found = downloaded_items(backwards);
    for (std::uint64_t index = 0; index < n; ++index)
      ASSERT_EQ(found[n - 1 - index], index * (index + 1) / 2) << index << " of " << n;
  }
}

// Indices count from the array's start: in rows, in columns, backwards, and where vectors begin off a boundary.
TEST_F(MapsOnGpu, TellIndicesInEveryShape) {
  constexpr std::size_t kCount = 700, kLength = 1500, n = kCount * kLength;
  const auto items = readings(n + 1, 2);
  const Buffer<std::int32_t> in(items);
  Buffer<std::int64_t> out(n + 1);
  const char* const load = "__device__ long long load(int x, unsigned long long i) { return x * (long long)(i % 97); }";
  const char* const store =
      "__device__ long long store(long long x, unsigned long long i) { return x - (long long)i; }";
  const auto value = [&](std::size_t from, std::size_t i) {
    return items[from + i] * static_cast<std::int64_t>(i % 97);
  };
  for (const std::size_t from : {std::size_t{0}, std::size_t{1}})
    for (const int shape : {0, 1, 2})
      for (const runtime::Direction direction : {runtime::Direction::forward, runtime::Direction::reverse}) {
        const runtime::Segments segments = shape == 0   ? runtime::Segments{}
                                           : shape == 1 ? runtime::Segments::rows(kCount, kLength)
                                                        : runtime::Segments::columns(kCount, kLength);
        runtime::scan<std::int32_t, std::int64_t, std::int64_t>(
            in.data() + from, out.data() + from, n,
            {.direction = direction, .segments = segments, .load = Map::indexed(load), .store = Map::indexed(store)});
        const auto found = downloaded_items(out);
        const std::size_t sequences = shape == 0 ? 1 : kCount, length = n / sequences;
        for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
          std::int64_t sum = 0;
          for (std::size_t step = 0; step < length; ++step) {
            const std::size_t place = direction == runtime::Direction::forward ? step : length - 1 - step;
            const std::size_t i = shape == 2 ? place * kCount + sequence : sequence * length + place;
            sum += value(from, i);
            ASSERT_EQ(found[from + i], sum - static_cast<std::int64_t>(i)) << "item " << i << " of shape " << shape;
          }
        }
      }
}

TEST_F(MapsOnGpu, ReduceWhatTheyLoad) {
  for (const std::size_t n : kSizes) {
    const auto items = readings(n, 3);
    const auto above = std::ranges::count_if(items, [](std::int32_t x) { return x > 500; });
    const Buffer<std::int32_t> in(items), out(1);
    runtime::reduce(in.data(), out.data(), n,
                    {.load = Map::source(kAbove, Limit{500}),
                     .store = Map::source("__device__ int store(int sum) { return -sum; }")});
    EXPECT_EQ(downloaded(out).front(), -above) << n;
  }
}

// A plan keeps its state, and a captured call too, whatever other calls of the same kernel have.
TEST_F(MapsOnGpu, KeepTheStateOfEachCallInGraphs) {
  constexpr std::size_t kItems = 1'000'003;
  const TestStream stream;
  const auto items = readings(kItems, 4);
  const Buffer<std::int32_t> in(items);
  Buffer<std::int32_t> few(kItems), many(kItems);
  const auto plan_above = [&](std::int32_t least) {
    return runtime::plan<std::int32_t>(kItems, {.load = Map::source(kAbove, Limit{least})});
  };
  const auto above_900 = plan_above(900), above_100 = plan_above(100);
  const TestGraph graph(stream, [&] {
    above_900(in.data(), few.data(), stream);
    above_100(in.data(), many.data(), stream);
  });
  for (int replay = 0; replay < 20; ++replay) graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(downloaded(few).back(), std::ranges::count_if(items, [](std::int32_t x) { return x > 900; }));
  EXPECT_EQ(downloaded(many).back(), std::ranges::count_if(items, [](std::int32_t x) { return x > 100; }));
}

}  // namespace
}  // namespace scantune
