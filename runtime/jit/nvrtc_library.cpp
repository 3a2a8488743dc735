#include "jit/nvrtc_library.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "scantune/error.hpp"
#include "support/environment.h"

namespace scantune {
namespace {

constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

void add_directory(std::vector<std::string>& candidates, const std::filesystem::path& directory) {
  for (const char* name : kNames) candidates.push_back(directory / name);
}

[[noreturn]] void throw_not_found(const std::string& failures) {
  throw DeviceError(
      "NVRTC, CUDA's run-time compiler, could not be opened:\n" + failures +
      "Install the CUDA toolkit or 'pip install nvidia-cuda-nvrtc', and set SCANTUNE_NVRTC to libnvrtc.so.* or its "
      "folder if it is elsewhere.");
}

std::string spelled(NvrtcVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

// NVRTC opens its builtins by bare name, and the loader looks for that beside NVRTC only where NVRTC's file says so:
// PyPI's does not. Once they are loaded, NVRTC finds them by their name. NVRTC itself reports a failure, when it
// compiles.
void load_builtins_beside(const std::string& nvrtc_path, NvrtcVersion version) {
  const std::filesystem::path directory = std::filesystem::path(nvrtc_path).parent_path();
  const DynamicLibrary builtins({directory / ("libnvrtc-builtins.so." + spelled(version))});
}

}  // namespace

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> candidates;
  if (const char* named = environment_variable("SCANTUNE_NVRTC"); named && *named) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(named, ignored)) return {named};
    add_directory(candidates, named);
    return candidates;
  }
  candidates.assign(std::begin(kNames), std::end(kNames));
  const std::pair<const char*, const char*> roots[] = {
      {"CUDA_HOME", "lib64"}, {"CUDA_PATH", "lib64"}, {"CONDA_PREFIX", "lib"}};
  for (const auto& [variable, folder] : roots)
    if (const char* root = environment_variable(variable); root && *root)
      add_directory(candidates, std::filesystem::path(root) / folder);
  add_directory(candidates, "/usr/local/cuda/lib64");
  return candidates;
}

NvrtcLibrary::NvrtcLibrary(const std::vector<std::string>& candidates) : library_(candidates) {
  if (!library_) throw_not_found(library_.failures());
#define SCANTUNE_RESOLVE(function)                                                                               \
  function = library_.find_as<decltype(function)>(#function);                                                    \
  if (!function)                                                                                                 \
    throw DeviceError(library_.path() + " has no function " #function ": it is not NVRTC, or older than CUDA " + \
                      spelled(kOldestNvrtc));
  SCANTUNE_NVRTC_FUNCTIONS(SCANTUNE_RESOLVE)
#undef SCANTUNE_RESOLVE
  if (version() < kOldestNvrtc)
    throw DeviceError(library_.path() + " is NVRTC " + spelled(version()) + "; scantune needs " +
                      spelled(kOldestNvrtc) +
                      " or newer. Set SCANTUNE_NVRTC to a newer one, or 'pip install nvidia-cuda-nvrtc'.");
  load_builtins_beside(library_.path(), version());
}

const NvrtcLibrary& NvrtcLibrary::instance() {
  static const NvrtcLibrary kLibrary(nvrtc_candidates());
  return kLibrary;
}

NvrtcVersion NvrtcLibrary::version() const {
  NvrtcVersion version{};
  nvrtcVersion(&version.major, &version.minor);
  return version;
}

std::vector<int> NvrtcLibrary::supported_sms() const {
  int count = 0;
  nvrtcGetNumSupportedArchs(&count);
  std::vector<int> sms(static_cast<std::size_t>(count));
  nvrtcGetSupportedArchs(sms.data());
  return sms;
}

}  // namespace scantune
