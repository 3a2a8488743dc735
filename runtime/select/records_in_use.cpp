#include "select/records_in_use.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "select/layers.h"
#include "support/log.h"

namespace scantune {
namespace {

using Table = std::shared_ptr<const TuningTable>;

struct Records {
  std::mutex reading;       // so that what is read last is what is used; guards the next three
  std::string stamp;        // of the databases before they were read
  bool is_settled = false;  // whether nobody had written to them just before
  std::vector<std::filesystem::path> left_out;
  std::mutex holding;
  Table table;  // null before the first use
};

Records& records() {
  static Records& one = *new Records;  // threads may use records while the process ends
  return one;
}

Table held() {
  const std::lock_guard lock(records().holding);
  return records().table;
}

// The table of before is destroyed without the lock.
void hold(Table table) {
  const std::lock_guard lock(records().holding);
  records().table.swap(table);
}

void hold_for_all(Table table) {
  hold(std::move(table));
  records_generation.fetch_add(1);
}

// A log may call the library, which must not find the records half read, nor locked.
void tell(const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks) log_once(remark);
}

// A writer changes a file before readers see the change, and files have coarse times. So what was read within seconds
// of a change may be older than the file.
bool is_settled(const DatabaseStamp& stamp) {
  constexpr std::int64_t kSeconds = 2;
  return std::abs(static_cast<std::int64_t>(std::time(nullptr)) - stamp.written) > kSeconds;
}

void keep(DatabaseStamp stamp) {
  records().is_settled = is_settled(stamp);
  records().stamp = std::move(stamp.text);
}

// A change while they are read is one since.
Table read_all(std::vector<std::string>& remarks) {
  DatabaseStamp stamp = stamp_of_all_layers();
  LayersRead read = read_all_layers(remarks);
  keep(std::move(stamp));
  records().left_out = std::move(read.left_out);
  return std::make_shared<const TuningTable>(std::move(read.table));
}

Table first_table(std::vector<std::string>& remarks) {
  const std::lock_guard lock(records().reading);
  if (Table table = held()) return table;
  try {
    hold_for_all(read_all(remarks));
  } catch (const std::bad_alloc&) {
    remarks = {"there is too little memory for the tuning databases together. Going on without them."};
    hold_for_all(std::make_shared<const TuningTable>(table_of({})));
  }
  return held();
}

bool are_among(const std::vector<std::filesystem::path>& files, const std::vector<std::filesystem::path>& others) {
  return std::ranges::all_of(files, [&](const auto& file) { return std::ranges::count(others, file) > 0; });
}

// The table where a database may have been written since it was read, and can be read still; else null.
Table newer_table(std::vector<std::string>& remarks) {
  const std::lock_guard lock(records().reading);
  DatabaseStamp stamp = stamp_of_all_layers();
  if (records().is_settled && stamp.text == records().stamp) return nullptr;
  LayersRead read = read_all_layers(remarks);
  keep(std::move(stamp));  // what cannot be read is not read again before it is written again
  if (!are_among(read.left_out, records().left_out)) {
    remarks = {"a tuning database that was written meanwhile cannot be read. Going on with the records of before; " +
               std::string("reload() says what is wrong with it.")};
    return nullptr;
  }
  records().left_out = std::move(read.left_out);
  hold(std::make_shared<const TuningTable>(std::move(read.table)));
  return held();
}

}  // namespace

Table records_in_use() {
  if (Table table = held()) return table;
  std::vector<std::string> remarks;
  Table table = first_table(remarks);
  tell(remarks);
  return table;
}

Table records_for_a_plan() {
  Table table = records_in_use();
  std::vector<std::string> remarks;
  try {
    if (Table newer = newer_table(remarks)) table = std::move(newer);
  } catch (const std::bad_alloc&) {
    remarks = {"there is too little memory to read the tuning databases again. Going on with the records of before."};
  }
  tell(remarks);
  return table;
}

void reload_records() {
  std::vector<std::string> remarks;
  {
    const std::lock_guard lock(records().reading);
    hold_for_all(read_all(remarks));
  }
  tell(remarks);
}

}  // namespace scantune
