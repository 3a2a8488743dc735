// Runs a config and compares what it returns with the CPU's reference, before it may be recorded.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "measure/device_check.h"
#include "measure/reference.h"
#include "measure/spec_cache.h"
#include "measure/verify_run.h"
#include "scantune/error.hpp"

namespace scantune {

struct WrongResult : Error {  // names size, alignment, first wrong item, expected and found
  using Error::Error;
};

constexpr u64 kOtherKindsItems = u64{1} << 22;  // other kinds than the request's are not run on more items

struct VerifyOptions {
  u64 seed = 1;
  // Verifies also what else a record of this request would serve: scans inclusive, exclusive, and from initial values
  // in the arguments and in memory.
  bool all_kinds = true;
  // Outputs of more items are checked on the device, where they can be: the CPU takes seconds for 2^30 of them.
  u64 most_items_on_cpu = kOtherKindsItems;
};

// A kernel that verify() runs.
struct VerifiedKernel {
  Request request;
  Variant variant;
  const CustomOperator* custom;  // the caller's own; null: the built-in operator or the stand-in

  bool operator==(const VerifiedKernel&) const = default;
};

// The request's own kernels come first, in both variants, then those of what else a record serves.
std::vector<VerifiedKernel> verified_kernels(const Request& request, const CustomOperator* custom, bool all_kinds);

class Verifier {
 public:
  explicit Verifier(Device& device) : device_(device) {}

  // What is kept between calls, at most. A problem of the largest size that is kept needs two inputs, of n and of n - 1
  // items, and up to seven outputs of theirs. Beside each a sort keeps the order of its keys.
  static constexpr u64 kMostInputBytes = 4 * kMostKeptBytes;
  static constexpr u64 kMostReferenceBytes = 16 * kMostKeptBytes;
  // The same for outputs that are too large to be kept. Most references to these are small. That of a sort is the order
  // of its keys, of n and of n - 1 keys, which takes seconds to compute.
  static constexpr u64 kMostReferenceBytesOfMany = u64{4} << 30;

  // Runs request.n items, one fewer, and sizes around the config's tile, by the kernel for aligned pointers and by the
  // one for any pointer. It runs out of place and, where items keep their size, in place. Outputs are poisoned and
  // surrounded by guard zones. All runs share one workspace that is never cleared. Returns the number of cases. Throws
  // WrongResult, and what PreparedConfig, DeviceCheck and the device throw. Outputs of many items are checked on the
  // device, which gets their input once; if it finds a wrong item, the CPU checks, too, and says what is wrong.
  //
  // custom: the caller's own operator. What a config can get wrong is which items it combines, in which order, and how
  // its CTAs wait for each other, and none of that depends on what combining does. So the config is verified with the
  // stand-in of the same size, for which the CPU knows every bit; the caller's own kernels must compile, run to their
  // end, stay within their memory and, where the request requires it, return the same bits again.
  int verify(const Request& request, const Config& config, const CustomOperator* custom = nullptr,
             const VerifyOptions& options = {});

 private:
  KnownInput known(const InputSpec& input);
  std::shared_ptr<const Reference> reference(const KnownInput& input);
  const DeviceCheck* check_on_device(const Request& request);
  int verify_kernel(VerifyRun& run, const PreparedConfig& prepared, u64 most_items, const VerifyOptions& options);
  int run_callers_own(VerifyRun& run, const PreparedConfig& prepared, u64 most_items, u64 seed);

  Device& device_;
  Staging staging_{device_};
  SpecCache<KnownItems> inputs_{kMostInputBytes};
  SpecCache<Reference> references_{kMostReferenceBytes}, references_of_many_{kMostReferenceBytesOfMany};
  // The checks by request, without n; null where none compiles.
  std::vector<std::pair<Request, std::unique_ptr<const DeviceCheck>>> checks_;
};

}  // namespace scantune
