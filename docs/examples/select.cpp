#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

struct Particle {
  float x, energy;
};
struct Limit {
  float energy;
};

int main() {
  std::vector<Particle> particles(4096);
  for (std::size_t i = 0; i < particles.size(); ++i)
    particles[i] = {static_cast<float>(i), static_cast<float>(i * 37 % 100)};
  const runtime::Buffer<Particle> in(particles), out(particles.size());  // on the GPU
  const runtime::Buffer<std::uint64_t> count(1);
  const char* const source =
      "struct Value { float x, energy; };\n"
      "struct State { float energy; };\n"
      "__device__ bool keep(Value item, State limit) { return item.energy > limit.energy; }";
  runtime::select(in.data(), out.data(), count.data(), in.size(),
                  {.predicate = runtime::Predicate::source(source, Limit{90})});

  std::uint64_t kept = 0;
  count.download(&kept);
  std::vector<Particle> found(particles.size());
  out.download(found.data());

  std::uint64_t expected = 0;
  for (const Particle& particle : particles)
    if (particle.energy > 90 && found[expected++].x != particle.x) return 1;
  std::printf("%llu of %zu particles are fast\n", static_cast<unsigned long long>(kept), particles.size());
  return kept == expected ? 0 : 1;
}
