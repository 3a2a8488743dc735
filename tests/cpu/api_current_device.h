// A fixture that calls the public functions on a device that records what it is asked.
#pragma once

#include <gtest/gtest.h>

#include "api_plans.h"

namespace scantune::testing {

// Sets what current_device() returns in this program, in place of a GPU or the host device.
void set_current_device(std::shared_ptr<Device> device);

// Each test has a device of its own.
class PublicApi : public ::testing::Test {
 protected:
  PublicApi() { set_current_device(device_); }

  const FakeLaunch& last_launch() const { return device_->launched.back(); }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
};

}  // namespace scantune::testing
