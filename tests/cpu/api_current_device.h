// The public functions on a device that records what it is asked.
#pragma once

#include <gtest/gtest.h>

#include "api_plans.h"

namespace scantune::testing {

// What current_device() returns in this program, in the place of a GPU or the host device.
void set_current_device(std::shared_ptr<Device> device);

// A device of its own for each test.
class PublicApi : public ::testing::Test {
 protected:
  PublicApi() { set_current_device(device_); }

  const FakeLaunch& last_launch() const { return device_->launched.back(); }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
};

}  // namespace scantune::testing
