// Keeps the numbers of a range: the state of the predicate is the range.
#include <scantune/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <vector>

namespace runtime = scantune::runtime;

struct InRange {
  float low, high;
};

const char* const kSource =
    "struct State { float low, high; };\n"
    "__device__ bool keep(float x, State range) { return range.low <= x && x < range.high; }";

void keep(const float* in, float* out, std::uint64_t* count, std::uint64_t n, InRange range, runtime::Stream stream) {
  runtime::select(in, out, count, n, {.predicate = runtime::Predicate::source(kSource, range), .stream = stream});
}

// Whether the items of a range are kept, in their order.
bool keeps(const std::vector<float>& items, InRange range) {
  const runtime::Buffer<float> in(items), out(items.size());
  const runtime::Buffer<std::uint64_t> d_count(1);
  keep(in.data(), out.data(), d_count.data(), in.size(), range, nullptr);

  std::uint64_t count = 0;
  d_count.download(&count);
  std::vector<float> kept(items.size());
  out.download(kept.data());
  kept.resize(count);
  std::vector<float> expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected),
               [&](float x) { return range.low <= x && x < range.high; });
  std::printf("%zu of %zu items are in the range\n", kept.size(), items.size());
  return kept == expected;
}

int main() {
  std::vector<float> items;
  for (int i = 0; i < 10'000; ++i) items.push_back(static_cast<float>(i * 7919 % 1009));
  return keeps(items, {250, 750}) && keeps(items, {990, 2000}) ? 0 : 1;  // one kernel for both
}
