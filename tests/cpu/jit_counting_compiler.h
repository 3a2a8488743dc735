// A compiler whose binaries are the source's text.
#pragma once

#include <atomic>

#include "jit/compiler.h"
#include "scantune/error.hpp"

namespace scantune {

class CountingCompiler : public Compiler {
 public:
  explicit CountingCompiler(std::atomic<int>& compilations) : compilations_(compilations) {}

  std::string fingerprint() const override { return "counting"; }
  Binary compile(const Instantiation& instantiation, const std::string& arch) override {
    ++compilations_;
    if (instantiation.source == "wrong") throw CompileError("the source is wrong");
    const std::string text = instantiation.source + " for " + arch;
    return {{text.begin(), text.end()}, "counting 1.0", "no remarks", 12.5};
  }

 private:
  std::atomic<int>& compilations_;
};

inline Instantiation instantiation_of(const std::string& source) { return {source, {}, {"kernel"}, "a test's kernel"}; }

}  // namespace scantune
