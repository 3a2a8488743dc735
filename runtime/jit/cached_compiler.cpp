#include "jit/cached_compiler.h"

#include "jit/binary_key.h"

namespace scantune {

Binary CachedCompiler::compile(const Instantiation& instantiation, const std::string& arch) {
  const std::string key = binary_key(*compiler_, instantiation, arch);
  if (std::optional<Binary> cached = cache_.load(key)) return *std::move(cached);
  Binary binary = compiler_->compile(instantiation, arch);
  cache_.store(key, binary);
  return binary;
}

}  // namespace scantune
