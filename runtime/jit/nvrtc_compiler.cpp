#include "jit/nvrtc_compiler.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "jit/nvrtc_library.h"
#include "scantune/error.hpp"
#include "support/environment.h"

namespace scantune {
namespace {

// The templates' constexpr functions carry no __device__, since a host compiler reads them too. Resource usage goes to
// the log: registers, shared memory and spills are what a reader of a slow kernel needs first. No header is looked for
// in the current directory, which is not part of a binary's key.
constexpr const char* kOptions[] = {"--std=c++20", "--device-as-default-execution-space", "--minimal",
                                    "--no-source-include", "--ptxas-options=-v"};

// The templates as NVRTC takes its in-memory headers.
struct Headers {
  std::vector<const char*> texts;
  std::vector<const char*> names;

  explicit Headers(std::span<const TemplateFile> templates) {
    for (const TemplateFile& file : templates) {
      texts.push_back(file.text);
      names.push_back(file.path);
    }
  }
  int count() const { return static_cast<int>(names.size()); }
};

class Program {
 public:
  Program(const NvrtcLibrary& nvrtc, const Instantiation& instantiation, const Headers& headers) : nvrtc_(nvrtc) {
    const nvrtcResult result = nvrtc.nvrtcCreateProgram(&program_, instantiation.source.c_str(), "scantune_kernel.cu",
                                                        headers.count(), headers.texts.data(), headers.names.data());
    if (result != NVRTC_SUCCESS) fail("nvrtcCreateProgram", result);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { nvrtc_.nvrtcDestroyProgram(&program_); }

  nvrtcResult compile(const std::string& arch) {
    const std::string arch_option = "--gpu-architecture=" + arch;
    std::vector<const char*> options(std::begin(kOptions), std::end(kOptions));
    options.push_back(arch_option.c_str());
    return nvrtc_.nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }

  std::string log() const {
    std::size_t bytes = 0;
    if (nvrtc_.nvrtcGetProgramLogSize(program_, &bytes) != NVRTC_SUCCESS || bytes <= 1) return {};
    std::string text(bytes, '\0');
    nvrtc_.nvrtcGetProgramLog(program_, text.data());
    text.resize(bytes - 1);  // the terminating zero
    return text;
  }

  std::vector<char> cubin() const {
    std::size_t bytes = 0;
    if (const nvrtcResult result = nvrtc_.nvrtcGetCUBINSize(program_, &bytes); result != NVRTC_SUCCESS)
      fail("nvrtcGetCUBINSize", result);
    std::vector<char> image(bytes);
    if (const nvrtcResult result = nvrtc_.nvrtcGetCUBIN(program_, image.data()); result != NVRTC_SUCCESS)
      fail("nvrtcGetCUBIN", result);
    return image;
  }

 private:
  [[noreturn]] void fail(const char* call, nvrtcResult result) const {
    throw DeviceError(std::string(call) + " failed: " + nvrtc_.nvrtcGetErrorString(result));
  }

  const NvrtcLibrary& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

std::string name_and_version(const NvrtcLibrary& nvrtc) {
  const NvrtcVersion version = nvrtc.version();
  return "NVRTC " + std::to_string(version.major) + "." + std::to_string(version.minor);
}

constexpr int kOldestSm = 70;  // older ones lack __grid_constant__, which every kernel has
constexpr int kOldestSmOfCuda13 = 75;

// 90 of sm_90 and of its variant sm_90a.
int sm_number(const std::string& arch) {
  int sm = 0;
  if (arch.starts_with("sm_")) std::from_chars(arch.data() + 3, arch.data() + arch.size(), sm);
  return sm;
}

// NVRTC's own message for an unknown architecture names neither NVRTC nor the architectures that it knows.
void check_arch(const NvrtcLibrary& nvrtc, const std::string& arch) {
  const int sm = sm_number(arch);
  if (sm < kOldestSm)
    throw DeviceError("scantune has no kernels for " + arch + ": they need compute capability " +
                      std::to_string(kOldestSm / 10) + ".0 or newer. SCANTUNE_DEVICE=host runs on the CPU.");
  const std::vector<int> sms = nvrtc.supported_sms();
  if (std::ranges::find(sms, sm) != sms.end()) return;
  std::string known;
  for (const int one : sms) known += " sm_" + std::to_string(one);
  const char* advice = "Install the NVRTC of a newer CUDA release, and set SCANTUNE_NVRTC to it.";
  if (sm < std::ranges::min(sms)) advice = "Install the NVRTC of an older CUDA release, and set SCANTUNE_NVRTC to it.";
  if (sm < kOldestSmOfCuda13)
    advice =
        "CUDA 12.9 is the last that does: pip install 'nvidia-cuda-nvrtc-cu12==12.9.*', and set SCANTUNE_NVRTC to the "
        "folder nvidia/cuda_nvrtc/lib that it brings.";
  throw DeviceError(name_and_version(nvrtc) + " cannot compile for " + arch + "; it knows" + known + ". " + advice);
}

}  // namespace

std::string NvrtcCompiler::fingerprint() const {
  std::string text = "nvrtc >= " + std::to_string(kOldestNvrtc.major) + "." + std::to_string(kOldestNvrtc.minor);
  for (const char* option : kOptions) text += std::string(" ") + option;
  if (const char* named = environment_variable("SCANTUNE_NVRTC"); named && *named) text += std::string(" by ") + named;
  return text;
}

std::string NvrtcCompiler::version() { return name_and_version(NvrtcLibrary::instance()); }

Binary NvrtcCompiler::compile(const Instantiation& instantiation, const std::string& arch) {
  const NvrtcLibrary& nvrtc = NvrtcLibrary::instance();
  check_arch(nvrtc, arch);
  const Headers headers(templates_);
  const auto start = std::chrono::steady_clock::now();
  Program program(nvrtc, instantiation, headers);
  const nvrtcResult result = program.compile(arch);
  if (result != NVRTC_SUCCESS)
    throw CompileError(name_and_version(nvrtc) + ": " + instantiation.label + " for " + arch + " did not compile (" +
                       nvrtc.nvrtcGetErrorString(result) + "):\n" + program.log());
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  return {program.cubin(), name_and_version(nvrtc), program.log(), elapsed.count()};
}

}  // namespace scantune
