// A compiler with a disk cache before it.
#pragma once

#include <memory>

#include "jit/binary_cache.h"

namespace scantune {

class CachedCompiler : public Compiler {
 public:
  CachedCompiler(std::unique_ptr<Compiler> compiler, BinaryCache cache)
      : compiler_(std::move(compiler)), cache_(std::move(cache)) {}

  std::string fingerprint() const override { return compiler_->fingerprint(); }
  std::string version() override { return compiler_->version(); }

  // Returns the cached binary, with compile_ms 0, or a new one, which is then cached. Two processes that miss at once
  // both compile, and each uses its own.
  Binary compile(const Instantiation& instantiation, const std::string& arch) override;

 private:
  std::unique_ptr<Compiler> compiler_;
  BinaryCache cache_;
};

}  // namespace scantune
