// Scans and reductions cut into rows, columns or segments, and the items of each in the order in which they are
// combined.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

#include "designed_rows.h"
#include "device/host/random.h"
#include "families_under_test.h"
#include "offsets_in_memory.h"
#include "reduce/config/reduce.h"
#include "scan/config/scan.h"
#include "space/space.h"

namespace scantune {

// The places in the input of the items of each sequence, in the order in which they are combined.
template <class R>
std::vector<std::vector<u64>> sequences_of(const R& request) {
  std::vector<std::vector<u64>> all;
  if (request.has_offsets()) {
    for (const auto& [begin, end] : segments_of(request)) {
      all.emplace_back(end - begin);
      std::iota(all.back().begin(), all.back().end(), begin);
    }
  } else {
    const u64 count = request.segments == Segments::rows      ? request.rows
                      : request.segments == Segments::columns ? request.columns
                                                              : 1;
    all.resize(count);
    const u64 length = ceil_div(request.n, count);
    for (u64 index = 0; index < request.n; ++index)
      all[request.segments == Segments::columns ? index % count : index / length].push_back(index);
  }
  if constexpr (requires { request.direction; })
    if (request.direction == Direction::reverse)
      for (auto& sequence : all) std::ranges::reverse(sequence);
  return all;
}

// What scans and reductions differ in beside their items and what combines these: factors of a design. Segments that
// start at flags, bits or keys have one of their own.
template <class R>
std::vector<Factor> factors_of_cuts() {
  std::vector<Factor> all = {{"family", names_of(families_of<R>(Standing::library))},
                             {"segments", {"none", "rows", "columns", "offsets"}},
                             {"init", {"none", "value"}},
                             {"pointers", {"aligned", "any"}}};
  if constexpr (std::is_same_v<R, ScanRequest>) {
    all.push_back({"kind", all_tokens<Kind>()});
    all.push_back({"direction", all_tokens<Direction>()});
  }
  return all;
}

// The case that a row names, such as a map.
template <class Case>
const Case& case_of(const RowReader& row, const char* factor, const std::vector<Case>& cases) {
  return *std::ranges::find_if(cases, [&](const Case& one) { return row.is(factor, one.name); });
}

// The request as a row of such a design has it, cut into rows or columns of a length that is drawn, or into segments.
template <class R>
R cut(const RowReader& row, R request, Random& random) {
  request.init = row.token_of<Init>("init");
  if constexpr (std::is_same_v<R, ScanRequest>) {
    request.kind = row.token_of<Kind>("kind");
    request.direction = row.token_of<Direction>("direction");
  }
  request.segments = row.token_of<Segments>("segments");
  if (request.segments == Segments::none) return request;
  if (request.has_offsets()) {
    request.segment_count = 1 + random.below(static_cast<u32>(request.n / 3 + 1));
    return request;
  }
  const u64 count = request.n < 4 ? 1 : 1 + random.below(static_cast<u32>(request.n / 3));
  request.n = request.n / count * count;
  (request.segments == Segments::rows ? request.rows : request.columns) = count;
  return request;
}

// The design of every pair of a case and what scans or reductions differ in. design returns the same one, and
// request_of a request of a case, for some items in one sequence.
template <class R, class Case>
Design design_of_cuts(const char* name, const char* factor, const std::vector<Case>& cases, const Design& (*design)(),
                      R (*request_of)(const Case&)) {
  std::vector<Factor> factors = factors_of_cuts<R>();
  factors.push_back({factor, {}});
  for (const Case& one : cases) factors.back().values.emplace_back(one.name);
  return Design(name, 2, 1, factors, [=, &cases](const DesignRow& values) {
    const RowReader row(design(), values);
    Random random(1);
    const R request = cut(row, request_of(case_of(row, factor, cases)), random);
    return row.family().unsupported_reason(request, kHostSm) == nullptr;
  });
}

// The request as a config takes it; nullopt where it takes none of some lengths that are drawn.
template <class R>
std::optional<R> cut(const RowReader& row, const Config& config, const R& request, Random& random) {
  constexpr int kDraws = 10;
  for (int draw = 0; draw < kDraws; ++draw)
    if (const R drawn = cut(row, request, random); reject_reason(config, drawn, kHostSm) == nullptr) return drawn;
  return std::nullopt;
}

// Every cut of the items has a family for each case. Without one a design would have too few rows.
template <class Case, class RequestOf>
void expect_families_of_every_cut(const std::vector<Case>& cases, const RequestOf& request_of) {
  for (const Case& tested : cases)
    for (const Segments segments : {Segments::none, Segments::rows, Segments::columns}) {
      auto request = request_of(tested);
      request.segments = segments;
      request.rows = segments == Segments::rows ? 32 : 0;
      request.columns = segments == Segments::columns ? 32 : 0;
      EXPECT_NO_THROW(default_config(request, 90)) << tested.name;
    }
}

// How far behind a vector's boundary an array of that type begins: off it, or so that kernels for aligned pointers
// serve it.
template <class R>
u64 offset_of(const R& request, bool aligned, ValueType type, u64 bytes) {
  if (!aligned) return 3 * static_cast<u64>(request.alignment_of(type));
  if constexpr (requires { request.direction; })
    if (request.direction == Direction::reverse) return -bytes % kVectorAlignmentBytes;
  return 0;
}

}  // namespace scantune
