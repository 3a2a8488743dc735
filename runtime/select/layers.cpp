#include "select/layers.h"

#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "scantune/error.hpp"
#include "select/database.h"
#include "support/embedded_file.h"
#include "support/log.h"
#include "support/paths.h"

namespace scantune {

std::span<const EmbeddedFile> built_in_databases();  // db/builtin/*.jsonl, put in by the build

namespace {

struct JsonColumns {
  const nlohmann::json& object;

  std::string text(const char* name) const { return object.at(name).get<std::string>(); }
  std::int64_t integer(const char* name) const { return object.at(name).get<std::int64_t>(); }
  double real(const char* name) const { return object.at(name).get<double>(); }
  bool is_null(const char* name) const { return !object.contains(name) || object.at(name).is_null(); }
};

void append(std::vector<RecordRow>& rows, std::vector<RecordRow> more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool is_absent(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::status(file, ignored).type() == std::filesystem::file_type::not_found;
}

void append_if_readable(std::vector<RecordRow>& rows, const std::filesystem::path& file, Layer layer) {
  try {
    append(rows, read_records(file, layer));
  } catch (const DatabaseError& error) {
    log_once(std::string(error.what()) + ". Going on without it.");
  }
}

TuningTable load_all_layers() {
  std::vector<RecordRow> rows;
  if (const auto file = user_database(); file && !is_absent(*file)) append_if_readable(rows, *file, Layer::user);
  for (const auto& file : shared_databases()) append_if_readable(rows, file, Layer::shared);
  append(rows, built_in_records());
  TuningTable table(rows);
  if (const auto rejected = table.rejected(); !rejected.empty())
    log_once(std::to_string(rejected.size()) +
             " tuning records are not used ('scantune db explain' lists them); the first: " + rejected.front().row +
             ": " + rejected.front().reason);
  return table;
}

}  // namespace

std::optional<std::filesystem::path> user_database() {
  if (const char* file = std::getenv("SCANTUNE_DB"); file != nullptr && *file != '\0') return file;
  if (const auto directory = data_directory()) return *directory / "tuning.db";
  return std::nullopt;
}

std::vector<std::filesystem::path> shared_databases() {
  std::vector<std::filesystem::path> files;
  const char* list = std::getenv("SCANTUNE_DB_PATH");
  for (std::string_view rest = list == nullptr ? "" : list; !rest.empty();) {
    const auto file = rest.substr(0, rest.find(':'));
    if (!file.empty()) files.emplace_back(file);
    rest.remove_prefix(std::min(rest.size(), file.size() + 1));
  }
  return files;
}

std::vector<RecordRow> parse_built_in(std::string_view json_lines) {
  std::vector<RecordRow> rows;
  for (int line = 1; !json_lines.empty(); ++line) {
    const auto text = json_lines.substr(0, json_lines.find('\n'));
    json_lines.remove_prefix(std::min(json_lines.size(), text.size() + 1));
    if (text.empty()) continue;
    try {
      rows.push_back(row_of(JsonColumns{nlohmann::json::parse(text)}, Layer::built_in, "built-in"));
    } catch (const nlohmann::json::exception& error) {
      throw DatabaseError("built-in records, line " + std::to_string(line) + ": " + error.what());
    }
  }
  return rows;
}

std::vector<RecordRow> built_in_records() {
  std::vector<RecordRow> rows;
  for (const EmbeddedFile& file : built_in_databases()) append(rows, parse_built_in(file.text));
  return rows;
}

TuningTable table_of(std::span<const std::filesystem::path> files) {
  std::vector<RecordRow> rows;
  for (std::size_t index = 0; index < files.size(); ++index)
    append(rows, read_records(files[index], index == 0 ? Layer::user : Layer::shared));
  append(rows, built_in_records());
  return TuningTable(rows);
}

const TuningTable& tuning_table() {
  static const TuningTable kTable = load_all_layers();
  return kTable;
}

}  // namespace scantune
