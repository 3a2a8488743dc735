#include "cub_libraries.h"

#include "cub_name.h"

namespace scantune::bench {
namespace {

template <CubBuild kBuild, ValueType... kInputs>
CubScan find_among(const ScanRequest& request) {
  CubScan found = nullptr;
  (void)((request.input_type == kInputs && (found = cub_scans<kBuild, kInputs>().find(request)) != nullptr) || ...);
  return found;
}

template <CubBuild kBuild>
CubScan find_of_any_type(const ScanRequest& request) {
  using enum ValueType;
  return find_among<kBuild, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64>(request);
}

template <CubBuild kBuild, ValueType... kInputs>
CubReduce reduction_among(const ReduceRequest& request) {
  CubReduce found = nullptr;
  (void)((request.input_type == kInputs && (found = cub_reductions<kBuild, kInputs>().find(request)) != nullptr) ||
         ...);
  return found;
}

template <CubBuild kBuild>
CubReduce reduction_of_any_type(const ReduceRequest& request) {
  using enum ValueType;
  return reduction_among<kBuild, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64>(request);
}

[[maybe_unused]] CubReduce no_reduction(const ReduceRequest&) { return nullptr; }

std::vector<CubLibrary> linked() {
  std::vector<CubLibrary> libraries;
  libraries.push_back({cub_name(cub_scans<CubBuild::toolkit, ValueType::i32>().version), Role::cub,
                       find_of_any_type<CubBuild::toolkit>, reduction_of_any_type<CubBuild::toolkit>});
#ifdef SCANTUNE_BENCH_NEWEST_CUB
  using enum ValueType;
  const std::string newest = cub_name(cub_scans<CubBuild::newest, i32>().version);
  libraries.push_back({newest, Role::cub, find_of_any_type<CubBuild::newest>, reduction_of_any_type<CubBuild::newest>});
  libraries.push_back({newest + " forced look-ahead", Role::lookahead,
                       find_among<CubBuild::lookahead, i8, i16, i32, i64, f32>, no_reduction});
#endif
  return libraries;
}

}  // namespace

std::span<const CubLibrary> cub_libraries() {
  static const std::vector<CubLibrary> kLibraries = linked();
  return kLibraries;
}

bool is_compared(const Request& request) {
  const CubLibrary& toolkit = cub_libraries().front();
  if (Case{request}.is_reduction()) return toolkit.find_reduction(typed<ReduceRequest>(request)) != nullptr;
  return toolkit.find(typed<ScanRequest>(request)) != nullptr;
}

}  // namespace scantune::bench
