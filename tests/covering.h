// Covering designs: a few rows of a product of factors in which every pair of values (or every triple) that is legal
// occurs at least once. The rows are committed in tests/designs, so that everybody runs the same ones; `make designs`
// writes them anew.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace scantune {

// What the cases of a product differ in. A free factor takes part in no rule of what is legal.
struct Factor {
  std::string name;
  std::vector<std::string> values;  // as tables spell them: no tabs, each once
  bool is_free = false;
};

// For each factor the index of its value.
using DesignRow = std::vector<int>;

class Design {
 public:
  // `is_legal` says of any row whether it is a case, and reads no free factor. All combinations of the other factors
  // are asked, so keep these below a few million.
  Design(std::string name, int strength, std::uint64_t seed, std::vector<Factor> factors,
         std::function<bool(const DesignRow&)> is_legal);

  const std::vector<Factor>& factors() const { return factors_; }

  // The committed rows, of tests/designs/NAME.tsv. Throws std::runtime_error if the table names a factor or value that
  // there is not, or holds an illegal row.
  std::vector<DesignRow> rows() const;

  // Other legal rows, every value drawn by the seed; what runs for long runs some of them beside the table's.
  std::vector<DesignRow> drawn(std::size_t count, std::uint64_t seed) const;

  // The legal combinations of `strength` values that no committed row has, in words; empty if the design is whole.
  std::vector<std::string> gaps() const;

  // Where SCANTUNE_WRITE_DESIGNS names a folder, searches rows by the seed, writes the table there and returns true.
  // Throws std::runtime_error if a row is illegal, because the rule reads a free factor.
  bool write_if_asked() const;

  // The value's name in a row, and "input u8, operator sum" of the whole row.
  const std::string& value(const DesignRow& row, const std::string& factor) const;
  std::string describe(const DesignRow& row) const;
  // The row as the name of a test: its values, joined by underscores.
  std::string name_of(const DesignRow& row) const;

 private:
  std::string name_;
  int strength_;
  std::uint64_t seed_;
  std::vector<Factor> factors_;
  std::function<bool(const DesignRow&)> is_legal_;
};

}  // namespace scantune
