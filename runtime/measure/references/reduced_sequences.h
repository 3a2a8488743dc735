// What the rows, columns or segments of a reduction come to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "measure/parallel.h"
#include "measure/reference.h"
#include "measure/references/drawn_offsets.h"

namespace scantune {

inline constexpr u64 kLeastPartLines = 64;         // a Running takes about as many bytes, so it costs one for each item
inline constexpr u64 kReducedPieceItems = 256;     // of an input, made at a time: they stay in the nearest cache
inline constexpr u64 kLongSegment = u64{1} << 18;  // threads share the items of one that is longer

// Calls visit(index, item) for every item of [first, end), in order.
template <class Visit>
void visit_items(const KnownInput& input, u64 first, u64 end, const Visit& visit) {
  std::byte scratch[kReducedPieceItems * kMaxValueBytes];
  for (u64 piece = first; piece < end; piece += kReducedPieceItems) {
    const u64 count = std::min(kReducedPieceItems, end - piece);
    const auto made = input.items(piece, std::span(scratch).first(count * input.item_bytes()));
    for (u64 item = 0; item < count; ++item) visit(piece + item, made.data() + item * input.item_bytes());
  }
}

// Adds the item of that index in its row or column.
template <class Running>
void add_item(Running& total, u64 index, const std::byte* item) {
  if constexpr (requires { total.add_item(item, index); })
    total.add_item(item, index);
  else
    total.add_item(item);
}

// What each column comes to, as below.
template <class Running>
std::vector<Running> totals_of_columns(const KnownInput& input, const Running& empty) {
  const auto request = typed<ReduceRequest>(input.spec.request);
  const u64 columns = request.columns;
  const u64 part_lines = std::max(kLeastPartLines, Reference::kChunkItems / std::max<u64>(columns, 1));
  const u64 parts = std::max<u64>(ceil_div(column_items(request), part_lines), 1);
  std::vector<Running> totals(parts * columns, empty);
  parallel_for(parts, [&](u64 part) {
    const u64 first = part * part_lines * columns;
    visit_items(input, first, std::min(first + part_lines * columns, request.n), [&](u64 index, const std::byte* item) {
      add_item(totals[part * columns + index % columns], index / columns, item);
    });
  });
  for (u64 part = 1; part < parts; ++part)
    for (u64 column = 0; column < columns; ++column) totals[column].add(totals[part * columns + column]);
  totals.resize(columns, empty);
  return totals;
}

// What each row or column comes to, all items being one row where there are no others.
template <class Running>
std::vector<Running> totals_of_rows(const KnownInput& input, const Running& empty) {
  const auto request = typed<ReduceRequest>(input.spec.request);
  if (request.segments == Segments::columns) return totals_of_columns(input, empty);
  const u64 rows = request.segments == Segments::rows ? request.rows : 1, length = row_items(request);
  const u64 parts_of_row = std::max<u64>(ceil_div(length, Reference::kChunkItems), 1), parts = rows * parts_of_row;
  const u64 parts_at_once = std::max<u64>(Reference::kChunkItems / std::max<u64>(length, 1), 1);
  std::vector<Running> totals(parts, empty);
  parallel_for(ceil_div(parts, parts_at_once), [&](u64 group) {
    for (u64 part = group * parts_at_once; part < std::min(parts, (group + 1) * parts_at_once); ++part) {
      const u64 start = part / parts_of_row * length, row_end = std::min(start + length, request.n);
      const u64 first = start + part % parts_of_row * Reference::kChunkItems;
      Running total = empty;  // in its own cache line: neighbours in `totals` belong to other threads
      visit_items(input, first, std::min(first + Reference::kChunkItems, row_end),
                  [&](u64 index, const std::byte* item) { add_item(total, index - start, item); });
      totals[part] = total;
    }
  });
  if (parts_of_row == 1) return totals;
  for (u64 row = 0; row < rows; ++row) {
    totals[row] = totals[row * parts_of_row];
    for (u64 part = 1; part < parts_of_row; ++part) totals[row].add(totals[row * parts_of_row + part]);
  }
  totals.resize(rows, empty);
  return totals;
}

// What the segments [first, end) come to.
template <class Running>
std::vector<Running> totals_of_segments(const KnownInput& input, const Running& empty, u64 first, u64 end) {
  const DrawnOffsets offsets(typed<ReduceRequest>(input.spec.request), input.spec);
  const u64 count = end - first, of_a_chunk = Reference::kChunkItems * count / (input.spec.request.n + 1),
            at_once = std::clamp<u64>(of_a_chunk, 1, kOffsetsAtOnce);
  std::vector<Running> totals(count, empty);
  const auto reduce = [&](Running& total, const DrawnOffsets::Items& its, u64 from, u64 to) {
    visit_items(input, from, to, [&](u64 index, const std::byte* item) { add_item(total, index - its.begin, item); });
  };
  std::vector<std::uint8_t> is_long(count);  // bytes: threads write neighbours
  parallel_for(ceil_div(count, at_once), [&](u64 group) {
    const u64 begin = first + group * at_once;
    offsets.visit(begin, std::min(begin + at_once, end), [&](u64 segment, const DrawnOffsets::Items& its) {
      is_long[segment - first] = its.end - its.begin > kLongSegment ? 1 : 0;
      if (is_long[segment - first] != 0) return;
      Running total = empty;  // in its own cache line: neighbours in `totals` belong to other threads
      reduce(total, its, its.begin, its.end);
      totals[segment - first] = total;
    });
  });
  for (u64 segment = 0; segment < count; ++segment) {
    if (is_long[segment] == 0) continue;
    const DrawnOffsets::Items its = offsets.of(first + segment);
    std::vector<Running> parts(ceil_div(its.end - its.begin, Reference::kChunkItems), empty);
    parallel_for(parts.size(), [&](u64 part) {
      const u64 from = its.begin + part * Reference::kChunkItems;
      reduce(parts[part], its, from, std::min(from + Reference::kChunkItems, its.end));
    });
    for (const Running& part : parts) totals[segment].add(part);
  }
  return totals;
}

}  // namespace scantune
