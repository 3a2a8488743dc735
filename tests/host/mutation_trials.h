// Launches of each algorithm that overlap, under one schedule after another: what mutants of the kernels are run by.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "device/host/host_device.h"
#include "jit/host_compiler.h"
#include "mutation_settings.h"

namespace scantune {

// Launches that overlap, of one setting.
class Trial {
 public:
  Trial(const Setting& setting, std::span<const TemplateFile> templates)
      : setting_(setting), compiler_(templates, "-O0") {}
  virtual ~Trial() = default;

  const Setting& setting() const { return setting_; }

  // What goes wrong; empty if all results are right.
  std::string failure(u64 seed) {
    return failure(Schedule::from_seed(seed + static_cast<u64>(&setting_ - kSettings.data()) * kSeeds));
  }
  virtual std::string failure(const Schedule& schedule) = 0;

 protected:
  const TestOperator* custom() const { return setting_.custom ? &*setting_.custom : nullptr; }

  unsigned char* allocated(std::size_t bytes, u64 misaligned_bytes) {
    return static_cast<unsigned char*>(device_.allocate(bytes + misaligned_bytes)) + misaligned_bytes;
  }

  // Takes the config that the setting names for a request, and returns how many items its tiles have.
  u64 configure(const Request& request);

  // Compiles the kernels of that config.
  void load(const Request& request, Variant variant);

  // What the device reports; empty if nothing.
  std::string run(std::span<const HostLaunch> launches, const Schedule& schedule);

  const Setting& setting_;
  HostDevice device_;
  HostCompiler compiler_;
  std::optional<Config> config_;
  std::unique_ptr<Module> module_;
};

// Makes the trial of the algorithm that the setting's family belongs to. The setting must be one of kSettings, since
// its place among them numbers its seeds.
std::unique_ptr<Trial> trial_of(const Setting& setting, std::span<const TemplateFile> templates);

}  // namespace scantune
