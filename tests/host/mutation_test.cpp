// Tests of the tests: every piece of synchronisation in the kernels is taken out in turn. Each time a run under some
// schedule must fail: with a wrong result, a report, or a deadlock.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "mutants.h"
#include "mutation_settings.h"
#include "mutation_trials.h"
#include "space/space.h"

namespace scantune::mutation_test {
namespace {

// Seeds of each setting that come first: some setting catches most mutants within these.
constexpr u64 kFirstSeeds = 20;
constexpr int kMoreRounds = 24;  // of as many seeds, for a mutant that shows in one schedule of hundreds
constexpr std::string_view kBroken = "the trial failed: ";

const Waiver* waiver_of(const Mutant& mutant) {
  const auto found = std::find_if(kWaivers.begin(), kWaivers.end(), [&](const Waiver& waiver) {
    return waiver.path == mutant.path && waiver.kind == mutant.kind && waiver.occurrence == mutant.occurrence;
  });
  return found == kWaivers.end() ? nullptr : &*found;
}

bool may_reach(const Setting& setting, const Mutant& mutant) {
  return included_by(template_files(), find_family(setting.family)->header()).contains(mutant.path);
}

class Mutation : public testing::TestWithParam<Mutant> {};

// The first seed that shows the mutant, and the failure.
struct Catch {
  u64 seed;
  const Setting& setting;
  std::string failure;
};
std::optional<Catch> caught(Trial& trial, u64 first_seed, u64 last_seed) {
  for (u64 seed = first_seed; seed <= last_seed; ++seed)
    if (std::string failure = trial.failure(seed); !failure.empty()) return Catch{seed, trial.setting(), failure};
  return std::nullopt;
}

// Tries more rounds of seeds where none of the first shows the mutant. Schedules depend on the addresses of
// allocations, so about one run in twenty misses a mutant that most runs catch late.
std::optional<Catch> caught(const Mutant& mutant, int more_rounds) {
  const std::vector<TemplateFile> templates = with_mutant(template_files(), mutant);
  std::vector<std::unique_ptr<Trial>> trials;
  for (const Setting& setting : kSettings)
    if (may_reach(setting, mutant)) {
      trials.push_back(trial_of(setting, templates));
      if (const auto found = caught(*trials.back(), 1, std::min(kFirstSeeds, setting.seeds()))) return found;
    }
  for (const auto& trial : trials)
    if (const auto found = caught(*trial, kFirstSeeds + 1, trial->setting().seeds())) return found;
  for (int round = 1; round <= more_rounds; ++round)
    for (const auto& trial : trials) {
      const u64 done = static_cast<u64>(round) * trial->setting().seeds();
      if (const auto found = caught(*trial, done + 1, done + trial->setting().seeds())) return found;
    }
  return std::nullopt;
}

// The same in a process of its own, as text: a mutant that takes a place from memory where none was written yet may
// write anywhere, since the host device checks no access to shared memory. Empty if the mutant is not caught.
std::string caught_apart(const Mutant& mutant, int more_rounds) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe could be opened");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process could be started");
  if (child == 0) {
    std::string text;
    try {
      if (const auto found = caught(mutant, more_rounds))
        text = "caught with seed " + std::to_string(found->seed) + " of " + found->setting.family + ": " +
               found->failure.substr(0, found->failure.find('\n'));
    } catch (const std::exception& error) {
      text = std::string(kBroken) + error.what();
    }
    [[maybe_unused]] const auto written = write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t count; (count = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (text.starts_with(kBroken)) throw std::runtime_error(text.substr(kBroken.size()));
  if (!WIFSIGNALED(status)) return text;
  const int signal = WTERMSIG(status);
  if (signal != SIGSEGV && signal != SIGBUS && signal != SIGABRT)
    throw std::runtime_error("signal " + std::to_string(signal) + " ended the trial");
  return "caught by signal " + std::to_string(signal);
}

TEST_P(Mutation, IsCaught) {
  const Mutant& mutant = GetParam();
  const bool is_waived = waiver_of(mutant) != nullptr;
  const std::string found = caught_apart(mutant, is_waived ? 0 : kMoreRounds);
  if (is_waived) {
    EXPECT_EQ(found, "") << "is caught now, so that its waiver can go";
    return;
  }
  ASSERT_NE(found, "") << mutant.path << ":" << mutant.line << " (" << mutant.kind << ", occurrence "
                       << mutant.occurrence << ") was not missed in any schedule of any setting";
  std::cout << found << "\n";
}

// Families whose CTAs wait for those of earlier tiles.
constexpr const char* kWaiting[] = {"lookback",     "one_shot",        "pipelined",   "lookback_segments",
                                    "scan_columns", "select_lookback", "select_ring", "sort_onesweep"};

// What SCANTUNE_MUTANTS says: "all", or names of templates such as "lookback tile_status", all of whose mutants are
// tried beside those that everybody tries: one of each kind, in as many files as there are between them, and one of the
// own kernels of each family that waits.
std::vector<Mutant> chosen_mutants() {
  const char* const asked = std::getenv("SCANTUNE_MUTANTS");
  const std::string names = std::string(" ") + (asked != nullptr ? asked : "") + " ";
  const std::vector<Mutant> all = all_mutants(template_files());
  std::map<std::string, std::size_t> times;  // that a file was chosen
  std::map<std::string, const Mutant*> of_kind;
  std::set<std::string> kinds;
  for (const Mutant& mutant : all) kinds.insert(mutant.kind);
  for (const std::string& kind : kinds) {
    const Mutant*& best = of_kind[kind];
    for (const Mutant& mutant : all)
      if (mutant.kind == kind && waiver_of(mutant) == nullptr && !mutant.path.starts_with("gallery/") &&
          (best == nullptr || times[mutant.path] < times[best->path]))
        best = &mutant;
    if (best != nullptr) ++times[best->path];
  }
  std::set<const Mutant*> of_families;
  for (const char* const family : kWaiting) {
    const std::string path = find_family(family)->header();
    const auto own = std::ranges::find_if(all, [&](const Mutant& mutant) {
      return mutant.path == path && waiver_of(mutant) == nullptr && mutant.kind != "no_wait_here";
    });
    if (times[path] == 0 && own != all.end()) of_families.insert(&*own);
  }
  std::vector<Mutant> chosen;
  for (const Mutant& mutant : all) {
    std::string name = mutant.path.substr(mutant.path.rfind('/') + 1);
    name.resize(name.size() - 2);
    if (names == " all " || names.find(" " + name + " ") != names.npos || of_kind[mutant.kind] == &mutant ||
        of_families.contains(&mutant))
      chosen.push_back(mutant);
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(AllMutants, Mutation, testing::ValuesIn(chosen_mutants()),
                         [](const auto& mutant) { return mutant.param.name(); });

TEST(Mutants, AreMadeOfEveryKind) {
  std::set<std::string> kinds;
  for (const Mutant& mutant : all_mutants(template_files())) kinds.insert(mutant.kind);
  EXPECT_EQ(kinds, (std::set<std::string>{
                       "no_sync_block",      "no_sync_warp",         "no_fence",          "no_wait",
                       "no_wait_here",       "relaxed_store",        "relaxed_load",      "flag_before_payload",
                       "one_buffer",         "no_patience",          "torn_value",        "any_epoch",
                       "ticket_kept",        "epoch_kept",           "high_water_kept",   "count_kept",
                       "first_is_last",      "no_barrier_wait",      "no_barrier_test",   "no_vote",
                       "no_arrival",         "no_fence_of_barriers", "no_fence_for_bulk", "no_bulk_commit",
                       "no_bulk_wait",       "no_bulk_wait_read",    "static_tiles",      "no_cluster_wait",
                       "no_cluster_arrival", "wait_of_cta_scope",    "word_kept",         "no_retry"}));
}

TEST(Mutants, AreTriedOfEveryFamilyThatWaits) {
  const std::vector<Mutant> chosen = chosen_mutants();
  for (const char* const family : kWaiting)
    EXPECT_TRUE(std::ranges::any_of(chosen, [&](const Mutant& mutant) {
      return mutant.path == find_family(family)->header();
    })) << family;
}

TEST(Mutants, AreWaivedOnlyWhereTheyExist) {
  const std::vector<Mutant> mutants = all_mutants(template_files());
  for (const Waiver& waiver : kWaivers)
    EXPECT_TRUE(
        std::any_of(mutants.begin(), mutants.end(), [&](const Mutant& mutant) { return waiver_of(mutant) == &waiver; }))
        << waiver.path << ", " << waiver.kind << " " << waiver.occurrence;
}

// Half of the CTAs start only when others have ended, as where two scans on two streams hold half of the GPU each.
TEST(Mutants, WithoutTicketsDeadlockWhereNotAllCtasAreResident) {
  const std::vector<Mutant> mutants = all_mutants(template_files());
  const auto mutant = std::ranges::find(mutants, "static_tiles", &Mutant::kind);
  ASSERT_NE(mutant, mutants.end());
  const auto setting =
      std::ranges::find_if(kSettings, [&](const Setting& candidate) { return may_reach(candidate, *mutant); });
  const auto dealt_out = trial_of(*setting, with_mutant(template_files(), *mutant));
  const auto by_ticket = trial_of(*setting, template_files());
  for (u64 seed = 1; seed <= 100; ++seed) {
    Schedule schedule = Schedule::from_seed(seed);
    schedule.resident_ctas = 4;
    EXPECT_THAT(dealt_out->failure(schedule), testing::HasSubstr("deadlock")) << to_string(schedule);
    EXPECT_EQ(by_ticket->failure(schedule), "") << to_string(schedule);
  }
}

// If unchanged kernels failed, mutants would be caught for another reason.
class Unmutated : public testing::TestWithParam<std::size_t> {};

TEST_P(Unmutated, DoesNotFail) {
  const Setting& setting = kSettings[GetParam()];
  const auto trial = trial_of(setting, template_files());
  const bool runs_all = std::getenv("SCANTUNE_MUTANTS") != nullptr;
  const u64 seeds = runs_all ? setting.seeds() : std::min<u64>(setting.seeds(), kFirstSeeds);
  for (u64 seed = 1; seed <= seeds; ++seed) ASSERT_EQ(trial->failure(seed), "") << "seed " << seed;
}

// The settings that run each time: each family's first one, its first one of rows and that of segments by keys whose
// words wrap around, in which CTAs are counted; all of them where SCANTUNE_MUTANTS asks for more mutants than
// everybody's.
std::vector<std::size_t> chosen_settings() {
  std::set<std::string> families;
  std::vector<std::size_t> chosen;
  const auto kind_of = [](const Setting& setting) {
    return setting.rows > 0 ? " of rows" : setting.has_keys && setting.wraps_epoch ? " of keys" : "";
  };
  for (std::size_t index = 0; index < kSettings.size(); ++index)
    if (families.insert(kSettings[index].family + std::string(kind_of(kSettings[index]))).second ||
        std::getenv("SCANTUNE_MUTANTS") != nullptr)
      chosen.push_back(index);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(EverySetting, Unmutated, testing::ValuesIn(chosen_settings()), [](const auto& setting) {
  return std::string(kSettings[setting.param].family) + "_" + std::to_string(setting.param);
});

}  // namespace

void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name(); }

}  // namespace scantune::mutation_test
