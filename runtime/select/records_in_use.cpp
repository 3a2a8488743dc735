#include "select/records_in_use.h"

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
  std::mutex reading;  // so that what is read last is what is used
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
void put(Table table) {
  const std::lock_guard lock(records().holding);
  records().table.swap(table);
  records_generation.fetch_add(1);
}

// A log may call the library, which must not find the records half read, nor locked.
void tell(const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks) log_once(remark);
}

Table first_table(std::vector<std::string>& remarks) {
  const std::lock_guard lock(records().reading);
  if (Table table = held()) return table;
  try {
    put(std::make_shared<const TuningTable>(table_of_all_layers(remarks)));
  } catch (const std::bad_alloc&) {
    remarks = {"there is too little memory for the tuning databases together. Going on without them."};
    put(std::make_shared<const TuningTable>(table_of({})));
  }
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

void reload_records() {
  std::vector<std::string> remarks;
  {
    const std::lock_guard lock(records().reading);
    put(std::make_shared<const TuningTable>(table_of_all_layers(remarks)));
  }
  tell(remarks);
}

}  // namespace scantune
