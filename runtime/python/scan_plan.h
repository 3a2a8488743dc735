// Scans whose shapes, strides and types are fixed: scantune.plan.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "python/scan_call.h"

namespace scantune::python {

class ScanPlan {
 public:
  // Throws ValueError if the scan takes several launches, and as the library does.
  explicit ScanPlan(const ScanCall& scan);

  // Scans x into out, which must be as the plan's arrays except for their places in memory.
  nanobind::object scanned(const nanobind::object& x, const nanobind::object& out, nanobind::object stream) const;
  std::string description() const { return scantune_plan_description(plan_.get()); }

 private:
  // What an array of the plan is like.
  struct Model {
    const ElementType* type;
    std::vector<Extent> extents;
  };
  void run(const Array& x, const Array& out, std::uint64_t stream) const;
  static void check(const Call& call, const char* name, const Array& array, const Model& model);

  struct Destroy {
    void operator()(scantune_plan* plan) const { scantune_plan_destroy(plan); }
  };
  Model x_, out_;
  Place place_;
  std::unique_ptr<scantune_plan, Destroy> plan_;  // none for no items
};

// Adds plan, and the class of what it returns, to the module.
void add_plans(nanobind::module_& module);

}  // namespace scantune::python
