#include "measure/verify_run.h"

#include <algorithm>

#include "measure/parallel.h"
#include "measure/verify.h"

namespace scantune {
namespace {

constexpr u64 kGuardBytes = 4096;
constexpr u64 kTransferBytes = u64{64} << 20;  // of one copy to or from the device; a multiple of a chunk of any type
constexpr u64 kFillBytes = u64{1} << 20;       // of input that one thread makes at a time
constexpr std::byte kPoison{0xa5};

u64 arena_bytes(u64 items, u64 item_bytes) { return items * item_bytes + kVectorAlignmentBytes + 2 * kGuardBytes; }

u64 workspace_bytes(const Config& config, ScanRequest request, u64 items) {
  request.n = items;
  return config.family().workspace(config, request).bytes;
}

u64 item_bytes_of(const ScanRequest& request) { return static_cast<u64>(request.accumulator_bytes()); }

[[noreturn]] void fail(const PreparedScan& scan, const VerifyCase& which, const InputSpec& input,
                       const std::string& circumstance, const std::string& problem) {
  ScanRequest request = scan.request();
  request.n = which.n;
  throw WrongResult(to_string(scan.config()) + " failed a " + to_string(request) + ", pointers aligned to " +
                    (which.aligned ? "vectors" : "items only") + ", " + (which.in_place ? "in place" : "out of place") +
                    circumstance + ", input pattern " + token(input.pattern) + " with seed " +
                    std::to_string(input.seed) + ": " + problem);
}

}  // namespace

VerifyRun::VerifyRun(Device& device, const Config& config, ScanRequest request, u64 most_items)
    : device_(device),
      workspace_bytes_(workspace_bytes(config, request, most_items)),
      input_(device, arena_bytes(most_items, item_bytes_of(request))),
      output_(device, arena_bytes(most_items, item_bytes_of(request))),
      workspace_(device, workspace_bytes_ + kGuardBytes) {
  if (workspace_bytes_ != 0) device_.zero(workspace_.data(), workspace_bytes_);
  staging_.assign(kGuardBytes, kPoison);
  device_.upload(workspace_.data() + workspace_bytes_, staging_.data(), kGuardBytes);
}

void VerifyRun::run(const PreparedScan& scan, const VerifyCase& which, const InputSpec& input,
                    const Reference& reference) {
  const u64 item_bytes = item_bytes_of(scan.request());
  const u64 bytes = which.n * item_bytes;
  std::byte* const to = output_.data() + kGuardBytes + which.output_offset(item_bytes);
  std::byte* const from = which.in_place ? to : input_.data() + kGuardBytes + which.input_offset(item_bytes);
  const auto scan_and_check = [&](int scans, const char* circumstance) {
    for (int time = 0; time < scans; ++time) scan.enqueue(from, to, which.n, workspace_.data(), nullptr);
    device_.synchronize();
    const std::string problem = problem_with_output(reference, to, bytes);
    if (!problem.empty()) fail(scan, which, input, circumstance, problem);
  };

  poison(to, bytes);
  upload_input(input, from, bytes);
  if (which.in_place) return scan_and_check(1, "");

  // Twice more, the second scan right behind the first. Where copying costs seconds these two alone must do.
  if (bytes <= kTransferBytes) {
    scan_and_check(1, "");
    poison(to, bytes);
  }
  scan_and_check(2, ", repeated on one workspace");
  const std::string problem = problem_with_input(input, from, bytes);
  if (!problem.empty()) fail(scan, which, input, "", problem);
}

void VerifyRun::check_workspace_guard(const PreparedScan& scan) {
  const std::string problem = problem_with_guard(workspace_.data() + workspace_bytes_, "behind the workspace");
  if (!problem.empty()) throw WrongResult(to_string(scan.config()) + " " + problem);
}

void VerifyRun::poison(std::byte* output, u64 bytes) {
  const u64 whole = bytes + 2 * kGuardBytes;
  if (whole <= kTransferBytes) {
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

void VerifyRun::upload_input(const InputSpec& input, std::byte* to, u64 bytes) {
  const u64 item_bytes = static_cast<u64>(size_of(input.type));
  for (u64 done = 0; done < bytes; done += kTransferBytes) {
    const u64 transfer = std::min(kTransferBytes, bytes - done);
    staging_.resize(transfer);
    parallel_for(ceil_div(transfer, kFillBytes), [&](u64 part) {
      const u64 begin = part * kFillBytes, size = std::min(kFillBytes, transfer - begin);
      fill_input(input, (done + begin) / item_bytes, std::span(staging_).subspan(begin, size));
    });
    device_.upload(to + done, staging_.data(), transfer);
  }
}

std::span<const std::byte> VerifyRun::download(const std::byte* from, u64 bytes) {
  staging_.resize(bytes);
  device_.download(staging_.data(), from, bytes);
  return staging_;
}

std::string VerifyRun::problem_with_output(const Reference& reference, const std::byte* output, u64 bytes) {
  const u64 item_bytes = reference.item_bytes();
  for (u64 done = 0; done < bytes; done += kTransferBytes) {
    const auto found = download(output + done, std::min(kTransferBytes, bytes - done));
    if (const auto wrong = reference.check(done / item_bytes, found))
      return "item " + std::to_string(wrong->index) + " should be " + wrong->expected + ", found " + wrong->found;
  }
  std::string problem = problem_with_guard(output - kGuardBytes, "before the output");
  return problem.empty() ? problem_with_guard(output + bytes, "behind the output") : problem;
}

std::string VerifyRun::problem_with_input(const InputSpec& input, const std::byte* on_device, u64 bytes) {
  // A scan that spoils its input does so at small n too, where looking costs little.
  if (bytes > kTransferBytes) return {};
  std::vector<std::byte> expected(bytes);
  fill_input(input, 0, expected);
  return std::ranges::equal(download(on_device, bytes), expected) ? "" : "it changed its input";
}

std::string VerifyRun::problem_with_guard(const std::byte* guard, const char* where) {
  const auto found = download(guard, kGuardBytes);
  const auto touched = std::ranges::find_if(found, [](std::byte byte) { return byte != kPoison; });
  if (touched == found.end()) return {};
  return std::string("wrote ") + where + ", at byte " + std::to_string(touched - found.begin()) +
         " of a guard zone of " + std::to_string(kGuardBytes) + " bytes";
}

}  // namespace scantune
