// Run-length encoding and decoding: where runs begin is a selection, and what was there an expansion.
#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace runtime = scantune::runtime;

struct Runs {
  std::string values;
  std::vector<std::uint32_t> lengths;
};

Runs encode(const std::string& text) {
  // The first item of each run, and its place.
  const std::uint64_t n = text.size();
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0);
  const runtime::Buffer<char> in(text), values(n);
  const runtime::Buffer<std::uint32_t> d_places(places), begins(n);
  const runtime::Buffer<std::uint64_t> count(1);
  runtime::unique_by_key(in.data(), d_places.data(), values.data(), begins.data(), count.data(), n);

  std::uint64_t runs = 0;
  count.download(&runs);
  Runs encoded{std::string(n, ' '), std::vector<std::uint32_t>(n)};
  values.download(encoded.values.data());
  begins.download(places.data());
  encoded.values.resize(runs);
  encoded.lengths.resize(runs);
  for (std::uint64_t run = 0; run < runs; ++run)  // in your program: a kernel
    encoded.lengths[run] = static_cast<std::uint32_t>(run + 1 < runs ? places[run + 1] : n) - places[run];
  return encoded;
}

std::string decode(const Runs& encoded) {
  // Where each run begins; the 0 after the lengths makes room for where the last one ends.
  const std::uint64_t runs = encoded.lengths.size();
  std::vector<std::uint32_t> begins = encoded.lengths;
  begins.push_back(0);
  const runtime::Buffer<std::uint32_t> offsets(begins);
  runtime::scan(offsets.data(), offsets.data(), runs + 1, {.kind = runtime::Kind::exclusive});
  offsets.download(begins.data());

  // The value of the run that each item is in.
  std::string text(begins.back(), ' ');
  const runtime::Buffer<char> values(encoded.values), out(text.size());
  runtime::expand(offsets.data(), runs, values.data(), out.data(), out.size());
  out.download(text.data());
  return text;
}

// Whether the runs are the text's, by a plain loop, and decode to it.
bool is_right(const std::string& text) {
  const Runs encoded = encode(text);
  Runs expected;
  for (const char item : text) {
    if (expected.values.empty() || expected.values.back() != item) {
      expected.values.push_back(item);
      expected.lengths.push_back(0);
    }
    ++expected.lengths.back();
  }
  std::printf("%zu items are %zu runs\n", text.size(), encoded.lengths.size());
  return encoded.values == expected.values && encoded.lengths == expected.lengths && decode(encoded) == text;
}

int main() {
  std::string disc, stripes;
  for (int i = 0; i < 160 * 160; ++i) {  // line by line
    const int x = i % 160 - 80, y = i / 160 - 80;
    disc.push_back(x * x + y * y < 60 * 60 ? '#' : '.');
    stripes.push_back(i % 2 == 0 ? '#' : '.');  // every run has a length of 1
  }
  return is_right(disc) && is_right(stripes) && is_right(std::string(5000, '.')) && is_right("") ? 0 : 1;
}
