// Compiles kernels for the host device with the system's C++ compiler.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "jit/compiler.h"

namespace scantune {

class HostCompiler : public Compiler {
 public:
  // templates: what the kernels are compiled from; must outlive the compiler. optimization: an option such as -O1.
  explicit HostCompiler(std::span<const TemplateFile> templates = template_files(), std::string optimization = "-O1");

  std::string fingerprint() const override;
  std::string version() override;

  // Runs SCANTUNE_CXX, or else c++ or g++ from the PATH. Throws DeviceError without a compiler, CompileError with the
  // compiler's whole log if it fails or takes longer than a minute, and CompileError without the log if it read any
  // file other than the kernel and the templates. arch must be "host".
  Binary compile(const Instantiation& instantiation, const std::string& arch) override;

 private:
  void refuse_foreign_files(const std::filesystem::path& dependencies, const std::string& label) const;

  std::vector<std::string> options() const;

  std::span<const TemplateFile> templates_;
  std::string optimization_;
  std::filesystem::path compiler_;  // empty: none found
  std::mutex mutex_;
  std::string version_;  // queried once
};

}  // namespace scantune
