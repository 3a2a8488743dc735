#include "launch/offsets_check.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string>

#include "core/contract/offset_check.h"
#include "instantiation/instantiation.h"
#include "launch/allocator.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr const char* kOutside = ": no segment begins or ends outside the items";

// An offset as its type has it.
std::string spelled(ValueType type, const std::byte* bytes) {
  i64 number = 0;
  std::memcpy(&number, bytes, static_cast<std::size_t>(size_of(type)));
  if (type == ValueType::i32) number = static_cast<i32>(number);
  return is_signed(type) ? std::to_string(number) : std::to_string(static_cast<u64>(number));
}

// Whether the offset is within the n items.
bool is_within(ValueType type, const std::byte* bytes, u64 n) {
  u64 number = 0;
  std::memcpy(&number, bytes, static_cast<std::size_t>(size_of(type)));
  return number <= n;  // one below 0 is a large number, too
}

// Memory for as long as a check takes.
class BriefMemory {
 public:
  BriefMemory(Device& device, u64 bytes)
      : device_(device), bytes_(bytes), from_(current_allocator()), data_(allocate_from(from_, device, bytes)) {}
  BriefMemory(const BriefMemory&) = delete;
  BriefMemory& operator=(const BriefMemory&) = delete;
  ~BriefMemory() { free_to(from_, device_, data_, bytes_); }

  void* data() const { return data_; }

 private:
  Device& device_;
  u64 bytes_;
  Allocator from_;
  void* data_;
};

}  // namespace

OffsetsCheck::OffsetsCheck(const std::shared_ptr<Device>& device, const Request& request, bool refuses_overlap)
    : context_(launch_context(device)), request_(request) {
  const Operands operands(request);
  const auto add = [&](OperandRole role) {
    const auto found = std::ranges::find(operands.list(), role, &RequestOperand::role);
    if (found == operands.list().end()) return false;
    read_.push_back({*found, static_cast<std::size_t>(found - operands.list().begin())});
    check_room(request_, *found);
    return true;
  };
  covers_all_ = !add(OperandRole::begins) && add(OperandRole::input);
  has_ends_ = add(OperandRole::ends);
  refuses_overlap_ = refuses_overlap && has_ends_;  // bounds that do not descend leave no items in common
  add(OperandRole::segment_count);
}

void OffsetsCheck::load() { module_ = loaded(); }

std::shared_ptr<const LoadedModule> OffsetsCheck::loaded() const {
  const std::string header = std::string(request_.algorithm().name()) + "/kernels/check_offsets.h";
  std::vector<std::string> kernels = {"check_offsets"};
  if (refuses_overlap_) kernels.insert(kernels.end(), {"mark_items", "find_overlap"});
  const std::vector<int> no_shared_bytes(kernels.size());
  return context_.modules().get(instantiate_check(request_, header, kernels), no_shared_bytes);
}

void OffsetsCheck::check(const Pointers& pointers, Stream stream) const {
  if (read_.front().operand.items == 0) return;
  check_arguments(pointers, stream);
  const auto module = module_ != nullptr ? module_ : loaded();
  const u64 count = read_.front().operand.items, wrong = first_wrong(*module->module, pointers, stream);
  if (wrong != count)
    throw RequestError(to_string(request_) + ": " +
                       (has_ends_ ? fault_of_segment(pointers, wrong, stream) : fault_at(pointers, wrong, stream)));
  if (!refuses_overlap_) return;
  if (const u64 first = first_overlapping(*module->module, pointers, stream); first != count)
    throw RequestError(to_string(request_) + ": " + segment_at(pointers, first, stream) +
                       ": another segment has some of these items");
}

void OffsetsCheck::check_arguments(const Pointers& pointers, Stream stream) const {
  const auto fail = [&](const std::string& fault) { throw RequestError(to_string(request_) + ": " + fault); };
  for (const auto& [operand, place] : read_) {
    const std::string name = operand.name;
    const void* const memory = pointers[place];
    if (memory == nullptr) fail(name + " is null, and check reads " + std::to_string(operand.items) + " of them");
    if (reinterpret_cast<std::uintptr_t>(memory) % static_cast<unsigned>(operand.alignment) != 0)
      fail(name + " is not a multiple of the " + std::to_string(operand.alignment) +
           " bytes that its type is aligned to");
    const NamedMemory named{operand.name, memory, operand.bytes(), static_cast<unsigned>(operand.item_bytes)};
    if (const auto fault = context_.device().argument_fault({&named, 1}, stream); !fault.empty()) fail(fault);
  }
  if (context_.device().stream_state(stream).capturing_graph != nullptr)
    fail("check is set, and the stream is being captured: the check waits for the stream, so leave it out there");
}

u64 OffsetsCheck::first_wrong(const Module& module, const Pointers& pointers, Stream stream) const {
  Device& device = context_.device();
  const LeasedWorkspace leased = context_.streams().lease(
      device.stream_state(stream).id, {.kind = WorkspaceKind::scratch, .bytes = kVectorAlignmentBytes});
  // The word is the check's until it has been read.
  const std::unique_lock turn(leased.launching);
  device.enqueue_zero(leased.memory, sizeof(u64), stream);
  KernelArguments arguments = arguments_of(pointers, leased.memory);
  const u64 count = read_.front().operand.items;
  device.launch(module,
                {.grid_blocks = offset_check_ctas(count),
                 .block_threads = kOffsetCheckThreads,
                 .n = request_.n,
                 .extents = {has_ends_ ? count : count - 1}},
                arguments, stream);
  u64 from_wrong = 0;
  device.download_behind(stream, &from_wrong, leased.memory, sizeof from_wrong);
  return count - from_wrong;
}

u64 OffsetsCheck::first_overlapping(const Module& module, const Pointers& pointers, Stream stream) const {
  Device& device = context_.device();
  const u64 count = read_.front().operand.items, map_bytes = ceil_div<u64>(request_.n, 64) * sizeof(u64);
  const u64 bytes = kVectorAlignmentBytes + 2 * map_bytes;
  const BriefMemory memory(device, bytes);
  device.enqueue_zero(memory.data(), bytes, stream);
  KernelArguments arguments = arguments_of(pointers, memory.data());
  for (const int kernel : {1, 2})
    device.launch(module,
                  {.kernel = kernel,
                   .grid_blocks = offset_check_ctas(count * kWarpThreads),
                   .block_threads = kOffsetCheckThreads,
                   .n = request_.n,
                   .extents = {count},
                   .scratch = {kVectorAlignmentBytes, kVectorAlignmentBytes + map_bytes}},
                  arguments, stream);
  u64 from_first = 0;
  device.download_behind(stream, &from_first, memory.data(), sizeof from_first);
  return count - from_first;
}

KernelArguments OffsetsCheck::arguments_of(const Pointers& pointers, void* workspace) const {
  KernelArguments arguments{};
  for (const auto& [operand, place] : read_) arguments.set_operand(operand.role, pointers[place]);
  arguments.workspace = workspace;
  return arguments;
}

std::string OffsetsCheck::fault_at(const Pointers& pointers, u64 index, Stream stream) const {
  const auto& [operand, place] = read_.front();
  const auto item_bytes = static_cast<u64>(operand.item_bytes);
  const auto* const first = static_cast<const std::byte*>(pointers[place]);
  std::byte pair[2 * sizeof(u64)] = {};
  const u64 begin = index == 0 ? 0 : index - 1;
  context_.device().download_behind(stream, pair, first + begin * item_bytes, (index - begin + 1) * item_bytes);
  const std::byte* const own = pair + (index - begin) * item_bytes;
  const auto name = [](u64 of) { return "offsets[" + std::to_string(of) + "]"; };
  const std::string found = name(index) + " is " + spelled(operand.type, own);
  const std::string n = ", and n is " + std::to_string(request_.n);
  if (covers_all_ && index == 0 && !is_within(operand.type, own, 0))
    return found + ": the first segment begins with item 0, so it must be 0";
  if (!is_within(operand.type, own, request_.n)) return found + n + kOutside;
  u64 number = 0, before = 0;
  std::memcpy(&number, own, item_bytes);
  std::memcpy(&before, pair, item_bytes);
  if (index > 0 && number < before)
    return found + ", and " + name(index - 1) + " is " + spelled(operand.type, pair) + ": offsets must not descend";
  return found + n + ": the last segment ends with the last item, so it must be n";
}

std::string OffsetsCheck::fault_of_segment(const Pointers& pointers, u64 segment, Stream stream) const {
  for (std::size_t which = 0; which < 2; ++which)
    if (const Found found = found_at(which, pointers, segment, stream); !found.is_within)
      return found.text + ", and n is " + std::to_string(request_.n) + kOutside;
  return found_at(1, pointers, segment, stream).text + ", and " + found_at(0, pointers, segment, stream).text +
         ": no segment ends before it begins";
}

std::string OffsetsCheck::segment_at(const Pointers& pointers, u64 segment, Stream stream) const {
  return found_at(0, pointers, segment, stream).text + ", and " + found_at(1, pointers, segment, stream).text;
}

OffsetsCheck::Found OffsetsCheck::found_at(std::size_t which, const Pointers& pointers, u64 segment,
                                           Stream stream) const {
  const auto& [operand, place] = read_[which];
  const auto item_bytes = static_cast<u64>(operand.item_bytes);
  std::byte offset[sizeof(u64)] = {};
  context_.device().download_behind(stream, offset,
                                    static_cast<const std::byte*>(pointers[place]) + segment * item_bytes, item_bytes);
  return {std::string(operand.name) + "[" + std::to_string(segment) + "] is " + spelled(operand.type, offset),
          is_within(operand.type, offset, request_.n)};
}

}  // namespace scantune
