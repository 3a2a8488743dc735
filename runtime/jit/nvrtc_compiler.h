// Compiles instantiations to cubins with NVRTC, which is opened at the first compilation.
//
// Cache keys and the version of NVRTC: a warm start must not open NVRTC, so its version cannot be part of a key. A
// cubin for an exact sm_XX stays right whichever NVRTC made it; the cache entry records which one did. What a key does
// hold is kOldestNvrtc: raising it, when an older NVRTC turns out to miscompile a template, makes every earlier entry a
// miss. An NVRTC that SCANTUNE_NVRTC names has keys of its own, so that two can be compared.
#pragma once

#include <string>
#include <vector>

#include "jit/compiler.h"

namespace scantune {

struct NvrtcVersion {
  int major;
  int minor;

  auto operator<=>(const NvrtcVersion&) const = default;
};

inline constexpr NvrtcVersion kOldestNvrtc = {12, 4};  // the first with .b128 accesses and all that C++20 needs here

class NvrtcCompiler : public Compiler {
 public:
  // templates: what the kernels are compiled from; must outlive the compiler.
  explicit NvrtcCompiler(std::span<const TemplateFile> templates = template_files()) : templates_(templates) {}

  std::string fingerprint() const override;
  std::string version() override;
  Binary compile(const Instantiation& instantiation, const std::string& arch) override;

 private:
  std::span<const TemplateFile> templates_;
};

// Where NVRTC is looked for, in order: what SCANTUNE_NVRTC names and nothing else if it is set, the loader's search
// path, to which programs of the build tree add .venv by their run path, CUDA_HOME, CUDA_PATH and /usr/local/cuda.
std::vector<std::string> nvrtc_candidates();

}  // namespace scantune
