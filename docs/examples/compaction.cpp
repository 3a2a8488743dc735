// Keeps the items above a threshold: flags, where each kept item goes by their exclusive sum, and the items there.
#include <scantune/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <vector>

namespace runtime = scantune::runtime;

int main() {
  std::vector<int> items;
  for (int i = 0; i < 10'000; ++i) items.push_back(i * 7919 % 1009);
  const auto is_kept = [](int item) { return item > 500; };

  std::vector<std::uint8_t> flags;
  for (const int item : items) flags.push_back(is_kept(item));  // in your program: a kernel
  const runtime::Buffer<std::uint8_t> d_flags(flags);
  const runtime::Buffer<std::uint32_t> d_places(flags.size());

  runtime::scan(d_flags.data(), d_places.data(), flags.size(), {.kind = runtime::Kind::exclusive});

  std::vector<std::uint32_t> places(flags.size());
  d_places.download(places.data());
  std::vector<int> kept(places.back() + flags.back());
  for (std::size_t i = 0; i < items.size(); ++i)  // in your program: a kernel
    if (flags[i] != 0) kept[places[i]] = items[i];

  std::vector<int> expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected), is_kept);
  std::printf("%zu of %zu items are kept\n", kept.size(), items.size());
  return kept == expected ? 0 : 1;
}
