#include "select/records_in_use.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "select/layers.h"
#include "support/log.h"

namespace scantune {
namespace {

using Clock = std::chrono::steady_clock;
using Table = std::shared_ptr<const TuningTable>;

// A tuner writes with every trial, and not every plan made beside it can read all databases.
constexpr std::chrono::seconds kBetweenReadings{2};

struct Records {
  std::mutex reading;                                // so that what is read last is what is used; guards the next three
  std::string stamp;                                 // of the databases before they were read
  bool is_settled = false;                           // whether that tells every later change
  std::optional<Clock::time_point> read_for_a_plan;  // since the last reload
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

struct Stamp {
  std::string text;
  bool is_settled;  // whether nobody had written to the databases just before it
};

// A writer changes a file before readers see the change, and files have coarse times. So what was read within seconds
// of a change may be older than the file.
Stamp stamp_now() {
  constexpr std::int64_t kSeconds = 2;
  const std::int64_t now = std::time(nullptr);
  DatabaseStamp stamp = stamp_of_all_layers();
  return {std::move(stamp.text), std::abs(now - stamp.written) > kSeconds};
}

// Reads the databases. One that cannot be read keeps the records that the table of before has of it.
Table read_all(Stamp stamp, const TuningTable& before, std::vector<std::string>& remarks) {
  LayersRead read = read_all_layers(before, remarks);
  auto table = std::make_shared<const TuningTable>(std::move(read.table));
  records().stamp = std::move(stamp.text);
  // What kept a database from being read may end without a write to it.
  records().is_settled = stamp.is_settled && !read.has_kept;
  return table;
}

// Stamp first: a write during the reading must count as new.
Table read_all(std::vector<std::string>& remarks) {
  Stamp stamp = stamp_now();
  records().read_for_a_plan.reset();
  return read_all(std::move(stamp), TuningTable(), remarks);
}

Table first_table(std::vector<std::string>& remarks) {
  const std::lock_guard lock(records().reading);
  if (Table table = held()) return table;
  try {
    hold_for_all(read_all(remarks));
  } catch (const std::bad_alloc&) {
    remarks.emplace_back("there is too little memory for the tuning databases together. Going on without them.");
    hold_for_all(std::make_shared<const TuningTable>(table_of({})));
  }
  return held();
}

// The table where a database may have been written since it was read; else null. While another thread reads, and for
// some time after a reading, the table of before is used.
Table newer_table(std::vector<std::string>& remarks) {
  const std::unique_lock lock(records().reading, std::try_to_lock);
  if (!lock.owns_lock()) return nullptr;
  const Clock::time_point now = Clock::now();
  std::optional<Clock::time_point>& last = records().read_for_a_plan;
  if (last && now - *last < kBetweenReadings) return nullptr;
  Stamp stamp = stamp_now();
  if (records().is_settled && stamp.text == records().stamp) return nullptr;
  last = now;  // also if there is too little memory
  hold(read_all(std::move(stamp), *held(), remarks));
  last = Clock::now();
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
    remarks.emplace_back(
        "there is too little memory to read the tuning databases again. Going on with the records of before.");
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
