// The records that come with the library compile to kernels that keep everything in registers.
#include <gtest/gtest.h>

#include <map>
#include <string>
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

// The configs of the records, one of each architecture, type and family; in a long test all.
std::vector<TuningRecord> tested_records() {
  const TuningTable table(built_in_records());
  std::map<std::string, TuningRecord> tested;
  for (const TuningRecord& record : table.records()) {
    std::string key = record.device.arch + " " + spell(record.request.members().front(), record.request) + " ";
    key += kTestEffort > 1 ? to_string(record.config) : std::string(record.config.family().name());
    tested.try_emplace(key, record);
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

// A record's kernels take turns, so that there is each of them for some record of its family.
TEST(BuiltInRecords, CompileWithoutSpillsAndLocalMemory) {
  std::size_t turn = 0;
  for (const TuningRecord& record : tested_records()) {
    std::vector<VerifiedKernel> kernels = served_kernels(record.request);
    if (kTestEffort == 1) kernels = {kernels[turn++ % kernels.size()]};
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
