#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

// The row of every entry of a sparse matrix, whose rows have entries of any number.
int main() {
  std::vector<std::uint32_t> row_begins{0}, rows_of_entries;
  for (std::uint32_t row = 0; row < 4096; ++row) {
    const std::uint32_t entries = row % 3 == 0 ? 0 : row * 37 % 50;
    row_begins.push_back(row_begins.back() + entries);
    rows_of_entries.insert(rows_of_entries.end(), entries, row);
  }
  const std::uint64_t rows = row_begins.size() - 1, entries = rows_of_entries.size();
  const runtime::Buffer<std::uint32_t> d_row_begins(row_begins), d_row_of(entries);  // on the GPU
  runtime::load_balance(d_row_begins.data(), rows, d_row_of.data(), entries);

  std::vector<std::uint32_t> found(entries);
  d_row_of.download(found.data());
  std::printf("the last of %zu entries is in row %u\n", found.size(), found.back());
  return found == rows_of_entries ? 0 : 1;
}
