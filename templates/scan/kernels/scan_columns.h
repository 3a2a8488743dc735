#pragma once

#include "core/machine/known_value.h"
#include "core/parts/begin_kernel.h"
#include "core/parts/store_run.h"
#include "scan/config/scan_columns.h"
#include "scan/parts/column_groups.h"
#include "scan/parts/column_parts.h"
#include "scan/parts/load_run.h"
#include "scan/parts/tile_vectors.h"

namespace scantune {

// One CTA's tile. Its threads cover it line by line: as many side by side as the columns need (lanes), each with
// consecutive lines (a segment).
template <class Problem, ScanColumnsConfig kConfig>
class ColumnTile {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  static constexpr bool kStaged = kConfig.is_staged();
  static constexpr int kThreads = kConfig.block_threads;
  static constexpr int kColumns = kConfig.columns_per_thread;
  static constexpr u32 kItems = kConfig.items_per_thread;
  static constexpr u32 kTileItems = kThreads * kItems * kColumns;
  static constexpr u64 kFirstItem = Problem::kFirstTile * kTileItems;
  static constexpr int kStagedBytes = kStaged ? kTileItems * static_cast<int>(widest_item_bytes(Problem::kRequest)) : 0;
  // Equal inputs give equal bits where a carry is always that of the band above and what this one adds.
  static constexpr bool kChained = needs_fixed_association(Problem::kRequest);
  static constexpr bool kLanesInWarp = kStaged || kConfig.columns_per_block / kColumns <= kWarpThreads;
  // One word holds the sums of neighbouring bytes. Parts and descriptors then belong to groups of four columns.
  static constexpr bool kPacksSums = packs_columns(kConfig, Problem::kRequest);
  static_assert(!kPacksSums || kItems <= 256);
  // Threads put words together, and each plane begins with a thread's first column.
  static constexpr bool kShifts = kConfig.shifted_words != 0;
  static_assert(!kShifts || (kColumns * sizeof(Input) == sizeof(u32) && kColumns * sizeof(Output) == sizeof(u32)));
  // The first and the last thread of each line have columns of other tiles.
  static constexpr bool kOverlaps = overlaps(kConfig, Problem::kRequest);
  static_assert(!kOverlaps || kItems <= 32);
  static constexpr u64 kOwnColumns = own_columns(kConfig, Problem::kRequest);
  using Group = ColumnGroup<Op, kPacksSums>;
  using Value = typename Group::Value;
  static constexpr int kGroupColumns = Group::kColumns;
  static constexpr int kGroups = kColumns / kGroupColumns;
  using Status = TileStatus<Value, kConfig.status_layout>;
  using Parts = ColumnParts<Value, typename Group::Op, kThreads, kGroups>;
  using Part = typename Parts::Part;

  // A thread's items of one line.
  template <class Item>
  static constexpr u64 kVectorBytes = kColumns > 1 ? kColumns * sizeof(Item) : alignof(Item);
  template <class Item>
  struct alignas(kVectorBytes<Item> <= kVectorAlignmentBytes ? kVectorBytes<Item> : alignof(Item)) Vector
      : VectorOf<Item, kColumns, false> {};

 public:
  struct alignas(16) Shared {
    typename Parts::Shared parts;
    u32 tile_index;
    u32 epoch;
    u32 unfinished[2];  // whether a carry is farther back than a round of the look-back has seen, by turns
    alignas(16) unsigned char items[kStagedBytes + kVectorAlignmentBytes];
  };

  SCANTUNE_DEVICE ColumnTile(Shared& shared, const KernelArguments& arguments)
      : shared_(shared),
        arguments_(arguments),
        input_(Problem::input(arguments) + kFirstItem),
        output_(Problem::output(arguments) + kFirstItem),
        columns_(arguments.extents[0]),
        lanes_(kConfig.lanes(columns_)),
        segments_(kThreads / lanes_),
        segment_(thread_rank() / lanes_),
        plane_columns_(kShifts && Problem::kStrided ? arguments.layout.plane_sequences : columns_),
        tiles_beside_(
            kStaged ? 1 : static_cast<u32>(ceil_div(side_columns(), static_cast<u64>(kConfig.columns_per_block)))),
        bands_(block_count() / tiles_beside_),
        parts_(shared.parts, lanes_) {}

  SCANTUNE_DEVICE void scan() {
    take_tile();
    load();

    // Combine the thread's items of each column, and scan the totals down the tile.
    const bool full = is_full();
    const auto [above, through] = parts_.scan(full ? total<true>() : total<false>());
    const bool publishes = segment_ == segments_ - 1 && band_ + 1 < bands_;
    const Status status(arguments_.workspace, shared_.epoch);

    // Get what comes before the tile, and tell what comes after it.
    Part carry = {};
    if (band_ == 0) {
      if constexpr (Problem::kHasInit) carry = initial();
    } else {
      if (!kChained && publishes) publish(status, through, TileFlag::aggregate);
      carry = look_back(status);
    }
    if (publishes) publish(status, parts_.combined(carry, through), TileFlag::prefix);

    // Combine every item with what comes before it.
    const Part before = parts_.combined(carry, above);
    finish(before, full);
    if constexpr (kStaged) store_run();
    if (bands_ > 1) leave(status);
  }

 private:
  // The first thread learns the epoch, and draws a ticket where CTAs do not start in order. A request of one band has
  // no workspace.
  SCANTUNE_DEVICE void take_tile() {
    u32 tile = block_rank();
    if (thread_rank() == 0) {
      shared_.epoch = 0;
      shared_.unfinished[0] = shared_.unfinished[1] = 0;
      if (bands_ > 1) {
        shared_.epoch = Status::read_epoch(arguments_.workspace);
        if constexpr (kConfig.tile_order == TileOrder::ticket)
          shared_.tile_index = fetch_add(&static_cast<WorkspaceHeader*>(arguments_.workspace)->ticket, 1);
      }
    }
    sync_block();
    if (kConfig.tile_order == TileOrder::ticket && bands_ > 1) tile = shared_.tile_index;
    band_ = tile / tiles_beside_;
    column_ = kStaged ? thread_rank() % lanes_
                      : static_cast<u64>(tile % tiles_beside_) * kConfig.columns_per_block +
                            thread_rank() % lanes_ * kColumns;
    const u64 band_lines = u64{segments_} * kItems;
    first_line_ = band_ * band_lines + u64{segment_} * kItems;
    if constexpr (kOverlaps) return find_overlapping_columns(tile % tiles_beside_);
    if constexpr (kShifts) find_columns();
    // The last line may lack items of its last columns.
    const u64 n = arguments_.n - kFirstItem, full_lines = this->full_lines();
    const u64 in_last_line = n - full_lines * columns_;
#pragma unroll
    for (int column = 0; column < kColumns; ++column) {
      const u64 lines = !has(column) ? 0 : full_lines + (first_column() + column < in_last_line ? 1 : 0);
      mine_[column] = lines <= first_line_           ? 0
                      : lines - first_line_ < kItems ? static_cast<u32>(lines - first_line_)
                                                     : kItems;
    }
    if constexpr (kStaged) {
      tile_first_ = band_ * band_lines * columns_;
      const u64 most = band_lines * columns_, left = n - tile_first_;
      tile_items_ = static_cast<u32>(left < most ? left : most);
    }
  }

  // The lines with an item of every column.
  SCANTUNE_DEVICE u64 full_lines() const {
    return kFirstItem == 0 ? arguments_.extents[1] : (arguments_.n - kFirstItem) / columns_;
  }

  // The columns side by side, with those between planes.
  SCANTUNE_DEVICE u64 side_columns() const {
    if constexpr (kOverlaps) return ceil_div(columns_, kOwnColumns) * static_cast<u64>(kConfig.columns_per_block);
    if constexpr (kShifts && Problem::kStrided)
      if (columns_ > plane_columns_) return columns_ / plane_columns_ * round_up(plane_columns_, u64{kColumns});
    return columns_;
  }

  // Finds the thread's columns in their plane. Where there is one plane, it may lack columns at the end.
  SCANTUNE_DEVICE void find_columns() {
    in_plane_ = real_column_ = column_;
    if (columns_ > plane_columns_) {
      const u64 padded = round_up(plane_columns_, u64{kColumns}), plane = column_ / padded;
      in_plane_ = column_ - plane * padded;
      real_column_ = plane * plane_columns_ + in_plane_;
    }
    const u64 left = real_column_ < columns_ ? plane_columns_ - in_plane_ : 0;
    held_ = left < kColumns ? static_cast<u32>(left) : kColumns;
    // The lanes before and after it have the columns there, unless the line or the warp ends.
    const u32 lane = thread_rank() % (lanes_ < kWarpThreads ? lanes_ : kWarpThreads);
    const bool is_last_lane = (thread_rank() + 1) % kWarpThreads == 0 || (thread_rank() + 1) % lanes_ == 0;
    held_with_before_ = lane > 0 && in_plane_ > 0 ? held_ : 0;
    const u64 left_after = is_last_lane || left <= kColumns ? 0 : left - kColumns;
    held_by_next_ = left_after < kColumns ? static_cast<u32>(left_after) : kColumns;
  }

  // Finds the thread's columns in overlapping tiles. Columns before the first one are the ends of the lines before, so
  // the first line has no items there.
  SCANTUNE_DEVICE void find_overlapping_columns(u32 tile) {
    const u32 lane = thread_rank() % lanes_;
    real_column_ = tile * kOwnColumns + lane * u64{kColumns} - u64{kColumns};
    const i64 left = lane + 1 == lanes_ ? 0 : static_cast<i64>(columns_ - real_column_);
    held_ = left <= 0 ? 0 : left < kColumns ? static_cast<u32>(left) : kColumns;
    is_own_ = lane > 0;
    // Its words are in memory, and the ones after them.
    const i64 first = static_cast<i64>(first_line_ * columns_ + real_column_);
    const i64 last = first + static_cast<i64>((kItems - 1) * columns_);
    is_full_ = first >= 0 && last + 2 * kColumns <= static_cast<i64>(arguments_.n - kFirstItem);
  }

  // Finds which lines have an item of each column. Threads do so again when they need it, as registers are scarce.
  SCANTUNE_DEVICE void find_present() {
    const i64 n = static_cast<i64>(arguments_.n - kFirstItem);
#pragma unroll
    for (int column = 0; column < kColumns; ++column) {
      present_[column] = 0;
      i64 item = static_cast<i64>(first_line_ * columns_ + real_column_) + column;
#pragma unroll 1
      for (u32 line = 0; has(column) && line < kItems; ++line, item += static_cast<i64>(columns_))
        if (item >= 0 && item < n) present_[column] |= 1u << line;
    }
  }

  // The thread's first column, as columns are counted, and whether it has another.
  SCANTUNE_DEVICE u64 first_column() const { return kShifts ? real_column_ : column_; }
  SCANTUNE_DEVICE bool has(int column) const {
    return kShifts ? static_cast<u32>(column) < held_ : column_ + column < columns_;
  }

  // Whether the thread has an item of the column in its line, in any, and in none before. Where tiles overlap, columns
  // may begin late.
  SCANTUNE_DEVICE bool holds(u32 item, int column) const {
    if constexpr (kOverlaps) return (present_[column] >> item & 1) != 0;
    return item < mine_[column];
  }
  template <bool kFull>
  SCANTUNE_DEVICE bool holds_any(int column) const {
    if constexpr (kOverlaps) return kFull ? has(column) : present_[column] != 0;
    return mine_[column] > 0;
  }
  SCANTUNE_DEVICE bool holds_none_before(u32 item, int column) const {
    if constexpr (kOverlaps) return (present_[column] & ((1u << item) - 1)) == 0;
    return item == 0;
  }

  // The last column of a thread has the fewest items. Shifted words have room for columns that are not there.
  SCANTUNE_DEVICE bool is_full() const {
    if constexpr (kOverlaps) {
      return is_full_;
    } else if constexpr (kShifts) {
      bool full = true;
#pragma unroll
      for (int column = 0; column < kColumns; ++column) full &= !has(column) || mine_[column] == kItems;
      return full;
    }
    return mine_[kColumns - 1] == kItems;
  }

  // Whether the thread has as many items of each column. What a built-in operator makes of the lines after them does no
  // harm, since no result follows.
  SCANTUNE_DEVICE bool is_even() const { return kFirstLines && mine_[0] == mine_[kColumns - 1]; }
  static constexpr bool kFirstLines = takes_first_lines(kConfig, Problem::kRequest);
  static constexpr bool kOneVector = kFirstLines && kColumns == 1;  // so it always has

  // The thread's items in dense lines.
  template <class Items>
  struct DenseLines {
    Items first;
    u64 apart;
    bool is_vector;  // whether those of a line are one

    SCANTUNE_DEVICE Items at(u32 line, int column) const { return first + (line * apart + column); }
  };

  // The same with strides of lines and columns. A column past the last one counts as the last.
  template <class Items>
  struct ApartLines {
    Items first[kColumns];  // of each column
    i64 apart;
    bool is_vector;

    SCANTUNE_DEVICE Items at(u32 line, int column) const { return first[column] + static_cast<i64>(line) * apart; }
  };

  // The same in the staged run, of one column.
  struct StagedLines {
    Output* first;
    u32 apart;

    SCANTUNE_DEVICE Output* at(u32 line, int) const { return first + line * apart; }
  };

  template <class Items>
  SCANTUNE_DEVICE DenseLines<Items> dense_lines(Items items) const {
    using Item = typename ItemOf<Items>::Type;
    const bool is_vector = (columns_ * sizeof(Item) | scantune::edge(items)) % alignof(Vector<Item>) == 0;
    return {items + (first_line_ * columns_ + first_column()), columns_, is_vector};
  }

  template <class Items>
  SCANTUNE_DEVICE ApartLines<Items> apart_lines(Items items, const Strides& strides, u64 plane_columns) const {
    using Item = typename ItemOf<Items>::Type;
    ApartLines<Items> lines;
    lines.apart = strides.item;
    lines.is_vector = true;
#pragma unroll
    for (int column = 0; column < kColumns; ++column) {
      const u64 its = first_column() + column, index = its < columns_ ? its : columns_ - 1;
      lines.first[column] = items + strides.begin(index, plane_columns) + static_cast<i64>(first_line_) * strides.item;
      lines.is_vector &= lines.first[column] == lines.first[0] + column;
    }
    constexpr u64 kAlignment = alignof(Vector<Item>);
    lines.is_vector &=
        (static_cast<u64>(strides.item) * sizeof(Item) | scantune::edge(lines.first[0])) % kAlignment == 0;
    return lines;
  }

  SCANTUNE_DEVICE auto input_lines() const {
    if constexpr (Problem::kStrided)
      return apart_lines(Problem::input(arguments_), arguments_.layout.input, arguments_.layout.plane_sequences);
    else
      return dense_lines(input_);
  }
  SCANTUNE_DEVICE auto output_lines() const {
    if constexpr (Problem::kStrided)
      return apart_lines(Problem::output(arguments_), arguments_.layout.output, arguments_.layout.plane_sequences);
    else
      return dense_lines(output_);
  }

  SCANTUNE_DEVICE void load() {
    if constexpr (kStaged) {
      const auto from = input_ + tile_first_;
      const Input* tile;
      if constexpr (loads_tiles_by_vectors(Problem::kRequest))
        tile = scantune::load_run_by_vectors<kConfig.load_hint, kThreads, kTileItems>(shared_.items, from, tile_items_);
      else
        tile = scantune::load_run_itemwise<kConfig.load_hint, kThreads>(shared_.items, from, tile_items_);
      sync_block();
      const u32 columns = static_cast<u32>(columns_);
      tile += segment_ * kItems * columns + static_cast<u32>(column_);
      // Values after the last item are not combined.
#pragma unroll
      for (u32 item = 0; item < kItems; ++item)
        if (item < mine_[0])
          scantune::copy_bytes(__builtin_addressof(lines_[item]), tile + item * columns, sizeof(Input));
    } else {
      const auto from = input_lines();
      if constexpr (kOverlaps) {
        return all_lanes(is_full()) ? load_overlapping_words<true>(from) : load_overlapping_words<false>(from);
      }
      if constexpr (kShifts)
        if (is_full()) return load_words(from);
      if (is_full() && from.is_vector) {
        load_vectors<true>(from);
      } else if (kOneVector || (is_even() && from.is_vector)) {
        load_vectors<false>(from);
      } else if (kColumns > 1 && is_full()) {
        load_items<true>(from);
      } else {
        load_items<false>(from);
      }
    }
  }

  // The thread's items of a line are a vector. kFull: all of its lines exist.
  template <bool kFull, class Lines>
  SCANTUNE_DEVICE void load_vectors(const Lines& from) {
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      if (!kFull) lines_[item] = {};
      if (kFull || item < mine_[0])
        lines_[item] =
            scantune::load_global<kConfig.load_hint>(scantune::vectors_of<const Vector<Input>>(from.at(item, 0)));
    }
  }

  // The aligned word that holds the thread's first item of a line is in the memory of that item. The one after it may
  // be past the array's end, unless it holds an item of the next thread or the line is followed by others.
  template <class Lines>
  SCANTUNE_DEVICE void load_words(const Lines& from) {
    const bool has_after = in_plane_ + kColumns < plane_columns_ || first_line_ + kItems < full_lines();
    if (held_ == 0 || !has_after || static_cast<i64>(from.apart) < 2 * kColumns) return load_items<false>(from);
    // All words are on their way before any is put together.
    u32 words[kItems], words_after[kItems];
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      const auto at = from.at(item, 0);
      const auto aligned = scantune::vectors_of<const u32>(at - scantune::edge(at) % sizeof(u32) / sizeof(Input));
      words[item] = scantune::load_global<kConfig.load_hint>(aligned);
      words_after[item] = scantune::load_global<kConfig.load_hint>(aligned + 1);
    }
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      const u32 offset = static_cast<u32>(scantune::edge(from.at(item, 0)) % sizeof(u32));
      const u32 word = permute_bytes(words[item], words_after[item], 0x3210 + 0x1111 * offset);
      scantune::copy_bytes(__builtin_addressof(lines_[item]), &word, sizeof word);
    }
  }

  // The aligned words in which a thread's items of a line begin. Words begin at the same items again every kColumns
  // lines, and where threads hold a multiple of these all threads shift them alike.
  template <class Items>
  struct WordLines {
    Items first[kColumns];
    u64 apart;             // lines that words begin in alike
    u32 offset[kColumns];  // bytes before the thread's first item

    SCANTUNE_DEVICE Items at(u32 line) const { return first[line % kColumns] + line / kColumns * apart; }
  };

  template <class Item>
  SCANTUNE_DEVICE static Item* known_items(Item* items) {
    return scantune::known(items);
  }
  template <class Item>
  SCANTUNE_DEVICE static Backwards<Item> known_items(Backwards<Item> items) {
    return {scantune::known(items.item)};
  }

  template <class Items>
  SCANTUNE_DEVICE WordLines<Items> word_lines(Items items, const DenseLines<Items>& dense) const {
    using Item = typename ItemOf<Items>::Type;
    WordLines<Items> words;
    words.apart = kColumns * columns_;
#pragma unroll
    for (u32 line = 0; line < kColumns; ++line) {
      const Items from = items + ((kItems % kColumns == 0 ? 0 : first_line_) + line) * columns_;
      words.offset[line] = static_cast<u32>(scantune::edge(from) % sizeof(u32));
      words.first[line] = known_items(dense.at(line, 0) - u64{words.offset[line] / sizeof(Item)});
    }
    return words;
  }

  // The words that lanes store, each with the last results of the lane before.
  template <class Items>
  struct StoredWords {
    WordLines<Items> lines;
    u32 selector[kColumns];
    bool stores[kColumns];  // not where the next line has a part of the word
  };

  template <class Items>
  SCANTUNE_DEVICE StoredWords<Items> stored_words(const DenseLines<Items>& dense) const {
    StoredWords<Items> words;
    words.lines = word_lines(output_, dense);
#pragma unroll
    for (int line = 0; line < kColumns; ++line) {
      const u32 offset = words.lines.offset[line];
      words.selector[line] = scantune::known(0x7654 - 0x1111 * offset);
      words.stores[line] = is_own_ && held_ + offset / sizeof(Output) >= kColumns;
    }
    return words;
  }

  // The lines in which the array has a part of the thread's word, a bit each.
  SCANTUNE_DEVICE u32 words_in_memory() const {
    const i64 n = static_cast<i64>(arguments_.n - kFirstItem);
    u32 lines = 0;
#pragma unroll 1
    for (u32 line = 0; line < kItems; ++line) {
      const u64 first = (first_line_ + line) * columns_;
      const u64 before = scantune::edge(input_ + first) % sizeof(u32) / sizeof(Input);
      const i64 item = static_cast<i64>(first + real_column_ - before);
      if (item > -kColumns && item < n) lines |= 1u << line;
    }
    return lines;
  }

  // The lane after has the word after. The last one only passes its word on. kFull: all words exist.
  template <bool kFull, class Lines>
  SCANTUNE_DEVICE void load_overlapping_words(const Lines& from) {
    const auto lines = word_lines(input_, from);
    const u32 in_memory = kFull ? 0 : words_in_memory();
    if constexpr (!kFull && kPacksSums) find_present();
    u32 words[kItems];
#pragma unroll
    for (u32 item = 0; item < kItems; ++item)
      if (kFull || (in_memory >> item & 1) != 0)
        words[item] = scantune::load_global<kConfig.load_hint>(scantune::vectors_of<const u32>(lines.at(item)));
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      const u32 after = scantune::shuffle_down(words[item], 1);
      u32 word = permute_bytes(words[item], after, 0x3210 + 0x1111 * lines.offset[item % kColumns]);
      // Packed sums add what is not there as 0.
      if constexpr (!kFull && kPacksSums)
#pragma unroll
        for (int column = 0; column < kColumns; ++column)
          if (!holds(item, column)) word &= ~(0xffu << 8 * column);
      scantune::copy_bytes(__builtin_addressof(lines_[item]), &word, sizeof word);
    }
  }

  template <bool kFull, class Lines>
  SCANTUNE_DEVICE void load_items(const Lines& from) {
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      Input items[kColumns];
      if constexpr (!kFull && kFirstLines && kPacksSums)  // packed sums add what is not there as 0
#pragma unroll
        for (int column = 0; column < kColumns; ++column) items[column] = {};
#pragma unroll
      for (int column = 0; column < kColumns; ++column)
        if (kFull || holds(item, column))
          items[column] = scantune::load_global<kConfig.load_hint>(from.at(item, column));
      scantune::copy_bytes(__builtin_addressof(lines_[item]), items, sizeof items);
    }
  }

  // What the thread's columns hold in a line, as accumulators. Callers leave out what does not exist.
  SCANTUNE_DEVICE void take(u32 item, T (&values)[kColumns]) const {
    Input items[kColumns];
    scantune::copy_bytes(items, __builtin_addressof(lines_[item]), sizeof items);
#pragma unroll
    for (int column = 0; column < kColumns; ++column) values[column] = scantune::convert<T>(items[column]);
  }

  // kFull: all of the thread's items exist.
  template <bool kFull>
  SCANTUNE_DEVICE Part total() {
    Part part = {};
    if constexpr (kOverlaps && !kFull) find_present();
#pragma unroll
    for (int column = 0; column < kColumns; ++column)
      if ((kOverlaps || column % kGroupColumns == 0) && holds_any<kFull>(column))
        part.states |= Parts::exists(column / kGroupColumns);
    if constexpr ((kFull || kOverlaps || kFirstLines) && kPacksSums) {  // what does not exist is 0
      ByteColumnSums<kColumns> sums = {};
#pragma unroll
      for (u32 item = 0; item < kItems; ++item) sums.add(lines_[item]);
      sums.give(part.values);
      return part;
    }
    T totals[kColumns];
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      T values[kColumns];
      take(item, values);
#pragma unroll
      for (int column = 0; column < kColumns; ++column)
        if (kFull || holds(item, column))
          totals[column] = (kFull ? item == 0 : holds_none_before(item, column))
                               ? values[column]
                               : Op::combine(totals[column], values[column]);
    }
#pragma unroll
    for (int column = 0; column < kColumns; ++column)
      if (holds_any<kFull>(column)) put(part, column, totals[column]);
    return part;
  }

  SCANTUNE_DEVICE Part initial() const {
    Part part = {};
    part.states = Parts::kAllWhole;
#pragma unroll
    for (int column = 0; column < kColumns; ++column)
      if (!Problem::kInitOfEach || has(column)) {
        u64 its = first_column() + column;
        if constexpr (kOverlaps)
          while (static_cast<i64>(its) < 0) its += columns_;
        put(part, column, Problem::init_of(arguments_, its, columns_));
      }
    return part;
  }

  SCANTUNE_DEVICE static void put(Part& part, int column, T value) {
    Group::put(part.values[column / kGroupColumns], column % kGroupColumns, value);
  }
  SCANTUNE_DEVICE static T get(const Part& part, int column) {
    return Group::template get<T>(part.values[column / kGroupColumns], column % kGroupColumns);
  }
  SCANTUNE_DEVICE static bool exists(const Part& part, int column) {
    return (part.states & Parts::exists(column / kGroupColumns)) != 0;
  }

  // Whether the group has a column at all.
  SCANTUNE_DEVICE bool is_there(int group) const { return has(group * kGroupColumns); }

  SCANTUNE_DEVICE u32 descriptors_of_band() const {
    return static_cast<u32>(scantune::descriptors_of_band(kConfig, Problem::kRequest, side_columns()));
  }
  SCANTUNE_DEVICE u32 descriptor(u32 band) const {
    return band * descriptors_of_band() + static_cast<u32>(column_) / kGroupColumns;
  }

  SCANTUNE_DEVICE void publish(const Status& status, const Part& part, TileFlag flag) const {
#pragma unroll
    for (int group = 0; group < kGroups; ++group)
      if (is_there(group))  // beyond the columns an initial value alone exists
        status.publish(descriptor(band_) + group, flag, part.values[group]);
  }

  // What the thread's columns have published of a band. Waits until all of them have.
  SCANTUNE_DEVICE Part wait_for(const Status& status, u32 band) const {
    // Poll all at once, so that their latencies overlap.
    TileDescriptor<Value> found[kGroups];
    const auto is_missing = [&](int group) {
      const TileFlag flag = found[group].flag;
      return is_there(group) && (kChained ? flag != TileFlag::prefix : flag == TileFlag::none);
    };
    bool is_any_missing = true;
#pragma unroll
    for (int group = 0; group < kGroups; ++group) found[group].flag = TileFlag::none;
    for (bool is_first = true; is_any_missing; is_first = false) {
      if (!is_first) poll_pause<kConfig.poll_delay_ns>();
      is_any_missing = false;
#pragma unroll
      for (int group = 0; group < kGroups; ++group) {
        if (is_missing(group)) found[group] = status.poll(descriptor(band) + group);
        is_any_missing |= is_missing(group);
      }
    }
    Part part = {};
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      if (!is_there(group)) continue;
      part.values[group] = found[group].value;
      part.states |= found[group].flag == TileFlag::prefix ? Parts::whole(group) : Parts::exists(group);
    }
    return part;
  }

  SCANTUNE_DEVICE bool is_found(const Part& carry) const {
    bool found = true;
#pragma unroll
    for (int group = 0; group < kGroups; ++group)
      found &= !is_there(group) || (carry.states & Parts::whole(group)) == Parts::whole(group);
    return found;
  }

  // Returns every thread what comes before the tile in its columns. In each round segments poll a band each, the
  // first segment the nearest one, until the carries of all columns are found.
  SCANTUNE_DEVICE Part look_back(const Status& status) {
    constexpr u32 kWindow = kChained ? 1 : kConfig.window;
    const u32 window = segments_ < kWindow ? segments_ : kWindow;
    Part carry = {};
    pause<kConfig.first_delay_ns>();
    for (u32 distance = 0, round = 0;; distance += window, round ^= 1) {
      Part part = {};
      if (const u32 back = distance + segment_ + 1; segment_ < window && back <= band_)
        part = wait_for(status, band_ - back);
      carry = parts_.combined(parts_.gather_upwards(part), carry);
      if constexpr (kLanesInWarp) {
        if (all_lanes(is_found(carry))) return carry;  // every warp has all columns
        continue;
      }
      if (!is_found(carry)) shared_.unfinished[round] = 1;
      // All have read the other flag, since they have gathered since.
      if (thread_rank() == 0) shared_.unfinished[round ^ 1] = 0;
      sync_block();
      if (shared_.unfinished[round] == 0) return carry;
    }
  }

  // Combines every item with what comes before it. The results go to memory, or into the staged run.
  SCANTUNE_DEVICE void finish(const Part& before, bool full) {
    if constexpr (kStaged) {
      const u32 apart = static_cast<u32>(columns_), first = segment_ * kItems * apart + static_cast<u32>(column_);
      const StagedLines lines = {reinterpret_cast<Output*>(shared_.items) + first, apart};
      full ? finish<true, false>(before, lines) : finish<false, false>(before, lines);
    } else {
      const auto lines = output_lines();
      if constexpr (kOverlaps) {
        if (all_lanes(full) && !is_in_place()) return finish<true, true>(before, stored_words(lines));
        find_present();
#pragma unroll
        for (int column = 0; column < kColumns; ++column) stored_alone_[column] = stored_alone(column);
        finish<false, false>(before, lines);
      } else if constexpr (kShifts) {
        // Threads that pass words to each other pass them for all lines.
        all_lanes(full) ? finish<true, true>(before, lines) : finish<false, false>(before, lines);
      } else if (full && lines.is_vector) {
        finish<true, true>(before, lines);
      } else if (kOneVector || (is_even() && lines.is_vector)) {
        finish<false, true>(before, lines);
      } else if (kColumns > 1 && full) {
        finish<true, false>(before, lines);
      } else {
        finish<false, false>(before, lines);
      }
    }
  }

  template <bool kFull, bool kByVectors, class Lines>
  SCANTUNE_DEVICE void finish(const Part& before, const Lines& to) {
    Output results[kColumns];
    if constexpr ((kFull || kOverlaps || kFirstLines) && kPacksSums) {
      ByteColumnSums<kColumns> running = {};
      running.add(before.values);  // 0 where nothing exists
#pragma unroll
      for (u32 item = 0; item < kItems; ++item) {
        if (Problem::kExclusive) running.give(results);
        running.add(lines_[item]);
        if (!Problem::kExclusive) running.give(results);
        store_line<kFull, kByVectors>(to, item, results);
      }
      return;
    }
    T running[kColumns];
    bool exists[kColumns];
#pragma unroll
    for (int column = 0; column < kColumns; ++column) {
      running[column] = get(before, column);
      exists[column] = this->exists(before, column);
    }
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      T values[kColumns];
      take(item, values);
#pragma unroll
      for (int column = 0; column < kColumns; ++column) {
        if (!kFull && !(kFirstLines && kByVectors) && !holds(item, column)) continue;
        const T earlier = running[column];
        running[column] = exists[column] ? Op::combine(earlier, values[column]) : values[column];
        exists[column] = true;
        results[column] = scantune::convert<Output>(Problem::kExclusive ? earlier : running[column]);
      }
      store_line<kFull, kByVectors>(to, item, results);
    }
  }

  template <bool kFull, bool kByVectors, class Lines>
  SCANTUNE_DEVICE void store_line(const Lines& to, u32 item, const Output (&results)[kColumns]) const {
    if constexpr (kByVectors && kOverlaps) {
      store_word_of(to, item, results);
    } else if constexpr (kByVectors && kShifts) {
      store_word(to.at(item, 0), results);
    } else if constexpr (kByVectors) {
      if (!kFull && item >= mine_[0]) return;
      Vector<Output> vector;
      scantune::copy_bytes(__builtin_addressof(vector), results, sizeof results);
      scantune::store_global<kConfig.store_hint>(scantune::vectors_of<Vector<Output>>(to.at(item, 0)), vector);
    } else {
#pragma unroll
      for (int column = 0; column < kColumns; ++column) {
        if (!kFull && !(kOverlaps ? (stored_alone_[column] >> item & 1) != 0 : holds(item, column))) continue;
        if constexpr (kStaged)
          *to.at(item, column) = results[column];
        else
          scantune::store_global<kConfig.store_hint>(to.at(item, column), results[column]);
      }
    }
  }

  // In place, others may have stored results among the items of the first lane.
  SCANTUNE_DEVICE bool is_in_place() const { return scantune::edge(input_) == scantune::edge(output_); }

  // The lines whose results the thread stores by itself, a bit each. Threads that store words leave these out: no lane
  // has the word, or one in the thread's own warp, or the word is partly past the end.
  SCANTUNE_DEVICE u32 stored_alone(int column) const {
    if (is_in_place()) return is_own_ ? present_[column] : 0;
    const u64 n = arguments_.n - kFirstItem;
    const i64 left_by_next =
        thread_rank() % lanes_ + 2 < lanes_ ? static_cast<i64>(columns_ - real_column_) - kColumns : 0;
    u32 lines = 0;
#pragma unroll 1
    for (u32 line = 0; line < kItems; ++line) {
      const u64 first = (first_line_ + line) * columns_, left = n - (first + real_column_ + column);
      const u32 before = static_cast<u32>(scantune::edge(output_ + first) / sizeof(Output)) % kColumns;
      const i64 held = before + column >= kColumns ? left_by_next : is_own_ ? held_ : 0;
      const bool is_in_last_word = left < kColumns && (before + column) % kColumns + left < kColumns;
      if (held + before >= kColumns || (is_own_ && is_in_last_word)) lines |= 1u << line;
    }
    return lines & present_[column];
  }

  // Stores the word in which the thread's results of a line begin, with the last ones of the lane before.
  template <class Lines>
  SCANTUNE_DEVICE void store_word_of(const Lines& to, u32 item, const Output (&results)[kColumns]) const {
    u32 word;
    scantune::copy_bytes(&word, results, sizeof word);
    const u32 word_before = scantune::shuffle_up(word, 1);
    if (to.stores[item % kColumns])
      scantune::store_global<kConfig.store_hint>(scantune::vectors_of<u32>(to.lines.at(item)),
                                                 permute_bytes(word_before, word, to.selector[item % kColumns]));
  }

  // Stores a thread's first results, as far as they are in one aligned word, with the last ones of the thread before
  // it. All lanes call it.
  template <class Items>
  SCANTUNE_DEVICE void store_word(Items to, const Output (&results)[kColumns]) const {
    u32 word;
    scantune::copy_bytes(&word, results, sizeof word);
    const u32 word_before = scantune::shuffle_up(word, 1);
    const u32 offset = static_cast<u32>(scantune::edge(to) % sizeof(u32));
    const u32 first_items = (sizeof(u32) - offset) / sizeof(Output), first_word = (1u << first_items) - 1;
    const bool is_whole = first_items <= (offset == 0 ? held_ : held_with_before_);
    u32 left = (1u << held_) - 1;
    if (is_whole) left &= ~first_word;
    if (first_items <= held_by_next_) left &= first_word;  // the next lane stores the rest
    if (is_whole)
      scantune::store_global<kConfig.store_hint>(scantune::vectors_of<u32>(to - offset / sizeof(Output)),
                                                 permute_bytes(word_before, word, 0x7654 - 0x1111 * offset));
    if (left == 0) return;
#pragma unroll
    for (int column = 0; column < kColumns; ++column)
      if ((left >> column & 1) != 0) scantune::store_global<kConfig.store_hint>(to + column, results[column]);
  }

  // Each warp stores as much of the tile.
  SCANTUNE_DEVICE void store_run() {
    sync_block();
    constexpr u32 kWarpItems = kWarpThreads * kItems;
    const u32 first = thread_rank() / kWarpThreads * kWarpItems, lane = thread_rank() % kWarpThreads;
    if (first >= tile_items_) return;
    const u32 items = tile_items_ - first < kWarpItems ? tile_items_ - first : kWarpItems;
    const Output* const from = reinterpret_cast<const Output*>(shared_.items) + first;
    if constexpr (kVectorAlignmentBytes % sizeof(Output) == 0)
      scantune::store_run<kConfig.store_hint>(output_ + tile_first_ + first, from, items, lane);
    else
      scantune::store_itemwise<kConfig.store_hint>(output_ + tile_first_ + first, from, items, lane);
  }

  SCANTUNE_DEVICE void leave(const Status& status) const {
    const u32 descriptors = bands_ * descriptors_of_band();
    if (shared_.epoch == kLastEpoch) {
      sync_block();
      if (thread_rank() < kWarpThreads) status.wrap(block_count(), descriptors, thread_rank());
    } else if (thread_rank() == 0) {
      status.leave(block_count(), descriptors);
    }
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const typename Problem::InputItems input_;
  const typename Problem::OutputItems output_;
  const u64 columns_;
  const u32 lanes_;     // threads side by side
  const u32 segments_;  // threads below one another
  const u32 segment_;   // of this thread
  const u64 plane_columns_;
  const u32 tiles_beside_;  // tiles side by side
  const u32 bands_;         // tiles below one another
  Parts parts_;
  u32 band_;
  u64 column_;                          // of the thread's first, with those between planes
  u64 real_column_ = 0, in_plane_ = 0;  // of the thread's first, where words are shifted
  u32 held_ = 0;                        // its columns
  u32 held_with_before_ = 0;            // the same, or 0 where the lane before has not the columns before
  u32 held_by_next_ = 0;                // columns of the lane after it, if they follow
  u64 first_line_;                      // of the thread's first
  u64 tile_first_ = 0;                  // where a staged tile begins
  u32 tile_items_ = 0;
  u32 mine_[kColumns];           // items of each column
  u32 present_[kColumns];        // in overlapping tiles, a bit for each of them
  u32 stored_alone_[kColumns];   // and for each that is not stored in a word with others
  bool is_own_ = true;           // whether no other tile has the columns
  bool is_full_ = true;          // whether all words of overlapping tiles exist
  Vector<Input> lines_[kItems];  // the items, as they came
};

template <class Problem, ScanColumnsConfig kConfig>
SCANTUNE_DEVICE void scan_columns(const KernelArguments& arguments) {
  using Tile = ColumnTile<Problem, kConfig>;
  static_assert(sizeof(typename Tile::Shared) <= shared_bytes(kConfig, Problem::kRequest));
  begin_kernel<kConfig.pdl>();
  Tile(shared_memory<typename Tile::Shared>(), arguments).scan();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                    \
  SCANTUNE_KERNEL(scan_columns, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::scan_columns<Problem, kConfig>(arguments);                        \
  }
