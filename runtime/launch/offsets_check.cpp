#include "launch/offsets_check.h"

#include <array>
#include <cstring>
#include <mutex>
#include <string>

#include "instantiation/instantiation.h"
#include "launch/arguments.h"
#include "load_balance/config/check_offsets.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

// An offset as its type has it.
std::string spelled(ValueType type, const std::byte* bytes) {
  i64 number = 0;
  std::memcpy(&number, bytes, static_cast<std::size_t>(size_of(type)));
  if (type == ValueType::i32) number = static_cast<i32>(number);
  return is_signed(type) ? std::to_string(number) : std::to_string(static_cast<u64>(number));
}

std::string name_of(u64 index) { return "offsets[" + std::to_string(index) + "]"; }

}  // namespace

OffsetsCheck::OffsetsCheck(const std::shared_ptr<Device>& device, const Request& request)
    : context_(launch_context(device)), request_(request), operand_(Operands(request).of(OperandRole::input)) {
  check_room(request_, operand_);
}

void OffsetsCheck::load() { module_ = loaded(); }

std::shared_ptr<const LoadedModule> OffsetsCheck::loaded() const {
  return context_.modules().get(instantiate_check(request_, "load_balance/kernels/check_offsets.h", {"check_offsets"}),
                                std::array{0});
}

void OffsetsCheck::check(const void* offsets, Stream stream) const {
  check_arguments(offsets, stream);
  const auto module = module_ != nullptr ? module_ : loaded();
  const u64 wrong = first_wrong(*module->module, offsets, stream);
  if (wrong == operand_.items) return;
  throw RequestError(to_string(request_) + ": " + fault_at(offsets, wrong, stream));
}

void OffsetsCheck::check_arguments(const void* offsets, Stream stream) const {
  const auto fail = [&](const std::string& fault) { throw RequestError(to_string(request_) + ": " + fault); };
  if (offsets == nullptr) fail("offsets is null, and check reads " + std::to_string(operand_.items) + " of them");
  if (reinterpret_cast<std::uintptr_t>(offsets) % static_cast<unsigned>(operand_.alignment) != 0)
    fail("offsets is not a multiple of the " + std::to_string(operand_.alignment) +
         " bytes that its type is aligned to");
  const NamedMemory named{"offsets", offsets, operand_.bytes(), static_cast<unsigned>(operand_.item_bytes)};
  if (const auto fault = context_.device().argument_fault({&named, 1}, stream); !fault.empty()) fail(fault);
  if (context_.device().stream_state(stream).capturing_graph != nullptr)
    fail("check is set, and the stream is being captured: the check waits for the stream, so leave it out there");
}

u64 OffsetsCheck::first_wrong(const Module& module, const void* offsets, Stream stream) const {
  Device& device = context_.device();
  const LeasedWorkspace leased = context_.streams().lease(
      device.stream_state(stream).id, {.kind = WorkspaceKind::scratch, .bytes = kVectorAlignmentBytes});
  // The word is the check's until it has been read.
  const std::unique_lock turn(leased.launching);
  device.enqueue_zero(leased.memory, sizeof(u64), stream);
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, offsets);
  arguments.workspace = leased.memory;
  device.launch(module,
                {.grid_blocks = offset_check_ctas(operand_.items),
                 .block_threads = kOffsetCheckThreads,
                 .n = request_.n,
                 .extents = {operand_.items - 1}},
                arguments, stream);
  u64 from_wrong = 0;
  device.download_behind(stream, &from_wrong, leased.memory, sizeof from_wrong);
  return operand_.items - from_wrong;
}

std::string OffsetsCheck::fault_at(const void* offsets, u64 index, Stream stream) const {
  const auto item_bytes = static_cast<u64>(operand_.item_bytes);
  const auto* const first = static_cast<const std::byte*>(offsets);
  std::byte pair[2 * sizeof(u64)] = {};
  const u64 begin = index == 0 ? 0 : index - 1;
  context_.device().download_behind(stream, pair, first + begin * item_bytes, (index - begin + 1) * item_bytes);
  const std::byte* const own = pair + (index - begin) * item_bytes;
  const std::string found = name_of(index) + " is " + spelled(operand_.type, own);
  if (index == 0 && std::memcmp(own, std::array<std::byte, sizeof(u64)>{}.data(), item_bytes) != 0)
    return found + ": the first segment begins with item 0, so it must be 0";
  u64 number = 0, before = 0;
  std::memcpy(&number, own, item_bytes);
  std::memcpy(&before, pair, item_bytes);
  if (number > request_.n)
    return found + ", and n is " + std::to_string(request_.n) + ": no segment begins or ends outside the items";
  if (index > 0 && number < before)
    return found + ", and " + name_of(index - 1) + " is " + spelled(operand_.type, pair) + ": offsets must not descend";
  return found + ", and n is " + std::to_string(request_.n) +
         ": the last segment ends with the last item, so it must be n";
}

}  // namespace scantune
