#include "jit/cache_contents.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "jit/binary_cache.h"
#include "scantune/error.hpp"
#include "support/sha256.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyDigits = Sha256::kHexDigits;
constexpr std::int64_t kAbandonedAfterS = 3600;  // no compilation takes so long to write

bool is_entry(std::string_view name) {
  const bool is_key = name.substr(0, kKeyDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return name.size() == kKeyDigits + kCacheSuffix.size() && is_key && name.ends_with(kCacheSuffix);
}

bool is_half_written(std::string_view name) {
  constexpr std::size_t kEntry = kKeyDigits + kCacheSuffix.size();
  return name.size() == kEntry + 1 + kTemporaryDigits && name[kEntry] == '.' && is_entry(name.substr(0, kEntry));
}

// nullopt if it is gone or no regular file.
std::optional<CacheEntry> entry_of(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return CacheEntry{file, static_cast<u64>(status.st_size), status.st_mtime};
}

template <class Named>
std::vector<CacheEntry> files_of(const fs::path& directory, const Named& is_named) {
  std::vector<CacheEntry> found;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error))
    if (is_named(file->path().filename().native()))
      if (auto entry = entry_of(file->path())) found.push_back(*std::move(entry));
  if (error && error != std::errc::no_such_file_or_directory)
    throw Error("the kernel cache " + directory.string() + " cannot be read: " + error.message());
  return found;
}

// Returns false if the entry is gone, or was written or used since it was looked at.
bool removed(const CacheEntry& entry) {
  const auto now = entry_of(entry.file);
  if (!now || now->used_at != entry.used_at) return false;
  if (::unlink(entry.file.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw Error(entry.file.string() + " cannot be removed: " + std::strerror(errno));
}

void sweep(const fs::path& directory) {
  for (const CacheEntry& file : files_of(directory, is_half_written))
    if (std::time(nullptr) - file.used_at > kAbandonedAfterS) removed(file);
}

}  // namespace

u64 CacheContents::bytes() const {
  u64 sum = 0;
  for (const CacheEntry& entry : entries) sum += entry.bytes;
  return sum;
}

CacheContents cache_contents(const fs::path& directory) {
  CacheContents contents{files_of(directory, is_entry)};
  std::ranges::stable_sort(contents.entries, {}, &CacheEntry::used_at);
  return contents;
}

CacheContents evict(const fs::path& directory, u64 most_bytes) {
  sweep(directory);
  const CacheContents contents = cache_contents(directory);
  CacheContents gone;
  u64 left = contents.bytes();
  for (const CacheEntry& entry : contents.entries) {
    if (left <= most_bytes) break;
    if (!removed(entry)) continue;
    left -= entry.bytes;
    gone.entries.push_back(entry);
  }
  return gone;
}

}  // namespace scantune
