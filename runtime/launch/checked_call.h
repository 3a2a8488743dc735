// Calls that are checked in full, for which plans are remembered.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "launch/plan.h"

namespace scantune {

inline constexpr std::optional<CustomOperatorView> kNoSource;

struct Call {
  const Request& request;                                       // n is not 0, unless there is a result without items
  const std::optional<CustomOperatorView>& custom = kNoSource;  // none unless it has a source of the caller's
  const Pointers& pointers;
  const InitialValue& init;
  int captured_launches = 0;
  std::string_view config;  // the caller's text; empty where the config is chosen
  Stream stream = nullptr;
  const CallStates* states = nullptr;  // of sources; null where none has a state
};

// The plans that a thread has used recently: a bounded set, which evicts the least recently used.
class PlanCache {
 public:
  static constexpr std::size_t kLeastRemembered = 4;  // so many of the plans used last, at least

  PlanCache() = default;
  PlanCache(const PlanCache&) = delete;  // last_ points into it
  PlanCache& operator=(const PlanCache&) = delete;

  // Null if the plan is not remembered. Custom operators are compared by source and name, given configs by their text.
  Plan* find(const Device& device, const Call& call);
  Plan& insert(std::shared_ptr<Plan> plan, const Call& call);
  void clear();

 private:
  static constexpr std::size_t kSets = 8;

  struct Entry {
    std::shared_ptr<Plan> plan;
    int captured_launches = 0;
    std::string config;  // as it was given
    u64 last_use = 0;
  };
  using Set = std::array<Entry, kLeastRemembered>;

  Set& set_of(const Call& call);

  std::array<Set, kSets> sets_;
  Entry* last_ = nullptr;  // looked at first: most calls repeat the one before
  u64 uses_ = 0;
};

// Returns the records that a plan is chosen by.
using RecordsForAPlan = std::shared_ptr<const TuningTable> (*)();

// Checks the arguments with the driver's help, creates or finds the plan, and runs it. Throws RequestError before
// anything is launched.
void run_checked(const std::shared_ptr<Device>& device, RecordsForAPlan records, PlanCache& plans, const Call& call);

// Throws RequestError unless the pointers that a plan stores, such as device_n, point to the device's memory.
void check_kept_pointers(Device& device, const Request& request, const Pointers& pointers);

}  // namespace scantune
