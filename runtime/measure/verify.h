// Runs a config and compares what it returns with the CPU's reference, before it may win.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "measure/reference.h"
#include "measure/verify_run.h"
#include "scantune/error.hpp"

namespace scantune {

struct WrongResult : Error {  // names size, alignment, first wrong item, expected and found
  using Error::Error;
};

struct VerifyOptions {
  u64 seed = 1;
  // Also the kinds of scan that a record of this request would serve: inclusive, and exclusive from an initial value.
  bool all_kinds = true;
};

// The problems whose kernels verify() runs: every kind, for aligned pointers and for any; the request itself first.
std::vector<ScanRequest> verified_requests(const ScanRequest& request, bool all_kinds);

class Verifier {
 public:
  explicit Verifier(Device& device) : device_(device) {}

  // Scans request.n items, one fewer, and sizes around the config's tile; by the kernel for aligned pointers and by the
  // one for any pointer; out of place and in place; into poisoned outputs between guard zones; again and again on one
  // workspace that is never cleared. Returns the number of cases. Throws WrongResult, and what PreparedScan and the
  // device throw. At large n the time goes into copying: two inputs to the device and two outputs back.
  int verify(const ScanRequest& request, const Config& config, const VerifyOptions& options = {});

 private:
  using ReferenceKey = std::tuple<InputSpec, Kind, bool>;  // with has_init
  const Reference& reference(const ScanRequest& request, const InputSpec& input);

  Device& device_;
  // A reference costs a pass over all items, and the next candidate needs the same ones.
  std::map<ReferenceKey, std::unique_ptr<const Reference>> references_;
};

}  // namespace scantune
