// Tuning databases that anyone may have written: one is refused with a message, or gives rows, and no illegal row is
// used. Inputs are scripts (sql_script.h).
#include "libfuzzer.h"
#include "require.h"
#include "scantune/error.hpp"
#include "scratch_directory.h"
#include "select/database.h"
#include "sql_mutator.h"
#include "table_checks.h"

namespace scantune::fuzz {
namespace {

void put_or_remove(const ScratchDirectory& directory, const std::string& name, const std::string& content) {
  if (content.empty())
    std::filesystem::remove(directory.path() / name);
  else
    directory.put(name, content);
}

void check_file(const std::filesystem::path& file) {
  try {
    check_table(TuningTable(read_records(file, Layer::user)));
  } catch (const DatabaseError& error) {
    require(std::string_view(error.what()).find(file.string()) != std::string_view::npos, "a refusal names the file");
  }
}

}  // namespace
}  // namespace scantune::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scantune::fuzz;
  static const ScratchDirectory kDirectory;
  static const std::string kSeed = seed_database();
  const DatabaseFiles files = run_script({reinterpret_cast<const char*>(data), size}, kSeed);
  put_or_remove(kDirectory, "tuning.db-wal", files.wal);
  put_or_remove(kDirectory, "tuning.db-journal", files.journal);
  std::filesystem::remove(kDirectory.path() / "tuning.db-shm");
  const auto file = kDirectory.put("tuning.db", files.database);
  std::filesystem::permissions(file, std::filesystem::perms{files.shared ? 0666u : 0644u});
  check_file(file);
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) {
  static const scantune::fuzz::SqlMutator kMutator;
  return kMutator.mutate(data, size, most_bytes, seed);
}
