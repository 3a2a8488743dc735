// scan(): everything is checked, and plans are remembered.
#pragma once

#include <memory>

#include "launch/scan_plan.h"

namespace scantune {

// The plans that a thread has used lately. Bounded; the least recently used of a set makes room.
class PlanCache {
 public:
  // Null if the plan is not remembered.
  ScanPlan* find(const Device& device, const ScanRequest& request, int captured_launches);
  ScanPlan& insert(std::shared_ptr<ScanPlan> plan, int captured_launches);

 private:
  static constexpr std::size_t kSets = 8;
  static constexpr std::size_t kWays = 4;

  struct Entry {
    std::shared_ptr<ScanPlan> plan;
    int captured_launches = 0;
    u64 last_use = 0;
  };
  using Set = std::array<Entry, kWays>;

  Set& set_of(const ScanRequest& request);

  std::array<Set, kSets> sets_;
  u64 uses_ = 0;
};

// Checks the arguments with the driver's help, makes or remembers the plan, and runs it. Throws RequestError before
// anything is launched.
void checked_scan(const std::shared_ptr<Device>& device, const TuningTable& table, PlanCache& plans,
                  const ScanRequest& request, const void* input, void* output, const void* init, int captured_launches,
                  Stream stream);

}  // namespace scantune
