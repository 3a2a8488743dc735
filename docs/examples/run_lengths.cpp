// Run-length encoding and decoding: one call each.
#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace runtime = scantune::runtime;

struct Runs {
  std::string values;
  std::vector<std::uint32_t> lengths;
};

Runs encode(const std::string& text) {
  const std::uint64_t n = text.size();
  const runtime::Buffer<char> in(text), values(n);
  const runtime::Buffer<std::uint32_t> lengths(n), count(1);
  runtime::run_length_encode(in.data(), values.data(), lengths.data(), count.data(), n);

  std::uint32_t runs = 0;
  count.download(&runs);
  Runs encoded{std::string(n, ' '), std::vector<std::uint32_t>(n)};
  values.download(encoded.values.data());
  lengths.download(encoded.lengths.data());
  encoded.values.resize(runs);
  encoded.lengths.resize(runs);
  return encoded;
}

std::string decode(const Runs& encoded, std::uint64_t n) {
  const std::uint64_t runs = encoded.lengths.size();
  const runtime::Buffer<char> values(encoded.values), out(n);
  const runtime::Buffer<std::uint32_t> lengths(encoded.lengths), offsets(runs + 1);
  runtime::run_length_decode(values.data(), lengths.data(), runs, offsets.data(), out.data(), n);
  std::string text(n, ' ');
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
  return encoded.values == expected.values && encoded.lengths == expected.lengths &&
         decode(encoded, text.size()) == text;
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
