#include "measure/verify_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "measure/upload_input.h"
#include "measure/verify.h"

namespace scantune {
namespace {

constexpr u64 kGuardBytes = 4096;
constexpr u64 kLargeBytes = u64{64} << 20;  // from here, copying takes the time
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
                       const std::string& fault) {
  throw WrongResult(to_string(scan.config()) + " failed a " + to_string(input.request) + ", pointers aligned to " +
                    (is_aligned(scan.request()) ? "vectors" : "items only") + ", " + circumstance + ", input pattern " +
                    token(input.pattern) + " with seed " + std::to_string(input.seed) + ": " + fault);
}

std::string guard_fault(std::span<const std::byte> found, const char* where) {
  const auto touched = std::ranges::find_if(found, [](std::byte byte) { return byte != kPoison; });
  if (touched == found.end()) return {};
  return std::string("wrote ") + where + ", at byte " + std::to_string(touched - found.begin()) +
         " of a guard zone of " + std::to_string(kGuardBytes) + " bytes";
}

}  // namespace

VerifyRun::VerifyRun(Device& device, Staging& staging, const Config& config, ScanRequest request, u64 most_items)
    : device_(device),
      staging_(staging),
      workspace_bytes_(workspace_bytes(config, request, most_items)),
      input_(device, arena_bytes(most_items, request.input_bytes())),
      output_(device, arena_bytes(most_items, request.output_bytes())),
      workspace_(device, workspace_bytes_ + kGuardBytes) {
  if (workspace_bytes_ != 0) device_.zero(workspace_.data(), workspace_bytes_);
  device_.fill(workspace_.data() + workspace_bytes_, kPoison, kGuardBytes);
}

void VerifyRun::run(const PreparedScan& scan, const VerifyCase& which, const KnownInput& input,
                    const Reference& reference) {
  const u64 bytes = which.n * reference.item_bytes();
  std::byte* const to = output_of(scan);
  std::byte* const from = which.in_place ? to : input_of(scan);
  const auto scan_and_check = [&](int scans, const char* circumstance) {
    for (int time = 0; time < scans; ++time) scan.enqueue(from, to, which.n, workspace_.data(), nullptr);
    device_.synchronize();
    const std::string fault = fault_in_output(reference, to, bytes);
    if (!fault.empty()) fail(scan, input.spec, circumstance, fault);
  };

  poison(to, bytes);
  upload_input(staging_, input, from);
  if (which.in_place) return scan_and_check(1, "in place");

  // Twice more, the second scan right behind the first. Where copying costs seconds these two alone must do.
  if (bytes <= kLargeBytes) {
    scan_and_check(1, "out of place");
    poison(to, bytes);
  }
  scan_and_check(2, "out of place, repeated on one workspace");
  const std::string fault = fault_in_input(input, from);
  if (!fault.empty()) fail(scan, input.spec, "out of place", fault);
}

void VerifyRun::run_unchecked(const PreparedScan& scan, const KnownInput& input) {
  const ScanRequest& request = input.spec.request;
  const u64 n = request.n, bytes = n * static_cast<u64>(request.output_bytes());
  std::byte* const to = output_of(scan);
  std::byte* const from = input_of(scan);
  upload_input(staging_, input, from);
  std::vector<std::byte> first;
  for (const char* time : {"the first time", "the second time"}) {
    poison(to, bytes);
    scan.enqueue(from, to, n, workspace_.data(), nullptr);
    device_.synchronize();
    std::string fault = fault_in_guard(to - kGuardBytes, "before the output");
    if (fault.empty()) fault = fault_in_guard(to + bytes, "behind the output");
    if (fault.empty()) fault = fault_in_input(input, from);
    if (needs_fixed_association(request)) {
      std::vector<std::byte> found(bytes);
      device_.download(found.data(), to, bytes);
      if (fault.empty() && !first.empty() && first != found) fault = "it returned other bits than the first time";
      first = std::move(found);
    }
    if (!fault.empty()) fail(scan, input.spec, std::string("with the caller's own operator, ") + time, fault);
  }
}

void VerifyRun::check_workspace_guard(const PreparedScan& scan) {
  const std::string fault = fault_in_guard(workspace_.data() + workspace_bytes_, "behind the workspace");
  if (!fault.empty()) throw WrongResult(to_string(scan.config()) + " " + fault);
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
  device_.fill(output - kGuardBytes, kPoison, bytes + 2 * kGuardBytes);
}

std::string VerifyRun::fault_in_output(const Reference& reference, std::byte* output, u64 bytes) {
  std::vector<Staging::Part> parts = parts_of(output, bytes, Reference::kChunkItems * reference.item_bytes());
  // The guards come with the items beside them: a copy of their own takes longer than a small output.
  parts.front().on_device -= kGuardBytes;
  parts.front().bytes += kGuardBytes;
  parts.back().bytes += kGuardBytes;

  std::string fault, guards;
  staging_.download(parts, [&](u64 part, std::span<const std::byte> found) {
    const std::byte* on_device = parts[part].on_device;
    if (part == 0) {
      guards = guard_fault(found.first(kGuardBytes), "before the output");
      found = found.subspan(kGuardBytes);
      on_device += kGuardBytes;
    }
    if (part + 1 == parts.size()) {
      if (guards.empty()) guards = guard_fault(found.last(kGuardBytes), "behind the output");
      found = found.first(found.size() - kGuardBytes);
    }
    if (const auto wrong = reference.check(static_cast<u64>(on_device - output) / reference.item_bytes(), found))
      fault = "item " + std::to_string(wrong->index) + " should be " + wrong->expected + ", found " + wrong->found;
    return fault.empty();
  });
  return fault.empty() ? guards : fault;
}

std::string VerifyRun::fault_in_input(const KnownInput& input, std::byte* on_device) {
  // A scan that spoils its input does so at small n too, where looking costs little.
  if (input.bytes() > kLargeBytes) return {};
  const u64 item_bytes = static_cast<u64>(input.spec.request.input_bytes());
  const auto parts = parts_of(on_device, input.bytes(), item_bytes);
  bool unchanged = true;
  staging_.download(parts, [&](u64 part, std::span<const std::byte> found) {
    return unchanged = input.equals(static_cast<u64>(parts[part].on_device - on_device) / item_bytes, found);
  });
  return unchanged ? "" : "it changed its input";
}

std::string VerifyRun::fault_in_guard(std::byte* guard, const char* where) {
  return guard_fault(staging_.download({guard, kGuardBytes}), where);
}

}  // namespace scantune
