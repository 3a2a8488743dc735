// Sums by key: of each run of equal keys the key and the sum of its values, by a segmented scan and two selections.
#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

// A value, and whether it is the first of its run.
struct Item {
  float sum;
  std::uint32_t begins;
};

// What is before the start of a run is not added to what is in it. That is associative, but does not commute.
const auto kSumOfRun = runtime::Op::custom(
    "struct Value { float sum; unsigned begins; };\n"
    "__device__ Value combine(Value a, Value b) {\n"
    "  return {b.begins ? b.sum : a.sum + b.sum, a.begins | b.begins};\n"
    "}",
    Item{0, 0}, {.name = "sum_of_run"});

template <class T>
std::vector<T> read(const runtime::Buffer<T>& buffer, std::uint64_t n) {
  std::vector<T> items(buffer.size());
  if (!items.empty()) buffer.download(items.data());
  items.resize(n);
  return items;
}

struct Sums {
  std::vector<int> keys;
  std::vector<float> sums;
};

Sums sums_by_key(const std::vector<int>& keys, const std::vector<float>& values) {
  const std::uint64_t n = keys.size();
  std::vector<Item> items;         // in your program: a kernel
  std::vector<std::uint8_t> ends;  // likewise
  for (std::uint64_t i = 0; i < n; ++i) {
    items.push_back({values[i], i == 0 || keys[i] != keys[i - 1]});
    ends.push_back(i + 1 == n || keys[i] != keys[i + 1]);
  }
  const runtime::Buffer<int> d_keys(keys), run_keys(n);
  const runtime::Buffer<Item> scanned(items), run_sums(n);
  const runtime::Buffer<std::uint8_t> d_ends(ends);
  const runtime::Buffer<std::uint64_t> d_runs(1);
  runtime::scan(scanned.data(), scanned.data(), n, kSumOfRun);  // the scan by key; the last item of a run has its sum
  runtime::unique_consecutive(d_keys.data(), run_keys.data(), d_runs.data(), n);
  runtime::select_flagged(scanned.data(), d_ends.data(), run_sums.data(), d_runs.data(), n);

  const std::uint64_t runs = read(d_runs, 1)[0];
  Sums found{read(run_keys, runs), {}};
  for (const Item& item : read(run_sums, runs)) found.sums.push_back(item.sum);
  return found;
}

int main() {
  std::vector<int> keys;
  std::vector<float> values;
  for (int i = 0; i < 10'000; ++i) {
    keys.push_back(i * i / 100'000);  // long runs, then shorter ones
    values.push_back(static_cast<float>(i % 16));
  }
  Sums expected;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      expected.keys.push_back(keys[i]);
      expected.sums.push_back(0);
    }
    expected.sums.back() += values[i];  // exact: the sums are small integers
  }
  const Sums found = sums_by_key(keys, values);
  std::printf("%zu items have %zu runs of equal keys\n", keys.size(), found.keys.size());
  return found.keys == expected.keys && found.sums == expected.sums ? 0 : 1;
}
