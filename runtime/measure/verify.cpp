#include "measure/verify.h"

#include <algorithm>
#include <iterator>

#include "measure/references/algorithm_reference.h"
#include "scantune/error.hpp"
#include "space/operands.h"
#include "support/log.h"

namespace scantune {
namespace {

constexpr u64 kSmallItems = u64{1} << 17;  // up to so many every combination is cheap, even on the host device

Request with_items(Request request, u64 n) {
  request.n = n;
  return request;
}

// Whether they are side by side, so that a tile has items of several of them, and the last ones may lack an item.
bool are_side_by_side(const Request& request) { return request.value<Segments>() == Segments::columns; }

// How many items of each sequence are within its first tile. A tile holds several side-by-side sequences, and only the
// family knows how many: there are as many tiles as for one item of each until these are full.
u64 items_of_first_tile(const Config& config, const Request& request) {
  const u64 tile = static_cast<u64>(config.family().tile_items(config, request));
  if (!are_side_by_side(request)) return tile;
  const auto tiles = [&](u64 items) {
    const Request some = with_items(request, items * sequences(request));
    return config.family().launches(config, some, Variant::aligned).launches[0].grid_blocks;
  };
  u64 fitting = 1, most = std::max(tile, kOtherKindsItems / sequences(request));
  while (fitting < most) {
    const u64 items = most - (most - fitting) / 2;
    if (tiles(items) == tiles(1))
      fitting = items;
    else
      most = items - 1;
  }
  return fitting;
}

// Returns a number of items with which each sequence of the request has several tiles, the last one partial. Of
// side-by-side sequences half lack an item.
u64 several_tiles(const Config& config, const Request& request) {
  const u64 items = sequences(request) * (5 * items_of_first_tile(config, request) / 2 | 1);
  return are_side_by_side(request) ? items - sequences(request) / 2 : items;
}

// Sizes at which kernels take other paths: around one warp, one tile, and several tiles with a ragged end, of each
// sequence that the items are cut into.
std::vector<u64> sizes(const Config& config, const Request& request, int sm) {
  const u64 tile = items_of_first_tile(config, request);
  std::vector<u64> all{1, 31, 33, tile - 1, tile, tile + 1};
  for (u64& n : all) n *= sequences(request);
  all.insert(all.end(), {several_tiles(config, request), request.n - 1, request.n});
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](u64 n) { return n == 0 || reject_reason(config, with_items(request, n), sm) != nullptr; });
  if (request.layout.is_strided()) std::erase_if(all, [&](u64 n) { return n > request.n; });
  if (request.algorithm().has_result_without_items(request)) all.insert(all.begin(), 0);
  return all;
}

// Whether the input may be the output.
bool fits_in_place(const Request& request) {
  const Operands operands(request);
  const RequestOperand output = operands.of(OperandRole::output);
  return output.is_array && !output.lies_apart && operands.of(OperandRole::input).bytes() == output.bytes();
}

// For how many items kernels are launched where memory says that there are fewer: for several tiles, unless the config
// is not for so many.
u64 items_of_longer_launch(const PreparedConfig& prepared, u64 most_items, int sm) {
  const u64 several = std::min(most_items, several_tiles(prepared.config(), prepared.request()));
  const bool is_legal = reject_reason(prepared.config(), with_items(prepared.request(), several), sm) == nullptr;
  return is_legal ? several : std::min(most_items, prepared.request().n);
}

std::vector<VerifyCase> cases(const PreparedConfig& prepared, u64 most_items, int sm) {
  const Request& request = prepared.request();
  const bool aligned = prepared.variant() == Variant::aligned;
  std::vector<VerifyCase> all;
  std::vector<u64> run = sizes(prepared.config(), request, sm);
  std::erase_if(run, [&](u64 n) { return n > most_items; });
  // Other patterns are run on several tiles, or on as many items as the config is for.
  const auto behind = std::ranges::upper_bound(run, several_tiles(prepared.config(), request));
  const u64 of_other_patterns = behind == run.begin() ? 0 : *std::prev(behind);
  for (const u64 n : run) {
    const bool in_place = fits_in_place(with_items(request, n));
    if (n > kSmallItems) {
      // Two runs cover both kernels, both placements and a ragged end.
      if (aligned == (n == request.n)) all.push_back({.n = n, .in_place = !aligned && in_place});
      continue;
    }
    all.push_back({.n = n});
    if (in_place) all.push_back({.n = n, .in_place = true});
    // The first CTAs have all items, and some of the last ones none.
    if (const u64 launched = items_of_longer_launch(prepared, most_items, sm); prepared.reads_n() && launched > n)
      all.push_back({.n = n, .in_place = in_place && !aligned, .launched = launched});
    if (n == of_other_patterns && prepared.reads_k())
      for (u64 draw = 1; draw < kDrawsOfK; ++draw) all.push_back({.n = n, .draw = draw});
    if (n != of_other_patterns || !aligned) continue;
    for (const InputPattern pattern :
         {InputPattern::rounding, InputPattern::specials, InputPattern::alike, InputPattern::ordered})
      if (applies(pattern, request)) all.push_back({.n = n, .pattern = pattern});
  }
  return all;
}

}  // namespace

std::vector<VerifiedKernel> verified_kernels(const Request& request, const CustomOperator* custom, bool all_kinds) {
  std::vector<VerifiedKernel> all;
  const auto add = [&](const Request& kernel, Variant variant, const CustomOperator* op) {
    if (element_alignment(kernel) == kVectorAlignmentBytes) variant = Variant::aligned;  // any pointers are aligned so
    const VerifiedKernel added{kernel, variant, op};
    if (std::ranges::find(all, added) == all.end()) all.push_back(added);
  };
  const bool callers_own = custom != nullptr && !custom->source.empty();
  for (const CustomOperator* op : {callers_own ? custom : nullptr, static_cast<const CustomOperator*>(nullptr)})
    for (const Variant variant : {Variant::aligned, Variant::any}) add(request, variant, op);
  if (all_kinds)
    for (const auto& [served, variant] : reference_of(request.algorithm()).also_served(request))
      add(served, variant, nullptr);
  return all;
}

namespace {

// What the config of a family whose CTAs hold whole rows can do of another request that its record serves, with longer
// rows: as many items as fill a CTA.
void shorten_what_is_illegal(std::vector<VerifiedKernel>& kernels, const Config& config, int sm) {
  std::erase_if(kernels, [&](VerifiedKernel& kernel) {
    if (reject_reason(config, kernel.request, sm) == nullptr) return false;
    const u64 filling = sequences(kernel.request) * items_of_first_tile(config, kernel.request);
    kernel.request.n = std::min(kernel.request.n, filling);
    return reject_reason(config, kernel.request, sm) != nullptr;
  });
}

}  // namespace

int Verifier::verify(const Request& request, const Config& config, const CustomOperator* custom,
                     const VerifyOptions& options) {
  std::vector<VerifiedKernel> kernels = verified_kernels(request, custom, options.all_kinds);
  if (reject_reason(config, request, device_.identity().sm) == nullptr)
    shorten_what_is_illegal(kernels, config, device_.identity().sm);
  // A caller's own operator runs in a config only once that is known to be right.
  std::stable_partition(kernels.begin(), kernels.end(), [](const auto& kernel) { return kernel.custom == nullptr; });
  const auto most_items = [&](const VerifiedKernel& kernel) {
    if (kernel.request.layout.is_strided()) return kernel.request.n;  // longer rows might share places
    const u64 most = std::max(request.n, std::min(several_tiles(config, kernel.request), kOtherKindsItems));
    return kernel.request == request && kernel.custom == nullptr ? most : std::min(most, kOtherKindsItems);
  };
  // The most items do not always take the largest workspace: of rows that they do not fill, fewer items fill more.
  std::vector<Request> verified;
  for (const VerifiedKernel& kernel : kernels) {
    const u64 most = most_items(kernel);
    verified.push_back(with_items(kernel.request, most));
    for (const u64 n : sizes(config, kernel.request, device_.identity().sm))
      if (n <= most) verified.push_back(with_items(kernel.request, n));
  }
  VerifyRun run(device_, staging_, config, verified);
  int checks = 0;
  for (const VerifiedKernel& kernel : kernels) {
    const PreparedConfig prepared(device_, kernel.request, config, kernel.variant, kernel.custom);
    checks += kernel.custom == nullptr ? verify_kernel(run, prepared, most_items(kernel), options)
                                       : run_callers_own(run, prepared, most_items(kernel), options.seed);
    run.check_workspace_guard(prepared);
  }
  return checks;
}

int Verifier::verify_kernel(VerifyRun& run, const PreparedConfig& prepared, u64 most_items,
                            const VerifyOptions& options) {
  const int sm = device_.identity().sm;
  const auto all = cases(prepared, most_items, sm);
  for (const VerifyCase& which : all) {
    // Large inputs of one kernel begin alike, so that they need to be made once. They end alike where kernels go
    // through them from the end.
    const bool from_end = Operands(prepared.request()).of(OperandRole::input).from_end;
    const KnownInput input = known({.request = with_items(prepared.request(), which.n),
                                    .pattern = which.pattern,
                                    .seed = options.seed + which.draw,
                                    .whole_items = which.n > kSmallItems && !from_end ? most_items : 0});
    const bool on_device = which.n > options.most_items_on_cpu && DeviceCheck::exists_for(input.spec);
    // Several operands are checked, several times, by what may have taken seconds.
    std::shared_ptr<const Reference> made;
    const auto once = [&] { return made != nullptr ? made : made = reference(input); };
    run.run(prepared, which, input, {once, on_device ? check_on_device(input.spec.request) : nullptr});
  }
  if (prepared.reads_n()) run.run_empty(prepared, items_of_longer_launch(prepared, most_items, sm));
  return static_cast<int>(all.size()) + prepared.reads_n();
}

// Returns null where the check does not compile: the CPU then checks everything, which takes longer.
const DeviceCheck* Verifier::check_on_device(const Request& request) {
  const Request any = with_items(reference_of(request.algorithm()).same_results(request), 0);
  for (const auto& [known, check] : checks_)
    if (known == any) return check.get();
  std::unique_ptr<const DeviceCheck> check;
  try {
    check = std::make_unique<const DeviceCheck>(device_, any);
  } catch (const CompileError& error) {
    log_once(std::string("large results are checked on the CPU, which takes longer: ") + error.what());
  }
  return checks_.emplace_back(any, std::move(check)).second.get();
}

int Verifier::run_callers_own(VerifyRun& run, const PreparedConfig& prepared, u64 most_items, u64 seed) {
  const auto all = sizes(prepared.config(), prepared.request(), device_.identity().sm);
  int runs = 0;
  for (const u64 n : all) {
    if (n > most_items) continue;
    run.run_unchecked(prepared, known({with_items(prepared.request(), n), InputPattern::exact, seed}));
    ++runs;
  }
  return runs;
}

KnownInput Verifier::known(const InputSpec& input) {
  if (Operands(input.request).of(OperandRole::input).bytes() > kMostKeptBytes) return {input};
  InputSpec key = input;
  key.request = fed_alike(input.request);
  return {input, inputs_.get(key, [&] { return std::make_shared<const KnownItems>(key); })};
}

std::shared_ptr<const Reference> Verifier::reference(const KnownInput& input) {
  KnownInput key = input;
  key.spec.request = reference_of(input.spec.request.algorithm()).same_results(input.spec.request);
  const bool is_of_many = Operands(input.spec.request).of(OperandRole::output).bytes() > kMostKeptBytes;
  return (is_of_many ? references_of_many_ : references_).get(key.spec, [&] {
    return std::shared_ptr(make_lasting_reference(key));
  });
}

}  // namespace scantune
