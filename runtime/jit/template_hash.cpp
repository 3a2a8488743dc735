#include "jit/template_hash.h"

#include <algorithm>
#include <array>
#include <set>

#include "instantiation/instantiation.h"
#include "scantune/error.hpp"
#include "support/sha256.h"

namespace scantune {
namespace {

// It grows at its end, with which no kernel changes.
constexpr std::string_view kRoles = "core/contract/operand_role.h";

struct FamilyHashes {
  const FamilyModel* family;
  std::array<std::string, 2> of_operators;  // built-in ones, and the caller's own
};

std::string hash_of(const FamilyModel& family, bool custom, TemplateView view) {
  return template_hashes(view).of(kernel_headers(family, custom));
}

std::vector<FamilyHashes> hashes_of_families(TemplateView view) {
  std::vector<FamilyHashes> all;
  for (const FamilyModel* family : families())
    all.push_back({family, {hash_of(*family, false, view), hash_of(*family, true, view)}});
  return all;
}

const std::vector<FamilyHashes>& family_hashes(TemplateView view) {
  if (view == TemplateView::host) {
    static const std::vector<FamilyHashes> kHost = hashes_of_families(TemplateView::host);
    return kHost;
  }
  static const std::vector<FamilyHashes> kCuda = hashes_of_families(TemplateView::cuda);
  return kCuda;
}

}  // namespace

TemplateHashes::TemplateHashes(std::span<const TemplateFile> files, TemplateView view, Hashed hashed) {
  for (const TemplateFile& file : files) {
    TemplateText read = template_text(file.text, view);
    const std::string_view digested = hashed == Hashed::code ? std::string_view(read.text) : file.text;
    files_[file.path] = {Sha256().add(digested).hex(), std::move(read.includes)};
  }
}

std::string TemplateHashes::of(std::span<const std::string> headers) const {
  std::set<std::string_view> included;
  std::vector<std::string_view> waiting(headers.begin(), headers.end());
  while (!waiting.empty()) {
    const std::string_view path = waiting.back();
    waiting.pop_back();
    if (!included.insert(path).second) continue;
    const auto file = files_.find(path);
    if (file == files_.end()) throw Error("there is no template " + std::string(path));
    waiting.insert(waiting.end(), file->second.includes.begin(), file->second.includes.end());
  }
  Sha256 hash;
  for (const std::string_view path : included)
    if (path != kRoles) hash.add_field(path).add_field(files_.find(path)->second.digest);
  return hash.hex();
}

const TemplateHashes& template_hashes(TemplateView view) {
  if (view == TemplateView::host) {
    static const TemplateHashes kHost(template_files(), TemplateView::host);
    return kHost;
  }
  static const TemplateHashes kCuda(template_files(), TemplateView::cuda);
  return kCuda;
}

const std::string& template_hash(const FamilyModel& family, bool custom, int sm) {
  const auto& all = family_hashes(view_of(sm));
  const auto found = std::ranges::find(all, &family, &FamilyHashes::family);
  if (found == all.end()) throw Error(std::string("there is no family ") + family.name());
  return found->of_operators[custom ? 1 : 0];
}

}  // namespace scantune
