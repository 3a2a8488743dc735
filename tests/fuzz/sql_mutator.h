// Mutations of the scripts of sql_script.h: lines are added, removed, doubled and changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "draws.h"
#include "sql_script.h"

namespace scantune::fuzz {

class SqlMutator {
 public:
  SqlMutator();

  // Mutates as LLVMFuzzerCustomMutator() does.
  std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) const;

 private:
  std::vector<std::string> new_script(Random& random) const;
  void change(std::vector<std::string>& lines, Random& random) const;
  std::string line(Random& random) const;
  std::string change_of_rows(Random& random) const;
  std::string change_of_schema(Random& random) const;
  std::string change_of_bytes(Random& random) const;
  const TableColumns& table(Random& random) const;
  std::string value(Random& random, const TableColumns& table, const std::string& column) const;
  std::string where(Random& random, const std::string& table) const;

  std::string seed_;
  std::vector<TableColumns> tables_;
  std::vector<std::string> literals_;  // SQL of values that some column may hold, and of values at limits
};

}  // namespace scantune::fuzz
