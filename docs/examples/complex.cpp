// The phase of an oscillator whose frequency changes: a running product of rotations.
#include <scantune/runtime.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;
using Complex = std::complex<double>;

int main() {
  const auto product = runtime::Op::custom(
      "struct Value { double re, im; };\n"
      "__device__ Value combine(Value a, Value b) {\n"
      "  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};\n"
      "}",
      Complex(1), {.name = "complex_product"});

  std::vector<Complex> rotations;
  for (int i = 0; i < 10'000; ++i) rotations.push_back(std::polar(1.0, 1e-6 * i));
  const runtime::Buffer<Complex> in(rotations), out(rotations.size());
  runtime::scan(in.data(), out.data(), rotations.size(), {.op = product});
  std::vector<Complex> phases(rotations.size());
  out.download(phases.data());

  Complex expected = 1;
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    expected *= rotations[i];
    if (std::abs(phases[i] - expected) > 1e-9) return 1;
  }
  std::printf("the last phase is %.3f%+.3fi\n", phases.back().real(), phases.back().imag());
}
