#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

int main() {
  std::vector<float> samples(4096, 0.5f);
  samples[1234] = 7.0f;
  const runtime::Buffer<float> in(samples), sum(1), greatest(1);  // on the GPU
  const runtime::Buffer<std::uint64_t> index(1);
  runtime::reduce(in.data(), sum.data(), in.size());
  runtime::argmax(in.data(), greatest.data(), index.data(), in.size());

  float total = 0, peak = 0;
  std::uint64_t place = 0;
  sum.download(&total);
  greatest.download(&peak);
  index.download(&place);
  std::printf("the sum is %g; the greatest, %g, is at %llu\n", total, peak, static_cast<unsigned long long>(place));
  return total == 2054.5f && peak == 7.0f && place == 1234 ? 0 : 1;
}
