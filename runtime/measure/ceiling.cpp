#include "measure/ceiling.h"

#include <algorithm>

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

}  // namespace

std::optional<Request> copy_beside(const Request& request) {
  if (&request.algorithm() == &algorithm_of<CopyRequest>()) return std::nullopt;
  const Operands operands(request);
  const auto all = operands.list();
  if (all.size() < 2 || all[0].role != OperandRole::input || all[1].role != OperandRole::output ||
      all[0].items != all[1].items || all[1].lies_apart)
    return std::nullopt;
  if (std::ranges::any_of(all.subspan(2), [](const auto& other) { return !is_argument(other.role); }))
    return std::nullopt;
  CopyRequest copy{
      .input_type = integer_of(all[0].item_bytes), .output_type = integer_of(all[1].item_bytes), .n = all[0].items};
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
