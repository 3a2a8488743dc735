#include "support/paths.h"

#include "support/environment.h"

namespace scantune {
namespace {

// The rules say that a relative path is to be ignored.
std::optional<std::filesystem::path> absolute_path_in(const char* variable) {
  const char* value = environment_variable(variable);
  if (!value || *value != '/') return std::nullopt;
  return std::filesystem::path(value);
}

std::optional<std::filesystem::path> xdg_directory(const char* variable, const char* under_home) {
  if (const auto base = absolute_path_in(variable)) return *base / "scantune";
  if (const auto home = absolute_path_in("HOME")) return *home / under_home / "scantune";
  return std::nullopt;
}

}  // namespace

std::optional<std::filesystem::path> cache_directory() {
  if (const char* value = environment_variable("SCANTUNE_CACHE")) {
    if (*value == '\0') return std::nullopt;
    return std::filesystem::absolute(value);
  }
  return xdg_directory("XDG_CACHE_HOME", ".cache");
}

std::optional<std::filesystem::path> data_directory() { return xdg_directory("XDG_DATA_HOME", ".local/share"); }

}  // namespace scantune
