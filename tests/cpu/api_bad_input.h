// Tables of wrong arguments of the public functions, and the message about each.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {

struct Outcome {
  scantune_status status = SCANTUNE_OK;
  std::string text;
};

inline Outcome of_c(scantune_status status) { return {status, status == SCANTUNE_OK ? "" : scantune_error_message()}; }

inline Outcome of_cpp(const std::function<void()>& call) {
  try {
    call();
    return {};
  } catch (const RequestError& error) {
    return {SCANTUNE_REQUEST_ERROR, error.what()};
  } catch (const OutOfMemoryError& error) {
    return {SCANTUNE_OUT_OF_MEMORY, error.what()};
  }
}

using PlanOwner = std::unique_ptr<scantune_plan, decltype(&scantune_plan_destroy)>;

// Arguments are right when they are made of a device, for a row to spoil one of them.
template <class Arguments>
struct BadInputOf {
  const char* entry;  // a function, or the struct that several functions read
  const char* argument;
  const char* what;
  std::vector<std::function<Outcome(Arguments&)>> calls;
  std::vector<std::string> texts;
  scantune_status status = SCANTUNE_REQUEST_ERROR;
};

template <class Arguments>
void PrintTo(const BadInputOf<Arguments>& row, std::ostream* out) {
  *out << row.entry << ' ' << row.argument << ' ' << row.what;
}

// Each call of the row is refused with its texts before anything is launched or allocated.
template <class Arguments>
void expect_refused(const BadInputOf<Arguments>& row) {
  for (std::size_t index = 0; index < row.calls.size(); ++index) {
    SCOPED_TRACE("call " + std::to_string(index));
    const auto device = std::make_shared<FakeDevice>();
    set_current_device(device);
    Arguments arguments(device);
    const Outcome outcome = row.calls[index](arguments);
    EXPECT_EQ(outcome.status, row.status) << outcome.text;
    for (const std::string& text : row.texts)
      EXPECT_TRUE(contains(outcome.text, text)) << "'" << text << "' is not in: " << outcome.text;
    EXPECT_TRUE(device->launched.empty());
    EXPECT_TRUE(device->allocations.empty());
  }
}

}  // namespace scantune::testing
