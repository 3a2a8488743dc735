// Compilers for tests. Where SCANTUNE_TEST_KERNELS names a directory, binaries and logs are kept there under the keys
// of the library's cache, so that a second run of the tests compiles only what has changed.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "jit/cached_compiler.h"
#include "jit/host_compiler.h"
#include "jit/nvrtc_compiler.h"

namespace scantune {

inline std::unique_ptr<Compiler> kept(std::unique_ptr<Compiler> compiler) {
  const char* const directory = std::getenv("SCANTUNE_TEST_KERNELS");
  std::optional<std::filesystem::path> kernels;
  if (directory != nullptr) kernels = directory;
  return std::make_unique<CachedCompiler>(std::move(compiler), BinaryCache(kernels));
}

inline std::unique_ptr<Compiler> kept_host_compiler() { return kept(std::make_unique<HostCompiler>()); }

// Compiles for an architecture such as "sm_90". A process compiles no source twice for one.
inline const Binary& compile_with_nvrtc(const Instantiation& instantiation, const std::string& arch) {
  static std::map<std::string, Binary> binaries;
  const std::string key = arch + "\n" + instantiation.source;
  const auto known = binaries.find(key);
  if (known != binaries.end()) return known->second;
  return binaries.emplace(key, kept(std::make_unique<NvrtcCompiler>())->compile(instantiation, arch)).first->second;
}

}  // namespace scantune
