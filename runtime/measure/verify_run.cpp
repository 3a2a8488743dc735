#include "measure/verify_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "measure/references/algorithm_reference.h"
#include "measure/upload_input.h"
#include "measure/value_types.h"
#include "measure/verify.h"

namespace scantune {
namespace {

constexpr u64 kGuardBytes = 4096;
constexpr u64 kLargeBytes = u64{64} << 20;        // above this, copying takes most of the time
constexpr u64 kMostComparedBytes = u64{1} << 20;  // of an output with those of other runs, or past its results
constexpr const char* kResults = "the results that there are";

u64 arena_bytes(const RequestOperand& operand) {
  return !is_argument(operand.role) ? operand.bytes() + kVectorAlignmentBytes + 2 * kGuardBytes : 0;
}

u64 most_workspace_bytes(const Config& config, std::span<const Request> requests) {
  u64 most = 0;
  for (const Request& request : requests) most = std::max(most, config.family().workspace(config, request).bytes);
  return most;
}

// The operand of most bytes of each role.
std::vector<RequestOperand> largest_operands(std::span<const Request> requests) {
  std::vector<RequestOperand> largest;
  for (const Request& request : requests) {
    const Operands operands(request);
    for (const RequestOperand& operand : operands.list()) {
      const auto known = std::ranges::find(largest, operand.role, &RequestOperand::role);
      if (known == largest.end())
        largest.push_back(operand);
      else if (operand.bytes() > known->bytes())
        *known = operand;
    }
  }
  return largest;
}

[[noreturn]] void fail(const PreparedConfig& prepared, const InputSpec& input, const std::string& circumstance,
                       const std::string& fault) {
  throw WrongResult(to_string(prepared.config()) + " failed a " + to_string(input.request) + ", pointers aligned to " +
                    (prepared.variant() == Variant::aligned ? "vectors" : "items only") + ", " + circumstance +
                    ", input pattern " + token(input.pattern) + " with seed " + std::to_string(input.seed) + ": " +
                    fault);
}

std::string guard_fault(std::span<const std::byte> found, const std::string& where) {
  const auto touched = std::ranges::find_if(found, [](std::byte byte) { return byte != kUnwritten; });
  if (touched == found.end()) return {};
  return "wrote " + where + ", at byte " + std::to_string(touched - found.begin()) + " of a guard zone of " +
         std::to_string(kGuardBytes) + " bytes";
}

std::string fault_of(const std::string& items, const std::optional<Mismatch>& wrong) {
  if (!wrong) return {};
  return items + " " + std::to_string(wrong->index) + " should be " + wrong->expected + ", found " + wrong->found;
}

// Tells the kernels how many results the input is to have, if they read that.
void put_k(const PreparedConfig& prepared, const InputSpec& input) {
  if (!prepared.reads_k()) return;
  u64 k = 0;
  reference_of(input.request.algorithm())
      .fill_beside(input, OperandRole::k, 0, std::as_writable_bytes(std::span(&k, 1)));
  prepared.put_k(k);
}

// What is wrong with results from that byte of an output on.
std::string fault_in_part(const Reference& reference, u64 first_byte, std::span<const std::byte> found) {
  return fault_of("item", reference.check(first_byte / reference.item_bytes(), found));
}

}  // namespace

VerifyRun::VerifyRun(Device& device, Staging& staging, const Config& config, std::span<const Request> requests)
    : device_(device),
      staging_(staging),
      workspace_bytes_(most_workspace_bytes(config, requests)),
      workspace_(device, workspace_bytes_ + kGuardBytes) {
  for (const RequestOperand& operand : largest_operands(requests))
    arenas_.push_back(Arena{operand, DeviceBuffer(device, arena_bytes(operand))});
  if (workspace_bytes_ != 0) device_.zero(workspace_.data(), workspace_bytes_);
  device_.fill(workspace_.data() + workspace_bytes_, kUnwritten, kGuardBytes);
}

void VerifyRun::run(const PreparedConfig& prepared, const VerifyCase& which, const KnownInput& input,
                    const Expected& expected) {
  const Operands operands(input.spec.request);
  const RequestOperand output = operands.of(OperandRole::output), read = operands.of(OperandRole::input);
  const u64 bytes = output.bytes();
  const u64 launched = std::max(which.n, which.launched);
  const u64 behind = (launched - which.n) * static_cast<u64>(output.item_bytes);
  const Pointers pointers = this->pointers(prepared, which.n, which.in_place);
  std::byte* const to = arena(OperandRole::output).begin(prepared.variant(), output);
  std::byte* const from = which.in_place ? to : arena(OperandRole::input).begin(prepared.variant(), read);
  const std::byte* const kept_input = expected.on_device != nullptr ? kept(input) : nullptr;
  const auto feed = [&] {
    prepare_beside(prepared.variant(), input.spec);
    if (read.is_consumed) poison(from, read.bytes());
    if (kept_input != nullptr)
      device_.copy(from, kept_input, input.bytes());
    else
      upload_input(staging_, input, from);
  };
  const auto run_and_check = [&](int runs, const char* circumstance) {
    for (int time = 0; time < runs; ++time) {
      if (time > 0 && read.is_consumed) {
        device_.synchronize();  // the run before still works there, and inputs are made in a stream of their own
        feed();
      }
      prepared.enqueue(pointers, launched, workspace_.data(), nullptr);
    }
    device_.synchronize();
    std::string fault = fault_in_output(expected, kept_input, to, input, which.in_place);
    if (fault.empty()) fault = fault_beside(expected, prepared.variant(), input.spec.request);
    if (fault.empty()) fault = fault_behind(to + bytes, behind, "the items that memory says there are");
    if (fault.empty()) fault = difference_in_bits(input.spec, which.in_place, to, bytes);
    if (!fault.empty()) fail(prepared, input.spec, circumstance, fault);
  };

  prepared.put_n(which.n);
  put_k(prepared, input.spec);
  poison(to, bytes + behind);
  feed();
  if (which.in_place) return run_and_check(1, "in place");

  // Run twice more, the second time right after the first. If copying takes seconds, these two runs must suffice.
  if (bytes <= kLargeBytes) {
    run_and_check(1, "out of place");
    poison(to, bytes + behind);
    if (read.is_consumed)
      feed();
    else
      prepare_beside(prepared.variant(), input.spec);
  }
  run_and_check(2, "out of place, repeated on one workspace");
  const std::string fault =
      read.is_consumed ? fault_in_guards(from, read.bytes(), read.name) : fault_in_input(input, from);
  if (!fault.empty()) fail(prepared, input.spec, "out of place", fault);
}

void VerifyRun::run_empty(const PreparedConfig& prepared, u64 launched) {
  Request request = prepared.request();
  request.n = launched;
  const RequestOperand output = Operands(request).of(OperandRole::output);
  std::byte* const to = arena(OperandRole::output).begin(prepared.variant(), output);
  poison(to, output.bytes());
  prepared.put_n(0);
  for (int time = 0; time < 2; ++time)
    prepared.enqueue(pointers(prepared, launched, false), launched, workspace_.data(), nullptr);
  device_.synchronize();
  const std::string fault = fault_behind(to, output.bytes(), "the items");
  if (!fault.empty())
    throw WrongResult(to_string(prepared.config()) + " failed a " + to_string(request) +
                      ", where memory says that there are no items: " + fault);
}

void VerifyRun::run_unchecked(const PreparedConfig& prepared, const KnownInput& input) {
  const Request& request = input.spec.request;
  const RequestOperand output = Operands(request).of(OperandRole::output);
  const u64 bytes = output.bytes();
  const Pointers pointers = this->pointers(prepared, request.n, false);
  std::byte* const to = arena(OperandRole::output).begin(prepared.variant(), output);
  std::byte* const from = arena(OperandRole::input).begin(prepared.variant(), Operands(request).of(OperandRole::input));
  upload_input(staging_, input, from);
  std::vector<std::vector<std::byte>> first;
  for (const char* time : {"the first time", "the second time"}) {
    poison(to, bytes);
    prepare_beside(prepared.variant(), input.spec);
    prepared.enqueue(pointers, request.n, workspace_.data(), nullptr);
    device_.synchronize();
    std::vector<Beside> written = beside(prepared.variant(), request);
    std::erase_if(written, [](const Beside& other) { return !is_written(other.operand.role); });
    written.push_back({output, to});
    // A selection returns the same on every run.
    const bool repeats =
        reference_of(request.algorithm()).repeats_bits(request) ||
        std::ranges::any_of(written, [](const Beside& other) { return other.operand.role == OperandRole::count; });
    std::string fault = fault_in_input(input, from);
    std::vector<std::vector<std::byte>> found;
    for (const auto& [operand, memory] : written) {
      if (fault.empty()) fault = fault_in_guards(memory, operand.bytes());
      if (repeats) device_.download(found.emplace_back(operand.bytes()).data(), memory, operand.bytes());
    }
    if (fault.empty() && !first.empty() && first != found) fault = "it returned other bits than the first time";
    first = std::move(found);
    if (!fault.empty()) fail(prepared, input.spec, std::string("with the caller's own operator, ") + time, fault);
  }
}

void VerifyRun::check_workspace_guard(const PreparedConfig& prepared) {
  const std::string fault = fault_in_guard(workspace_.data() + workspace_bytes_, "past the workspace");
  if (!fault.empty()) throw WrongResult(to_string(prepared.config()) + " " + fault);
}

std::byte* VerifyRun::Arena::begin(Variant variant, const RequestOperand& stored) const {
  std::byte* const boundary = memory.data() + kGuardBytes;
  if (variant == Variant::aligned) return boundary + stored.aligned_offset();
  return boundary + (stored.role == OperandRole::input ? stored.alignment : kVectorAlignmentBytes - stored.alignment);
}

std::vector<VerifyRun::Beside> VerifyRun::beside(Variant variant, const Request& request) const {
  std::vector<Beside> all;
  const Operands operands(request);
  for (const RequestOperand& operand : operands.list())
    if (!is_argument(operand.role) && operand.role != OperandRole::input && operand.role != OperandRole::output)
      all.push_back({operand, arena(operand.role).begin(variant, operand)});
  return all;
}

void VerifyRun::prepare_beside(Variant variant, const InputSpec& input) {
  for (const Beside& other : beside(variant, input.request)) {
    if (is_written(other.operand.role) || other.operand.is_consumed) poison(other.memory, other.operand.bytes());
    upload_beside(staging_, input, other.operand, other.memory);
  }
}

const VerifyRun::Arena& VerifyRun::arena(OperandRole role) const {
  return *std::ranges::find(arenas_, role, [](const Arena& arena) { return arena.operand.role; });
}

Pointers VerifyRun::pointers(const PreparedConfig& prepared, u64 n, bool in_place) const {
  Request request = prepared.request();
  request.n = n;
  const Operands operands(request);
  Pointers pointers{};
  for (std::size_t place = 0; place < operands.list().size(); ++place) {
    const OperandRole role = operands.list()[place].role;
    const OperandRole where = in_place && role == OperandRole::input ? OperandRole::output : role;
    if (!is_argument(role)) pointers[place] = arena(where).begin(prepared.variant(), operands.of(where));
  }
  return pointers;
}

void VerifyRun::poison(std::byte* output, u64 bytes) {
  device_.fill(output - kGuardBytes, kUnwritten, bytes + 2 * kGuardBytes);
}

const std::byte* VerifyRun::kept(const KnownInput& input) {
  InputSpec whole = input.spec;
  whole.request = fed_alike(whole.request);
  whole.request.n = std::max(whole.request.n, std::exchange(whole.whole_items, 0));
  if (kept_ != nullptr && kept_->spec == whole) return kept_->memory.data();
  kept_.reset();
  try {
    kept_ = std::make_unique<const KeptInput>(KeptInput{whole, DeviceBuffer(device_, KnownInput(whole).bytes())});
  } catch (const OutOfDeviceMemory&) {
    return nullptr;
  }
  upload_input(staging_, whole, kept_->memory.data());
  return kept_->memory.data();
}

// input is what the scan was given, on the device; null if that is not kept.
std::string VerifyRun::fault_in_output(const Expected& expected, const std::byte* input, std::byte* output,
                                       const KnownInput& known, bool in_place) {
  const Request& request = known.spec.request;
  const RequestOperand operand = Operands(request).of(OperandRole::output);
  const u64 bytes = operand.bytes();
  if (input == nullptr) {
    const auto reference = expected.on_cpu();
    const u64 written = reference->written(operand) * static_cast<u64>(operand.item_bytes);
    if (written == bytes && bytes > 0) return fault_found_on_cpu(*reference, output, bytes);
    std::string fault = written > 0 ? fault_in_items(*reference, output, written) : std::string();
    if (fault.empty()) fault = fault_in_guards(output, bytes);
    if (!fault.empty()) return fault;
    return in_place ? fault_in_rest(known, output, written) : fault_behind(output + written, bytes - written, kResults);
  }
  const u64 wrong = expected.on_device->first_wrong(input, output, request.n);
  if (wrong == request.n) return fault_in_guards(output, bytes);
  std::string fault = fault_found_on_cpu(*expected.on_cpu(), output, bytes);
  if (fault.empty())
    throw NoCheck("the check on the device of " + to_string(request) + " finds item " + std::to_string(wrong) +
                  " wrong, and the CPU none");
  return fault;
}

// In place, items that no result is written over stay as they were.
std::string VerifyRun::fault_in_rest(const KnownInput& input, const std::byte* output, u64 written) {
  const u64 most = kMostComparedBytes / input.item_bytes() * input.item_bytes();  // items are made whole
  std::vector<std::byte> found(std::min(input.bytes() - written, most));
  if (found.empty()) return {};
  device_.download(found.data(), output + written, found.size());
  return input.equals(written / input.item_bytes(), found) ? "" : "it changed items past its results, in place";
}

std::string VerifyRun::fault_in_items(const Reference& reference, std::byte* output, u64 bytes) {
  const auto parts = parts_of(output, bytes, Reference::kChunkItems * reference.item_bytes());
  std::string fault;
  staging_.download(parts, [&](u64 part, std::span<const std::byte> found) {
    fault = fault_in_part(reference, static_cast<u64>(parts[part].on_device - output), found);
    return fault.empty();
  });
  return fault;
}

// In place, items of no segment are those of the input.
std::string VerifyRun::difference_in_bits(const InputSpec& input, bool in_place, const std::byte* output, u64 bytes) {
  if (bytes > kMostComparedBytes || !reference_of(input.request.algorithm()).repeats_bits(input.request)) return {};
  std::vector<std::byte> found(bytes);
  device_.download(found.data(), output, bytes);
  const KeptBits kept{input, in_place && input.request.value<Segments>() == Segments::offsets, std::move(found)};
  const auto known = std::ranges::find_if(bits_, [&](const KeptBits& other) { return kept.is_of_same_input(other); });
  if (known == bits_.end())
    bits_.push_back(kept);
  else if (known->output != kept.output)
    return "it returned other bits than an earlier run, or than for other pointers";
  return {};
}

std::string VerifyRun::fault_beside(const Expected& expected, Variant variant, const Request& request) {
  for (const Beside& other : beside(variant, request)) {
    const RequestOperand& operand = other.operand;
    std::byte* const memory = other.memory;
    if (operand.is_consumed)
      if (std::string fault = fault_in_guards(memory, operand.bytes(), operand.name); !fault.empty()) return fault;
    if (!is_written(operand.role)) continue;
    const auto reference = expected.on_cpu();
    const auto item_bytes = static_cast<u64>(operand.item_bytes);
    const u64 written = reference->written(operand) * item_bytes;
    const auto parts = parts_of(memory, written, Reference::kChunkItems * item_bytes);
    std::string fault;
    staging_.download(parts, [&](u64 part, std::span<const std::byte> found) {
      const u64 first = static_cast<u64>(parts[part].on_device - memory) / item_bytes;
      fault = fault_of(operand.name, reference->check_beside(request, operand, first, found));
      return fault.empty();
    });
    if (fault.empty()) fault = fault_in_guards(memory, operand.bytes());
    if (fault.empty()) fault = fault_behind(memory + written, operand.bytes() - written, kResults);
    if (!fault.empty()) return fault;
  }
  return {};
}

std::string VerifyRun::fault_found_on_cpu(const Reference& reference, std::byte* output, u64 bytes) {
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
      if (guards.empty()) guards = guard_fault(found.last(kGuardBytes), "past the output");
      found = found.first(found.size() - kGuardBytes);
    }
    fault = fault_in_part(reference, static_cast<u64>(on_device - output), found);
    return fault.empty();
  });
  return fault.empty() ? guards : fault;
}

std::string VerifyRun::fault_in_input(const KnownInput& input, std::byte* on_device) {
  // A scan that spoils its input does so at small n too, where the check costs little.
  if (input.bytes() > kLargeBytes) return {};
  const u64 item_bytes = input.item_bytes();
  const auto parts = parts_of(on_device, input.bytes(), item_bytes);
  bool unchanged = true;
  staging_.download(parts, [&](u64 part, std::span<const std::byte> found) {
    return unchanged = input.equals(static_cast<u64>(parts[part].on_device - on_device) / item_bytes, found);
  });
  return unchanged ? "" : "it changed its input";
}

std::string VerifyRun::fault_in_guards(std::byte* array, u64 bytes, const std::string& name) {
  const std::string fault = fault_in_guard(array - kGuardBytes, "before the " + name);
  return fault.empty() ? fault_in_guard(array + bytes, "past the " + name) : fault;
}

std::string VerifyRun::fault_behind(std::byte* items, u64 bytes, const char* what) {
  std::vector<std::byte> found(std::min(bytes, kMostComparedBytes));
  device_.download(found.data(), items, found.size());
  const auto touched = std::ranges::find_if(found, [](std::byte byte) { return byte != kUnwritten; });
  if (touched == found.end()) return {};
  return std::string("it wrote past ") + what + ", at byte " + std::to_string(touched - found.begin());
}

std::string VerifyRun::fault_in_guard(std::byte* guard, const std::string& where) {
  return guard_fault(staging_.download({guard, kGuardBytes}), where);
}

}  // namespace scantune
