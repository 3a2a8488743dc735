// Sums by key: of each run of equal keys the key and the sum of its values.
#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

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
  const runtime::Buffer<int> d_keys(keys), run_keys(n);
  const runtime::Buffer<float> d_values(values), run_sums(n);
  const runtime::Buffer<std::uint32_t> d_runs(1);
  runtime::reduce_by_key(d_values.data(), d_keys.data(), run_keys.data(), run_sums.data(), d_runs.data(), n);

  const std::uint64_t runs = read(d_runs, 1)[0];
  return {read(run_keys, runs), read(run_sums, runs)};
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
