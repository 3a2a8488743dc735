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

std::vector<CubLibrary> linked() {
  std::vector<CubLibrary> libraries;
  libraries.push_back({cub_name(cub_scans<CubBuild::toolkit, ValueType::i32>().version), Role::cub,
                       find_of_any_type<CubBuild::toolkit>});
#ifdef SCANTUNE_BENCH_NEWEST_CUB
  using enum ValueType;
  const std::string newest = cub_name(cub_scans<CubBuild::newest, i32>().version);
  libraries.push_back({newest, Role::cub, find_of_any_type<CubBuild::newest>});
  libraries.push_back(
      {newest + " forced look-ahead", Role::lookahead, find_among<CubBuild::lookahead, i8, i16, i32, i64, f32>});
#endif
  return libraries;
}

}  // namespace

std::span<const CubLibrary> cub_libraries() {
  static const std::vector<CubLibrary> kLibraries = linked();
  return kLibraries;
}

bool is_compared(const ScanRequest& request) { return cub_libraries().front().find(request) != nullptr; }

}  // namespace scantune::bench
