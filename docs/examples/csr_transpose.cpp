// The transpose of a sparse matrix: its entries, sorted by column one bit at a time, and where each column begins.
#include <scantune/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace runtime = scantune::runtime;

struct Matrix {
  std::vector<std::uint32_t> row_begins;  // and the end
  std::vector<std::uint32_t> columns;     // of the entries
  std::vector<float> values;
  bool operator==(const Matrix&) const = default;
};
struct Entry {
  std::uint32_t row, column;
  float value;
};
struct Bit {
  std::uint32_t mask;
};

const char* const kColumnLacks =
    "struct Value { unsigned row, column; float value; };\n"
    "struct State { unsigned mask; };\n"
    "__device__ bool keep(Value entry, State bit) { return (entry.column & bit.mask) == 0; }";

Matrix transpose(const Matrix& matrix, std::uint32_t columns) {
  // The row of each entry.
  const std::uint64_t n = matrix.values.size();
  const runtime::Buffer<std::uint32_t> d_row_begins(matrix.row_begins), d_row_of(n);
  runtime::load_balance(d_row_begins.data(), matrix.row_begins.size() - 1, d_row_of.data(), n);
  std::vector<std::uint32_t> row_of(n);
  d_row_of.download(row_of.data());
  std::vector<Entry> entries(n);
  for (std::uint64_t i = 0; i < n; ++i)  // in your program: a kernel
    entries[i] = {row_of[i], matrix.columns[i], matrix.values[i]};

  // Sort by column, from the lowest bit on: entries without the bit, then those with it, both in their order.
  runtime::Buffer<Entry> in(entries), out(n);
  const runtime::Buffer<std::uint64_t> d_count(1);
  for (std::uint32_t mask = 1; mask < columns; mask *= 2) {
    runtime::partition_into_one(in.data(), out.data(), d_count.data(), n,
                                {.predicate = runtime::Predicate::source(kColumnLacks, Bit{mask})});
    std::swap(in, out);
  }

  // Where each column begins: at its first entry, or where the next column does.
  in.download(entries.data());
  std::vector<std::uint32_t> begins(columns + 1, static_cast<std::uint32_t>(n));
  for (std::uint32_t i = 0; i < n; ++i)  // in your program: a kernel
    if (i == 0 || entries[i - 1].column != entries[i].column) begins[entries[i].column] = i;
  const runtime::Buffer<std::uint32_t> d_begins(begins);
  runtime::scan(d_begins.data(), d_begins.data(), begins.size(),
                {.op = runtime::Op::min, .direction = runtime::Direction::reverse});
  d_begins.download(begins.data());

  Matrix transposed{begins, {}, {}};
  for (std::uint64_t i = 0; i < n; ++i) {  // in your program: a kernel
    transposed.columns.push_back(entries[i].row);
    transposed.values.push_back(entries[i].value);
  }
  return transposed;
}

// A matrix of what value_at(row, column) returns, without zeroes.
template <class ValueAt>
Matrix matrix_of(std::uint32_t rows, std::uint32_t columns, const ValueAt& value_at) {
  Matrix matrix{{0}, {}, {}};
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      if (value_at(row, column) == 0) continue;
      matrix.columns.push_back(column);
      matrix.values.push_back(value_at(row, column));
    }
    matrix.row_begins.push_back(static_cast<std::uint32_t>(matrix.columns.size()));
  }
  return matrix;
}

int main() {
  const auto value_at = [](std::uint32_t row, std::uint32_t column) {
    const bool is_empty = row % 4 == 0 || column % 3 == 0;  // the row, or the column
    return static_cast<float>(is_empty || (row * 31 + column * 17) % 23 > 0 ? 0 : row * 1000 + column);
  };
  const auto swapped = [&](std::uint32_t row, std::uint32_t column) { return value_at(column, row); };

  const Matrix transposed = transpose(matrix_of(1000, 700, value_at), 700);
  std::printf("%zu entries are transposed\n", transposed.values.size());
  if (transposed != matrix_of(700, 1000, swapped)) return 1;
  return transpose({{0, 0, 0}, {}, {}}, 3) == Matrix{{0, 0, 0, 0}, {}, {}} ? 0 : 1;  // no entries at all
}
