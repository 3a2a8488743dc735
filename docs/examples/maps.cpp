#include <scantune/runtime.hpp>

#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

struct Limit {
  float least;
};

// Where each reading above a limit goes when those are put together: an exclusive sum of flags that are in no memory.
int main() {
  std::vector<float> readings(4096);
  for (std::size_t i = 0; i < readings.size(); ++i) readings[i] = static_cast<float>(i * 37 % 100);
  const runtime::Buffer<float> in(readings);  // on the GPU
  const runtime::Buffer<int> places(readings.size());
  const char* const above =
      "struct State { float least; };\n"
      "__device__ int load(float x, State limit) { return x > limit.least; }";

  for (const float least : {90.0f, 50.0f}) {  // the second limit runs the kernel of the first
    runtime::scan<float, int, int>(
        in.data(), places.data(), in.size(),
        {.kind = runtime::Kind::exclusive, .load = runtime::Map::source(above, Limit{least})});

    std::vector<int> found(readings.size());
    places.download(found.data());
    int expected = 0;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (found[i] != expected) return 1;
      if (readings[i] > least) ++expected;
    }
    std::printf("%d readings are above %.0f\n", expected, least);
  }
  return 0;
}
