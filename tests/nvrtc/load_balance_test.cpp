// Load balances, and the check of their offsets, compile for every architecture, and spill nothing. Each row of the
// design is one binary of a default config, staged or not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiled_row.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune {
namespace {

constexpr u64 kFewBalanced = 10'000, kManyBalanced = u64{1} << 26;  // defaults depend on n

LoadBalanceRequest request_of(const RowReader& row) {
  LoadBalanceRequest request;
  request.input_type = row.token_of<ValueType>("offset");
  const std::string& written = row["written"];
  const bool wide = row.is("number", "wide");
  if (written.ends_with("values")) {
    request.assigned = Assigned::values;
    request.output_type = written != "values" ? ValueType::custom : wide ? ValueType::f64 : ValueType::u8;
    if (request.output_type == ValueType::custom) {
      request.custom_bytes = written == "wide_values" ? 32 : wide ? 12 : 3;
      request.custom_alignment = natural_alignment(request.custom_bytes);
    }
  } else {
    request.assigned = row.token_of<Assigned>("written");
    request.output_type = wide ? ValueType::i64 : ValueType::u32;
  }
  request.n = row.is("size", "many") ? kManyBalanced : kFewBalanced;
  request.segments = request.n / 4;
  return request;
}

Config config_of(const RowReader& row) {
  const LoadBalanceRequest request = request_of(row);
  Config config = row.family().default_config(request, sm_of(row));
  for (std::size_t index = 0; index < config.family().parameters().size(); ++index)
    if (std::string_view(config.family().parameters()[index].name) == "staged")
      config[static_cast<int>(index)] = row.is("staged", "yes");
  return config;
}

const Design& load_balances() {
  static const auto kLegal = [](const DesignRow& row) {
    const RowReader values(load_balances(), row);
    const LoadBalanceRequest request = request_of(values);
    if (values.family().unsupported_reason(request, sm_of(values)) != nullptr) return false;
    return reject_reason(config_of(values), request, sm_of(values)) == nullptr;  // wide tiles do not fit everywhere
  };
  static const Design kDesign(
      "nvrtc_load_balances", 2, 1,
      {{"family", family_names<LoadBalanceRequest>()},
       {"sm", kFewSmNames},
       {"offset", {"u32", "i32", "u64", "i64"}},
       {"written", {"segments", "ranks", "segments_and_ranks", "values", "struct_values", "wide_values"}},
       {"staged", {"no", "yes"}},
       {"size", {"few", "many"}},
       {"number", {"narrow", "wide"}},
       {"pointers", {"aligned", "any"}, true}},
      kLegal);
  return kDesign;
}

TEST(LoadBalanceDesign, CoversEveryPair) {
  if (load_balances().write_if_asked()) return;
  EXPECT_EQ(load_balances().gaps(), std::vector<std::string>{});
}

TEST(LoadBalances, CompileForEveryArchitectureInRegisters) {
  for_each_row(load_balances(), [](const RowReader& row) {
    const LoadBalanceRequest request = request_of(row);
    const Config config = config_of(row);
    const Binary binary = compiled_whole(instantiate(request, config, row.variant()), sm_of(row));
    expect_registers_hold(binary, 0, 1, to_string(config));
  });
}

// What offsets are checked by, where a caller asks for that.
TEST(LoadBalances, CompileTheCheckOfOffsets) {
  std::size_t turn = 0;
  for (const ValueType offset : {ValueType::u32, ValueType::i32, ValueType::u64, ValueType::i64}) {
    const LoadBalanceRequest request{.input_type = offset, .n = kFewBalanced, .segments = kFewBalanced / 4};
    const int sm = std::stoi(kSmNames[turn++]);
    expect_registers_hold(
        compiled_whole(instantiate_check(request, "load_balance/kernels/check_offsets.h", {"check_offsets"}), sm), 0, 1,
        "a check of offsets");
  }
}

}  // namespace
}  // namespace scantune
