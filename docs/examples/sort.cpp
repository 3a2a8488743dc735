#include <scantune/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

namespace runtime = scantune::runtime;

struct Particle {
  float x, y, z;
};

template <class T>
std::vector<T> read(const runtime::Buffer<T>& buffer) {
  std::vector<T> items(buffer.size());
  buffer.download(items.data());
  return items;
}

int main() {
  constexpr std::uint32_t kRows = 64, kLength = 128, kItems = kRows * kLength;
  std::vector<float> energies;
  std::vector<Particle> particles;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    energies.push_back(static_cast<float>(i * 7919 % 1009) - 500);  // some are equal
    particles.push_back({static_cast<float>(i), 0, 0});
  }
  const runtime::Buffer<float> keys(energies), sorted(kItems), descending(kItems), rows(kItems);  // on the GPU
  const runtime::Buffer<Particle> values(particles), moved(kItems);
  const runtime::Buffer<std::uint32_t> places(kItems);
  runtime::sort(keys.data(), sorted.data(), kItems, {.values = {values.data(), moved.data()}});
  runtime::sort(keys.data(), descending.data(), kItems, {.order = runtime::Order::descending});
  runtime::sort(keys.data(), rows.data(), kItems, {.segments = runtime::Segments::rows(kRows, kLength)});
  runtime::argsort(keys.data(), places.data(), kItems);

  std::vector<std::uint32_t> order(kItems);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t place) { return energies[place]; });
  const std::vector<float> found = read(sorted);
  const std::vector<Particle> found_values = read(moved);
  for (std::uint32_t i = 0; i < kItems; ++i)
    if (found[i] != energies[order[i]] || found_values[i].x != particles[order[i]].x) return 1;
  std::vector<float> expected = energies;
  std::ranges::sort(expected, std::greater());
  if (read(descending) != expected || read(places) != order) return 1;
  expected = energies;
  for (auto row = expected.begin(); row != expected.end(); row += kLength) std::sort(row, row + kLength);
  if (read(rows) != expected) return 1;
  std::printf("the least of %u energies is %g, that of particle %u\n", kItems, found[0], order[0]);
  return 0;
}
