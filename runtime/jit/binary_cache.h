// Compiled kernels on disk: one file per key, in a directory that only its owner may read.
//
// A file is magic, checksum, key, sizes, then compiler, log and image. It is written under a temporary name, synced and
// renamed, so readers see a whole file or none. Whatever cannot be read as such a file is a miss. Nothing that goes
// wrong here is an error: a scan must not fail because a disk is full.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "jit/compiler.h"

namespace scantune {

// The end of a file's name, behind the key of 64 hexadecimal digits. While the file is written, a dot and
// kTemporaryDigits characters follow.
inline constexpr std::string_view kCacheSuffix = ".bin";
inline constexpr std::size_t kTemporaryDigits = 6;

class BinaryCache {
 public:
  // nullopt: no cache; every load misses and every store does nothing.
  explicit BinaryCache(std::optional<std::filesystem::path> directory) : directory_(std::move(directory)) {}

  // The binary that was stored under the key, with compile_ms 0; nullopt if there is none or it is damaged. A file that
  // another user owns or may write is not trusted: the host device's binaries are code that this process would run. Nor
  // is anything in such a directory, which is left alone and named once. The file's time of modification is moved to
  // now if it is older than a day, and so tells when it was used.
  std::optional<Binary> load(const std::string& key) const;

  // Says once, on standard error, when the directory cannot be written.
  void store(const std::string& key, const Binary& binary) const;

 private:
  bool is_usable() const;
  std::filesystem::path file(const std::string& key) const { return *directory_ / (key + std::string(kCacheSuffix)); }

  std::optional<std::filesystem::path> directory_;
};

}  // namespace scantune
