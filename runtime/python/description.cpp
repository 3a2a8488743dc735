#include "python/description.h"

#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>

#include "scantune/status.hpp"

namespace nb = nanobind;

namespace scantune::python {
namespace {

constexpr const char* kDescribe =
    "Call a function of this module, and say which configs ran, from which records, and why.\n\n"
    "function: such as scantune.cumsum.\n"
    "arguments, keywords: those of the function. It runs, and writes to out if that is given.\n"
    "\nReturns a text with a paragraph for each config; it is empty if none ran, as for an empty array. Raises what\n"
    "the function raises.";

thread_local std::string* written = nullptr;

// This thread writes a description as long as this lives.
class Description {
 public:
  Description() : before_(std::exchange(written, &text_)) {}
  ~Description() { written = before_; }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string* before_;
};

std::string described(const nb::object& function, const nb::args& arguments, const nb::kwargs& keywords) {
  const Description description;
  function(*arguments, **keywords);
  return description.text();
}

}  // namespace

void describe(const scantune_plan* plan) {
  if (written == nullptr) return;
  if (!written->empty()) *written += '\n';
  *written += scantune_plan_description(plan);
}

void describe(const scantune_head& request) {
  if (written == nullptr) return;
  scantune_plan* plan = nullptr;
  runtime::detail::check(scantune_plan_create(&request, &plan));
  const std::unique_ptr<scantune_plan, decltype(&scantune_plan_destroy)> owner(plan, &scantune_plan_destroy);
  describe(plan);
}

void add_describe(nb::module_& module) {
  module.def("describe", &described, nb::arg(), nb::arg("arguments"), nb::arg("keywords"),
             nb::sig("def describe(function, /, *arguments, **keywords)"), kDescribe);
}

}  // namespace scantune::python
