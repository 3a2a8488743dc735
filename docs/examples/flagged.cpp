// Items that flags of type int mark, into an array with room for some of them: a call with room for none counts them.
#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

int main() {
  constexpr std::uint64_t kItems = 100'000, kRoom = 500;
  std::vector<float> items(kItems);
  std::vector<int> levels(kItems);
  for (std::uint64_t i = 0; i < kItems; ++i) {
    items[i] = static_cast<float>(i);
    levels[i] = static_cast<int>(i * 7919 % 1009);
  }
  const runtime::Buffer<float> in(items), out(kRoom);
  const runtime::Buffer<int> flags(levels);
  const runtime::Buffer<std::uint64_t> count(1);
  const auto predicate = runtime::Predicate::greater(1000);
  float* const nowhere = nullptr;
  std::uint64_t needed = 0, found = 0;
  runtime::select_flagged(in.data(), flags.data(), nowhere, count.data(), kItems,
                          {.predicate = predicate, .capacity = 0});
  count.download(&needed);
  runtime::select_flagged(in.data(), flags.data(), out.data(), count.data(), kItems,
                          {.predicate = predicate, .capacity = kRoom});
  count.download(&found);
  std::vector<float> kept(kRoom);
  out.download(kept.data());

  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < kItems; ++i)
    if (levels[i] > 1000 && expected++ < kRoom && kept[expected - 1] != items[i]) return 1;
  std::printf("%llu items are marked, and the first %llu of them are here\n", static_cast<unsigned long long>(found),
              static_cast<unsigned long long>(kRoom));
  return found == expected && needed == expected ? 0 : 1;
}
