#include "jit/host_compiler.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "jit/child_process.h"
#include "jit/private_directory.h"
#include "scantune/error.hpp"
#include "support/environment.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;

// A kernel takes a fifth of the memory; a source that makes templates without end would take all that there is.
constexpr ChildLimits kLimits = {.time = std::chrono::seconds(60), .memory_bytes = u64{3} << 29};
constexpr const char* kNoCompiler =
    "the host device needs a C++ compiler and found none; install g++ or set SCANTUNE_CXX to one";

// A kernel calls nothing but memcpy and the like, which the process has; a custom operator may call mathematics.
const std::vector<std::string> kOptions = {"-std=c++20",
                                           "-fPIC",
                                           "-shared",
                                           "-nostdlib",
                                           "-nostdinc",
                                           "-fwrapv",
                                           "-fno-strict-aliasing",
                                           "-fvisibility=hidden",
                                           "-fno-exceptions",
                                           "-fno-rtti",
                                           "-fno-stack-protector",
                                           "-ffp-contract=off",
                                           "-w",
                                           "-x",
                                           "c++"};

fs::path on_path(const std::string& name) {
  const char* const path = environment_variable("PATH");
  for (const char* begin = path; begin != nullptr;) {
    const char* const end = std::strchr(begin, ':');
    const fs::path candidate = fs::path(end != nullptr ? std::string(begin, end) : std::string(begin)) / name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return fs::absolute(candidate);
    begin = end != nullptr ? end + 1 : nullptr;
  }
  return {};
}

// The compiler that the environment names, or the system's; empty if neither exists.
fs::path find_compiler() {
  if (const char* const chosen = environment_variable("SCANTUNE_CXX"); chosen != nullptr && *chosen != '\0') {
    if (std::strchr(chosen, '/') == nullptr) return on_path(chosen);
    return access(chosen, X_OK) == 0 ? fs::absolute(chosen) : fs::path();
  }
  const fs::path standard = on_path("c++");
  return standard.empty() ? on_path("g++") : standard;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.flush();
  if (!file) throw CompileError("cannot write " + path.string() + ": " + std::strerror(errno));
}

std::optional<std::vector<char>> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

// Calls `use` with every path in quotes after the word include, also in comments.
template <class Use>
void for_each_include(std::string_view text, Use use) {
  constexpr std::string_view kWord = "include", kBlanks = " \t";
  for (std::size_t at = 0; (at = text.find(kWord, at)) != text.npos;) {
    at = std::min(text.find_first_not_of(kBlanks, at + kWord.size()), text.size());
    if (at == text.size() || text[at] != '"') continue;
    const std::size_t end = std::min(text.find('"', at + 1), text.size());
    use(text.substr(at + 1, end - at - 1));
    at = end;
  }
}

// Writes the templates that a source includes, and those that they include: at most a third of all for any family.
void write_templates(std::span<const TemplateFile> templates, std::string_view source, const fs::path& root) {
  std::set<std::string_view> written;
  std::vector<std::string_view> waiting = {source};
  while (!waiting.empty()) {
    const std::string_view text = waiting.back();
    waiting.pop_back();
    for_each_include(text, [&](std::string_view path) {
      const auto file = std::ranges::find(templates, path, &TemplateFile::path);
      if (file == templates.end() || !written.insert(path).second) return;
      fs::create_directories((root / path).parent_path());
      write_file(root / path, file->text);
      waiting.push_back(file->text);
    });
  }
}

// Says how a program ended. A signal is described in the words of a compiler's driver.
std::string ending_of(const fs::path& program, int exit_status) {
  if (exit_status <= 128) return program.string() + " returned " + std::to_string(exit_status);
  return std::string(strsignal(exit_status - 128)) + " signal terminated program " + program.string();
}

// The files that a compiler says it read, in make's notation: "kernel.so: kernel.cpp templates/...", over several
// lines.
std::vector<std::string> files_in(const std::vector<char>& dependencies) {
  std::istringstream text(std::string(dependencies.begin(), dependencies.end()));
  std::string target;
  text >> target;
  std::vector<std::string> files;
  for (std::string file; text >> file;)
    if (file != "\\") files.push_back(file);
  return files;
}

}  // namespace

HostCompiler::HostCompiler(std::span<const TemplateFile> templates, std::string optimization)
    : templates_(templates), optimization_(std::move(optimization)), compiler_(find_compiler()) {}

std::vector<std::string> HostCompiler::options() const {
  std::vector<std::string> all = kOptions;
  all.push_back(optimization_);
  return all;
}

std::string HostCompiler::fingerprint() const {
  std::string text = compiler_.string();
  const auto add = [&](const std::string& part) { text.append(1, ' ').append(part); };
  for (const std::string& option : options()) add(option);
  std::error_code error;
  const auto size = fs::file_size(compiler_, error);
  if (!error) add(std::to_string(size));
  const auto written = fs::last_write_time(compiler_, error);
  if (!error) add(std::to_string(written.time_since_epoch().count()));
  return text;
}

std::string HostCompiler::version() {
  if (compiler_.empty()) throw DeviceError(kNoCompiler);
  const std::lock_guard lock(mutex_);
  if (version_.empty()) {
    const ChildResult result = run_child(compiler_, {"--version"}, "/", kLimits);
    version_ = result.output.substr(0, result.output.find('\n'));
    if (version_.empty()) version_ = compiler_.filename().string();
  }
  return version_;
}

// The binary is kept under the text of the kernel and of the templates; a change of any other file would not be
// noticed.
void HostCompiler::refuse_foreign_files(const fs::path& dependencies, const std::string& label) const {
  const std::optional<std::vector<char>> read = read_file(dependencies);
  if (!read) throw CompileError(label + " for host: " + compiler_.string() + " does not say which files it read (-MD)");
  const auto is_foreign = [&](const std::string& file) {
    return file != "kernel.cpp" && std::ranges::none_of(templates_, [&](const TemplateFile& known) {
             return file == std::string("templates/") + known.path;
           });
  };
  const std::vector<std::string> files = files_in(*read);
  const auto foreign = std::ranges::find_if(files, is_foreign);
  if (foreign != files.end())
    throw CompileError(label + " for host: " + compiler_.string() + " read " + *foreign +
                       ", and kernels cannot include files; paste its text into the operator's source");
}

Binary HostCompiler::compile(const Instantiation& instantiation, const std::string& arch) {
  if (arch != "host")
    throw CompileError(instantiation.label + " for " + arch + ": this compiler makes kernels for the host device only");
  if (compiler_.empty()) throw DeviceError(kNoCompiler);
  const auto start = std::chrono::steady_clock::now();
  const PrivateDirectory directory;
  std::vector<std::string> arguments = options();
  arguments.insert(arguments.end(), {"-Itemplates", "-MD", "-MF", "kernel.d", "kernel.cpp", "-o", "kernel.so",
                                     "-Wl,--as-needed", "-lm"});
  ChildResult result;
  try {
    write_templates(templates_, instantiation.source, directory.path() / "templates");
    write_file(directory.path() / "kernel.cpp", instantiation.source);
    result = run_child(compiler_, arguments, directory.path(), kLimits);
  } catch (const std::system_error& error) {
    throw CompileError(instantiation.label + " for host: " + compiler_.string() + " could not run: " + error.what());
  }
  std::optional<std::vector<char>> image = read_file(directory.path() / "kernel.so");
  if (result.timed_out)
    throw CompileError(instantiation.label + " for host: " + compiler_.string() + " took longer than a minute:\n" +
                       result.output);
  if (result.exit_status != 0 || !image)
    throw CompileError(instantiation.label + " for host did not compile (" + ending_of(compiler_, result.exit_status) +
                       "):\n" + result.output);
  refuse_foreign_files(directory.path() / "kernel.d", instantiation.label);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  return {.image = std::move(*image),
          .compiler = version(),
          .log = std::move(result.output),
          .compile_ms = elapsed.count()};
}

}  // namespace scantune
