// Textbook kernels that have a race (templates/gallery/races.h). Only the host device runs them, to show what is wrong.
// They belong to no family, so nothing can select, tune or time them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/host/host_device.h"

namespace scantune {

struct Exhibit {
  const char* name;                  // of the kernel that has the race
  const char* family;                // which does the same without it, by as many launches
  const char* flaw;                  // what is missing
  std::vector<std::string> kernels;  // in the places of the family's
  u64 n;                             // items, of type u32, that it sums up or scans
};

std::span<const Exhibit> exhibits();

// What a schedule has shown.
struct ShownFault {
  u64 seed;
  std::string schedule;
  std::string fault;  // a wrong item, or a report of the device
};

struct ExhibitRuns {
  int schedules = 0;
  int wrong = 0;                    // of these, with a wrong result
  std::optional<ShownFault> first;  // the first of them
  int wrong_of_family = 0;          // with a wrong result of the family, under the same schedules
};

// Runs the exhibit and its family under as many schedules, those of the seeds from `seed` on. Throws CompileError.
ExhibitRuns run_exhibit(HostDevice& device, const Exhibit& exhibit, u64 seed, int schedules);

}  // namespace scantune
