// Kernels with one line of synchronisation taken out, made from the templates' own text.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "jit/compiler.h"

namespace scantune {

struct Mutant {
  std::string path;  // path of the template
  int line;
  std::string kind;  // what was changed, such as "no_sync_warp"
  int occurrence;    // number among those of its kind in the file, from 1
  std::string text;  // the whole changed file

  std::string name() const;  // usable in the name of a test
};

// Every mutant of the families' kernels and of the parts that they are made of, in order of place:
// - a call of sync_block, sync_warp, fence or wait_for_predecessor is removed, that of begin_kernel in one kernel alone
// too;
// - a store_release or load_acquire becomes relaxed;
// - a payload and the flag after it are stored in the other order;
// - Hillis-Steele stays in one buffer;
// - a value of several words counts though they may be of different writes;
// - the look-back waits for nothing, or takes words of any epoch;
// - a member of the workspace's header is not kept up, or by the first CTA to leave instead of the last;
// - a value that another CTA has combined in the meantime is written over;
// - a wait for a barrier in shared memory, a test of one, the vote about it or an arrival is removed;
// - a cluster is not waited for, or not arrived at;
// - bulk copies: a fence, a commit or a wait is removed;
// - tiles are dealt out to persistent CTAs in advance, without tickets.
std::vector<Mutant> all_mutants(std::span<const TemplateFile> templates);

// The template and all that it includes, and what these include.
std::set<std::string> included_by(std::span<const TemplateFile> templates, const std::string& path);

// The templates with the mutant's file in place of the original, which must outlive the result.
std::vector<TemplateFile> with_mutant(std::span<const TemplateFile> templates, const Mutant& mutant);

}  // namespace scantune
