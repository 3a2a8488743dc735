// Errors on both sides of the C interface: statuses, exceptions and messages.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>

#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

// Checks an error inside the library: the status that it becomes, and the exception that C++ makes of that.
template <class Thrown, class Caught = Thrown>
void expect_status(FakeDevice& device, scantune_status status, const Thrown& thrown, const char* text,
                   int cuda_result = 0) {
  device.before_load = [&] { throw thrown; };
  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.n = 1000;
  request.input_type = request.output_type = SCANTUNE_I32;
  scantune_plan* plan = nullptr;
  EXPECT_EQ(scantune_plan_create(&request.head, &plan), status);
  EXPECT_EQ(plan, nullptr);
  EXPECT_TRUE(contains(scantune_error_message(), text)) << scantune_error_message();
  EXPECT_EQ(scantune_error_cuda_result(), cuda_result) << text;
  try {
    runtime::plan<int>(1000);
    ADD_FAILURE() << "no exception of status " << status;
  } catch (const Error& error) {
    EXPECT_EQ(typeid(error), typeid(Caught)) << "status " << status;
    EXPECT_TRUE(contains(error.what(), text)) << error.what();
    const auto* const of_device = dynamic_cast<const DeviceError*>(&error);
    EXPECT_EQ(of_device != nullptr ? of_device->cuda_result : 0, cuda_result) << text;
  }
}

TEST_F(PublicApi, ErrorsAreTheSameOnBothSidesOfTheCInterface) {
  FakeDevice& device = *device_;
  device.lost = "it has failed";  // a lost device keeps the library from trying another config
  expect_status(device, SCANTUNE_REQUEST_ERROR, RequestError("refused"), "refused");
  expect_status(device, SCANTUNE_COMPILE_ERROR, CompileError("a whole log"), "a whole log");
  expect_status(device, SCANTUNE_DEVICE_ERROR, DeviceError("no driver"), "no driver");
  expect_status(device, SCANTUNE_DEVICE_ERROR, DeviceError("not permitted", 800), "not permitted", 800);
  expect_status(device, SCANTUNE_OUT_OF_MEMORY, OutOfMemoryError("80 GiB", 2), "80 GiB", 2);
  expect_status(device, SCANTUNE_OUT_OF_MEMORY, OutOfMemoryError("80 GiB"), "80 GiB");
  expect_status(device, SCANTUNE_DATABASE_ERROR, DatabaseError("no table"), "no table");
  expect_status<std::bad_alloc, Error>(device, SCANTUNE_INTERNAL_ERROR, {}, "the host is out of memory");
  expect_status<std::logic_error, Error>(device, SCANTUNE_INTERNAL_ERROR, std::logic_error("odd"), "odd");
  expect_status<int, Error>(device, SCANTUNE_INTERNAL_ERROR, 7, "unknown type");
}

TEST_F(PublicApi, MessagesBelongToTheirThreadAndOutliveSuccess) {
  std::thread([] { EXPECT_STREQ(scantune_error_message(), ""); }).join();
  ASSERT_EQ(scantune_buffer_create(1, SCANTUNE_CURRENT_GPU, nullptr), SCANTUNE_REQUEST_ERROR);
  const std::string message = scantune_error_message();
  std::thread([] { scantune_plan_run(nullptr, nullptr, nullptr, nullptr); }).join();
  EXPECT_EQ(scantune_release(nullptr, SCANTUNE_CURRENT_GPU), SCANTUNE_OK);
  EXPECT_EQ(scantune_error_message(), message);
}

}  // namespace
}  // namespace scantune::testing
