#include "mutants.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <regex>
#include <string_view>

#include "space/space.h"

namespace scantune {
namespace {

struct Rule {
  const char* kind;
  const char* pattern;
  const char* replacement;
};

// The patterns match statements, so that definitions and comments stay.
constexpr Rule kRules[] = {
    {"no_sync_block", R"(\bsync_block\(\);)", ";"},
    {"no_sync_warp", R"(\bsync_warp\(\);)", ";"},
    {"no_fence", R"(\bfence\(\);)", ";"},
    {"no_wait", R"(\bwait_for_predecessor\([^;]*;)", ";"},
    {"no_wait_here", R"(\bbegin_kernel<kConfig\.pdl>\([^;]*;)", "release_dependents();"},
    {"relaxed_store", R"(\bstore_release\()", "store_relaxed("},
    {"relaxed_load", R"(\bload_acquire\()", "load_relaxed("},
    {"flag_before_payload", R"((\bstore_payload\([^;]*;)(\s*scantune::)(store_release\([^;]*;))", "$3$2$1"},
    {"one_buffer", R"(\bbuffer \^= kWarpThreads;)", ";"},
    {"no_patience", R"(if \(\(ready & needed_lanes\) == needed_lanes\) break;)", "break;"},
    {"no_patience", R"(while \(\w+\[\w+\]\.flag == TileFlag::none\))", "while (false)"},
    {"no_patience", R"(while \(any_of\(is_missing\)\))", "while (false)"},
    {"no_patience", R"(\bis_any_missing \|= is_missing\(column\);)", ";"},
    {"torn_value", R"(\bwhole &= word\.state == state;)", ";"},
    {"any_epoch", R"(\bstate >> 2 == epoch_)", "state >> 2 != 0"},
    {"ticket_kept", R"(\bstore_relaxed\(&header_->ticket, 0\);)", ";"},
    {"epoch_kept", R"(\bstore_relaxed\(&header_->epoch, [^;]*;)", ";"},
    {"high_water_kept", R"(\bstore_max\(&header_->high_water, [^;]*;)", ";"},
    {"count_kept", R"(\bstore_relaxed\(&header_?->finished, 0\);)", ";"},
    {"word_kept", R"(\bscantune::store_relaxed_wide\(word, u64\{0\}\);)", ";"},
    {"no_retry", R"(\bif \(before == found\) return next;)", "return next;"},
    {"first_is_last", R"(!= ctas - 1\))", "!= 0)"},
    {"first_is_last", R"(== block_count\(\) - 1;)", "== 0;"},
    {"first_is_last", R"(!= block_count\(\)\) return;)", "!= 1) return;"},
    {"no_barrier_wait", R"(\bbarrier_wait(?:_for_sends)?\([^;]*;)", ";"},
    {"no_barrier_test", R"(\bbarrier_test\((?:[^()]|\(\))*\))", "true"},
    {"no_vote", R"(\ball_lanes\((barrier_test\((?:[^()]|\(\))*\))\))", "$1"},
    {"no_arrival", R"(\bbarrier_arrive(?:_expecting)?\([^;]*;)", ";"},
    {"no_fence_of_barriers", R"(\bfence_barrier_init\(\);)", ";"},
    {"no_fence_for_bulk", R"(\bfence_shared_for_bulk\(\);)", ";"},
    {"no_bulk_commit", R"(\bbulk_commit\(\);)", ";"},
    {"no_bulk_wait", R"(\bbulk_wait\(\);)", ";"},
    {"no_bulk_wait_read", R"(\bbulk_wait_read<[^;]*;)", ";"},
    {"wait_of_cta_scope", R"(\bbarrier_wait_for_sends\()", "barrier_wait("},
    {"no_cluster_wait", R"(\bcluster_wait\(\);)", ";"},
    {"no_cluster_arrival", R"(\bcluster_arrive_relaxed\(\);)", ";"},
    {"static_tiles", R"(const auto draw = \[&\] \{[^}]*\};)",
     "u32 dealt = block_rank(); const auto draw = [&] { return (dealt += block_count()) - block_count(); };"},
};

// The room core/machine is not mutated, because it is the machine itself.
bool is_mutated(std::string_view path) { return !path.starts_with("core/machine/"); }

bool in_comment(const std::string& text, std::size_t position) {
  const std::size_t line = text.rfind('\n', position) + 1;
  return text.find("//", line) < position;
}

// What every match of the pattern begins with: looking for that first is a hundred times as fast as for the pattern.
std::string literal_beginning(std::string_view pattern) {
  std::string literal;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool is_escaped = pattern[at] == '\\';
    if (is_escaped && pattern[at + 1] == 'b') {
      ++at;
    } else if (is_escaped && std::ispunct(static_cast<unsigned char>(pattern[at + 1]))) {
      literal += pattern[++at];
    } else if (std::isalnum(static_cast<unsigned char>(pattern[at])) || std::strchr(" _&!=-<>:;", pattern[at])) {
      literal += pattern[at];
    } else if (pattern[at] != '(' || !literal.empty()) {
      if (pattern[at] == '?' || pattern[at] == '*') literal.pop_back();  // it may be missing
      break;
    }
  }
  return literal;
}

void add_mutants(const std::string& path, const std::string& text, const Rule& rule, std::vector<Mutant>& mutants) {
  const std::string beginning = literal_beginning(rule.pattern);
  std::optional<std::regex> pattern;
  int occurrence = 0;
  for (std::size_t at = text.find(beginning); at != text.npos; at = text.find(beginning, at + 1)) {
    if (!pattern) pattern.emplace(rule.pattern);
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(at);
    std::smatch match;
    auto here = std::regex_constants::match_continuous;
    if (at > 0) here |= std::regex_constants::match_prev_avail;
    if (in_comment(text, at) || !std::regex_search(first, text.end(), match, *pattern, here)) continue;
    const auto line = 1 + std::count(text.begin(), first, '\n');
    std::string changed = text;
    changed.replace(at, static_cast<std::size_t>(match.length()), match.format(rule.replacement));
    mutants.push_back({path, static_cast<int>(line), rule.kind, ++occurrence, std::move(changed)});
  }
}

}  // namespace

std::string Mutant::name() const {
  std::string result = path.substr(path.rfind('/') + 1);
  result.resize(result.size() - 2);
  return result + "_line_" + std::to_string(line) + "_" + kind;
}

std::set<std::string> included_by(std::span<const TemplateFile> templates, const std::string& path) {
  constexpr std::string_view kInclude = "#include \"";
  std::set<std::string> all{path};
  std::vector<std::string> unread{path};
  while (!unread.empty()) {
    const std::string next = unread.back();
    unread.pop_back();
    const auto file = std::ranges::find(templates, next, [](const TemplateFile& known) { return known.path; });
    if (file == templates.end()) continue;
    const std::string_view text = file->text;
    for (std::size_t at = text.find(kInclude); at != text.npos; at = text.find(kInclude, at)) {
      at += kInclude.size();
      const std::string included(text.substr(at, text.find('"', at) - at));
      if (all.insert(included).second) unread.push_back(included);
    }
  }
  return all;
}

std::vector<Mutant> all_mutants(std::span<const TemplateFile> templates) {
  std::set<std::string> of_families;
  for (const FamilyModel* family : families()) of_families.merge(included_by(templates, family->header()));
  std::vector<Mutant> mutants;
  for (const TemplateFile& file : templates)
    if (of_families.contains(file.path) && is_mutated(file.path))
      for (const Rule& rule : kRules) add_mutants(file.path, file.text, rule, mutants);
  std::stable_sort(mutants.begin(), mutants.end(), [](const Mutant& a, const Mutant& b) {
    return std::tie(a.path, a.line) < std::tie(b.path, b.line);
  });
  return mutants;
}

std::vector<TemplateFile> with_mutant(std::span<const TemplateFile> templates, const Mutant& mutant) {
  std::vector<TemplateFile> result(templates.begin(), templates.end());
  for (TemplateFile& file : result)
    if (file.path == mutant.path) file.text = mutant.text.c_str();
  return result;
}

}  // namespace scantune
