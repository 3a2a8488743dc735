#include "device/device.h"

#include <string_view>

#include "scantune/error.hpp"
#include "support/environment.h"

namespace scantune {
namespace {

enum class Choice { cuda, host };

Choice choice() {
  const char* variable = environment_variable("SCANTUNE_DEVICE");
  const std::string_view name = variable ? variable : "";
  if (name.empty() || name == "cuda") return Choice::cuda;
  if (name == "host") return Choice::host;
  throw DeviceError("SCANTUNE_DEVICE is '" + std::string(name) + "'; it must be cuda (the default) or host");
}

}  // namespace

const std::shared_ptr<Device>& current_device() {
  static const Choice kChoice = choice();  // read once: plans of one process belong together
  return kChoice == Choice::host ? host_device() : cuda_device();
}

}  // namespace scantune
