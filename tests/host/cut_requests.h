// Scans and reductions cut into rows or columns, and the items of each in the order in which they are combined.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "config/reduce.h"
#include "config/scan.h"
#include "device/host/random.h"
#include "space/space.h"

namespace scantune {

// The places in the input of the items of each sequence, in the order in which they are combined.
template <class R>
std::vector<std::vector<u64>> sequences_of(const R& request) {
  const u64 count = request.segments == Segments::rows      ? request.rows
                    : request.segments == Segments::columns ? request.columns
                                                            : 1;
  std::vector<std::vector<u64>> all(count);
  const u64 length = ceil_div(request.n, count);
  for (u64 index = 0; index < request.n; ++index)
    all[request.segments == Segments::columns ? index % count : index / length].push_back(index);
  if constexpr (requires { request.direction; })
    if (request.direction == Direction::reverse)
      for (auto& sequence : all) std::ranges::reverse(sequence);
  return all;
}

// The request cut as the family takes it, into rows or columns of various lengths.
template <class R>
R cut(const FamilyModel& family, R request, Random& random) {
  const auto takes = [&](R other) { return family.unsupported_reason(other, kHostSm) == nullptr; };
  const u64 n = request.n;
  R rows = request, columns = request;
  rows.segments = Segments::rows;
  rows.rows = n < 4 ? 1 : 1 + random.below(static_cast<u32>(n / 3));
  rows.n = n / rows.rows * rows.rows;
  columns.segments = Segments::columns;
  columns.columns = n < 4 ? 1 : 1 + random.below(static_cast<u32>(n / 3));
  columns.n = n / columns.columns * columns.columns;
  if (takes(request) && random.chance(50)) return request;
  if (takes(rows)) return rows;
  if (takes(columns)) return columns;
  return request;
}

template <class R>
R in_order(const FamilyModel& family, R request, Random& random) {
  if (random.chance(50)) request.init = Init::value;
  if constexpr (std::is_same_v<R, ScanRequest>) {
    if (request.has_init() && random.chance(50)) request.kind = Kind::exclusive;
    ScanRequest reverse = request;
    reverse.direction = Direction::reverse;
    if (random.chance(40) && family.unsupported_reason(cut(family, reverse, random), kHostSm) == nullptr)
      return reverse;
  }
  return request;
}

}  // namespace scantune
