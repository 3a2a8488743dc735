#include "select/record_reader.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "select/database_files.h"
#include "select/printable.h"
#include "select/queries.h"
#include "select/record_origin.h"
#include "space/request_json.h"

namespace scantune {
namespace {

constexpr int kMostRecords = 100'000;
constexpr std::size_t kMostText = 64 << 20;  // bytes, all values together

struct RunRow {
  std::string template_hash;
  std::shared_ptr<const RecordOrigin> origin;
};

// What may still be read of the texts of a file.
class TextBudget {
 public:
  explicit TextBudget(const std::filesystem::path& file) : file_(file) {}

  void take(std::size_t bytes) {
    if (bytes > left_)
      throw unusable(file_, "it holds more than " + std::to_string(kMostText >> 20) + " MiB of text",
                     "export what you need from it");
    left_ -= bytes;
  }

 private:
  const std::filesystem::path& file_;
  std::size_t left_ = kMostText;
};

struct SqlColumns {
  SQLite::Statement& statement;
  TextBudget& budget;
  std::size_t longest_text;  // so many bytes are kept: a check that refuses longer ones needs no more

  std::string text(const char* name) const {
    std::string text = statement.getColumn(name).getString();
    budget.take(text.size());
    if (text.size() > longest_text) text.resize(longest_text);
    return text;
  }
  // A negative number, which no column may hold, if the value is not an integer.
  std::int64_t integer(const char* name) const {
    const SQLite::Column column = statement.getColumn(name);
    return column.isInteger() ? column.getInt64() : -1;
  }
  double real(const char* name) const { return statement.getColumn(name).getDouble(); }
  bool is_null(const char* name) const { return statement.isColumnNull(name); }
};

void read_run(const SqlColumns& columns, RunRow& row) {
  row.template_hash = columns.text("template_hash");
  if (row.template_hash.size() > kLongestText) row.template_hash.resize(kLongestText + 1);
  row.origin = origin_of_policy(columns.text("policy"));
}

void read_problem(const SqlColumns& columns, ProblemRow& row) {
  read_row(columns, row);
  row.stated = stated_by(row);
}

// Up to schema version 2 each member of a scan's request had a column.
void read_columns(const SqlColumns& columns, ProblemRow& row) {
  Json request = Json::object();
  for (int column = 0; column < columns.statement.getColumnCount(); ++column)
    if (const std::string name = columns.statement.getColumnName(column); name != "id")
      request[name] = columns.text(name.c_str());
  row = {.algorithm = "scan",
         .request = request.dump(-1, ' ', false, Json::error_handler_t::replace),
         .shape = {},
         .stated = {}};
  try {
    row.stated = std::make_shared<const StatedRequest>(parse_request(*find_algorithm(row.algorithm), row.request));
    row.request = canonical_request(*row.stated);
  } catch (const RequestError&) {  // check() says why
  }
}

// RowReading says how rows of one type are read, and how long their texts may be.
template <class Row>
struct RowReading {
  void (*read)(const SqlColumns&, Row&) = [](const SqlColumns& columns, Row& row) { read_row(columns, row); };
  std::size_t longest_text = kLongestText;
};

// The rows of one table by their ids, each read once.
template <class Row>
class RowsById {
 public:
  RowsById(SQLite::Statement by_id, TextBudget& budget, RowReading<Row> reading = {})
      : by_id_(std::move(by_id)), budget_(budget), reading_(reading) {}

  // Null without a value.
  const Row* find(const SQLite::Column& id) {
    if (!id.isInteger()) return nullptr;
    const std::int64_t key = id.getInt64();
    if (const auto known = rows_.find(key); known != rows_.end()) return &known->second;
    by_id_.reset();
    by_id_.bind(1, key);
    if (!by_id_.executeStep()) return nullptr;
    Row& row = rows_[key];
    reading_.read(SqlColumns{by_id_, budget_, reading_.longest_text + 1}, row);
    return &row;
  }

 private:
  SQLite::Statement by_id_;
  TextBudget& budget_;
  RowReading<Row> reading_;
  std::map<std::int64_t, Row> rows_;
};

// What precedes a query of a file of that version.
std::string as_of_now(int schema_version) {
  if (schema_version == 1) return query("version_1_as_now.sql");
  return schema_version <= 3 ? query("version_3_as_now.sql") : "";
}

class RecordReader {
 public:
  RecordReader(HardenedDatabase& database, const std::filesystem::path& file, Layer layer, int schema_version)
      : file_(file),
        budget_(file),
        count_(database.statement("SELECT count(*) FROM (SELECT 1 FROM record LIMIT ?1)")),
        records_(database.statement(as_of_now(schema_version) + query("load_records.sql"))),
        devices_(database.statement(query("load_device.sql")), budget_),
        problems_(schema_version < 3
                      ? RowsById(database.statement(query("version_2_problem.sql")), budget_,
                                 RowReading<ProblemRow>{.read = read_columns})
                      : RowsById(database.statement(query("load_problem.sql")), budget_,
                                 RowReading<ProblemRow>{.read = read_problem, .longest_text = kLongestRequest})),
        runs_(database.statement(query("load_run.sql")), budget_,
              RowReading<RunRow>{.read = read_run, .longest_text = kLongestPolicy}) {
    row_.layer = layer;
    row_.database = file.string();
  }

  CheckedRows read() {
    const int count = count_records();
    CheckedRows rows;
    rows.records.reserve(static_cast<std::size_t>(count));
    records_.bind(1, count);
    while (records_.executeStep()) {
      const char* const missing = read_record();
      if (missing == nullptr)
        rows.add(row_);
      else
        rows.reject({printable(row_.family) + " of " + std::to_string(row_.n) + " items in " + row_.database,
                     std::string("its ") + missing + " is not in the file"});
    }
    return rows;
  }

 private:
  int count_records() {
    count_.bind(1, kMostRecords + 1);
    const int count = count_.executeStep() ? count_.getColumn(0).getInt() : 0;
    if (count > kMostRecords)
      throw unusable(file_, "it has more than " + std::to_string(kMostRecords) + " records",
                     "export what you need from it");
    return count;
  }

  // Returns what the record should have and has not, a device, a problem or a run; null if it has all.
  const char* read_record() {
    const SqlColumns columns{records_, budget_, HardenedDatabase::kLongestValue};
    read_own_columns(columns, row_);
    row_.served_above = columns.integer("served_above");
    row_.served_up_to = columns.integer("served_up_to");
    row_.breakpoint = columns.is_null("n_high") ? std::nullopt : std::optional(read_breakpoint(columns));
    const DeviceRow* const device = devices_.find(records_.getColumn("device_id"));
    const ProblemRow* const problem = problems_.find(records_.getColumn("problem_id"));
    const RunRow* const run = runs_.find(records_.getColumn("run_id"));
    if (device == nullptr) return "device";
    if (problem == nullptr) return "problem";
    if (run == nullptr) return "run";
    static_cast<DeviceRow&>(row_) = *device;
    static_cast<ProblemRow&>(row_) = *problem;
    row_.template_hash = run->template_hash;
    row_.origin = run->origin;
    return nullptr;
  }

  const std::filesystem::path& file_;
  TextBudget budget_;
  SQLite::Statement count_;
  SQLite::Statement records_;
  RowsById<DeviceRow> devices_;
  RowsById<ProblemRow> problems_;
  RowsById<RunRow> runs_;
  RecordRow row_;
};

}  // namespace

CheckedRows read_records(HardenedDatabase& database, const std::filesystem::path& file, Layer layer,
                         int schema_version) {
  return RecordReader(database, file, layer, schema_version).read();
}

}  // namespace scantune
