// The families of scans, and a request for a family of any algorithm. What is said of families without their standing
// is of those in the library.
#pragma once

#include <span>
#include <vector>

#include "space/space.h"

namespace scantune {

// The families of an algorithm that stand in the library, or those that stand in the gallery.
template <class Typed>
std::span<const FamilyModel* const> families_of(Standing standing) {
  static const auto kOf = [](Standing wanted) {
    const auto all = algorithm_of<Typed>().families();
    std::vector<const FamilyModel*> families(all.begin(), all.end());
    std::erase_if(families, [&](const FamilyModel* family) { return family->standing() != wanted; });
    return families;
  };
  static const std::vector<const FamilyModel*> kLibrary = kOf(Standing::library), kGallery = kOf(Standing::gallery);
  return standing == Standing::library ? kLibrary : kGallery;
}

inline std::span<const FamilyModel* const> all_scan_families() { return families_of<ScanRequest>(Standing::library); }

// Whether the family takes the items row by row.
template <class Typed = ScanRequest>
bool takes_rows(const FamilyModel& family) {
  constexpr u64 kItems = 1024;
  return family.unsupported_reason(Typed{.segments = Segments::rows, .n = kItems, .rows = 1}, kHostSm) == nullptr;
}

// Whether it does so, and does not take them as one sequence.
template <class Typed = ScanRequest>
bool takes_only_rows(const FamilyModel& family) {
  return takes_rows<Typed>(family) && family.unsupported_reason(Typed{.n = 1024}, kHostSm) != nullptr;
}

// Whether the family takes the items column by column, though perhaps only those of few columns.
template <class Typed = ScanRequest>
bool takes_columns(const FamilyModel& family) {
  if constexpr (requires { Typed{}.columns; })
    return family.unsupported_reason(Typed{.segments = Segments::columns, .n = 1024, .columns = 2}, kHostSm) == nullptr;
  else
    return false;
}

// Whether it does so, and takes them neither as one sequence nor row by row.
template <class Typed = ScanRequest>
bool takes_only_columns(const FamilyModel& family) {
  return takes_columns<Typed>(family) && !takes_rows<Typed>(family) &&
         family.unsupported_reason(Typed{.n = 1024}, kHostSm) != nullptr;
}

// The request as the family takes it: for one that takes rows, all items are one row, or short ones where the family
// has no room for longer ones; for one that takes columns, all items are one column; for one that takes segments by
// offsets, one segment.
template <class Typed>
Typed taken_by(const FamilyModel& family, Typed request) {
  if constexpr (requires { request.segment_count; }) {
    Typed by_offsets = request;
    by_offsets.segments = Segments::offsets;
    by_offsets.segment_count = 1;
    if (request.segments == Segments::none && family.unsupported_reason(by_offsets, kHostSm) == nullptr)
      return by_offsets;
  }
  const bool is_too_long =
      family.standing() == Standing::gallery && family.unsupported_reason(request, kHostSm) != nullptr;
  if constexpr (requires { request.columns; })
    if (request.segments == Segments::none && takes_only_columns<Typed>(family)) {
      request.segments = Segments::columns;
      request.columns = 1;
      return request;
    }
  if (request.segments == Segments::none && (is_too_long || takes_only_rows<Typed>(family))) {
    request.segments = Segments::rows;
    request.rows = 1;
    if (is_too_long || family.unsupported_reason(request, kHostSm) != nullptr)
      request.rows = ceil_div(request.n, u64{300});
  }
  return request;
}

// A selection as the family can take it: where it takes none in place, with the rejected items behind the kept ones.
inline SelectRequest taken_by(const FamilyModel& family, SelectRequest request) {
  if (family.unsupported_reason(request, kHostSm) != nullptr) request.rejected = Rejected::behind;
  return request;
}

// A sort as the family can take it: by a comparison of the caller's, of one segment by offsets, or of bytes alone where
// it counts keys and moves none.
inline SortRequest taken_by(const FamilyModel& family, SortRequest request) {
  if (family.unsupported_reason(request, kHostSm) == nullptr) return request;
  SortRequest by_offsets = request;
  by_offsets.segments = Segments::offsets;
  by_offsets.segment_count = 1;
  if (family.unsupported_reason(by_offsets, kHostSm) == nullptr) return by_offsets;
  SortRequest by_less = request;
  by_less.comparison = Comparison::source;
  if (family.unsupported_reason(by_less, kHostSm) == nullptr) return by_less;
  request.input_type = ValueType::u8;
  request.value_type = ValueType::u32;
  request.sorted = Sorted::keys;
  return request;
}

// The request as a config can take it: cut into rows that its CTAs hold, where these hold one row each.
template <class Typed>
Typed taken_by(const Config& config, Typed request) {
  if (reject_reason(config, request, kHostSm) == nullptr) return request;
  Typed rows = taken_by(config.family(), request);
  if (reject_reason(config, rows, kHostSm) == nullptr) return rows;
  rows.segments = Segments::rows;
  rows.rows = ceil_div(request.n, static_cast<u64>(config.family().tile_items(config, request)));
  return rows;
}

// Whether the family takes segments by offsets, and nothing else.
inline bool takes_only_offsets(const FamilyModel& family) {
  return family.unsupported_reason(ScanRequest{.segments = Segments::offsets, .n = 1024, .segment_count = 1},
                                   kHostSm) == nullptr;
}

// Those that take all items as one sequence.
inline std::span<const FamilyModel* const> scan_families() {
  static const std::vector<const FamilyModel*> kFamilies = [] {
    std::vector<const FamilyModel*> families(all_scan_families().begin(), all_scan_families().end());
    std::erase_if(families, [](const FamilyModel* family) {
      return takes_only_rows(*family) || takes_only_columns(*family) || takes_only_offsets(*family);
    });
    return families;
  }();
  return kFamilies;
}

// Those that take rows.
inline std::vector<const FamilyModel*> row_families() {
  std::vector<const FamilyModel*> families(all_scan_families().begin(), all_scan_families().end());
  std::erase_if(families, [](const FamilyModel* family) { return !takes_rows(*family); });
  return families;
}

// Those that take columns.
inline std::vector<const FamilyModel*> column_families() {
  std::vector<const FamilyModel*> families(all_scan_families().begin(), all_scan_families().end());
  std::erase_if(families, [](const FamilyModel* family) { return !takes_columns(*family); });
  return families;
}

// One row of every other item.
inline CopyRequest copy_with_gaps(u64 n) {
  return {.segments = Segments::rows,
          .n = n,
          .rows = 1,
          .layout = {.input = {.item = 2}, .output = {.item = 2}, .plane_sequences = 1}};
}

inline Request plain_request(const FamilyModel& family, u64 n) {
  if (&family.algorithm() == &algorithm_of<ScanRequest>()) return taken_by(family, ScanRequest{.n = n});
  if (&family.algorithm() == &algorithm_of<ReduceRequest>()) return taken_by(family, ReduceRequest{.n = n});
  if (&family.algorithm() == &algorithm_of<SelectRequest>()) return taken_by(family, SelectRequest{.n = n});
  if (&family.algorithm() == &algorithm_of<SortRequest>()) return taken_by(family, SortRequest{.n = n});
  if (&family.algorithm() == &algorithm_of<CopyRequest>() &&
      family.unsupported_reason(CopyRequest{.n = n}, kHostSm) != nullptr)
    return copy_with_gaps(n);
  Request request(family.algorithm());
  request.n = n;
  for (const ExtentModel& extent : family.algorithm().extents())
    if (extent.member == nullptr) request.set(extent, 1);
  return request;
}

}  // namespace scantune
