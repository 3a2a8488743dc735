// Which device a worker runs on: "cuda", "cuda:1" or "host".
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/device.h"

namespace scantune {

class DeviceChoice {
 public:
  // seed is that of the host device's schedules. Throws RequestError if either is malformed.
  static DeviceChoice parse(const std::string& device, const std::optional<std::string>& seed);

  // It is called before anything else touches a device, since it passes the choice on in the environment. Throws
  // DeviceError when there is no such device, and may then be called again.
  std::shared_ptr<Device> open();

 private:
  bool is_host_ = false;
  unsigned index_ = 0;
  std::optional<std::string> seed_;
  bool passed_on_ = false;
};

}  // namespace scantune
