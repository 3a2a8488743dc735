// The hash that kernels and records are kept under moves with what is compiled, and with nothing else.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <sstream>

#include "families_under_test.h"
#include "instances.h"
#include "instantiation/instantiation.h"
#include "jit/host_compiler.h"
#include "jit/nvrtc_compiler.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using Headers = std::vector<std::string>;

constexpr const char* kMark = "edit number ";

// Templates with texts of their own.
class Templates {
 public:
  template <class Edited>
  explicit Templates(const Edited& edited) {
    for (const TemplateFile& file : template_files())
      files_.push_back({file.path, texts_.emplace_back(edited(file)).c_str()});
  }

  std::span<const TemplateFile> files() const { return files_; }

 private:
  std::deque<std::string> texts_;  // pointers into it are kept
  std::vector<TemplateFile> files_;
};

// A line that is added to a file. It changes what any edit there would.
struct Edit {
  std::string path;
  std::size_t line;  // the line before which it is added
};

std::vector<std::string> lines_of(const char* text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The list of roles, which hashes leave out.
constexpr std::string_view kRoles = "core/contract/operand_role.h";

// Edits at the end of each file that is hashed, and in each branch of each condition in it.
std::vector<Edit> edits() {
  std::vector<Edit> all;
  for (const TemplateFile& file : template_files()) {
    if (file.path == kRoles) continue;
    const std::vector<std::string> lines = lines_of(file.text);
    for (std::size_t line = 0; line < lines.size(); ++line)
      if (lines[line].starts_with("#if") || lines[line].starts_with("#el")) all.push_back({file.path, line + 1});
    all.push_back({file.path, lines.size()});
  }
  return all;
}

// The file with its edits, each a directive that tells the edit's number.
std::string edited(const TemplateFile& file, const std::vector<Edit>& all, const std::string& directive) {
  const std::vector<std::string> lines = lines_of(file.text);
  std::string text;
  for (std::size_t line = 0; line <= lines.size(); ++line) {
    for (std::size_t number = 0; number < all.size(); ++number)
      if (all[number].path == file.path && all[number].line == line)
        text += directive + " " + kMark + std::to_string(number) + " ends\n";
    if (line < lines.size()) text += lines[line] + "\n";
  }
  return text;
}

// The headers that kernels include: those of the families, a few at a time, and of kernels that are timed beside them.
// Which headers a list reaches is found file by file, so that lists of several ask the same of each file. One family of
// each algorithm stands alone, and so does one with the caller's operator.
std::vector<Headers> included_headers() {
  constexpr std::size_t kAtOnce = 6;
  std::vector<Headers> all = {{"core/parts/ordinary_kernel.h"}};
  std::set<const AlgorithmModel*> alone;
  Headers together;
  for (const FamilyModel* family : families()) {
    const bool first = alone.insert(&family->algorithm()).second;
    if (first) all.push_back(kernel_headers(*family, alone.size() % 2 == 1));
    const Headers headers = kernel_headers(*family, false);
    together.insert(together.end(), headers.begin(), headers.end());
    if (together.size() < kAtOnce) continue;
    all.push_back(together);
    together.clear();
  }
  if (!together.empty()) all.push_back(together);
  return all;
}

// The numbers of the edits that the compiler comes upon. What follows the headers is not compiled.
std::set<std::size_t> edits_in(Compiler& compiler, const Headers& headers, const std::string& arch, std::size_t count,
                               const std::string& definitions = "") {
  Instantiation included{.source = {}, .headers = headers, .kernels = {}, .label = "headers"};
  included.source = "#define SCANTUNE_KERNELS\n"  // as for the gallery, whose kernels stand beside their configs
                    + definitions;
  for (const std::string& header : headers) included.source += "#include \"" + header + "\"\n";
  included.source += "#error the end\n";
  std::set<std::size_t> found;
  try {
    compiler.compile(included, arch);
    ADD_FAILURE() << headers.front() << " compiled";
  } catch (const CompileError& error) {
    const std::string log = error.what();
    EXPECT_NE(log.find("the end"), std::string::npos) << log;
    for (std::size_t number = 0; number < count; ++number)
      if (log.find(kMark + std::to_string(number) + " ends") != std::string::npos) found.insert(number);
  }
  return found;
}

std::set<std::size_t> edits_that_move(TemplateView view, const Headers& headers, const std::vector<Edit>& all) {
  static std::map<TemplateView, std::vector<TemplateHashes>> known;
  std::vector<TemplateHashes>& hashes = known[view];
  for (std::size_t number = hashes.size(); number < all.size(); ++number) {
    const auto only = [&](const TemplateFile& file) {
      return edited(
          file,
          {all.begin() + static_cast<std::ptrdiff_t>(number), all.begin() + 1 + static_cast<std::ptrdiff_t>(number)},
          "int");
    };
    hashes.emplace_back(Templates(only).files(), view);
  }
  std::set<std::size_t> moving;
  const std::string before = template_hashes(view).of(headers);
  for (std::size_t number = 0; number < all.size(); ++number)
    if (hashes[number].of(headers) != before) moving.insert(number);
  return moving;
}

std::string named(const std::set<std::size_t>& numbers, const std::vector<Edit>& all) {
  std::string text;
  for (const std::size_t number : numbers) text += all[number].path + ":" + std::to_string(all[number].line) + " ";
  return text;
}

TEST(TemplateHash, MovesWithTheEditsThatNvrtcSeesAndNoOthers) {
  const std::vector<Edit> all = edits();
  const Templates marked([&](const TemplateFile& file) { return edited(file, all, "#warning"); });
  NvrtcCompiler compiler(marked.files());
  for (const Headers& headers : included_headers()) {
    std::set<std::size_t> seen = edits_in(compiler, headers, "sm_90", all.size());
    // The other branches: for architectures, and for operators with states.
    seen.merge(edits_in(compiler, headers, "sm_75", all.size(), "#define SCANTUNE_OPERATOR_STATE 16\n"));
    EXPECT_EQ(named(edits_that_move(TemplateView::cuda, headers, all), all), named(seen, all)) << headers.back();
    EXPECT_GT(seen.size(), 5u) << headers.back();
    EXPECT_LT(seen.size(), all.size()) << headers.back();
  }
}

TEST(TemplateHash, MovesWithTheEditsThatTheHostsCompilerSeesAndNoOthers) {
  const std::vector<Edit> all = edits();
  const Templates marked([&](const TemplateFile& file) { return edited(file, all, "#error"); });
  HostCompiler compiler(marked.files());
  for (const Headers& headers : included_headers()) {
    const std::set<std::size_t> seen = edits_in(compiler, headers, "host", all.size());
    EXPECT_EQ(named(edits_that_move(TemplateView::host, headers, all), all), named(seen, all)) << headers.back();
    EXPECT_GT(seen.size(), 5u) << headers.back();
  }
}

// The file with other comments and blanks wherever they may be.
std::string laid_out_anew(const TemplateFile& file) {
  std::string text = "/* Another\n * beginning. */\n";
  for (std::string line : lines_of(file.text)) {
    const bool goes_on = line.ends_with('\\');
    if (line.find('"') == std::string::npos)
      for (std::size_t at = 0; (at = line.find(' ', at)) != std::string::npos; at += 4) line.replace(at, 1, " \t  ");
    text += "  " + line + (goes_on ? "\n" : "  // \"Don't\n\n");
  }
  return text;
}

// The text that the hash covers.
std::string without_what_is_not_hashed(const TemplateFile& file) {
  return "#pragma once\n" + template_text(file.text, TemplateView::cuda).text + "\n";
}

// What is hashed, laid out anew.
std::string hashed_anew(const TemplateFile& file) {
  const std::string hashed = without_what_is_not_hashed(file);
  return laid_out_anew({file.path, hashed.c_str()});
}

TEST(HashedTemplates, OfEveryFamilyAreAllThatDecidesTheMachineCode) {
  const Templates anew(hashed_anew);
  // Families whose source begins with the same definitions are in one program, and those with a less() by themselves.
  std::map<std::string, std::vector<Instantiation>> programs;
  const CustomOperator less{.source = "__device__ bool less(Value a, Value b) { return a < b; }", .name = {}};
  for (const FamilyModel* family : families()) {
    const Request request = plain_request(*family, 1000);  // which one CTA holds too
    ASSERT_EQ(family->unsupported_reason(request, 90), nullptr) << family->name();
    Instantiation one = instantiate(request, family->default_config(request, 90), Variant::aligned,
                                    request.has_custom_operator() ? &less : nullptr);
    const std::string definitions = one.source.substr(0, one.source.find("#include"));
    programs[definitions + (request.has_custom_operator() ? family->name() : "")].push_back(std::move(one));
  }
  for (const auto& [definitions, all] : programs) {
    const std::vector<std::string> codes = code_of_instances(all, 90), again = code_of_instances(all, 90, anew.files());
    for (std::size_t index = 0; index < all.size(); ++index) {
      EXPECT_GT(codes[index].size(), 1000u) << all[index].label;
      EXPECT_EQ(codes[index], again[index])
          << all[index].label << ": comments and blanks change it, or something is missing in what is hashed";
    }
  }
}

TEST(TemplateHash, OfEveryFamilyIsTheSameForOtherCommentsAndBlanks) {
  const Templates anew(laid_out_anew);
  for (const TemplateView view : {TemplateView::cuda, TemplateView::host}) {
    const TemplateHashes hashes(anew.files(), view);
    for (const FamilyModel* family : families()) {
      const Headers headers = kernel_headers(*family, true);
      EXPECT_EQ(hashes.of(headers), template_hashes(view).of(headers)) << family->name();
    }
  }
}

// Another role is a further line, and kernels are what they were. So roles keep their places.
TEST(TemplateHash, OfNoFamilyMovesWithAnotherRole) {
  const Templates more([](const TemplateFile& file) {
    std::string text = file.text;
    if (file.path == kRoles) text.replace(text.find("init = "), 7, "another, init = ");
    return text;
  });
  const TemplateHashes hashes(more.files(), TemplateView::cuda);
  for (const FamilyModel* family : families()) {
    const Headers headers = kernel_headers(*family, true);
    EXPECT_EQ(hashes.of(headers), template_hashes(TemplateView::cuda).of(headers)) << family->name();
  }
  const std::vector<std::string> kept = {
      "input",          "output", "indices",     "flags",  "values", "values_output", "second", "rejected", "count",
      "second_indices", "keys",   "keys_output", "begins", "ends",   "segment_count", "init",   "n",        "clamped"};
  for (std::size_t place = 0; place < kept.size(); ++place)
    EXPECT_EQ(token(static_cast<OperandRole>(place)), kept[place]) << "kernels find its pointer elsewhere";
}

// Records of one algorithm outlive what is done to the others, and those that use a topic of the machine what is done
// to the rest of it.
TEST(TemplateHash, OfAFamilyMovesWithNoEditOfAnotherAlgorithm) {
  const std::vector<Edit> all = edits();
  // The families that an edit moves: of a topic of the machine all, of other files those of each algorithm.
  std::map<std::string, std::size_t> movers;
  for (const FamilyModel* family : families()) {
    const bool is_gallery = family->standing() == Standing::gallery;
    for (const TemplateView view : {TemplateView::cuda, TemplateView::host}) {
      std::set<std::string> moving;
      for (const std::size_t number : edits_that_move(view, kernel_headers(*family, true), all))
        moving.insert(all[number].path);
      for (const std::string& path : moving) {
        const std::string room = path.substr(0, path.find('/'));
        EXPECT_TRUE(room == "core" || room == family->algorithm().name() || (is_gallery && room == "gallery"))
            << "an edit of " << path << " moves the hash of " << family->name();
        if (view == TemplateView::cuda)
          ++movers[path.starts_with("core/machine/") ? path : path + " of " + family->algorithm().name()];
      }
    }
  }
  EXPECT_EQ(movers["core/machine/kernel.h"], families().size());
  for (const char* topic : {"barriers", "bits", "bulk", "clusters", "matching", "status"}) {
    const std::size_t count = movers["core/machine/" + std::string(topic) + ".h"];
    EXPECT_GT(count, 0u) << topic;
    EXPECT_LT(count, families().size() / 2) << topic;
  }
  EXPECT_EQ(movers.count("core/contract/pdl.h of sort"), 0u);
  EXPECT_EQ(movers.count("core/contract/warp_scan.h of reduce"), 0u);
}

}  // namespace
}  // namespace scantune
