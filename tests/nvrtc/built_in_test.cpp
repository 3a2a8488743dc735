// The records that come with the library compile to kernels that keep everything in registers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile_log.h"
#include "effort.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "measure/prepared_config.h"
#include "measure/verify.h"
#include "problems.h"
#include "select/layers.h"
#include "space/spelling.h"

namespace scantune {
namespace {

// How many registers of an SM the items of a config take. What it leaves for the rest depends on the family.
u64 pressure_of(const TuningRecord& record) {
  constexpr std::string_view kFactors[] = {"block_threads", "items_per_thread", "vectors_per_thread", "unroll",
                                           "min_ctas_per_sm"};
  u64 pressure = std::max<u64>(sizeof(u32), static_cast<u64>(record.request.accumulator_bytes()));
  const auto& parameters = record.config.family().parameters();
  for (std::size_t index = 0; index < parameters.size(); ++index)
    if (std::ranges::count(kFactors, std::string_view(parameters[index].name)) > 0)
      pressure *= static_cast<u64>(std::max(1, record.config[static_cast<int>(index)]));
  return pressure;
}

// Of each architecture, family and width of items the record whose items take the most registers, for there it would
// spill first; in a long test all configs.
std::vector<TuningRecord> tested_records() {
  const TuningTable table(built_in_records());
  std::map<std::string, TuningRecord> tested;
  for (const TuningRecord& record : table.records()) {
    std::string key = record.device.arch + " ";
    if (kTestEffort > 1)
      key += spell(record.request.members().front(), record.request) + " " + to_string(record.config);
    else
      key += std::string(record.config.family().name()) + " " +
             std::to_string(record.request.bytes_of(record.request.type(record.request.members().front())));
    const auto [known, is_new] = tested.try_emplace(key, record);
    if (!is_new && pressure_of(record) > pressure_of(known->second)) known->second = record;
  }
  std::vector<TuningRecord> all;
  for (const auto& [key, record] : tested) all.push_back(record);
  return all;
}

void expect_no_local_memory(const VerifiedKernel& kernel, const Config& config, const std::string& arch) {
  const Binary binary = compile_with_nvrtc(instantiate_measured(kernel.request, config, kernel.variant, nullptr), arch);
  ASSERT_NE(binary.log.find("registers"), std::string::npos) << binary.log;
  for (const char* kind : {"stack frame", "spill stores", "spill loads"})
    EXPECT_EQ(reported_bytes(binary.log, kind), 0)
        << kind << " of " << to_string(config) << " for " << to_string(kernel.request) << "\n"
        << binary.log;
}

// A record serves all kinds, and other operators of the same types.
std::vector<VerifiedKernel> served_kernels(const Request& request) {
  std::vector<VerifiedKernel> served = verified_kernels(request, nullptr, true);
  if (const MemberModel* op = request.algorithm().operator_member()) {
    served.push_back(served.front());
    served.back().request.set(*op, static_cast<int>(Operator::max));
  }
  return served;
}

// Kernels for any pointers take the most registers; of these one in turn, and in a long test all kernels.
TEST(BuiltInRecords, CompileWithoutSpillsAndLocalMemory) {
  std::size_t turn = 0;
  for (const TuningRecord& record : tested_records()) {
    std::vector<VerifiedKernel> kernels = served_kernels(record.request);
    if (kTestEffort == 1) {
      if (std::ranges::count(kernels, Variant::any, &VerifiedKernel::variant) > 0)
        std::erase_if(kernels, [](const VerifiedKernel& kernel) { return kernel.variant != Variant::any; });
      kernels = {kernels[turn++ % kernels.size()]};
    }
    for (const VerifiedKernel& kernel : kernels) expect_no_local_memory(kernel, record.config, record.device.arch);
  }
}

TEST(CompileLog, TellsAKernelThatSpills) {
  const ScanRequest request = request_of(ValueType::i64, Operator::sum, Kind::inclusive, kTestedItems);
  Config config = find_family("lookback")->default_config(request, 90);
  const auto set = [&](std::string_view name, int value) {
    for (int index = 0; index < static_cast<int>(config.family().parameters().size()); ++index)
      if (name == config.family().parameters()[static_cast<std::size_t>(index)].name) config[index] = value;
  };
  set("block_threads", 512);
  set("items_per_thread", 32);
  set("min_ctas_per_sm", 3);  // 40 registers for each thread
  const Binary binary = compile_with_nvrtc(instantiate(request, config, Variant::aligned), "sm_90");
  EXPECT_GT(reported_bytes(binary.log, "spill stores"), 0) << binary.log;
  EXPECT_GT(reported_bytes(binary.log, "spill loads"), 0) << binary.log;
  EXPECT_GT(reported_bytes(binary.log, "stack frame"), 0) << binary.log;
}

}  // namespace
}  // namespace scantune
