// Runs every input of the corpus, and a fixed number of mutations of them, through its target: without libFuzzer, in
// the ordinary build, the same inputs every time. `make fuzz` looks for others.
//
// The targets and what they share are one translation unit: each takes longer to parse alone than all take together.
#include "directive_model.cpp"
#include "examples.cpp"
#include "json_mutator.cpp"
#include "sql_mutator.cpp"
#include "sql_script.cpp"
#include "table_checks.cpp"

// Targets define functions of the same names for libFuzzer.
#define LLVMFuzzerTestOneInput run_cache
#include "cache_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput run_database
#define LLVMFuzzerCustomMutator mutation_for_database
#include "database_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#undef LLVMFuzzerCustomMutator
#define LLVMFuzzerTestOneInput run_operator
#define LLVMFuzzerCustomMutator mutation_for_operator
#include "operator_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#undef LLVMFuzzerCustomMutator
#define LLVMFuzzerTestOneInput run_text
#define LLVMFuzzerCustomMutator mutation_for_text
#include "text_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#undef LLVMFuzzerCustomMutator
#define LLVMFuzzerTestOneInput run_worker
#define LLVMFuzzerCustomMutator mutation_for_worker
#include "worker_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#undef LLVMFuzzerCustomMutator

#include <fcntl.h>
#include <gtest/gtest.h>

#include <csignal>
#include <vector>

namespace scantune::fuzz {
namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t kMostBytes = 4096;
constexpr unsigned kLongestRun = 4;  // mutations of mutations before an input of the corpus is taken again

Random byte_draws;  // what LLVMFuzzerMutate() draws with

std::size_t mutation_of_bytes(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned) {
  return LLVMFuzzerMutate(data, size, most_bytes);
}

struct Target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
  std::size_t (*mutation)(std::uint8_t*, std::size_t, std::size_t, unsigned);
  unsigned mutations;  // as many as take a second or less
};

constexpr Target kTargets[] = {{"cache", run_cache, mutation_of_bytes, 2000},
                               {"database", run_database, mutation_for_database, 200},
                               {"operator", run_operator, mutation_for_operator, 2000},
                               {"text", run_text, mutation_for_text, 100},
                               {"worker", run_worker, mutation_for_worker, 200}};

void PrintTo(const Target& target, std::ostream* stream) { *stream << target.name; }

// The input that runs, for the handler of its end.
struct Current {
  std::string told;  // what it is
  std::string kept;  // the file that it is kept in if it fails
  Input input;
} current;

// A claim that does not hold aborts, as what is no memory does. A handler may only call what takes no lock.
void tell_and_end(int) {
  const auto tell = [](int file, const void* data, std::size_t size) {
    if (write(file, data, size) < 0) _exit(1);
  };
  const int file = open(current.kept.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  tell(file, current.input.data(), current.input.size());
  tell(STDERR_FILENO, current.told.data(), current.told.size());
  _exit(1);
}

// An exception that leaves the target ends the process too.
void run(const Target& target, const Input& input, const std::string& what) noexcept {
  for (const int end : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(end, tell_and_end);
  current.kept = std::string("fixed-input-") + target.name;
  current.told = "fuzz: " + what + " fails; it is in " + current.kept + "\n";
  current.input = input;
  target.run(input.data(), input.size());
}

std::vector<std::filesystem::path> files(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries(folder);
  std::vector<std::filesystem::path> files(begin(entries), end(entries));
  std::ranges::sort(files);
  return files;
}

Input content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::filesystem::path> corpus_of(const Target& target) {
  return files(std::filesystem::path(SCANTUNE_FUZZ_CORPUS) / target.name);
}

class FixedInputs : public ::testing::TestWithParam<Target> {};

TEST_P(FixedInputs, OfTheCorpusHoldWhatTheirTargetClaims) {
  const auto all = corpus_of(GetParam());
  ASSERT_FALSE(all.empty());
  for (const auto& file : all) run(GetParam(), content(file), file.string());
}

TEST_P(FixedInputs, MutatedBySeedHoldWhatTheirTargetClaims) {
  byte_draws.seed(1);
  const auto all = corpus_of(GetParam());
  Input input;
  for (unsigned seed = 0; seed < GetParam().mutations; ++seed) {
    if (seed % kLongestRun == 0) input = content(all[seed / kLongestRun % all.size()]);
    const std::size_t size = input.size();
    input.resize(std::max(size, kMostBytes));
    input.resize(GetParam().mutation(input.data(), size, input.size(), seed));
    run(GetParam(), input, "mutation " + std::to_string(seed) + " of the corpus");
  }
}

// These once failed, or must fail where a mistake is planted. Minimising the corpus does not drop them.
TEST(NamedInputs, HoldWhatTheirTargetClaims) {
  for (const auto& folder : files(SCANTUNE_NAMED_INPUTS)) {
    const auto* target = std::ranges::find(kTargets, folder.filename().string(), &Target::name);
    ASSERT_NE(target, std::end(kTargets)) << folder << " is of no target";
    for (const auto& file : files(folder)) run(*target, content(file), file.string());
  }
}

INSTANTIATE_TEST_SUITE_P(Of, FixedInputs, ::testing::ValuesIn(kTargets),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace scantune::fuzz

// Flips, removes, inserts or doubles a few bytes.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most_bytes) {
  using namespace scantune::fuzz;
  std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t at = below(byte_draws, size + 1), length = 1 + below(byte_draws, 8);
  switch (below(byte_draws, 4)) {
    case 0:
      if (at < size) text[at] = static_cast<char>(text[at] ^ (1 << below(byte_draws, 8)));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text.substr(at, length));
      break;
    default:
      text.insert(at, 1, static_cast<char>(below(byte_draws, 256)));
  }
  return put(text, data, size, most_bytes);
}
