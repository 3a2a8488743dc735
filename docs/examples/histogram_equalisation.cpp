// Spreads the greys of an 8-bit image over the whole range: each goes by how many pixels are no lighter.
#include <scantune/runtime.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;
using Image = std::vector<std::uint8_t>;

// The grey that takes the place of one, by how many pixels are no lighter than it and than the darkest one.
std::uint8_t spread(std::uint32_t no_lighter, std::uint32_t darkest, std::uint32_t pixels) {
  return static_cast<std::uint8_t>((255ull * (no_lighter - darkest) + (pixels - darkest) / 2) / (pixels - darkest));
}

Image equalise(const Image& image) {
  // Counting is not a scan; in your program: a kernel with a histogram in shared memory, or CUB's.
  std::vector<std::uint32_t> counts(256), no_lighter(256);
  for (const std::uint8_t grey : image) ++counts[grey];

  const runtime::Buffer<std::uint32_t> d_counts(counts), d_no_lighter(256);
  runtime::scan(d_counts.data(), d_no_lighter.data(), 256);
  d_no_lighter.download(no_lighter.data());

  const runtime::Buffer<std::uint8_t> d_image(image), d_darkest(1);
  runtime::reduce(d_image.data(), d_darkest.data(), image.size(), {.op = runtime::Op::min});
  std::uint8_t darkest = 0;
  d_darkest.download(&darkest);

  const auto pixels = static_cast<std::uint32_t>(image.size());
  if (no_lighter[darkest] == pixels) return image;  // one grey has no contrast
  Image equalised;
  for (const std::uint8_t grey : image)  // in your program: a kernel
    equalised.push_back(spread(no_lighter[grey], no_lighter[darkest], pixels));
  return equalised;
}

// The same by sorting: where a grey ends among the sorted pixels is how many are no lighter.
Image expected_of(const Image& image) {
  Image sorted = image, equalised;
  std::sort(sorted.begin(), sorted.end());
  const auto no_lighter = [&](std::uint8_t grey) {
    return static_cast<std::uint32_t>(std::upper_bound(sorted.begin(), sorted.end(), grey) - sorted.begin());
  };
  if (sorted.front() == sorted.back()) return image;
  for (const std::uint8_t grey : image)
    equalised.push_back(spread(no_lighter(grey), no_lighter(sorted.front()), static_cast<std::uint32_t>(image.size())));
  return equalised;
}

int main() {
  Image hazy;  // 640 x 480 pixels, none of which is black or white
  for (int y = 0; y < 480; ++y)
    for (int x = 0; x < 640; ++x) hazy.push_back(static_cast<std::uint8_t>(100 + (x * x / 640 + y) * 50 / 1120));
  const Image clear = equalise(hazy), flat(1000, 77);

  const auto [hazy_least, hazy_most] = std::minmax_element(hazy.begin(), hazy.end());
  const auto [clear_least, clear_most] = std::minmax_element(clear.begin(), clear.end());
  std::printf("greys from %d to %d are now from %d to %d\n", *hazy_least, *hazy_most, *clear_least, *clear_most);
  return clear == expected_of(hazy) && equalise(flat) == flat ? 0 : 1;
}
