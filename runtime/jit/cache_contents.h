// Lists the contents of a directory of compiled kernels, and shrinks it while other processes use it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/contract/types.h"

namespace scantune {

struct CacheEntry {
  std::filesystem::path file;
  u64 bytes;
  std::int64_t used_at;  // seconds since 1970, up to a day early
};

struct CacheContents {
  std::vector<CacheEntry> entries;  // the least recently used first

  u64 kernels() const { return entries.size(); }
  u64 bytes() const;
};

// Regular files with names that BinaryCache gives; nothing else in the directory is looked at. The result is empty if
// there is no such directory. Throws Error if it cannot be read.
CacheContents cache_contents(const std::filesystem::path& directory);

// Removes the least recently used entries until at most this many bytes are left, and half-written files of dead
// processes that are over an hour old. An entry is one file, so another process finds it whole or recompiles; an entry
// that is used at the same time stays. Returns the removed entries. Throws Error if one cannot be removed.
CacheContents evict(const std::filesystem::path& directory, u64 most_bytes);

}  // namespace scantune
