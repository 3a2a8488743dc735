// Compiles instantiations to cubins with NVRTC, which is opened at the first compilation.
//
// A warm start must not open NVRTC, so cache keys do not contain its version. A cubin for an exact sm_XX is valid
// whichever NVRTC compiled it; the cache entry records which one did. Keys contain kOldestNvrtc: if an older NVRTC
// turns out to miscompile a template, raise it, and every earlier entry becomes a miss. An NVRTC that SCANTUNE_NVRTC
// names has its own keys, so that two can be compared.
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

// Where NVRTC is searched, in order: SCANTUNE_NVRTC, and nothing else if it is set; the loader's search path, to which
// programs of the build tree add .venv by their run path, and a wheel's the wheel of NVRTC beside it; CUDA_HOME,
// CUDA_PATH, CONDA_PREFIX and /usr/local/cuda.
std::vector<std::string> nvrtc_candidates();

}  // namespace scantune
