#include "measure/verify.h"

#include <algorithm>

#include "launch/loading.h"

namespace scantune {
namespace {

constexpr u64 kSmallItems = u64{1} << 17;       // up to here every combination is cheap, even on the host device
constexpr u64 kOtherKindsItems = u64{1} << 22;  // other kinds than the request's are not run on more items
constexpr std::size_t kMostReferences = 512;

u64 several_tiles(const Config& config) { return 5 * static_cast<u64>(config.family().tile_items(config)) / 2 | 1; }

// Sizes at which kernels take other paths: around one warp, one tile, and several tiles with a ragged end.
std::vector<u64> sizes(const Config& config, const ScanRequest& request, int sm) {
  const u64 tile = static_cast<u64>(config.family().tile_items(config));
  std::vector<u64> all{1, 31, 33, tile - 1, tile, tile + 1, several_tiles(config), request.n - 1, request.n};
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](u64 n) {
    ScanRequest resized = request;
    resized.n = n;
    return n == 0 || reject_reason(config, resized, sm) != nullptr;
  });
  return all;
}

std::vector<VerifyCase> cases(const Config& config, const ScanRequest& request, u64 most_items, int sm) {
  std::vector<VerifyCase> all;
  for (const u64 n : sizes(config, request, sm)) {
    if (n > most_items) continue;
    if (n > kSmallItems) {
      // Both kernels, both placements and a ragged end, at the price of two runs.
      all.push_back(n == request.n ? VerifyCase{.n = n} : VerifyCase{.n = n, .aligned = false, .in_place = true});
      continue;
    }
    for (const bool aligned : {true, false})
      for (const bool in_place : {false, true}) all.push_back({.n = n, .aligned = aligned, .in_place = in_place});
    if (n != several_tiles(config)) continue;
    for (const InputPattern pattern : {InputPattern::rounding, InputPattern::specials})
      if (applies(pattern, request.accumulator_type, request.op)) all.push_back({.n = n, .pattern = pattern});
  }
  return all;
}

std::vector<ScanRequest> kinds(const ScanRequest& request, bool all_kinds) {
  std::vector<ScanRequest> all{request};
  if (!all_kinds) return all;
  ScanRequest inclusive = request, exclusive = request;
  inclusive.kind = Kind::inclusive;
  inclusive.init = Init::none;
  exclusive.kind = Kind::exclusive;
  exclusive.init = Init::value;
  for (const ScanRequest& other : {inclusive, exclusive})
    if (other != request) all.push_back(other);
  return all;
}

}  // namespace

std::vector<ScanRequest> verified_requests(const ScanRequest& request, bool all_kinds) {
  std::vector<ScanRequest> all;
  for (const ScanRequest& kind : kinds(request, all_kinds)) {
    all.push_back(kind);
    all.push_back(element_aligned(kind));
  }
  return all;
}

int Verifier::verify(const ScanRequest& request, const Config& config, const VerifyOptions& options) {
  const int sm = device_.identity().sm;
  const u64 most_items = std::max(request.n, several_tiles(config));
  VerifyRun run(device_, config, request, most_items);
  int checks = 0;
  for (const ScanRequest& kind : kinds(request, options.all_kinds)) {
    const PreparedScan aligned(device_, kind, config), unaligned(device_, element_aligned(kind), config);
    for (const VerifyCase& which : cases(config, kind, kind == request ? most_items : kOtherKindsItems, sm)) {
      const InputSpec input{kind.accumulator_type, kind.op, which.pattern, which.n, options.seed};
      run.run(which.aligned ? aligned : unaligned, which, input, reference(kind, input));
      ++checks;
    }
    run.check_workspace_guard(aligned);
  }
  return checks;
}

const Reference& Verifier::reference(const ScanRequest& request, const InputSpec& input) {
  if (references_.size() >= kMostReferences) references_.clear();
  auto& reference = references_[{input, request.kind, request.has_init()}];
  if (reference == nullptr) reference = make_reference(request, input);
  return *reference;
}

}  // namespace scantune
