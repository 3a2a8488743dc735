#include "sql_script.h"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "examples.h"
#include "require.h"

namespace scantune::fuzz {
namespace {

constexpr int kLongestValue = 1 << 21;  // far more than the library reads
constexpr int kMostPages = 1 << 12;
constexpr std::string_view kFileMagic = "SQLite format 3";

using Connection = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

Connection open_in_memory() {
  sqlite3* handle = nullptr;
  require(sqlite3_open(":memory:", &handle) == SQLITE_OK, "a database can be made in memory");
  return {handle, sqlite3_close};
}

bool execute(sqlite3* database, const std::string& sql) {
  return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

void execute_or_die(sqlite3* database, const std::string& sql) {
  require(execute(database, sql), sql + ": " + sqlite3_errmsg(database));
}

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  require(!text.str().empty(), path + " can be read");
  return text.str();
}

// An authorizer, which SQLite asks about every column that a statement reads.
int note_column(void* found, int action, const char* table, const char* column, const char*, const char*) {
  if (action == SQLITE_READ && *column != '\0')
    (*static_cast<std::map<std::string, std::set<std::string>>*>(found))[table].insert(column);
  return SQLITE_OK;
}

std::string serialized(sqlite3* database) {
  sqlite3_int64 bytes = 0;
  unsigned char* data = sqlite3_serialize(database, "main", &bytes, 0);
  if (data == nullptr) return {};
  std::string file(reinterpret_cast<const char*>(data), static_cast<std::size_t>(bytes));
  sqlite3_free(data);
  return file;
}

// Inserts records of three problems on a GPU and of one on the host device, each in many sizes, so that many rows can
// be changed one by one.
void insert_records(sqlite3* database) {
  for (const int exponent : seed_exponents())
    for (int problem = 1; problem <= 4; ++problem) {
      const bool is_host = problem == 4;
      ScanRequest request;
      request.n = u64{1} << exponent;
      const char* family = exponent < 14 ? "single_block" : is_host ? "three_phase" : "lookback";
      const Config config = find_family(family)->default_config(request, is_host ? kHostSm : 90);
      execute_or_die(database, std::string("INSERT INTO record VALUES (") +
                                   (is_host ? "2, 1" : "1, " + std::to_string(problem)) + ", " +
                                   std::to_string(request.n) + ", '" + family + "', '" + canonical_parameters(config) +
                                   "', 1, 3.5, 0.01, 4.5, NULL, '2026-01-02T03:04:05Z', " +
                                   std::to_string(request.n / 16) + ", " + std::to_string(request.n) + ", '[]')");
    }
  execute_or_die(database,
                 "INSERT INTO breakpoint SELECT 1, problem.id, low.n, 16 * low.n, low.n + 1, '[]', 0.02, 1, "
                 "'2026-01-02T03:04:05Z' FROM problem, record AS low WHERE low.device_id = 1 AND "
                 "low.problem_id = problem.id AND EXISTS (SELECT * FROM record WHERE device_id = 1 AND "
                 "problem_id = problem.id AND n = 16 * low.n)");
}

// Restricts the SQL of inputs, which may fill the database and do nothing else.
int authorize(void*, int action, const char* name, const char*, const char*, const char*) {
  if (action == SQLITE_ATTACH || action == SQLITE_DETACH) return SQLITE_DENY;
  if (action != SQLITE_PRAGMA) return SQLITE_OK;
  static constexpr std::string_view kAllowed[] = {"user_version",       "application_id", "writable_schema",
                                                  "legacy_alter_table", "encoding",       "schema_version",
                                                  "foreign_keys",       "auto_vacuum",    "page_size"};
  return std::ranges::find(kAllowed, std::string_view(name)) != std::end(kAllowed) ? SQLITE_OK : SQLITE_DENY;
}

void limit(sqlite3* database) {
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
  execute_or_die(database, "PRAGMA max_page_count = " + std::to_string(kMostPages) +
                               "; PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON");
  sqlite3_set_authorizer(database, authorize, nullptr);
  // A statement is given up after so many steps.
  sqlite3_progress_handler(database, 100'000, [](void*) { return 1; }, nullptr);
}

Connection copy_of(const std::string& file) {
  Connection database = open_in_memory();
  auto* data = static_cast<unsigned char*>(sqlite3_malloc64(file.size()));
  std::memcpy(data, file.data(), file.size());
  const auto bytes = static_cast<sqlite3_int64>(file.size());
  require(sqlite3_deserialize(database.get(), "main", data, bytes, bytes,
                              SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK,
          "the seed is a database");
  return database;
}

std::string_view word_of(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

std::size_t number_of(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (; hex.size() >= 2; hex.remove_prefix(2)) {
    unsigned char byte = 0;
    std::from_chars(hex.data(), hex.data() + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

void write_over(std::string& file, std::size_t offset, const std::string& bytes) {
  if (file.empty()) return;
  offset %= file.size();
  file.replace(offset, std::min(bytes.size(), file.size() - offset), bytes, 0, file.size() - offset);
}

void command(std::string_view line, DatabaseFiles& files) {
  const std::string_view name = word_of(line);
  if (name == ".write") {
    const std::size_t offset = number_of(word_of(line));
    write_over(files.database, offset, bytes_of(line));
  }
  if (name == ".truncate") files.database.resize(std::min(files.database.size(), number_of(line)));
  if (name == ".append") files.database += bytes_of(line);
  if (name == ".wal") files.wal += bytes_of(line);
  if (name == ".journal") files.journal += bytes_of(line);
  if (name == ".shared") files.shared = true;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), lines.back().size() + 1));
  }
  return lines;
}

}  // namespace

std::vector<int> seed_exponents() { return {8, 12, 16, 20, 24}; }

std::string seed_database() {
  const Connection database = open_in_memory();
  execute_or_die(database.get(), "PRAGMA page_size = 512");
  execute_or_die(database.get(), text_of(SCANTUNE_DB_DIRECTORY "/schema.sql"));
  execute_or_die(database.get(),
                 "INSERT INTO run VALUES (1, '2026-01-01T00:00:00Z', '0.1.0', '" +
                     template_hash(*find_family("lookback"), false, 90) +
                     "', 'NVRTC 13.0', '13.0', 'quick', 1, '{}');"
                     "INSERT INTO device VALUES (1, 'sm_90', 'NVIDIA H200', 132), (2, 'host', 'host', 1);"
                     "INSERT INTO problem VALUES "
                     R"((1, 'scan', '{"input_type":"i32","accumulator_type":"i32","output_type":"i32"}', ''), )"
                     R"((2, 'scan', '{"input_type":"f32","accumulator_type":"f32","output_type":"f32","op":"max",)"
                     R"("kind":"exclusive","latency":"isolated"}', ''), )"
                     R"((3, 'scan', '{"input_type":"custom4","accumulator_type":"custom4","output_type":"custom4",)"
                     R"("op":"custom_moderate:affine","determinism":"run_to_run"}', ''))");
  insert_records(database.get());
  return serialized(database.get());
}

std::vector<TableColumns> read_columns() {
  const Connection database = copy_of(seed_database());
  std::map<std::string, std::set<std::string>> found;
  sqlite3_set_authorizer(database.get(), note_column, &found);
  for (const char* query : {"load_records.sql", "load_device.sql", "load_problem.sql", "load_run.sql"}) {
    sqlite3_stmt* statement = nullptr;
    const std::string sql = text_of(std::string(SCANTUNE_DB_DIRECTORY "/queries/") + query);
    require(sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &statement, nullptr) == SQLITE_OK, query);
    sqlite3_finalize(statement);
  }
  std::vector<TableColumns> tables;
  for (const auto& [table, columns] : found) tables.push_back({table, {columns.begin(), columns.end()}});
  return tables;
}

DatabaseFiles run_script(std::string_view script, const std::string& database) {
  if (script.starts_with(kFileMagic)) return {.database = std::string(script), .wal = {}, .journal = {}};
  const auto lines = lines_of(script);
  const Connection connection = copy_of(database);
  limit(connection.get());
  for (const std::string_view line : lines)
    if (!line.starts_with('.')) execute(connection.get(), std::string(line));
  execute(connection.get(), "COMMIT");
  DatabaseFiles files{.database = serialized(connection.get()), .wal = {}, .journal = {}};
  for (const std::string_view line : lines)
    if (line.starts_with('.')) command(line, files);
  return files;
}

}  // namespace scantune::fuzz
