#include "measure/ceiling.h"

#include <algorithm>
#include <string_view>

#include "select/records_in_use.h"
#include "select/selector.h"
#include "space/operands.h"

namespace scantune {
namespace {

ValueType integer_of(int bytes) {
  for (const ValueType type : {ValueType::u8, ValueType::u16, ValueType::u32, ValueType::u64})
    if (size_of(type) == bytes) return type;
  return ValueType::custom;
}

// The operand's items, without the gaps between strided ones.
u64 counted(const Request& request, const RequestOperand& operand) {
  const bool has_gaps = request.layout.is_strided() && std::string_view(operand.extent) == Operand::kItems;
  return has_gaps ? request.n : operand.items;
}

}  // namespace

std::optional<Request> copy_beside(const Request& request) {
  if (&request.algorithm() == &algorithm_of<CopyRequest>()) return std::nullopt;
  const Operands operands(request);
  const auto all = operands.list();
  if (all.size() < 2 || all[0].role != OperandRole::input || all[1].role != OperandRole::output ||
      counted(request, all[0]) != counted(request, all[1]) || all[1].lies_apart)
    return std::nullopt;
  if (std::ranges::any_of(all.subspan(2), [](const auto& other) { return !is_argument(other.role); }))
    return std::nullopt;
  CopyRequest copy{.input_type = integer_of(all[0].item_bytes),
                   .output_type = integer_of(all[1].item_bytes),
                   .n = counted(request, all[0])};
  if (request.layout.is_strided()) {
    copy.segments = Segments::rows;  // columns have the strides of rows
    copy.rows = sequences(request);
    copy.layout = request.layout;
  }
  if (copy.input_type == ValueType::custom || copy.output_type == ValueType::custom) {
    copy.custom_bytes = request.custom_bytes;
    copy.custom_alignment = request.custom_alignment;
  }
  if (unsupported_reason(copy) != nullptr) return std::nullopt;
  return copy;
}

std::vector<Config> ceiling_configs(const Request& copy, const DeviceIdentity& device) {
  std::vector<Config> configs{select(*records_in_use(), device, copy).config};
  for (const FamilyModel* family : copy.algorithm().families())
    if (family->unsupported_reason(copy, device.sm) == nullptr)
      if (const Config config = family->default_config(copy, device.sm);
          std::ranges::find(configs, config) == configs.end())
        configs.push_back(config);
  return configs;
}

}  // namespace scantune
