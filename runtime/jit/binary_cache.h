// Compiled kernels on disk: one file per key, in a directory that only its owner may read.
//
// A file is magic, checksum, key, sizes, then compiler, log and image. It is written under a temporary name, synced and
// renamed, so readers see a whole file or none. A file that cannot be read is a miss. Failures here are never errors: a
// scan must not fail because a disk is full.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "jit/compiler.h"

namespace scantune {

// The end of a file's name, after the key of 64 hexadecimal digits. While the file is written, a dot and
// kTemporaryDigits characters follow.
inline constexpr std::string_view kCacheSuffix = ".bin";
inline constexpr std::size_t kTemporaryDigits = 6;

class BinaryCache {
 public:
  // nullopt: no cache; every load misses and every store does nothing.
  explicit BinaryCache(std::optional<std::filesystem::path> directory) : directory_(std::move(directory)) {}

  // The binary stored under the key, with compile_ms 0; nullopt if it is missing or damaged. A file that another user
  // owns or may write is not trusted, since this process would run the host device's binaries. Nor is a file in such a
  // directory, which is left alone and named once. If the file's modification time is older than a day, it is set to
  // now, so it tells when the file was last used.
  std::optional<Binary> load(const std::string& key) const;

  // Says once, on standard error, when the directory cannot be written.
  void store(const std::string& key, const Binary& binary) const;

 private:
  bool is_usable() const;
  std::filesystem::path file(const std::string& key) const { return *directory_ / (key + std::string(kCacheSuffix)); }

  std::optional<std::filesystem::path> directory_;
};

}  // namespace scantune
