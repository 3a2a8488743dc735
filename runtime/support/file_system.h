// The kind of file system of a file.
#pragma once

#include <filesystem>

namespace scantune {

// Whether other machines may write to a file there, and so whether its locks may fail or exclude nobody. Returns false
// where the file system is not listed.
bool is_on_network(const std::filesystem::path& file);

}  // namespace scantune
