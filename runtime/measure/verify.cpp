#include "measure/verify.h"

#include <algorithm>

#include "launch/loading.h"

namespace scantune {
namespace {

constexpr u64 kSmallItems = u64{1} << 17;       // up to here every combination is cheap, even on the host device
constexpr u64 kOtherKindsItems = u64{1} << 22;  // other kinds than the request's are not run on more items

u64 several_tiles(const Config& config, const ScanRequest& request) {
  return 5 * static_cast<u64>(config.family().tile_items(config, request)) / 2 | 1;
}

ScanRequest with_items(ScanRequest request, u64 n) {
  request.n = n;
  return request;
}

// Sizes at which kernels take other paths: around one warp, one tile, and several tiles with a ragged end.
std::vector<u64> sizes(const Config& config, const ScanRequest& request, int sm) {
  const u64 tile = static_cast<u64>(config.family().tile_items(config, request));
  std::vector<u64> all{1, 31, 33, tile - 1, tile, tile + 1, several_tiles(config, request), request.n - 1, request.n};
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](u64 n) { return n == 0 || reject_reason(config, with_items(request, n), sm) != nullptr; });
  return all;
}

std::vector<VerifyCase> cases(const Config& config, const ScanRequest& request, u64 most_items, int sm) {
  const bool aligned = request.alignment_bytes == kVectorAlignmentBytes;
  const bool fits_in_place = request.input_bytes() == request.output_bytes();
  std::vector<VerifyCase> all;
  for (const u64 n : sizes(config, request, sm)) {
    if (n > most_items) continue;
    if (n > kSmallItems) {
      // Both kernels, both placements and a ragged end, at the price of two runs.
      if (aligned == (n == request.n)) all.push_back({.n = n, .in_place = !aligned && fits_in_place});
      continue;
    }
    all.push_back({.n = n});
    if (fits_in_place) all.push_back({.n = n, .in_place = true});
    if (n != several_tiles(config, request) || !aligned) continue;
    for (const InputPattern pattern : {InputPattern::rounding, InputPattern::specials})
      if (applies(pattern, request)) all.push_back({.n = n, .pattern = pattern});
  }
  return all;
}

ScanRequest aligned(ScanRequest request) {
  request.alignment_bytes = kVectorAlignmentBytes;
  return request;
}

ScanRequest with_kind(ScanRequest request, Kind kind, Init init) {
  request.kind = kind;
  request.init = init;
  return request;
}

// Where an initial value comes from hardly touches a kernel, so one kernel of each kind with it in memory is enough.
std::vector<ScanRequest> other_kinds(const ScanRequest& request) {
  return {with_kind(request, Kind::inclusive, Init::none), with_kind(request, Kind::exclusive, Init::value),
          element_aligned(with_kind(request, Kind::inclusive, Init::memory)),
          element_aligned(with_kind(request, Kind::exclusive, Init::memory))};
}

bool is_own_kind(const ScanRequest& request, const ScanRequest& kernel) {
  return kernel.kind == request.kind && kernel.init == request.init;
}

}  // namespace

std::vector<VerifiedKernel> verified_kernels(const ScanRequest& request, const CustomOperator* custom, bool all_kinds) {
  std::vector<VerifiedKernel> all;
  const auto add = [&](const ScanRequest& kernel, const CustomOperator* op) {
    if (std::ranges::none_of(all, [&](const auto& known) { return known.request == kernel && known.custom == op; }))
      all.push_back({kernel, op});
  };
  const bool callers_own = custom != nullptr && !custom->source.empty();
  for (const CustomOperator* op : {callers_own ? custom : nullptr, static_cast<const CustomOperator*>(nullptr)})
    for (const ScanRequest& kernel : {request, element_aligned(request)}) add(kernel, op);
  if (all_kinds)
    for (const ScanRequest& kernel : other_kinds(request)) add(kernel, nullptr);
  return all;
}

int Verifier::verify(const ScanRequest& request, const Config& config, const CustomOperator* custom,
                     const VerifyOptions& options) {
  const u64 most_items = std::max(request.n, several_tiles(config, request));
  VerifyRun run(device_, staging_, config, request, most_items);
  std::vector<VerifiedKernel> kernels = verified_kernels(request, custom, options.all_kinds);
  // A caller's own operator runs in a config only once that is known to be right.
  std::stable_partition(kernels.begin(), kernels.end(), [](const auto& kernel) { return kernel.custom == nullptr; });
  int checks = 0;
  for (const VerifiedKernel& kernel : kernels) {
    const PreparedScan scan(device_, kernel.request, config, kernel.custom);
    const u64 most = is_own_kind(request, kernel.request) ? most_items : std::min(most_items, kOtherKindsItems);
    checks += kernel.custom == nullptr ? verify_kernel(run, scan, most, options.seed)
                                       : run_callers_own(run, scan, std::min(most, kOtherKindsItems), options.seed);
    run.check_workspace_guard(scan);
  }
  return checks;
}

int Verifier::verify_kernel(VerifyRun& run, const PreparedScan& scan, u64 most_items, u64 seed) {
  const auto all = cases(scan.config(), scan.request(), most_items, device_.identity().sm);
  for (const VerifyCase& which : all) {
    const KnownInput input = known({with_items(scan.request(), which.n), which.pattern, seed});
    run.run(scan, which, input, *reference(input));
  }
  return static_cast<int>(all.size());
}

int Verifier::run_callers_own(VerifyRun& run, const PreparedScan& scan, u64 most_items, u64 seed) {
  const auto all = sizes(scan.config(), scan.request(), device_.identity().sm);
  int runs = 0;
  for (const u64 n : all) {
    if (n > most_items) continue;
    run.run_unchecked(scan, known({with_items(scan.request(), n), InputPattern::exact, seed}));
    ++runs;
  }
  return runs;
}

KnownInput Verifier::known(const InputSpec& input) {
  if (input.request.n * static_cast<u64>(input.request.input_bytes()) > kMostKeptBytes) return {input};
  // The kind of scan and its kernel do not enter an input.
  InputSpec key = input;
  key.request = aligned(with_kind(input.request, Kind::inclusive, Init::none));
  return {input, inputs_.get(key, [&] { return std::make_shared<const KnownItems>(key); })};
}

std::shared_ptr<const Reference> Verifier::reference(const KnownInput& input) {
  // Which kernel returns it does not enter a result.
  KnownInput key = input;
  key.spec.request = aligned(input.spec.request);
  if (key.spec.request.init == Init::memory) key.spec.request.init = Init::value;
  return references_.get(key.spec, [&] { return std::shared_ptr(make_lasting_reference(key)); });
}

}  // namespace scantune
