// Brings the template hashes of db/builtin/records.jsonl up to date where that is right: a record's kernels must
// compile to the same machine code from the templates that it was measured with and from the library's own.
//
//   carry_over_records FILE OLD_TEMPLATES...
//   carry_over_records --defaults ARCH OLD_TEMPLATES TYPES...
//   carry_over_records --table OLD_TEMPLATES...
//
// OLD_TEMPLATES are folders, such as 'git archive COMMIT templates | tar x -C DIR' makes them. One is found by the hash
// that a record names: a family's, or in old records that of all files. The lines of all other records stay as they
// are. FILE is written anew, and a line for each family says how many are up to date. --defaults writes no file: it
// compares the kernels of the default configs from 2^6 to 2^30 items, for sums of some types, such as i32, and for a
// plain request of every other family, and ends with 1 if one has changed. --table writes, as db/carried_hashes.json
// has it, what the hashes of the library's families were and what they are; whether the kernels are the same is for the
// other two to show.
#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cubin.h"
#include "families_under_test.h"
#include "jit/nvrtc_compiler.h"
#include "joint_template_hash.h"
#include "measure/prepared_config.h"
#include "measure/verify.h"
#include "scantune/error.hpp"
#include "select/layers.h"
#include "support/sha256.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// The templates of an earlier commit.
class Tree {
 public:
  explicit Tree(const fs::path& root) {
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.path().extension() == ".h") paths_.push_back(fs::relative(entry.path(), root).string());
    std::ranges::sort(paths_);
    Sha256 hash;
    for (const std::string& path : paths_) {
      texts_.push_back(text_of(root / path));
      files_.push_back({path.c_str(), texts_.back().c_str()});
      hash.add_field(path).add_field(texts_.back());
    }
    hash_of_all_ = hash.hex();
    hashes_.emplace(files_, TemplateView::cuda);
  }

  std::span<const TemplateFile> files() const { return files_; }

  // The hash of a family for built-in operators, or the caller's own.
  std::string hash_of(const FamilyModel& family, bool custom) const {
    std::vector<std::string> headers = kernel_headers(family, custom);
    for (std::string& header : headers) header = path_of(header);
    return hashes_->of(headers);
  }

  // Whether records that name the hash were measured with these templates.
  bool has(const std::string& hash, const Config& low, const Config& high) const {
    return hash == hash_of_all_ || hash == joint_template_hash(hash_of(low), hash_of(high));
  }

  bool has(const FamilyModel& family) const {
    const std::string name = '/' + fs::path(family.header()).filename().string();
    return std::ranges::any_of(paths_, [&](const std::string& path) { return path.ends_with(name); });
  }

  // Whether these templates have every member that the request sets.
  bool know(const Request& request) const {
    return std::ranges::all_of(request.members(), [&](const MemberModel& member) {
      return request.has_default(member) || declares(request.algorithm().request_name(), member.name);
    });
  }

  // The same kernels for these templates: their headers may have lain in other folders, their configs lack the
  // parameters that were added later, and their requests the members.
  Instantiation understood(Instantiation instantiation, const Config& config) const {
    for (std::string& header : instantiation.headers) {
      const std::string here = path_of(header);
      instantiation.source.replace(instantiation.source.find('"' + header + '"') + 1, header.size(), here);
      header = here;
    }
    instantiation.source.insert(0, kAllArguments);
    int index = 0;
    for (const ParameterModel& parameter : config.family().parameters())
      if (config[index++] == parameter.absent && !declares(config.family().config_name(), parameter.name))
        leave_out(parameter.name, instantiation.source);
    const AlgorithmModel& algorithm = config.family().algorithm();
    for (const MemberModel& member : algorithm.members())
      if (!declares(algorithm.request_name(), member.name)) leave_out(member.name, instantiation.source);
    return instantiation;
  }

 private:
  // Kernels had the arguments alone that definitions before their source asked for.
  static constexpr const char* kAllArguments =
      "#define SCANTUNE_READS_N\n#define SCANTUNE_STRIDED\n#define SCANTUNE_SELECTS\n#define SCANTUNE_HAS_STATES\n";

  // The designator and its value.
  static void leave_out(const char* name, std::string& source) {
    const std::size_t begin = source.find(std::string(", .") + name + " = ");
    if (begin != std::string::npos) source.erase(begin, source.find_first_of(",}", begin + 1) - begin);
  }

  // Whether a table of the struct has a row of that name.
  bool declares(const std::string& struct_name, const char* name) const {
    const std::string row = "(" + struct_name + ", " + name + ",";
    return std::ranges::any_of(texts_, [&](const std::string& text) { return text.find(row) != std::string::npos; });
  }

  // Where a header lies here: the folders that were put before its own do not count, and where its own was renamed,
  // only one file may have its name.
  std::string path_of(const std::string& header) const {
    for (std::string end = '/' + header; !end.empty();) {
      std::vector<std::string> found;
      for (const std::string& path : paths_)
        if (('/' + path).ends_with(end)) found.push_back(path);
      if (found.size() == 1) return found.front();
      const std::size_t next = end.find('/', 1);
      end = next == std::string::npos ? "" : end.substr(next);
    }
    throw Error("the old templates have no " + header + ", or several");
  }

  std::string hash_of(const Config& config) const { return hash_of(config.family(), false); }
  std::deque<std::string> paths_, texts_;  // pointers into them are kept
  std::vector<TemplateFile> files_;
  std::string hash_of_all_;
  std::optional<TemplateHashes> hashes_;
};

// A report without the bytes of parameters, which old architectures have.
std::string without_parameters(const std::string& report) {
  const std::size_t bytes = report.find(" bytes cmem[0]");
  return bytes == std::string::npos ? report : report.substr(0, report.rfind(',', bytes));
}

// The lines of the log in which ptxas reports registers, shared memory and spills.
std::string resources_in(const std::string& log) {
  std::string found;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (line.find("registers") != std::string::npos || line.find("spill") != std::string::npos)
      found += without_parameters(line) + "\n";
  return found;
}

struct Code {
  std::string digest;  // digest of machine code and resources
  GlobalAddresses addresses;
};

// The machine code of kernels, each compiled once; nullopt where one does not compile from these templates.
class Codes {
 public:
  explicit Codes(std::span<const TemplateFile> templates) : compiler_(templates) {}

  const std::optional<Code>& of(const Instantiation& kernel, const std::string& arch) {
    const auto [place, is_new] = known_.try_emplace(arch + kernel.source);
    if (!is_new) return place->second;
    try {
      const Binary binary = compiler_.compile(kernel, arch);
      place->second = {Sha256().add_field(code_of(binary.image)).add_field(resources_in(binary.log)).hex(),
                       global_addresses_of(binary.image)};
    } catch (const CompileError&) {
    }
    return place->second;
  }

 private:
  NvrtcCompiler compiler_;
  std::map<std::string, std::optional<Code>> known_;
};

// The library's templates with one more variable before all others.
class ShiftedTemplates {
 public:
  ShiftedTemplates() {
    for (const TemplateFile& file : template_files()) {
      const bool is_first = std::string_view(file.path) == "core/contract/types.h";
      texts_.push_back((is_first ? "#pragma once\ninline constexpr int kBeforeAllOthers = 1;\n" : "") +
                       std::string(file.text));
      files_.push_back({file.path, texts_.back().c_str()});
    }
  }

  std::span<const TemplateFile> files() const { return files_; }

 private:
  std::deque<std::string> texts_;  // pointers into them are kept
  std::vector<TemplateFile> files_;
};

// Whether the code stays as it is when every address of a global variable moves: then it reads none.
bool reads_no_address(const Code& code, const Code& shifted) {
  return code.digest == shifted.digest &&
         std::ranges::none_of(code.addresses, [&](const auto& address) { return shifted.addresses.contains(address); });
}

class Comparison {
 public:
  explicit Comparison(const std::vector<fs::path>& roots) : trees_(roots.begin(), roots.end()) {
    for (const Tree& tree : trees_) codes_.emplace_back(tree.files());
  }

  // Whether kernels for the record's problem are the same as with the templates of the hash.
  bool is_same(const std::string& hash, const TuningRecord& record, const Config& low, const Config& high) {
    for (std::size_t index = 0; index < trees_.size(); ++index)
      if (trees_[index].has(hash, low, high)) return is_same(index, record, low) && is_same(index, record, high);
    return false;
  }

  // Whether the first of the old templates have the family.
  bool knows(const FamilyModel& family) const { return trees_.front().has(family); }
  // Whether the kernel's code is the same from the first of the old templates.
  bool is_same(const Instantiation& kernel, const Config& config, const std::string& arch) {
    return is_same(0, kernel, config, arch);
  }

 private:
  // Whether the kernels of every kind that the old templates know are the same, for aligned pointers and any.
  bool is_same(std::size_t tree, const TuningRecord& record, const Config& config) {
    std::vector<VerifiedKernel> known = verified_kernels(record.request, nullptr, true);
    std::erase_if(known, [&](const VerifiedKernel& kernel) { return !trees_[tree].know(kernel.request); });
    return !known.empty() && std::ranges::all_of(known, [&](const VerifiedKernel& kernel) {
      const Instantiation instantiation = instantiate_measured(kernel.request, config, kernel.variant, nullptr);
      return is_same(tree, instantiation, config, record.device.arch);
    });
  }

  bool is_same(std::size_t tree, const Instantiation& instantiation, const Config& config, const std::string& arch) {
    const auto &before = codes_[tree].of(trees_[tree].understood(instantiation, config), arch),
               &now = current_.of(instantiation, arch);
    if (!before || !now || before->digest != now->digest) return false;
    if (now->addresses.empty()) return true;
    const auto& shifted = shifted_.of(instantiation, arch);
    return shifted && reads_no_address(*now, *shifted);
  }

  std::deque<Tree> trees_;
  std::deque<Codes> codes_;
  Codes current_{template_files()};
  ShiftedTemplates shifted_templates_;
  Codes shifted_{shifted_templates_.files()};
};

struct Line {
  std::string text;
  RecordRow row;
  TuningRecord record;
};

std::vector<Line> read(const fs::path& file) {
  std::vector<Line> lines;
  std::ifstream stream(file);
  for (std::string text; std::getline(stream, text);) {
    const RecordRow row = parse_built_in(text).at(0);
    auto result = check(row);
    if (const auto* rejected = std::get_if<RejectedRow>(&result)) throw Error(rejected->row + ": " + rejected->reason);
    lines.push_back({text, row, std::get<TuningRecord>(result)});
  }
  return lines;
}

// The record above a breakpoint; null if there is none.
const TuningRecord* above(const std::vector<Line>& lines, const Line& low) {
  const auto found = std::ranges::find_if(lines, [&](const Line& line) {
    return problem_of(line.record) == problem_of(low.record) &&
           line.record.request.n == static_cast<u64>(low.row.breakpoint->n_high);
  });
  return found == lines.end() ? nullptr : &found->record;
}

// Puts another hash into the first template_hash behind a place.
void replace(std::string& line, std::size_t begin, const std::string& old, const std::string& hash) {
  const std::string member = R"("template_hash":")";
  line.replace(line.find(member + old + '"', begin) + member.size(), old.size(), hash);
}

void carry_over(const fs::path& file, const std::vector<fs::path>& roots) {
  std::vector<Line> lines = read(file);
  Comparison comparison(roots);
  std::map<std::string, std::array<int, 2>> records;  // numbers of all and of those that are up to date, by family
  std::array<int, 2> breakpoints{};
  for (Line& line : lines) {
    const TuningRecord& record = line.record;
    const std::string& current = record.current_template_hash();
    // The record has what db/carried_hashes.json makes of it.
    const std::string measured = nlohmann::json::parse(line.text)["template_hash"];
    const bool is_same = measured == current || comparison.is_same(measured, record, record.config, record.config);
    if (is_same) replace(line.text, 0, measured, current);
    auto& [all, right] = records[record.config.family().name()];
    ++all;
    right += is_same;
    if (!line.row.breakpoint) continue;
    ++breakpoints[0];
    const TuningRecord* const high = above(lines, line);
    if (high == nullptr) continue;
    const std::string old = nlohmann::json::parse(line.text)["breakpoint"]["template_hash"];
    const std::string joint = joint_template_hash(current, high->current_template_hash());
    if (old != joint && !comparison.is_same(old, record, record.config, high->config)) continue;
    replace(line.text, line.text.find("\"breakpoint\":"), old, joint);
    ++breakpoints[1];
  }
  const fs::path unfinished = file.string() + ".new";
  std::ofstream written(unfinished, std::ios::trunc);
  for (const Line& line : lines) written << line.text << "\n";
  written.close();
  if (!written) throw Error("cannot write " + unfinished.string());
  fs::rename(unfinished, file);
  std::cout << NvrtcCompiler().version() << "\n";
  for (const auto& [family, counts] : records)
    std::cout << family << ": " << counts[1] << " of " << counts[0] << " records up to date\n";
  std::cout << "breakpoints: " << breakpoints[1] << " of " << breakpoints[0] << " up to date\n";
}

// The requests whose defaults are compared: sums of as many items as one GPU holds.
std::vector<ScanRequest> sums_of(const std::string& type) {
  const auto known = std::ranges::find(Tokens<ValueType>::kNames, type);
  if (known == std::end(Tokens<ValueType>::kNames)) throw Error("there is no type " + type);
  const auto value = static_cast<ValueType>(known - std::begin(Tokens<ValueType>::kNames));
  std::vector<ScanRequest> all;
  for (const Latency latency : {Latency::back_to_back, Latency::isolated})
    for (int magnitude = 6; magnitude <= 30; ++magnitude)
      all.push_back({.input_type = value,
                     .accumulator_type = default_accumulator(value, value),
                     .output_type = value,
                     .latency = latency,
                     .n = u64{1} << magnitude});
  return all;
}

// Compares the default kernels of every family, in both variants, and returns how many have changed.
int compare_defaults(const std::string& arch, const fs::path& root, const std::vector<std::string>& types) {
  Comparison comparison({root});
  const int sm = std::stoi(arch.substr(arch.find('_') + 1));
  std::set<std::string> compared;
  int changed = 0;
  const auto compare = [&](const FamilyModel& family, const Request& request) {
    if (family.unsupported_reason(request, sm) != nullptr || !comparison.knows(family)) return;
    const Config config = family.default_config(request, sm);
    for (const Variant variant : {Variant::aligned, Variant::any}) {
      const Instantiation kernel = instantiate_measured(request, config, variant, nullptr);
      if (!compared.insert(kernel.source).second || comparison.is_same(kernel, config, arch)) continue;
      std::cout << "changed: " << kernel.label << std::endl;  // flushed, because the rest may take long
      ++changed;
    }
  };
  for (const std::string& type : types)
    for (const ScanRequest& request : sums_of(type))
      for (const FamilyModel* family : all_scan_families()) compare(*family, request);
  for (const FamilyModel* family : families())
    for (int magnitude = 6; magnitude <= 30; ++magnitude) compare(*family, plain_request(*family, u64{1} << magnitude));
  std::cout << compared.size() - static_cast<std::size_t>(changed) << " of " << compared.size()
            << " kernels of default configs for " << arch << " are as they were\n";
  return changed;
}

void write_table(const std::vector<fs::path>& roots) {
  constexpr int kAnyGpu = 90;
  std::map<std::string, std::string> successors;
  for (const fs::path& root : roots) {
    const Tree tree(root);
    for (const FamilyModel* family : families()) {
      if (family->standing() == Standing::gallery || !tree.has(*family)) continue;  // has no records
      for (const bool custom : {false, true}) {
        // Kernels that ask a function of the caller's have changed.
        if (custom && family->algorithm().operator_member() == nullptr) continue;
        const std::string& now = template_hash(*family, custom, kAnyGpu);
        if (const std::string before = tree.hash_of(*family, custom); before != now) successors[before] = now;
      }
    }
  }
  const char* separator = "{\n";
  for (const auto& [before, now] : successors) {
    std::cout << separator << "  \"" << before << "\": \"" << now << '"';
    separator = ",\n";
  }
  std::cout << "\n}\n";
}

}  // namespace
}  // namespace scantune

int main(int count, char** arguments) {
  if (count < 3) {
    std::cerr << "usage: carry_over_records FILE OLD_TEMPLATES...\n       carry_over_records --defaults ARCH "
                 "OLD_TEMPLATES TYPES...\n       carry_over_records --table OLD_TEMPLATES...\n";
    return 2;
  }
  try {
    if (arguments[1] == std::string("--defaults"))
      return count > 4 &&
                     scantune::compare_defaults(arguments[2], arguments[3], {arguments + 4, arguments + count}) == 0
                 ? 0
                 : 1;
    if (arguments[1] == std::string("--table"))
      scantune::write_table({arguments + 2, arguments + count});
    else
      scantune::carry_over(arguments[1], {arguments + 2, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
