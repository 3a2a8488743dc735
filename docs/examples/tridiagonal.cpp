// Solves a tridiagonal system, a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i], by LU factors: three scans.
#include <scantune/runtime.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;
using Vector = std::vector<double>;

struct System {
  Vector a, b, c, d;  // a[0] and the last c are 0
};
struct Fraction {  // the map u -> (p u + q) / (r u + s), a matrix of 2 x 2 that may be scaled
  double p, q, r, s;
};
struct Affine {  // the map x -> k x + m
  double k, m;
};

const auto multiply = runtime::Op::custom(
    "struct Value { double p, q, r, s; };\n"
    "__device__ double larger(double least, double x) { return x > least ? x : -x > least ? -x : least; }\n"
    "__device__ Value combine(Value f, Value g) {\n"
    "  Value h = {g.p * f.p + g.q * f.r, g.p * f.q + g.q * f.s, g.r * f.p + g.s * f.r, g.r * f.q + g.s * f.s};\n"
    "  double scale = 1 / larger(larger(larger(larger(0, h.p), h.q), h.r), h.s);  // long products would overflow\n"
    "  return {scale * h.p, scale * h.q, scale * h.r, scale * h.s};\n"
    "}",
    Fraction{1, 0, 0, 1}, {.name = "fraction"});
const auto compose = runtime::Op::custom(
    "struct Value { double k, m; };\n"
    "__device__ Value combine(Value f, Value g) { return {g.k * f.k, g.k * f.m + g.m}; }",
    Affine{1, 0}, {.name = "affine"});

template <class Map>
std::vector<Map> composed(std::vector<Map> maps, const runtime::Op& op, runtime::Direction direction) {
  const runtime::Buffer<Map> buffer(maps);
  runtime::scan(buffer.data(), buffer.data(), maps.size(), {.op = op, .direction = direction});
  buffer.download(maps.data());
  return maps;
}

// All loops over i, and the divisions: in your program, kernels.
Vector solve(const System& system) {
  const auto& [a, b, c, d] = system;
  const std::size_t n = b.size();

  // The diagonal of U: u[i] = b[i] - a[i] c[i-1] / u[i-1], which begins from an infinite u.
  std::vector<Fraction> steps;
  for (std::size_t i = 0; i < n; ++i) steps.push_back({b[i], i == 0 ? 0 : -a[i] * c[i - 1], 1, 0});
  const auto products = composed(steps, multiply, runtime::Direction::forward);
  Vector u;
  for (const Fraction& product : products) u.push_back(product.p / product.r);

  // L y = d: y[i] = d[i] - a[i] / u[i-1] y[i-1].
  std::vector<Affine> forward, backward;
  for (std::size_t i = 0; i < n; ++i) forward.push_back({i == 0 ? 0 : -a[i] / u[i - 1], d[i]});
  const auto y = composed(forward, compose, runtime::Direction::forward);

  // U x = y: x[i] = (y[i] - c[i] x[i+1]) / u[i].
  for (std::size_t i = 0; i < n; ++i) backward.push_back({-c[i] / u[i], y[i].m / u[i]});
  Vector x;
  for (const Affine& map : composed(backward, compose, runtime::Direction::reverse)) x.push_back(map.m);
  return x;
}

// Whether the solution of n equations is that of the Thomas algorithm, which goes from one to the next.
bool is_right(int n) {
  System system;
  auto& [a, b, c, d] = system;
  for (int i = 0; i < n; ++i) {
    a.push_back(i % 1000 == 0 ? 0 : -1 - 0.1 * (i % 3));
    b.push_back(3 + 0.5 * (i % 2));  // it outweighs the rest of its row
    c.push_back(i == n - 1 ? 0 : 1.5 * std::cos(i));
    d.push_back(std::cos(0.01 * i));
  }
  const Vector found = solve(system);

  for (std::size_t i = 1; i < b.size(); ++i) {
    const double factor = a[i] / b[i - 1];
    b[i] -= factor * c[i - 1];
    d[i] -= factor * d[i - 1];
  }
  double x = 0;
  for (std::size_t i = b.size(); i-- > 0;) {
    x = (d[i] - c[i] * x) / b[i];
    if (!(std::abs(found[i] - x) < 1e-12)) return false;  // no number is wrong, too
  }
  std::printf("the first of %d unknowns is %.6f\n", n, x);
  return true;
}

int main() { return is_right(20'000) && is_right(1) ? 0 : 1; }
