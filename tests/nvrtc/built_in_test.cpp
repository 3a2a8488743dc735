// The records that come with the library compile to kernels that keep everything in registers.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compile_log.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "measure/prepared_config.h"
#include "measure/verify.h"
#include "problems.h"
#include "select/layers.h"
#include "space/spelling.h"

namespace scantune {
namespace {

// Records that share kernels because they have the same config, architecture and types.
struct Group {
  std::string name;
  std::vector<TuningRecord> records;
};

void PrintTo(const Group& group, std::ostream* out) { *out << to_string(group.records.front().config); }

std::vector<Group> groups() {
  const TuningTable table(built_in_records());
  std::map<std::string, Group> by_config;
  for (const TuningRecord& record : table.records()) {
    const std::string types = spell(record.request.members().front(), record.request);
    const std::string key = record.device.arch + " " + types + " " + to_string(record.config);
    Group& group = by_config[key];
    const std::string number = std::to_string(by_config.size());
    if (group.records.empty())
      group.name = record.device.arch + "_" + types + "_" + record.config.family().name() + "_" + number;
    group.records.push_back(record);
  }
  std::vector<Group> all;
  for (const auto& [key, group] : by_config) all.push_back(group);
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

class BuiltInRecords : public testing::TestWithParam<Group> {};

TEST_P(BuiltInRecords, CompileWithoutSpillsAndLocalMemory) {
  std::set<std::string> sources;
  for (const TuningRecord& record : GetParam().records)
    for (const VerifiedKernel& kernel : served_kernels(record.request))
      if (sources.insert(instantiate_measured(kernel.request, record.config, kernel.variant, nullptr).source).second)
        expect_no_local_memory(kernel, record.config, record.device.arch);
}

INSTANTIATE_TEST_SUITE_P(Shipped, BuiltInRecords, testing::ValuesIn(groups()),
                         [](const auto& tested) { return tested.param.name; });

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
