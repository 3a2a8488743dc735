// No name of the caller's takes the place of one of the templates': a call without scantune:: that has an argument of
// the caller's type is also looked for beside that type.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "families_under_test.h"
#include "host/kernel_batch.h"
#include "instances.h"
#include "instantiation/instantiation.h"
#include "problems.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr int kCallersSm = 90;

constexpr const char* kStruct = "struct Value { int a, b; };\n";
// To look beside this Value, a compiler needs to know Trap<Unknown>, which does not compile. So it refuses every call
// that would find a function of the caller's, whatever that is named.
constexpr const char* kTrap =
    "struct Unknown;\n"
    "template <class Item> struct Trap { Item item; };\n"
    "template <class Trapped> struct Trapping { int a, b; };\n"
    "using Value = Trapping<Trap<Unknown>*>;\n";

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " is not in " << text;
  text.replace(at, from.size(), to);
}

// The instance with such a Value. What checks the source looks for its functions beside Value, so it is left out.
Instantiation trapped(Instantiation instance, const std::string& operation) {
  replace(instance.source, kStruct, kTrap);
  const std::size_t check = instance.source.find(" SCANTUNE_CUSTOM_");
  const std::size_t end = instance.source.find('\n', check);
  EXPECT_NE(end, std::string::npos) << instance.source;
  instance.source.replace(check, end - check,
                          "struct ScantuneOperator {\n  using Value = ::Value;\n" + operation + "};");
  return instance;
}

struct Use {
  CustomOperator custom;
  std::string operation;  // what the kernels call
};

const Use kCombines = {
    {.source = std::string(kStruct) + "__device__ Value combine(Value x, Value y) { return {x.a + y.a, y.b}; }\n",
     .name = {}},
    "  SCANTUNE_DEVICE static Value combine(Value x, Value y) { return ::combine(x, y); }\n"};
const Use kKeeps = {
    {.source = std::string(kStruct) + "__device__ bool keep(Value item) { return item.a > 0; }\n", .name = {}},
    "  SCANTUNE_DEVICE static bool keeps(Value item, const unsigned char*) { return ::keep(item); }\n"};
const Use kEquals = {
    {.source = std::string(kStruct) + "__device__ bool equal(Value x, Value y) { return x.a == y.a; }\n", .name = {}},
    "  SCANTUNE_DEVICE static bool equals(Value x, Value y, const unsigned char*) { return ::equal(x, y); }\n"};
const Use kTells = {
    {.source = std::string(kStruct) + "__device__ int part(Value item) { return item.a; }\n", .name = {}},
    "  SCANTUNE_DEVICE static int part(Value item, const unsigned char*) { return ::part(item); }\n"};

const Use kCompares = {
    {.source = std::string(kStruct) + "__device__ bool less(Value x, Value y) { return x.a < y.a; }\n", .name = {}},
    "  SCANTUNE_DEVICE static bool less(const Value& x, const Value& y) { return ::less(x, y); }\n"};

struct Asked {
  Request request;
  const Use* use;
};

template <class Typed>
Typed of_structs(Typed request) {
  request.input_type = ValueType::custom;
  request.custom_bytes = 8;
  request.custom_alignment = 4;
  request.n = kTestedItems;
  if constexpr (requires { request.accumulator_type; }) {
    request.accumulator_type = request.output_type = ValueType::custom;
    request.op = Operator::custom_cheap;
  }
  return request;
}

std::vector<Asked> requests() {
  // Forward, dense and without maps: other items are classes of the templates with operators of their own, which
  // compilers also look for beside Value.
  std::vector<Asked> all;
  const auto add = [&](const auto& request, const Use& use) { all.push_back({of_structs(request), &use}); };
  for (const Segments segments : {Segments::none, Segments::rows, Segments::columns}) {
    const u64 rows = segments == Segments::rows ? 100 : 0, columns = segments == Segments::columns ? 100 : 0;
    for (const Kind kind : {Kind::inclusive, Kind::exclusive})
      add(ScanRequest{.kind = kind,
                      .init = kind == Kind::exclusive ? Init::memory : Init::none,
                      .segments = segments,
                      .rows = rows,
                      .columns = columns},
          kCombines);
    for (const Init init : {Init::none, Init::value, Init::memory})
      add(ReduceRequest{.init = init, .segments = segments, .rows = rows, .columns = columns}, kCombines);
  }
  add(ScanRequest{.n_source = NSource::memory}, kCombines);
  for (const Selected selected : {Selected::items, Selected::items_and_indices}) {
    for (const Rejected rejected : {Rejected::dropped, Rejected::behind})
      add(SelectRequest{.criterion = Criterion::predicate, .selected = selected, .rejected = rejected}, kKeeps);
    add(SelectRequest{.criterion = Criterion::unique_by, .selected = selected}, kEquals);
  }
  add(SelectRequest{.criterion = Criterion::parts, .rejected = Rejected::behind}, kTells);
  add(SortRequest{.input_type = ValueType::custom,
                  .value_type = ValueType::custom,
                  .sorted = Sorted::pairs,
                  .comparison = Comparison::source},
      kCompares);
  return all;
}

// Instances that take the same definitions, those of a family together.
using Group = std::vector<Instantiation>;

// Returns one config of each family for each request, and takes the next config for the next request.
std::map<std::string, Group> instances(int sm, Variant variant) {
  std::map<std::string, Group> all;
  for (const AlgorithmModel* algorithm : algorithms())
    for (const FamilyModel* family : algorithm->families()) {
      if (family->standing() != Standing::library) continue;
      std::size_t turn = 0;
      for (const Asked& asked : requests()) {
        if (&asked.request.algorithm() != algorithm || family->unsupported_reason(asked.request, sm) != nullptr)
          continue;
        const std::vector<Config> configs = searched_configs(*family, asked.request, sm);
        // A step that has no divisor in common with most counts.
        const Config& config = configs[turn++ * 7919 % configs.size()];
        const Instantiation one =
            trapped(instantiate(asked.request, config, variant, &asked.use->custom), asked.use->operation);
        all[one.source.substr(0, one.source.find("#include")) + asked.use->operation].push_back(one);
      }
    }
  return all;
}

TEST(CallersNames, AreNotFoundByKernelsOnTheHostDevice) {
  for (const auto& [definitions, group] : instances(kHostSm, Variant::aligned)) {
    KernelBatch batch;
    EXPECT_NO_THROW(batch.add(group));
  }
}

TEST(CallersNames, AreNotFoundByKernelsOfGpus) {
  for (const auto& [definitions, group] : instances(kCallersSm, Variant::any))
    EXPECT_NO_THROW(code_of_instances(group, kCallersSm));
}

// The test above sees a call without scantune:: in any family that has it.
TEST(CallersNames, OfACallThatIsNotQualifiedAreFoundByNvrtc) {
  std::string text;
  std::vector<TemplateFile> files(template_files().begin(), template_files().end());
  for (TemplateFile& file : files)
    if (std::string_view(file.path) == "scan/kernels/pipelined.h") {
      text = file.text;
      for (std::size_t at = 0; (at = text.find("scantune::lowest(", at)) != std::string::npos;) text.erase(at, 10);
      file.text = text.c_str();
    }
  ASSERT_NE(text.find("lowest("), std::string::npos);
  Group pipelined;
  for (const auto& [definitions, group] : instances(kCallersSm, Variant::any))
    for (const Instantiation& one : group)
      if (one.headers.front() == "scan/kernels/pipelined.h") pipelined.push_back(one);
  ASSERT_FALSE(pipelined.empty());
  const Group first(pipelined.begin(), pipelined.begin() + 1);
  EXPECT_NO_THROW(code_of_instances(first, kCallersSm));
  EXPECT_THROW(code_of_instances(first, kCallersSm, files), CompileError);
}

}  // namespace
}  // namespace scantune
