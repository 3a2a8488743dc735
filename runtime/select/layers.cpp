#include "select/layers.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "scantune/error.hpp"
#include "select/database.h"
#include "space/request_json.h"
#include "support/environment.h"
#include "support/paths.h"

namespace scantune {

namespace {

struct JsonColumns {
  const Json& object;

  // Requests, shapes and configs are objects here, and columns with their text elsewhere.
  std::string text(const char* name) const {
    const Json& value = object.at(name);
    return value.is_object() ? value.dump() : value.get<std::string>();
  }
  // Reads by reference, which throws for a number with a fraction: get() would convert what no integer holds.
  std::int64_t integer(const char* name) const { return object.at(name).get_ref<const std::int64_t&>(); }
  double real(const char* name) const { return object.at(name).get<double>(); }
  bool is_null(const char* name) const { return !object.contains(name) || object.at(name).is_null(); }
};

void read_range(const Json& line, RecordRow& row) {
  row.served_above = octave_begin(row.n);
  row.served_up_to = row.n;
  if (!line.contains("serves")) return;
  const Json& serves = line.at("serves");
  row.served_above = serves.at(0).get_ref<const std::int64_t&>();
  row.served_up_to = serves.at(1).get_ref<const std::int64_t&>();
}

RecordRow built_in_row(const JsonColumns& columns) {
  RecordRow row;
  row.layer = Layer::built_in;
  row.database = "built-in";
  read_row(columns, static_cast<DeviceRow&>(row));
  read_row(columns, static_cast<ProblemRow&>(row));
  read_own_columns(columns, row);
  read_range(columns.object, row);
  row.template_hash = columns.text("template_hash");
  if (!columns.is_null("breakpoint")) row.breakpoint = read_breakpoint(JsonColumns{columns.object.at("breakpoint")});
  return row;
}

namespace fs = std::filesystem;

bool is_absent(const fs::path& file) {
  std::error_code ignored;
  return fs::status(file, ignored).type() == fs::file_type::not_found;
}

using Remarks = std::vector<std::string>;

void go_on(const DatabaseError& error, const char* how, Remarks& remarks) {
  remarks.push_back(std::string(error.what()) + ". Going on " + how + ".");
}
void go_on_without(const DatabaseError& error, Remarks& remarks) { go_on(error, "without it", remarks); }

void add_directory(std::vector<LayeredFile>& files, Layer layer, const fs::path& directory, Remarks& remarks) {
  try {
    for (fs::path& file : databases_in(directory)) files.push_back({layer, std::move(file)});
  } catch (const DatabaseError& error) {
    go_on_without(error, remarks);
  }
}

// Whether a file is one that only imports, tuning and syncs here write.
bool is_written_here(const fs::path& file) {
  std::error_code error;
  const auto own = user_database();
  if (own && fs::equivalent(file, *own, error)) return true;
  const auto synced = synced_directory();
  return synced && fs::equivalent(fs::absolute(file, error).parent_path(), *synced, error);
}

// The records of a file. Anybody may have written a signer into a file from elsewhere, whom nobody has verified.
CheckedRows rows_of(const fs::path& file, Layer layer) {
  CheckedRows rows = read_records(file, layer);
  if (is_written_here(file)) return rows;
  for (TuningRecord& record : rows.records) {
    if (!record.origin || record.origin->signer.empty()) continue;
    RecordOrigin unsigned_origin = *record.origin;
    unsigned_origin.signer.clear();
    record.origin = std::make_shared<const RecordOrigin>(std::move(unsigned_origin));
  }
  return rows;
}

// The records that a table has of a file. It has settled what their breakpoints change.
CheckedRows kept_rows(const LayeredFile& file, const TuningTable& table) {
  CheckedRows rows;
  for (const TuningRecord& record : table.records())
    if (record.layer == file.layer && record.database == file.file.string()) rows.records.push_back(record);
  return rows;
}

// Returns whether records of the table of before are used.
bool add_file(CheckedRows& rows, const LayeredFile& file, const TuningTable& before, Remarks& remarks) {
  try {
    rows.add(rows_of(file.file, file.layer));
    return false;
  } catch (const DatabaseError& error) {
    CheckedRows kept = kept_rows(file, before);
    if (kept.records.empty()) {
      go_on_without(error, remarks);
      return false;
    }
    go_on(error, "with its records of before", remarks);
    rows.add(std::move(kept));
    return true;
  }
}

void add_built_in(CheckedRows& rows) {
  for (const RecordRow& row : built_in_records()) rows.add(row);
}

}  // namespace

std::optional<std::filesystem::path> user_database() {
  if (const char* file = environment_variable("SCANTUNE_DB"); file != nullptr && *file != '\0') return file;
  if (const auto directory = data_directory()) return *directory / "tuning.db";
  return std::nullopt;
}

std::vector<std::filesystem::path> project_databases() {
  std::vector<std::filesystem::path> files;
  const char* list = environment_variable("SCANTUNE_DB_PATH");
  for (std::string_view rest = list == nullptr ? "" : list; !rest.empty();) {
    const auto file = rest.substr(0, rest.find(':'));
    if (!file.empty()) files.emplace_back(file);
    rest.remove_prefix(std::min(rest.size(), file.size() + 1));
  }
  return files;
}

std::optional<std::filesystem::path> synced_directory() {
  if (const auto directory = data_directory()) return *directory / "layers";
  return std::nullopt;
}

std::vector<std::filesystem::path> databases_in(const std::filesystem::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path name = entry->path().filename();
    // What begins with a dot is being written, or hidden on purpose.
    if (name.extension() == ".db" && !name.string().starts_with('.')) files.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw DatabaseError("tuning databases in " + directory.string() + ": they cannot be listed (" + error.message() +
                        "); check its permissions");
  std::ranges::sort(files);
  return files;
}

std::vector<LayeredFile> layered_files(Remarks& remarks) {
  std::vector<LayeredFile> files;
  if (const auto file = user_database(); file && !is_absent(*file)) files.push_back({Layer::user, *file});
  for (fs::path& file : project_databases()) files.push_back({Layer::project, std::move(file)});
  if (const auto directory = synced_directory()) add_directory(files, Layer::synced, *directory, remarks);
  for (const char* directory : kSystemDirectories) add_directory(files, Layer::system, directory, remarks);
  return files;
}

std::vector<RecordRow> parse_built_in(std::string_view json_lines) {
  std::vector<RecordRow> rows;
  for (int line = 1; !json_lines.empty(); ++line) {
    const auto text = json_lines.substr(0, json_lines.find('\n'));
    json_lines.remove_prefix(std::min(json_lines.size(), text.size() + 1));
    if (text.empty()) continue;
    try {
      RecordRow row = built_in_row(JsonColumns{Json::parse(text)});
      // Lines of one problem are adjacent.
      row.stated = !rows.empty() && rows.back().is_of_same_problem(row) ? rows.back().stated : stated_by(row);
      rows.push_back(std::move(row));
    } catch (const Json::exception& error) {
      throw DatabaseError("built-in records, line " + std::to_string(line) + ": " + error.what());
    }
  }
  return rows;
}

std::vector<RecordRow> built_in_records() {
  std::vector<RecordRow> rows;
  for (const EmbeddedFile& file : built_in_databases())
    for (RecordRow& row : parse_built_in(file.text)) rows.push_back(std::move(row));
  return rows;
}

TuningTable table_of(std::span<const std::filesystem::path> files) {
  CheckedRows rows;
  for (std::size_t index = 0; index < files.size(); ++index)
    rows.add(rows_of(files[index], index == 0 ? Layer::user : Layer::project));
  add_built_in(rows);
  return TuningTable(std::move(rows));
}

LayersRead read_all_layers(const TuningTable& before, std::vector<std::string>& remarks) {
  CheckedRows rows;
  bool has_kept = false;
  for (const LayeredFile& file : layered_files(remarks)) has_kept |= add_file(rows, file, before, remarks);
  add_built_in(rows);
  TuningTable table(std::move(rows));
  if (table.rejected_count() > 0)
    remarks.push_back(std::to_string(table.rejected_count()) +
                      " tuning records are not used ('scantune db explain' lists them); the first: " +
                      table.rejected().front().row + ": " + table.rejected().front().reason);
  return {std::move(table), has_kept};
}

DatabaseStamp stamp_of_all_layers() {
  Remarks ignored;
  DatabaseStamp all{.text = {}, .written = 0};
  for (const LayeredFile& file : layered_files(ignored)) {
    const DatabaseStamp one = stamp_of(file.file);
    all.text += one.text + '\n';
    all.written = std::max(all.written, one.written);
  }
  return all;
}

}  // namespace scantune
