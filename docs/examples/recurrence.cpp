// x[i] = a[i] x[i-1] + b[i] looks serial, but each step is a map x -> a x + b, and composing maps is associative.
#include <scantune/runtime.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

struct Affine {
  float a, b;
};

const auto compose = runtime::Op::custom(
    "struct Value { float a, b; };\n"
    "__device__ Value combine(Value f, Value g) { return {g.a * f.a, g.a * f.b + g.b}; }",
    Affine{1, 0}, {.name = "affine"});

// Every x of the recurrence that starts from 0; false if a plain loop disagrees.
bool solve(const std::vector<Affine>& steps, std::vector<float>& x) {
  const runtime::Buffer<Affine> in(steps), out(steps.size());
  runtime::scan(in.data(), out.data(), steps.size(), {.op = compose});
  std::vector<Affine> maps(steps.size());
  out.download(maps.data());
  x.clear();
  for (const Affine& map : maps) x.push_back(map.b);  // the map of all steps so far, applied to 0

  float expected = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    expected = steps[i].a * expected + steps[i].b;
    if (std::abs(x[i] - expected) > 1e-4f) return false;
  }
  return true;
}

int main() {
  // Horner's rule: 1 + z + z^2 + ... + z^4095 = (...((1 z + 1) z + 1)...) z + 1, at z = 3/4.
  std::vector<float> sums;
  if (!solve(std::vector<Affine>(4096, {0.75f, 1}), sums)) return 1;
  std::printf("the geometric series tends to %.3f\n", static_cast<double>(sums.back()));

  // A first-order low-pass filter, y += (u - y) / 100, lets the mean of a square wave through.
  std::vector<Affine> filter;
  for (int i = 0; i < 10'000; ++i) filter.push_back({0.99f, i % 10 < 5 ? 0.02f : 0});
  std::vector<float> filtered;
  if (!solve(filter, filtered)) return 1;
  std::printf("the filtered square wave tends to %.1f\n", static_cast<double>(filtered.back()));
}
