#include "sql_mutator.h"

#include <algorithm>
#include <sstream>

#include "draws.h"
#include "examples.h"
#include "libfuzzer.h"

namespace scantune::fuzz {
namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

template <class Enum>
void append_tokens(std::vector<std::string>& literals) {
  for (const char* token : Tokens<Enum>::kNames) literals.push_back(quoted(token));
}

std::vector<std::string> literals() {
  std::vector<std::string> all = {"NULL",
                                  "0",
                                  "-1",
                                  "1",
                                  "2",
                                  "1024",
                                  "65535",
                                  "65536",
                                  "65537",
                                  "16777216",
                                  "281474976710656",
                                  "281474976710657",
                                  "9223372036854775807",
                                  "-9223372036854775808",
                                  "9e999",
                                  "-9e999",
                                  "1e-320",
                                  "0.0",
                                  "-0.5",
                                  "1e18",
                                  "''",
                                  "x'00ff'",
                                  "CAST(x'7bff7d' AS TEXT)",
                                  "CAST(x'c0' AS TEXT)",
                                  "CAST(x'610062' AS TEXT)",
                                  "zeroblob(70000)",
                                  "hex(zeroblob(500))",
                                  "hex(zeroblob(500000))",
                                  "'sm_90'",
                                  "'sm_100'",
                                  "'sm_9'",
                                  "'host'",
                                  "'custom32'",
                                  "'custom33'",
                                  "'custom_cheap:mine'",
                                  "'{}'",
                                  "'['",
                                  "char(27) || '[2J'"};
  append_tokens<ValueType>(all);
  append_tokens<Operator>(all);
  append_tokens<Kind>(all);
  append_tokens<Determinism>(all);
  append_tokens<ForwardProgress>(all);
  append_tokens<Latency>(all);
  for (const FamilyModel* family : families()) all.push_back(quoted(family->name()));
  for (const Config& config : example_configs()) all.push_back(quoted(canonical_parameters(config)));
  return all;
}

// Another column of the row; columns of one kind begin alike: n_low, n_high, n_switch.
std::string neighbour(Random& random, const TableColumns& table, const std::string& column) {
  std::vector<std::string> alike = table.columns;
  alike.push_back(column);
  if (below(random, 4) != 0) std::erase_if(alike, [&](const std::string& one) { return one[0] != column[0]; });
  return one_of(random, alike);
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : separator) + part;
  return all;
}

std::string hex(Random& random, std::size_t bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t digit = 0; digit < 2 * bytes; ++digit) text += kDigits[below(random, 16)];
  return text;
}

std::vector<std::string> split_lines(std::string_view script) {
  std::istringstream text{std::string(script)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

SqlMutator::SqlMutator() : seed_(seed_database()), tables_(read_columns()), literals_(literals()) {}

// Draws a table, mostly one of those with many rows.
const TableColumns& SqlMutator::table(Random& random) const {
  for (int tries = 0; tries < 4; ++tries) {
    const TableColumns& one = tables_[below(random, tables_.size())];
    if (one.table == "record" || one.table == "breakpoint") return one;
  }
  return tables_[below(random, tables_.size())];
}

// An expression that may read the row at hand.
std::string SqlMutator::value(Random& random, const TableColumns& table, const std::string& column) const {
  static constexpr const char* kEdits[] = {"-@",
                                           "@ * 2",
                                           "@ / 2",
                                           "@ || 'x'",
                                           "@ || @",
                                           "substr(@, 2)",
                                           "substr(@, 1, length(@) - 1)",
                                           "upper(@)",
                                           "replace(@, '\":', '\":-')",
                                           "replace(@, '2', '3')",
                                           "replace(@, '1', '65536')",
                                           "replace(@, ',', ',\"x\":1,')",
                                           "CAST(@ AS BLOB)",
                                           "CAST(@ AS TEXT)"};
  static constexpr const char* kSteps[] = {"", " + 1", " - 1"};
  switch (below(random, 3)) {
    case 0:
      return one_of(random, literals_);
    case 1:
      return neighbour(random, table, column) + one_of(random, kSteps);
    default:
      std::string edit = one_of(random, kEdits);
      for (std::size_t at; (at = edit.find('@')) != std::string::npos;) edit.replace(at, 1, column);
      return edit;
  }
}

// Draws a condition that mostly chooses one row, so that the others stay valid.
std::string SqlMutator::where(Random& random, const std::string& table) const {
  if (below(random, 32) == 0) return "";
  static const auto kExponents = seed_exponents();
  const std::string n = std::to_string(u64{1} << one_of(random, kExponents));
  const std::string problem = " AND problem_id = " + std::to_string(1 + below(random, 3));
  if (table == "record") return " WHERE n = " + n + problem;
  if (table == "breakpoint") return " WHERE n_low = " + n + problem;
  return " WHERE id = " + std::to_string(1 + below(random, 3));
}

std::string SqlMutator::change_of_rows(Random& random) const {
  const TableColumns& chosen = table(random);
  const auto& [name, columns] = chosen;
  const std::string column = one_of(random, columns);
  switch (below(random, 8)) {
    case 0:
      return "DELETE FROM " + name + where(random, name);
    case 1:
      return "CREATE TEMP TABLE made AS SELECT * FROM " + name + where(random, name) + "; UPDATE made SET " + column +
             " = " + value(random, chosen, column) + "; INSERT OR IGNORE INTO " + name +
             " SELECT * FROM made; DROP TABLE made";
    default:
      return "UPDATE OR REPLACE " + name + " SET " + column + " = " + value(random, chosen, column) +
             where(random, name);
  }
}

std::string SqlMutator::change_of_schema(Random& random) const {
  const TableColumns& chosen = tables_[below(random, tables_.size())];
  const auto& [table, columns] = chosen;
  const std::string column = one_of(random, columns);
  const std::string other = one_of(random, tables_).table;
  const std::string number = std::to_string(below(random, 40));
  switch (below(random, 12)) {
    case 0:
      return "PRAGMA user_version = " + std::to_string(below(random, 6));
    case 1:
      return "PRAGMA application_id = " + number;
    case 2:
      return "DROP TABLE " + table;
    case 3:
      return "ALTER TABLE " + table + " RENAME TO old; CREATE TABLE " + table + " AS SELECT * FROM old";
    case 4:
      return "ALTER TABLE " + table + " RENAME TO old; CREATE VIEW " + table + " AS SELECT * FROM old";
    case 5:
      return "ALTER TABLE " + table + " RENAME COLUMN " + column + " TO x; ALTER TABLE " + table + " ADD COLUMN " +
             column + " AS (" + value(random, chosen, "x") + ")";
    case 6:
      return "CREATE INDEX made ON " + table + " (" + value(random, chosen, column) + ")";
    case 7:
      return "CREATE TRIGGER made AFTER UPDATE ON " + table + " BEGIN DELETE FROM " + other + "; END";
    case 8:
      return "UPDATE sqlite_schema SET rootpage = " + number + " WHERE name = " + quoted(table);
    case 9:
      return "UPDATE sqlite_schema SET sql = replace(sql, " + quoted(column) + ", " + one_of(random, literals_) +
             ") WHERE name = " + quoted(table);
    case 10:
      return "UPDATE sqlite_schema SET type = " + quoted(below(random, 2) == 0 ? "view" : "index") +
             " WHERE name = " + quoted(table);
    default:
      return "ALTER TABLE " + table + " RENAME TO old; CREATE TABLE " + table + "(" + joined(columns, " BLOB, ") +
             "); INSERT INTO " + table + " SELECT " + joined(columns, ", ") + " FROM old";
  }
}

std::string SqlMutator::change_of_bytes(Random& random) const {
  const std::size_t offset = below(random, below(random, 2) == 0 ? 100 : seed_.size());
  switch (below(random, 8)) {
    case 0:
      return ".truncate " + std::to_string(below(random, seed_.size()));
    case 1:
      return ".append " + hex(random, 1 + below(random, 64));
    case 2:
      return ".wal " + hex(random, 1 + below(random, 64));
    case 3:
      return ".journal d9d505f920a163d7" + hex(random, below(random, 64));
    case 4:
      return ".shared";
    default:
      return ".write " + std::to_string(offset) + " " + hex(random, 1 + below(random, 4));
  }
}

std::string SqlMutator::line(Random& random) const {
  switch (below(random, 8)) {
    case 0:
      return change_of_bytes(random);
    case 1:
      return change_of_schema(random);
    default:
      return change_of_rows(random);
  }
}

// Draws a script that mostly changes rows alone, because one change of schema or bytes may keep all rows from being
// read.
std::vector<std::string> SqlMutator::new_script(Random& random) const {
  const bool of_rows = below(random, 4) != 0;
  std::vector<std::string> lines(1 + below(random, 12));
  for (std::string& one : lines) one = of_rows ? change_of_rows(random) : line(random);
  return lines;
}

void SqlMutator::change(std::vector<std::string>& lines, Random& random) const {
  const auto at = lines.begin() + static_cast<std::ptrdiff_t>(below(random, lines.size()));
  switch (below(random, 6)) {
    case 0:
      lines.erase(at);
      break;
    case 1:
      *at = line(random);
      break;
    case 2:
      std::swap(*at, lines.front());
      break;
    default:
      const auto more = new_script(random);
      lines.insert(at, more.begin(), more.end());
  }
}

std::size_t SqlMutator::mutate(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) const {
  Random random(seed);
  if (below(random, 12) == 0) return LLVMFuzzerMutate(data, size, most_bytes);
  std::vector<std::string> lines = split_lines({reinterpret_cast<const char*>(data), size});
  // Half of the scripts are new, because those that grow damage more and more of a database.
  if (lines.empty() || below(random, 2) == 0)
    lines = new_script(random);
  else
    change(lines, random);
  const std::string script = joined(lines, "\n") + "\n";
  // Sometimes the input becomes the file itself, so that bytes change anywhere in it.
  return put(below(random, 100) == 0 ? run_script(script, seed_).database : script, data, size, most_bytes);
}

}  // namespace scantune::fuzz
