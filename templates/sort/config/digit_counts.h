// How the digits of all keys are counted before they are sorted: shares of each row by CTAs of a first launch, which a
// second one adds up.
#pragma once

#include "sort/config/digits.h"

namespace scantune {

inline constexpr int kCountThreads = 512;   // threads of a CTA that counts
inline constexpr int kAddThreads = 512;     // of one that adds up
inline constexpr int kAddedDigits = 32;     // digits that it adds up, at most
inline constexpr u64 kMostCountCtas = 528;  // CTAs that count, unless it is one per row: they fill the largest GPUs
inline constexpr u64 kMostCountedItems = u64{1} << 31;  // of one CTA, which counts in 32 bits

inline constexpr u64 kMostCountedRows = u64{1} << 24;  // more would take more CTAs to add up than a grid has

// Arguments of a sort's launch other than n and the length of a row.
struct SortLaunch {
  u32 first_bit, last_bit;  // of keys
  u32 pass;                 // which digit, from the lowest
  u32 count_ctas;           // CTAs that count a row

  constexpr u32 passes(int digit_bits) const { return ceil_div(last_bit - first_bit, static_cast<u32>(digit_bits)); }

  constexpr u64 packed() const { return u64{first_bit} | u64{last_bit} << 8 | u64{pass} << 16 | u64{count_ctas} << 32; }
  static constexpr SortLaunch unpacked(u64 bits) {
    return {static_cast<u32>(bits & 0xff), static_cast<u32>(bits >> 8 & 0xff), static_cast<u32>(bits >> 16 & 0xffff),
            static_cast<u32>(bits >> 32)};
  }
};

// CTAs that count a row; with few keys, each counts this many.
constexpr u64 count_ctas(int count_items, u64 rows, u64 row_items) {
  if (rows == 0) return 0;  // of no keys
  const u64 most = rows < kMostCountCtas ? kMostCountCtas / rows : 1;
  const u64 useful = ceil_div(row_items, static_cast<u64>(count_items)),
            needed = ceil_div(row_items, kMostCountedItems);
  const u64 ctas = useful < most ? useful : most;
  return ctas > needed ? ctas : needed;
}

// Null if a CTA may count this many keys, else why not.
constexpr const char* invalid_count_reason(int count_items) {
  return count_items < 512 || count_items > 1 << 20 ? "count_items must be between 512 and 1048576" : nullptr;
}

// Null if lanes can count in this many columns, else why not.
constexpr const char* invalid_columns_reason(int columns) {
  return columns < 1 || columns > kWarpThreads || (columns & (columns - 1)) != 0
             ? "count_columns must be a power of two up to 32"
             : nullptr;
}

// Bytes of shared memory of a CTA that counts: a counter in each column for each digit of every possible pass.
constexpr int count_shared_bytes(int digit_bits, int columns, const SortRequest& request) {
  return columns * ceil_div(8 * request.input_bytes(), digit_bits) * (1 << digit_bits) * static_cast<int>(sizeof(u32));
}
inline constexpr int kAddSharedBytes = kAddThreads * static_cast<int>(sizeof(u64));

// The place of counts in a workspace, in bytes from its start.
struct DigitCountsLayout {
  u64 constants;  // a u32 for each row and pass: 1 if all keys have the same digit
  u64 totals;     // a u64 for each row, pass and digit
  u64 parts;      // a u32 for each row, CTA, pass and digit
  u64 end;
};
constexpr DigitCountsLayout digit_counts_layout(u64 begin, u64 rows, u64 passes, u64 digits, u64 ctas) {
  DigitCountsLayout layout{};
  layout.constants = begin;
  layout.totals = layout.constants + round_up(rows * passes * sizeof(u32), kVectorAlignmentBytes);
  layout.parts = layout.totals + rows * passes * digits * sizeof(u64);
  layout.end = layout.parts + rows * ctas * passes * digits * sizeof(u32);
  return layout;
}

// CTAs that add up the counts of all rows.
constexpr u64 add_ctas(u64 rows, u64 passes, u64 digits) {
  return rows * passes * ceil_div(digits, static_cast<u64>(kAddedDigits));
}

}  // namespace scantune
