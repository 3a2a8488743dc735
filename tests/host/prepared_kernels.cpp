#include "prepared_kernels.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "instantiation/operator_source.h"
#include "kept_compiler.h"
#include "kernel_batch.h"
#include "scantune/error.hpp"
#include "space/space.h"
#include "support/sha256.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;

// What a compiler leaves beside the kernel says that it read nothing else.
constexpr const char* kKeepsSources = R"(#!/bin/sh
case $1 in --version) echo "a rehearsal"; exit;; esac
cp kernel.cpp "@/sources/$$.cpp" && cp @/nothing.so kernel.so && echo "kernel.so: kernel.cpp" >kernel.d
)";
constexpr const char* kFindsKernels = R"(#!/bin/sh
case $1 in --version) exec c++ --version;; esac
read -r key rest <<END
$(sha256sum kernel.cpp)
END
if [ -f "@/kernels/$key" ]; then
  cp "@/kernels/$key" kernel.so && echo "kernel.so: kernel.cpp" >kernel.d
  exit
fi
@CXX "$@" -O0 || exit
[ -f "@/wrong/$key" ] || cp kernel.cpp "@/missed/$key"
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void write(const fs::path& path, std::span<const char> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::set<std::string> names_of_kernels() {
  std::set<std::string> names = {"check_offsets", "mark_items", "find_overlap"};
  names.insert({"kernel", "first", "second", "of_i32", "of_u32"});  // of tests
  for (const FamilyModel* family : families())
    for (const char* name : family->kernels()) names.insert(name);
  return names;
}

// Functions of the names that a lone kernel has, which redirected() leads to one of many.
std::string functions(const std::set<std::string>& names) {
  std::string text = "#undef asm\n#undef __asm__\n";
  for (const std::string& name : names)
    for (const std::string& symbol : {name, name + "_cluster_blocks"})
      text += "extern \"C\" __attribute__((visibility(\"default\"))) int scantune_stands_for_" + symbol +
              "() __asm__(\"" + symbol + "\");\nint scantune_stands_for_" + symbol + "() { return 0; }\n";
  return text;
}

// A shared object whose symbols without the prefix are those with it.
std::vector<char> redirected(std::vector<char> image, const std::string& prefix) {
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(image.data());
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + header->e_shoff);
  for (const Elf64_Shdr& section : std::span(sections, header->e_shnum)) {
    if (section.sh_type != SHT_DYNSYM) continue;
    const char* const names = image.data() + sections[section.sh_link].sh_offset;
    const std::span symbols(reinterpret_cast<Elf64_Sym*>(image.data() + section.sh_offset),
                            section.sh_size / sizeof(Elf64_Sym));
    std::map<std::string_view, Elf64_Sym*> by_name;
    for (Elf64_Sym& symbol : symbols) by_name[names + symbol.st_name] = &symbol;
    for (const auto& [name, symbol] : by_name) {
      if (!name.starts_with(prefix)) continue;
      const auto lone = by_name.find(name.substr(prefix.size()));
      if (lone == by_name.end()) continue;
      lone->second->st_value = symbol->st_value;
      lone->second->st_size = symbol->st_size;
      lone->second->st_shndx = symbol->st_shndx;
    }
  }
  return image;
}

// Names in a source that begin with a kernel's macro come from its family, whose header is the first.
Instantiation read_back(std::string source) {
  Instantiation instantiation;
  constexpr std::string_view kInclude = "#include \"";
  for (std::size_t at = 0; source[at] == '#'; at = source.find('\n', at) + 1) {
    if (!source.substr(at).starts_with(kInclude)) continue;
    const std::size_t begin = at + kInclude.size();
    instantiation.headers.push_back(source.substr(begin, source.find('"', begin) - begin));
  }
  instantiation.label = "a kernel of the tests";
  instantiation.source = std::move(source);
  return instantiation;
}

// Returns the instantiation of a unit that the compiler names first.
std::optional<std::size_t> first_named(const std::string& log) {
  for (const std::string_view name : {"instance_", "caller_"})
    if (const std::size_t at = log.find(name); at != std::string::npos) {
      std::size_t number = 0;
      const char* const digits = log.c_str() + at + name.size();
      if (std::from_chars(digits, log.c_str() + log.size(), number).ec == std::errc()) return number;
    }
  return std::nullopt;
}

}  // namespace

PreparedKernels::PreparedKernels() {
  std::string pattern = (fs::temp_directory_path() / "scantune-prepared-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  directory_ = pattern;
  for (const char* folder : {"sources", "kernels", "wrong", "missed"}) fs::create_directory(directory_ / folder);
  Instantiation nothing;
  nothing.headers = {"core/machine/dependents.h"};
  nothing.source = "#include \"core/machine/dependents.h\"\n";
  for (const std::string& name : names_of_kernels())
    nothing.source += "SCANTUNE_KERNEL(" + name + ", 1024, 1) { scantune::wait_for_predecessor(); }\n";
  nothing.label = "kernels that do nothing";
  write(directory_ / "nothing.so", kept_host_compiler()->compile(nothing, "host").image);
  const char* const chosen = std::getenv("SCANTUNE_CXX");
  for (const auto& [name, text] : {std::pair("keeps", kKeepsSources), std::pair("finds", kFindsKernels)}) {
    const std::string script =
        replaced(replaced(text, "@CXX", chosen != nullptr ? chosen : "c++"), "@/", directory_.string() + "/");
    write(directory_ / name, script);
    fs::permissions(directory_ / name, fs::perms::owner_all);
  }
}

PreparedKernels::~PreparedKernels() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void PreparedKernels::rehearse() const {
  setenv("SCANTUNE_TEST_REHEARSAL", "1", 1);
  setenv("SCANTUNE_CXX", (directory_ / "keeps").c_str(), 1);
  unsetenv("SCANTUNE_TEST_KERNELS");  // where real ones are kept
}

void PreparedKernels::prepare() const {
  std::vector<Instantiation> all;
  std::set<std::string> seen;
  for (const auto& entry : fs::directory_iterator(directory_ / "sources"))
    if (std::string source = text_of(entry.path()); seen.insert(source).second)
      all.push_back(read_back(std::move(source)));
  const auto path_of = [&](const char* folder, const std::string& source) {
    return directory_ / folder / Sha256().add(source).hex();
  };
  const std::string stand_ins = functions(names_of_kernels());
  const auto compiler = joined_compiler();
  // A unit in which a kernel does not compile is halved until that kernel is alone, unless the compiler names it.
  for (std::vector<std::vector<Instantiation>> groups = {all}; !groups.empty();) {
    const std::vector<Instantiation> group = std::move(groups.back());
    groups.pop_back();
    for (JoinedKernels& unit : joined(group)) {
      unit.unit.source += stand_ins;
      std::vector<Instantiation> left;
      for (const std::string& source : unit.sources) left.push_back(read_back(source));
      try {
        const Binary binary = compiler->compile(unit.unit, "host");
        for (std::size_t index = 0; index < unit.sources.size(); ++index)
          write(path_of("kernels", unit.sources[index]), redirected(binary.image, unit.prefixes[index]));
      } catch (const CompileError& error) {
        const std::optional<std::size_t> named = first_named(error.what());
        auto wrong = unit.prefixes.begin();
        if (named) wrong = std::ranges::find(unit.prefixes, "instance_" + std::to_string(*named) + "_");
        if ((named && wrong != unit.prefixes.end()) || left.size() == 1) {
          const auto index = wrong - unit.prefixes.begin();
          write(path_of("wrong", left[static_cast<std::size_t>(index)].source), {});
          left.erase(left.begin() + index);
        } else {
          const auto middle = left.begin() + static_cast<std::ptrdiff_t>(left.size() / 2);
          groups.emplace_back(middle, left.end());
          left.erase(middle, left.end());
        }
        if (!left.empty()) groups.push_back(std::move(left));
      }
    }
  }
  setenv("SCANTUNE_CXX", (directory_ / "finds").c_str(), 1);
  unsetenv("SCANTUNE_TEST_KERNELS");
}

std::vector<std::string> PreparedKernels::missed() const {
  std::vector<std::string> sources;
  for (const auto& entry : fs::directory_iterator(directory_ / "missed")) sources.push_back(text_of(entry.path()));
  return sources;
}

}  // namespace scantune
