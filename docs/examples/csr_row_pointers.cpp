#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

// Where each row of a sparse matrix begins, from how many entries it has, and then the row and place of each entry.
int main() {
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t row = 0; row < 4096; ++row) lengths.push_back(row % 3 == 0 ? 0 : row * 37 % 50);
  const std::uint64_t rows = lengths.size();
  lengths.push_back(0);  // an exclusive scan leaves the last item out, so the total will be there

  const runtime::Buffer<std::uint32_t> d_lengths(lengths), d_begins(rows + 1);  // on the GPU
  runtime::scan(d_lengths.data(), d_begins.data(), rows + 1, {.kind = runtime::Kind::exclusive});
  std::vector<std::uint32_t> begins(rows + 1);
  d_begins.download(begins.data());

  const std::uint64_t entries = begins.back();
  const runtime::Buffer<std::uint32_t> d_row_of(entries), d_place_of(entries);
  runtime::load_balance(d_begins.data(), rows, d_row_of.data(), entries, {.rank_of = d_place_of.data()});
  std::vector<std::uint32_t> row_of(entries), place_of(entries);
  d_row_of.download(row_of.data());
  d_place_of.download(place_of.data());

  std::uint64_t entry = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (begins[row] != entry) return 1;
    for (std::uint32_t place = 0; place < lengths[row]; ++place, ++entry)
      if (entry >= entries || row_of[entry] != row || place_of[entry] != place) return 1;
  }
  std::printf("%zu rows have %zu entries\n", begins.size() - 1, row_of.size());
  return entry == entries ? 0 : 1;
}
