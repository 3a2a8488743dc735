// Kernels with maps compile for every architecture that a family claims to support, and keep states out of local
// memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "local_memory.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {
namespace {

constexpr int kSms[] = {75, 80, 90, 100};
constexpr u64 kManyItems = u64{1} << 24;

struct Maps {
  const char* name;
  ValueType input, accumulator, output;
  Load load;
  Store store;
  CustomOperator sources;
};
void PrintTo(const Maps& maps, std::ostream* out) { *out << maps.name; }

// The states are as large as states may be.
constexpr int kStateBytes = kMaxValueBytes;
const std::string kState = "struct State { const int* table; unsigned long long items; long long factor, offset; };\n";

std::vector<Maps> all_maps() {
  const auto sources = [](const std::string& load, const std::string& store) {
    CustomOperator result;
    const auto of = [](const std::string& source) {
      return MapSource{source, source.find("State") != std::string::npos ? 32 : 0};
    };
    result.load = of(load);
    result.store = of(store);
    return result;
  };
  return {
      {"flags_of_bytes", ValueType::u8, ValueType::i32, ValueType::i32, Load::source, Store::none,
       sources("__device__ int load(unsigned char x) { return x > 100; }", "")},
      {"large_states", ValueType::f32, ValueType::i64, ValueType::i32, Load::indexed, Store::source,
       sources(kState + "__device__ long long load(float x, unsigned long long i, State s) {\n"
                        "  return (x > 0 ? s.factor : s.offset) * static_cast<long long>(i + s.items);\n}",
               kState + "__device__ int store(long long sum, State s) {\n"
                        "  return static_cast<int>(sum * s.factor + s.offset);\n}")},
      {"gather_and_scatter", ValueType::i32, ValueType::i32, ValueType::i32, Load::generated, Store::writing,
       sources(kState + "__device__ int load(unsigned long long i, State s) { return s.table[i & s.items]; }",
               kState + "__device__ void store(int sum, unsigned long long i, State s) {\n"
                        "  if ((i & 7) == 0) const_cast<int*>(s.table)[i >> 3] = sum;\n}")},
      {"halves", ValueType::f16, ValueType::f32, ValueType::bf16, Load::source, Store::source,
       sources("__device__ float load(float x) { return x * x; }",
               "__device__ float store(float x) { return x + 1; }")},
  };
}

template <class R>
R request_of(const Maps& maps) {
  R request;
  request.input_type = maps.input;
  request.accumulator_type = maps.accumulator;
  request.output_type = maps.output;
  request.load = maps.load;
  request.store = maps.store;
  request.n = kManyItems;
  return request;
}

// Every cut of the items, and of scans every order.
template <class R>
std::vector<R> requests_of(const Maps& maps) {
  R flat = request_of<R>(maps), rows = flat, columns = flat;
  rows.segments = Segments::rows;
  rows.rows = 1 << 12;
  columns.segments = Segments::columns;
  columns.columns = 1 << 10;
  std::vector<R> all = {flat, rows, columns};
  if constexpr (std::is_same_v<R, ScanRequest>) {
    ScanRequest reverse = flat, counted = flat;
    reverse.direction = Direction::reverse;
    counted.n_source = NSource::memory;
    all.insert(all.end(), {reverse, counted});
  }
  return all;
}

template <class R>
void check(const Maps& maps) {
  for (const R& request : requests_of<R>(maps))
    for (const int sm : kSms) expect_state_in_no_local_memory(request, maps.sources, sm);
}

class NvrtcMaps : public testing::TestWithParam<Maps> {};
TEST_P(NvrtcMaps, OfScansCompileWithoutAStateInLocalMemory) { check<ScanRequest>(GetParam()); }
TEST_P(NvrtcMaps, OfReductionsCompileWithoutAStateInLocalMemory) { check<ReduceRequest>(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Every, NvrtcMaps, testing::ValuesIn(all_maps()),
                         [](const auto& tested) { return std::string(tested.param.name); });

// NVRTC tells the caller's lines, as the host's compiler does.
TEST(NvrtcMap, MistakesCountTheCallersLines) {
  ScanRequest request;
  request.load = Load::source;
  request.n = kManyItems;
  const auto log_of = [&](const std::string& source) -> std::string {
    CustomOperator sources;
    sources.load.source = source;
    try {
      compile_with_nvrtc(instantiate(request, default_config(request, 90), Variant::aligned, &sources), "sm_90");
    } catch (const CompileError& error) {
      return error.what();
    }
    return "it compiled";
  };
  EXPECT_NE(log_of("__device__ int load(int x) {\n  return x * missing;\n}").find("load.cu(2)"), std::string::npos);
  EXPECT_NE(log_of("__device__ int load(int x, int y) { return x; }").find("define __device__ Result load(Value item)"),
            std::string::npos);
  EXPECT_NE(log_of("__device__ float load(int x) { return x; }").find("load must return its result"),
            std::string::npos);
}

}  // namespace
}  // namespace scantune
