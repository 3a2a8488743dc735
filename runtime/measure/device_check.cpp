#include "measure/device_check.h"

#include <algorithm>
#include <vector>

#include "core/contract/check.h"
#include "instantiation/instantiation.h"
#include "measure/device_buffer.h"
#include "measure/reference.h"
#include "measure/references/algorithm_reference.h"
#include "measure/stand_in.h"

namespace scantune {
namespace {

constexpr u64 kProvenItems = 3 * kCheckedItems + 5;  // whole chunks, and one that is not

u64 items_in_chunk(u64 chunk, u64 n) { return std::min(kCheckedItems, n - chunk * kCheckedItems); }

}  // namespace

bool DeviceCheck::exists_for(const InputSpec& input) {
  return input.pattern == InputPattern::exact &&
         !reference_of(input.request.algorithm()).check_kernels(input.request).header.empty();
}

DeviceCheck::DeviceCheck(Device& device, const Request& request)
    : device_(device), request_(reference_of(request.algorithm()).same_results(request)) {
  request_.n = kProvenItems;
  const CheckKernels kernels = reference_of(request.algorithm()).check_kernels(request);
  kernels_ = static_cast<int>(kernels.names.size());
  std::optional<CustomOperator> stand_in;
  if (request.has_custom_operator()) stand_in = stand_in_for(request);
  const Instantiation instantiation =
      instantiate_check(request_, kernels.header, kernels.names, stand_in ? &*stand_in : nullptr);
  const std::vector<int> no_shared_bytes(kernels.names.size(), 0);
  module_ = device.load(device.compiler().compile(instantiation, device.identity().arch), instantiation.kernels,
                        no_shared_bytes);
  fill_init(request_, arguments_.init);
  prove();
}

u64 DeviceCheck::first_wrong(const std::byte* input, const std::byte* output, u64 n) const {
  const auto workspace = CheckWorkspace::of(n);
  const DeviceBuffer memory(device_, workspace.bytes());
  // A chunk that no kernel checks has no right item.
  device_.zero(memory.data() + workspace.counts(), workspace.chunks * sizeof(u32));
  KernelArguments arguments = arguments_;
  arguments.set_operand(OperandRole::input, input);
  arguments.set_operand(OperandRole::output, output);  // the kernels only read it
  arguments.workspace = memory.data();
  for (int kernel = 0; kernel < kernels_; ++kernel)
    device_.launch(*module_,
                   {.kernel = kernel,
                    .grid_blocks = static_cast<u32>(ceil_div<u64>(workspace.chunks, kCheckThreads)),
                    .block_threads = kCheckThreads,
                    .n = n},
                   arguments, nullptr);
  std::vector<u32> counts(workspace.chunks);
  device_.download(counts.data(), memory.data() + workspace.counts(), counts.size() * sizeof(u32));
  for (u64 chunk = 0; chunk < workspace.chunks; ++chunk)
    if (counts[chunk] != items_in_chunk(chunk, n)) {
      const u64 wrong = chunk * kCheckedItems + counts[chunk];
      return Operands(request_).of(OperandRole::output).from_end ? n - 1 - wrong : wrong;
    }
  return n;
}

void DeviceCheck::prove() const {
  const KnownInput input(InputSpec{request_});
  const Operands operands(request_);
  const u64 item_bytes = static_cast<u64>(operands.of(OperandRole::output).item_bytes);
  std::vector<std::byte> items(input.bytes()), expected(operands.of(OperandRole::output).bytes());
  input.write(0, items);
  const auto reference = make_reference(input);
  reference->expect(input, expected);
  const DeviceBuffer from(device_, items.size()), to(device_, expected.size());
  device_.upload(from.data(), items.data(), items.size());

  const auto compare = [&](const std::string& output) {
    device_.upload(to.data(), expected.data(), expected.size());
    const u64 found = first_wrong(from.data(), to.data(), request_.n);
    const auto wrong = reference->check(0, expected);
    if (found != (wrong ? wrong->index : request_.n))
      throw NoCheck("the check on the device of " + to_string(request_) + ", given " + output + ", finds item " +
                    std::to_string(found) + " wrong, and the CPU " +
                    (wrong ? "item " + std::to_string(wrong->index) : "none"));
  };
  compare("what it should return");
  for (const u64 spoiled : {u64{0}, kCheckedItems - 1, kCheckedItems, 2 * kCheckedItems + 77, request_.n - 1}) {
    expected[spoiled * item_bytes] ^= std::byte{1};
    compare("an output whose item " + std::to_string(spoiled) + " is wrong");
    expected[spoiled * item_bytes] ^= std::byte{1};
  }
}

}  // namespace scantune
