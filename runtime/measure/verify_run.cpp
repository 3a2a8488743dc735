#include "measure/verify_run.h"

#include <algorithm>

#include "measure/upload_input.h"
#include "measure/verify.h"

namespace scantune {
namespace {

constexpr u64 kGuardBytes = 4096;
constexpr u64 kTransferItems = 16 * Reference::kChunkItems;  // of one copy from the device
constexpr u64 kLargeBytes = u64{64} << 20;                   // from here, copying takes the time
constexpr std::byte kPoison{0xa5};

u64 arena_bytes(u64 items, int item_bytes) {
  return items * static_cast<u64>(item_bytes) + kVectorAlignmentBytes + 2 * kGuardBytes;
}

u64 workspace_bytes(const Config& config, ScanRequest request, u64 items) {
  request.n = items;
  return config.family().workspace(config, request).bytes;
}

bool is_aligned(const ScanRequest& request) { return request.alignment_bytes == kVectorAlignmentBytes; }

[[noreturn]] void fail(const PreparedScan& scan, const InputSpec& input, const std::string& circumstance,
                       const std::string& problem) {
  throw WrongResult(to_string(scan.config()) + " failed a " + to_string(input.request) + ", pointers aligned to " +
                    (is_aligned(scan.request()) ? "vectors" : "items only") + ", " + circumstance + ", input pattern " +
                    token(input.pattern) + " with seed " + std::to_string(input.seed) + ": " + problem);
}

}  // namespace

VerifyRun::VerifyRun(Device& device, const Config& config, ScanRequest request, u64 most_items)
    : device_(device),
      workspace_bytes_(workspace_bytes(config, request, most_items)),
      input_(device, arena_bytes(most_items, request.input_bytes())),
      output_(device, arena_bytes(most_items, request.output_bytes())),
      workspace_(device, workspace_bytes_ + kGuardBytes) {
  if (workspace_bytes_ != 0) device_.zero(workspace_.data(), workspace_bytes_);
  staging_.assign(kGuardBytes, kPoison);
  device_.upload(workspace_.data() + workspace_bytes_, staging_.data(), kGuardBytes);
}

void VerifyRun::run(const PreparedScan& scan, const VerifyCase& which, const InputSpec& input,
                    const Reference& reference) {
  const u64 bytes = which.n * reference.item_bytes();
  std::byte* const to = output_of(scan);
  std::byte* const from = which.in_place ? to : input_of(scan);
  const auto scan_and_check = [&](int scans, const char* circumstance) {
    for (int time = 0; time < scans; ++time) scan.enqueue(from, to, which.n, workspace_.data(), nullptr);
    device_.synchronize();
    const std::string problem = problem_with_output(reference, to, bytes);
    if (!problem.empty()) fail(scan, input, circumstance, problem);
  };

  poison(to, bytes);
  upload_input(device_, input, from);
  if (which.in_place) return scan_and_check(1, "in place");

  // Twice more, the second scan right behind the first. Where copying costs seconds these two alone must do.
  if (bytes <= kLargeBytes) {
    scan_and_check(1, "out of place");
    poison(to, bytes);
  }
  scan_and_check(2, "out of place, repeated on one workspace");
  const std::string problem = problem_with_input(input, from);
  if (!problem.empty()) fail(scan, input, "out of place", problem);
}

void VerifyRun::run_unchecked(const PreparedScan& scan, const InputSpec& input) {
  const u64 n = input.request.n, bytes = n * static_cast<u64>(input.request.output_bytes());
  std::byte* const to = output_of(scan);
  std::byte* const from = input_of(scan);
  upload_input(device_, input, from);
  std::vector<std::byte> first;
  for (const char* time : {"the first time", "the second time"}) {
    poison(to, bytes);
    scan.enqueue(from, to, n, workspace_.data(), nullptr);
    device_.synchronize();
    std::string problem = problem_with_guards(to, bytes);
    if (problem.empty()) problem = problem_with_input(input, from);
    if (needs_fixed_association(input.request)) {
      const auto found = download(to, bytes);
      if (!first.empty() && !std::ranges::equal(first, found)) problem = "it returned other bits than the first time";
      first.assign(found.begin(), found.end());
    }
    if (!problem.empty()) fail(scan, input, std::string("with the caller's own operator, ") + time, problem);
  }
}

void VerifyRun::check_workspace_guard(const PreparedScan& scan) {
  const std::string problem = problem_with_guard(workspace_.data() + workspace_bytes_, "behind the workspace");
  if (!problem.empty()) throw WrongResult(to_string(scan.config()) + " " + problem);
}

std::byte* VerifyRun::input_of(const PreparedScan& scan) const {
  const ScanRequest& request = scan.request();
  return input_.data() + kGuardBytes + (is_aligned(request) ? 0 : request.alignment_of(request.input_type));
}

std::byte* VerifyRun::output_of(const PreparedScan& scan) const {
  const ScanRequest& request = scan.request();
  const int past = is_aligned(request) ? 0 : kVectorAlignmentBytes - request.alignment_of(request.output_type);
  return output_.data() + kGuardBytes + past;
}

void VerifyRun::poison(std::byte* output, u64 bytes) {
  const u64 whole = bytes + 2 * kGuardBytes;
  if (whole <= kLargeBytes) {
    staging_.assign(whole, kPoison);
    device_.upload(output - kGuardBytes, staging_.data(), whole);
    return;
  }
  // Zeros cost no copy, and hardly an item of a large exact output is zero.
  device_.zero(output, bytes);
  staging_.assign(kGuardBytes, kPoison);
  device_.upload(output - kGuardBytes, staging_.data(), kGuardBytes);
  device_.upload(output + bytes, staging_.data(), kGuardBytes);
}

std::span<const std::byte> VerifyRun::download(const std::byte* from, u64 bytes) {
  staging_.resize(bytes);
  device_.download(staging_.data(), from, bytes);
  return staging_;
}

std::string VerifyRun::problem_with_output(const Reference& reference, const std::byte* output, u64 bytes) {
  const u64 transfer_bytes = kTransferItems * reference.item_bytes();
  for (u64 done = 0; done < bytes; done += transfer_bytes) {
    const auto found = download(output + done, std::min(transfer_bytes, bytes - done));
    if (const auto wrong = reference.check(done / reference.item_bytes(), found))
      return "item " + std::to_string(wrong->index) + " should be " + wrong->expected + ", found " + wrong->found;
  }
  return problem_with_guards(output, bytes);
}

std::string VerifyRun::problem_with_input(const InputSpec& input, const std::byte* on_device) {
  const u64 bytes = input.request.n * static_cast<u64>(input.request.input_bytes());
  // A scan that spoils its input does so at small n too, where looking costs little.
  if (bytes > kLargeBytes) return {};
  std::vector<std::byte> expected(bytes);
  fill_input(input, 0, expected);
  return std::ranges::equal(download(on_device, bytes), expected) ? "" : "it changed its input";
}

std::string VerifyRun::problem_with_guards(const std::byte* output, u64 bytes) {
  std::string problem = problem_with_guard(output - kGuardBytes, "before the output");
  return problem.empty() ? problem_with_guard(output + bytes, "behind the output") : problem;
}

std::string VerifyRun::problem_with_guard(const std::byte* guard, const char* where) {
  const auto found = download(guard, kGuardBytes);
  const auto touched = std::ranges::find_if(found, [](std::byte byte) { return byte != kPoison; });
  if (touched == found.end()) return {};
  return std::string("wrote ") + where + ", at byte " + std::to_string(touched - found.begin()) +
         " of a guard zone of " + std::to_string(kGuardBytes) + " bytes";
}

}  // namespace scantune
