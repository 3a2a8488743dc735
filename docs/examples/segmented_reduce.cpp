// Sums of the rows of a sparse matrix in CSR format: one call, by the row pointers. Rows may be empty or long.
#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

int main() {
  std::vector<int> row_pointers{0};
  for (int row = 0; row < 5'000; ++row) {
    const int items = row % 7 == 0 ? 0 : row == 1'234 ? 40'000 : row % 50;
    row_pointers.push_back(row_pointers.back() + items);
  }
  std::vector<float> values;
  for (int item = 0; item < row_pointers.back(); ++item) values.push_back(static_cast<float>(item % 16));
  const std::uint64_t rows = row_pointers.size() - 1;

  const runtime::Buffer<float> d_values(values), d_sums(rows);
  const runtime::Buffer<int> d_row_pointers(row_pointers);
  runtime::segmented_reduce(d_values.data(), d_row_pointers.data(), d_sums.data(), values.size(), rows);

  std::vector<float> sums(rows), expected(rows);
  d_sums.download(sums.data());
  for (std::size_t row = 0; row < rows; ++row)
    for (int item = row_pointers[row]; item < row_pointers[row + 1]; ++item)
      expected[row] += values[static_cast<std::size_t>(item)];  // exact: the sums are small integers
  std::printf("%zu values in %zu rows\n", values.size(), expected.size());
  return sums == expected ? 0 : 1;
}
