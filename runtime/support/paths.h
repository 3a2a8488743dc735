// Where scantune keeps its files, by the XDG Base Directory rules.
#pragma once

#include <filesystem>
#include <optional>

namespace scantune {

// SCANTUNE_CACHE, or scantune under $XDG_CACHE_HOME or ~/.cache. nullopt: no cache, because SCANTUNE_CACHE is set to
// nothing or because no home is known.
std::optional<std::filesystem::path> cache_directory();

// scantune under $XDG_DATA_HOME or ~/.local/share; nullopt when no home is known.
std::optional<std::filesystem::path> data_directory();

}  // namespace scantune
