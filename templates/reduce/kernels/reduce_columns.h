#pragma once

#include "core/machine/shared.h"
#include "core/machine/status.h"
#include "core/machine/warp.h"
#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_columns.h"
#include "reduce/parts/reduce_problem.h"

namespace scantune {

// The lines that a segment takes of a band: every so many of them, or a run if they stay in order.
template <bool kInOrder, u32 kSegments>
struct SegmentLines {
  u32 first, apart, count;
  u32 segments;  // those with a total: of lines in turn all, since the neutral item is one

  SCANTUNE_DEVICE SegmentLines(u32 lines, u32 segment) {
    if constexpr (kInOrder) {
      const u32 each = ceil_div(lines, kSegments);
      first = segment * each < lines ? segment * each : lines;
      apart = 1;
      count = lines - first < each ? lines - first : each;
      segments = each == 0 ? 0 : ceil_div(lines, each);
    } else {
      first = segment;
      apart = kSegments;
      count = segment < lines ? (lines - segment - 1) / kSegments + 1 : 0;
      segments = kSegments;
    }
  }
};

// Combines the totals of segments, in their order: first those of a warp, then those of different warps.
template <class Op, ColumnShape kShape>
class SegmentTotals {
  using T = typename Op::Value;
  static constexpr u32 kLanes = kShape.lanes, kColumns = kShape.columns_per_thread;
  static constexpr u32 kSegments = kShape.segments(), kSegmentsOfWarp = kShape.segments_of_warp();
  static constexpr u32 kGroups = kShape.groups();

 public:
  struct alignas(16) Shared {
    T totals[kGroups][kColumns][kLanes];
  };

  // The first segment gets what the first `segments` have, none or some. All threads call this.
  SCANTUNE_DEVICE static void combine(T (&totals)[kColumns], u32 segments) {
    const u32 segment = thread_rank() / kLanes;
#pragma unroll
    for (u32 step = 1; step < kSegmentsOfWarp; step *= 2)
#pragma unroll
      for (u32 column = 0; column < kColumns; ++column) {
        const T below = scantune::shuffle_down(totals[column], step * kLanes);
        if (takes(segment, step, segments)) totals[column] = Op::combine(totals[column], below);
      }
    if constexpr (kGroups > 1) combine_warps(shared_memory<Shared>(), totals, segments);
  }

 private:
  SCANTUNE_DEVICE static bool takes(u32 segment, u32 step, u32 segments) {
    return segment % (2 * step) == 0 && segment + step < segments;
  }

  SCANTUNE_DEVICE static void combine_warps(Shared& shared, T (&totals)[kColumns], u32 segments) {
    const u32 segment = thread_rank() / kLanes, lane = thread_rank() % kLanes;
#pragma unroll
    for (u32 step = kSegmentsOfWarp; step < kSegments; step *= 2) {
      if (segment % (2 * step) == step)
#pragma unroll
        for (u32 column = 0; column < kColumns; ++column)
          shared.totals[segment / kSegmentsOfWarp][column][lane] = totals[column];
      sync_block();
      if (takes(segment, step, segments))
#pragma unroll
        for (u32 column = 0; column < kColumns; ++column)
          totals[column] = Op::combine(totals[column], shared.totals[(segment + step) / kSegmentsOfWarp][column][lane]);
    }
  }
};

// What a thread has combined of a column. It takes the items in the order of their turns, 0, 1, ...
template <class Problem, bool kHasPosition = Problem::kHasPosition>
class ColumnTotal {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;

 public:
  SCANTUNE_DEVICE ColumnTotal() {
    if constexpr (!Problem::kInOrder) total_ = Problem::neutral();
  }

  SCANTUNE_DEVICE void take(typename Problem::Input item, u32 turn) {
    const T next = scantune::convert<T>(item);
    total_ = Problem::kInOrder && turn == 0 ? next : Op::combine(total_, next);
  }

  // turns: how many there were. With an operator of the caller's own, at least one. line_of: which line a turn took.
  SCANTUNE_DEVICE T total(u32, const auto&) const { return total_; }

 private:
  T total_;
};

// The first or last minimum or maximum, and its turn.
template <class Problem, Operator kOperator, bool kBySource = Problem::kBySource>
class ColumnExtreme {
  using Item = typename Problem::Item;
  using Order = PreferenceOrder<Item, kOperator>;
  static constexpr bool kLast = Problem::kRequest.position == Position::last;

 public:
  SCANTUNE_DEVICE void take(typename Problem::Input item, u32 turn) {
    const auto key = Order::key(scantune::convert<Item>(item));
    if (kLast ? Order::comes_before(key_, key) : !Order::comes_before(key, key_)) return;
    key_ = key;
    turn_ = turn;
  }

  SCANTUNE_DEVICE Placed<Item> total(u32 turns, const auto& line_of) const {
    if (turns == 0) return Problem::template nothing<kOperator>();
    return Problem::placed(Order::value(key_), line_of(turn_));
  }

 private:
  // Where all items are neutral, none of them comes before this, and the first one is the result.
  typename Order::Key key_ = Order::key(neutral_item<kOperator, Item, Item>());
  u32 turn_ = 0;
};

template <class Problem, Operator kOperator>
class ColumnExtreme<Problem, kOperator, true> {
  using Item = typename Problem::Item;
  using Order = OrderOfSource<typename Problem::Operation, kOperator>;
  static constexpr bool kLast = Problem::kRequest.position == Position::last;

 public:
  SCANTUNE_DEVICE void take(typename Problem::Input item, u32 turn) {
    const Item value = scantune::convert<Item>(item);
    if (turn != 0 && (kLast ? Order::comes_before(best_, value) : !Order::comes_before(value, best_))) return;
    best_ = value;
    turn_ = turn;
  }

  SCANTUNE_DEVICE Placed<Item> total(u32 turns, const auto& line_of) const {
    if (turns == 0) return Problem::template nothing<kOperator>();
    return Problem::placed(best_, line_of(turn_));
  }

 private:
  Item best_ = Item();
  u32 turn_ = 0;
};

template <class Problem>
  requires(!Problem::kHasBoth)
class ColumnTotal<Problem, true> : public ColumnExtreme<Problem, Problem::kRequest.op> {};

template <class Problem>
  requires(Problem::kHasBoth)
class ColumnTotal<Problem, true> {
 public:
  SCANTUNE_DEVICE void take(typename Problem::Input item, u32 turn) {
    least_.take(item, turn);
    greatest_.take(item, turn);
  }

  SCANTUNE_DEVICE typename Problem::Accumulator total(u32 turns, const auto& line_of) const {
    return {least_.total(turns, line_of), greatest_.total(turns, line_of)};
  }

 private:
  ColumnExtreme<Problem, Operator::min> least_;
  ColumnExtreme<Problem, Operator::max> greatest_;
};

// Where the result of a column is. Columns in the order of memory may have theirs in another.
template <class Problem>
SCANTUNE_DEVICE u64 result_of(const KernelArguments& arguments, u64 column) {
  if constexpr (Problem::kStrided) {
    const Strides& results = arguments.layout.output;
    if (results.sequence != 0) return static_cast<u64>(results.begin(column, arguments.layout.plane_sequences));
  }
  return column;
}

template <class Problem>
SCANTUNE_DEVICE auto* partials_of(const KernelArguments& arguments) {
  return static_cast<typename Problem::Accumulator*>(arguments.workspace);
}

// The lines of some columns that one CTA reduces. The last line may lack the items of the last columns: where it does,
// the first segment adds those that are there, after all others.
template <class Problem, ReduceColumnsConfig kConfig>
class ColumnBand {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  using InputItems = typename Problem::InputItems;
  static constexpr ColumnShape kShape = shape_of_bands(kConfig);
  static constexpr u32 kLanes = kShape.lanes, kSegments = kShape.segments();
  static constexpr u32 kColumns = kConfig.columns_per_thread, kUnroll = kConfig.unroll;
  static constexpr u64 kBandLines = kConfig.band_lines;
  static constexpr u32 kMostItems = 16;  // that a thread loads one by one before it combines any
  using Totals = SegmentTotals<Op, kShape>;
  static_assert(kShape.groups() == 1 || sizeof(typename Totals::Shared) <= shared_bytes(kShape, Problem::kRequest));

  // What a thread loads and stores of its columns.
  template <class Item>
  static constexpr u64 kVectorBytes = kColumns * sizeof(Item);
  template <class Item>
  static constexpr bool kFillsVectors = kColumns > 1 && (kVectorBytes<Item> & (kVectorBytes<Item> - 1)) == 0;
  template <class Item>
  static constexpr u64 kAlignment = !kFillsVectors<Item>                         ? alignof(Item)
                                    : kVectorBytes<Item> < kVectorAlignmentBytes ? kVectorBytes<Item>
                                                                                 : u64{kVectorAlignmentBytes};
  template <class Item>
  struct alignas(kAlignment<Item>) Vector {
    Item items[kColumns];
  };
  static constexpr bool kCuts = cuts_lines(kConfig, Problem::kRequest) && kFillsVectors<Input>;

 public:
  SCANTUNE_DEVICE explicit ColumnBand(const KernelArguments& arguments)
      : arguments_(arguments),
        columns_(arguments.extents[0]),
        full_lines_(arguments.extents[1]),
        groups_(groups()),
        band_(block_rank() / groups_),
        is_cut_(kCuts && may_be_cut()),
        skipped_(0),
        column_(u64{block_rank() % groups_} * kConfig.columns_per_block + thread_rank() % kLanes * kColumns),
        first_line_(band_ * kBandLines),
        lines_(lines_of_band()),
        mine_(lines_, thread_rank() / kLanes) {
    if constexpr (kCuts) {
      const u64 lead = is_cut_ ? scantune::edge(first_item()) % kAlignment<Input> / sizeof(Input) : 0;
      if (column_ < lead) skipped_ = static_cast<u32>(lead - column_);
      column_ -= lead;
    }
  }

  SCANTUNE_DEVICE void reduce() const {
    T totals[kColumns];
    bool descends = false;
    if (is_there()) {
      const Cursor from = cursor();
      descends = from.descends;
      if (kColumns > 1 && from.is_vector)
        add_up<kColumns != 1>(from, totals);
      else
        add_up<false>(from, totals);
    } else if constexpr (!Problem::kInOrder) {
#pragma unroll
      for (u32 column = 0; column < kColumns; ++column) totals[column] = Problem::neutral();
    }
    Totals::combine(totals, is_there() || !Problem::kInOrder ? mine_.segments : 0);
    if (thread_rank() >= kLanes || !is_there()) return;
    if (descends) turn_around(totals);
    finish(totals);
  }

 private:
  // Where the thread's first item is, and those of its other columns in the same line.
  struct Cursor {
    InputItems first;
    i64 apart;  // from one line to the next
    i64 columns[kColumns];
    bool is_vector = false;  // which `first` is the lowest item of
    bool descends = false;   // whether the vector has the last column first
  };

  SCANTUNE_DEVICE u32 lines_of_band() const {
    const u64 left = first_line_ < full_lines_ ? full_lines_ - first_line_ : 0;
    return static_cast<u32>(left < kBandLines ? left : kBandLines);
  }

  // CTAs of a band. With those that lines may need that do not begin on a boundary, the grid says how many.
  SCANTUNE_DEVICE u32 groups() const {
    if constexpr (!kCuts) return static_cast<u32>(ceil_div(columns_, u64{kConfig.columns_per_block}));
    const u64 lines = full_lines_ + (arguments_.n > full_lines_ * columns_ ? 1 : 0);
    return block_count() / (lines == 0 ? 1 : static_cast<u32>(ceil_div(lines, kBandLines)));
  }

  // Where the first line begins, and how far the others are apart.
  SCANTUNE_DEVICE InputItems first_item() const {
    if constexpr (Problem::kStrided) return Problem::input(arguments_) + arguments_.layout.input.first;
    return Problem::input(arguments_);
  }
  SCANTUNE_DEVICE i64 line_stride() const {
    return Problem::kStrided ? arguments_.layout.input.item : static_cast<i64>(columns_);
  }

  // Whether all lines begin as far past a vector boundary, and their columns are neighbours.
  SCANTUNE_DEVICE bool may_be_cut() const {
    if constexpr (Problem::kStrided)
      if (arguments_.layout.input.sequence != 1 || columns_ > arguments_.layout.plane_sequences) return false;
    return line_stride() != 0 && static_cast<u64>(line_stride()) * sizeof(Input) % kAlignment<Input> == 0;
  }

  // The first of a thread's columns may be before those that there are, and the others past them.
  SCANTUNE_DEVICE bool is_there() const { return column_ + skipped_ < columns_; }
  SCANTUNE_DEVICE bool is_there(u32 column) const { return column_ + column < columns_; }
  SCANTUNE_DEVICE bool are_all_there() const { return skipped_ == 0 && columns_ - column_ >= kColumns; }

  SCANTUNE_DEVICE Cursor cursor() const {
    Cursor cursor{Problem::input(arguments_)};
    if (kCuts && is_cut_) {
      cursor.first = first_item() + column_;
      cursor.apart = line_stride();
      cursor.is_vector = true;
    } else if constexpr (Problem::kStrided)
      place_apart(cursor);
    else
      place_densely(cursor);
    cursor.first = cursor.first + static_cast<i64>(first_line_ + mine_.first) * cursor.apart;
    return cursor;
  }

  // A column past the last one counts as the last.
  SCANTUNE_DEVICE void place_densely(Cursor& cursor) const {
    cursor.first = cursor.first + column_;
    cursor.apart = static_cast<i64>(columns_);
#pragma unroll
    for (u32 column = 0; column < kColumns; ++column)
      cursor.columns[column] = column < columns_ - column_ ? column : static_cast<i64>(columns_ - column_ - 1);
    cursor.is_vector = are_all_there() && is_aligned(cursor);
  }

  SCANTUNE_DEVICE void place_apart(Cursor& cursor) const {
    const Strides& strides = arguments_.layout.input;
    const u64 plane_columns = arguments_.layout.plane_sequences;
    u64 in_plane = column_, plane = 0;
    if (column_ >= plane_columns) {
      // Most divisions are of numbers of 32 bits, which is several times as fast.
      plane = (column_ | plane_columns) >> 32 == 0 ? static_cast<u32>(column_) / static_cast<u32>(plane_columns)
                                                   : column_ / plane_columns;
      in_plane = column_ - plane * plane_columns;
    }
    cursor.first = cursor.first + (strides.first + static_cast<i64>(in_plane) * strides.sequence +
                                   static_cast<i64>(plane) * strides.plane);
    cursor.apart = strides.item;
    const i64 to_plane = strides.plane - static_cast<i64>(plane_columns - 1) * strides.sequence;
    i64 at = 0;
    bool ascends = true, descends = true;
#pragma unroll
    for (u32 column = 0; column < kColumns; ++column) {
      cursor.columns[column] = at;
      ascends &= at == static_cast<i64>(column);
      descends &= at == -static_cast<i64>(column);
      if (column + 1 >= columns_ - column_) continue;
      const bool ends_plane = ++in_plane == plane_columns;
      at += ends_plane ? to_plane : strides.sequence;
      if (ends_plane) in_plane = 0;
    }
    if constexpr (kColumns > 1) {
      // A map makes its items one by one, where they descend.
      if constexpr (!kIsMapped<InputItems>)
        if (descends) {
          cursor.first = cursor.first - (kColumns - 1);
          cursor.descends = is_aligned(cursor);
          if (!cursor.descends) cursor.first = cursor.first + (kColumns - 1);
        }
      cursor.is_vector = cursor.descends || (ascends && is_aligned(cursor));
    }
  }

  SCANTUNE_DEVICE static bool is_aligned(const Cursor& cursor) {
    return (static_cast<u64>(cursor.apart) * sizeof(Input) | scantune::edge(cursor.first)) % kAlignment<Input> == 0;
  }

  template <bool kByVectors>
  SCANTUNE_DEVICE void add_up(const Cursor& from, T (&totals)[kColumns]) const {
    ColumnTotal<Problem> of_columns[kColumns];
    InputItems line = from.first;
    // An item takes a register of its own where it is not loaded in a vector.
    constexpr u32 kAtOnce = kByVectors || kUnroll * kColumns <= kMostItems ? kUnroll
                            : kColumns < kMostItems                        ? kMostItems / kColumns
                                                                           : 1;
    u32 turn = 0, end = mine_.count;
    // Vectors of the first and the last line may leave the input, if not all of their columns are there.
    bool adds_last = false;
    if constexpr (kCuts && kByVectors)
      if (!are_all_there() && end > 0) {
        if (leaves_input(line)) {
          take_itemwise(line, turn++, of_columns);
          line = line + mine_.apart * from.apart;
        }
        adds_last = turn < end && leaves_input(last_of(from));
        if (adds_last) --end;
      }
#pragma unroll 1
    for (; turn + kAtOnce <= end; turn += kAtOnce)
      take_lines<kByVectors, kAtOnce, true>(from, line, turn, end, of_columns);
    // Fewer than those are left, if any are.
    if (kAtOnce > 1 && turn < end) take_lines<kByVectors, kAtOnce, false>(from, line, turn, end, of_columns);
    if constexpr (kCuts && kByVectors)
      if (adds_last) take_itemwise(last_of(from), end, of_columns);
    const auto line_of = [&](u32 taken) { return first_line_ + mine_.first + u64{taken} * mine_.apart; };
#pragma unroll
    for (u32 column = 0; column < kColumns; ++column)
      if (!Problem::kInOrder || mine_.count > 0) totals[column] = of_columns[column].total(mine_.count, line_of);
  }

  // Whether the vector from `from` on is not all in the input.
  SCANTUNE_DEVICE bool leaves_input(InputItems from) const {
    const InputItems first = first_item();
    const i64 last_line = static_cast<i64>(full_lines_ - 1) * line_stride();
    const InputItems lowest = first + (last_line < 0 ? last_line : 0);
    const InputItems highest = first + ((last_line < 0 ? 0 : last_line) + static_cast<i64>(columns_));
    return from < lowest || from + kColumns > highest;
  }

  SCANTUNE_DEVICE InputItems last_of(const Cursor& from) const {
    return from.first + static_cast<i64>(u64{mine_.count - 1} * mine_.apart) * from.apart;
  }

  SCANTUNE_DEVICE void take_itemwise(InputItems line, u32 turn, ColumnTotal<Problem> (&of_columns)[kColumns]) const {
#pragma unroll
    for (u32 column = 0; column < kColumns; ++column)
      if (is_there(column)) of_columns[column].take(scantune::load_global<CacheHint::normal>(line + column), turn);
  }

  // Takes up to kAtOnce lines, all of which are there if kFull, and moves `line` past them. All are on their way
  // before any is combined.
  template <bool kByVectors, u32 kAtOnce, bool kFull>
  SCANTUNE_DEVICE void take_lines(const Cursor& from, InputItems& line, u32 turn, u32 end,
                                  ColumnTotal<Problem> (&of_columns)[kColumns]) const {
    Vector<Input> held[kAtOnce];
#pragma unroll
    for (u32 step = 0; step < kAtOnce; ++step) {
      if (kFull || turn + step < end) held[step] = load_line<kByVectors>(from, line);
      line = line + mine_.apart * from.apart;
    }
#pragma unroll
    for (u32 step = 0; step < kAtOnce; ++step)
      if (kFull || turn + step < end)
#pragma unroll
        for (u32 column = 0; column < kColumns; ++column)
          of_columns[column].take(held[step].items[column], turn + step);
  }

  template <bool kByVectors>
  SCANTUNE_DEVICE static Vector<Input> load_line(const Cursor& from, InputItems line) {
    if constexpr (kByVectors) {
      return scantune::load_global<kConfig.load_hint>(scantune::vectors_of<const Vector<Input>>(line));
    } else {
      Vector<Input> vector;
#pragma unroll
      for (u32 column = 0; column < kColumns; ++column)
        vector.items[column] = scantune::load_global<kConfig.load_hint>(line + from.columns[column]);
      return vector;
    }
  }

  SCANTUNE_DEVICE static void turn_around(T (&totals)[kColumns]) {
#pragma unroll
    for (u32 column = 0; column < kColumns / 2; ++column) {
      const T lower = totals[column];
      totals[column] = totals[kColumns - 1 - column];
      totals[kColumns - 1 - column] = lower;
    }
  }

  // Adds the items of an incomplete line, and stores what the band has.
  SCANTUNE_DEVICE void finish(T (&totals)[kColumns]) const {
    u64 in_last_line = 0;
    if constexpr (!Problem::kStrided)  // whose lines are complete
      if (full_lines_ - first_line_ < kBandLines) in_last_line = arguments_.n - full_lines_ * columns_;
    bool exists[kColumns];
#pragma unroll
    for (u32 column = 0; column < kColumns; ++column) {
      exists[column] = lines_ > 0;
      if (const u64 index = column_ + column; index < in_last_line) {
        const T last = Problem::accumulator_of(
            scantune::load_global<CacheHint::normal>(Problem::input(arguments_) + (full_lines_ * columns_ + index)),
            full_lines_);
        totals[column] = exists[column] ? Op::combine(totals[column], last) : last;
        exists[column] = true;
      }
    }
    if (block_count() > groups_)
      store_partials(totals, exists);
    else
      store_results(totals, exists);
  }

  SCANTUNE_DEVICE void store_partials(const T (&totals)[kColumns], const bool (&exists)[kColumns]) const {
    T* const to = scantune::partials_of<Problem>(arguments_) + (band_ * columns_ + column_);
#pragma unroll
    for (u32 column = 0; column < kColumns; ++column)
      if (is_there(column) && exists[column]) scantune::store_payload(to + column, totals[column]);
  }

  SCANTUNE_DEVICE void store_results(const T (&totals)[kColumns], const bool (&exists)[kColumns]) const {
    if constexpr (kFillsVectors<Output> && !Problem::kHasPosition && !kIsMapped<typename Problem::OutputItems>) {
      auto* const to = arguments_.operand<Output>(OperandRole::output) + column_;
      const bool are_neighbours = !Problem::kStrided || arguments_.layout.output.sequence == 0;
      if (are_neighbours && are_all_there() && reinterpret_cast<u64>(to) % kAlignment<Output> == 0) {
        Vector<Output> vector;
#pragma unroll
        for (u32 column = 0; column < kColumns; ++column)
          vector.items[column] = scantune::convert<Output>(with_init(totals[column], exists[column]));
        scantune::store_global<CacheHint::normal>(scantune::vectors_of<Vector<Output>>(to), vector);
        return;
      }
    }
#pragma unroll
    for (u32 column = 0; column < kColumns; ++column)
      if (is_there(column))
        Problem::store(arguments_, totals[column], exists[column],
                       scantune::result_of<Problem>(arguments_, column_ + column));
  }

  SCANTUNE_DEVICE T with_init(const T& total, bool exists) const {
    if constexpr (!Problem::kHasInit) return total;
    T init;
    if constexpr (Problem::kRequest.init == Init::memory)
      init = scantune::load_global<CacheHint::normal>(arguments_.operand<const T>(OperandRole::init));
    else
      init = scantune::from_bytes<T>(arguments_.init);
    return exists ? Op::combine(init, total) : init;
  }

  const KernelArguments& arguments_;
  const u64 columns_, full_lines_;
  const u32 groups_;  // of columns, each with a CTA per band
  const u32 band_;
  const bool is_cut_;  // every line, at vector boundaries
  u32 skipped_;        // of the thread's columns, which are before the first one
  u64 column_;         // the thread's first one
  const u64 first_line_;
  const u32 lines_;  // of the band, with an item of every column
  // Items that alternate around 1 have products around 1, and those of every other item may overflow.
  static constexpr bool kTakesRuns = Problem::kInOrder || (Problem::kRequest.op == Operator::product &&
                                                           is_floating(Problem::kRequest.accumulator_type));
  const SegmentLines<kTakesRuns, kSegments> mine_;
};

template <class Problem, ReduceColumnsConfig kConfig>
SCANTUNE_DEVICE void reduce_bands(const KernelArguments& arguments) {
  const ColumnBand<Problem, kConfig> band(arguments);
  begin_kernel<kConfig.pdl>();
  band.reduce();
}

// The partial results of each column, in the same way.
template <class Problem, ReduceColumnsConfig kConfig>
SCANTUNE_DEVICE void fold_bands(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  constexpr ColumnShape kShape = shape_of_folds(kConfig);
  using Totals = SegmentTotals<Op, kShape>;
  static_assert(kShape.groups() == 1 || sizeof(typename Totals::Shared) <= shared_bytes(kShape, Problem::kRequest));
  const u64 columns = arguments.extents[0], full_lines = arguments.extents[1];
  const u64 column = u64{block_rank()} * kShape.lanes + thread_rank() % kShape.lanes;
  const u64 lines = full_lines + (column < arguments.n - full_lines * columns ? 1 : 0);
  const u32 bands = column < columns ? static_cast<u32>(ceil_div(lines, u64{kConfig.band_lines})) : 0;
  const SegmentLines<Problem::kInOrder, kShape.segments()> mine(bands, thread_rank() / kShape.lanes);
  begin_kernel<kConfig.pdl>();

  const T* const from = scantune::partials_of<Problem>(arguments) + column;
  T totals[1];
  if constexpr (!Problem::kInOrder) totals[0] = Problem::neutral();
#pragma unroll kShape.unroll
  for (u32 turn = 0; turn < mine.count; ++turn) {
    const T next = scantune::load_payload(from + (mine.first + u64{turn} * mine.apart) * columns);
    totals[0] = Problem::kInOrder && turn == 0 ? next : Op::combine(totals[0], next);
  }
  Totals::combine(totals, mine.segments);
  if (thread_rank() < kShape.lanes && column < columns)
    Problem::store(arguments, totals[0], bands > 0, scantune::result_of<Problem>(arguments, column));
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                       \
  SCANTUNE_KERNEL(reduce_bands, kConfig.block_threads, 1) { ::scantune::reduce_bands<Problem, kConfig>(arguments); } \
  SCANTUNE_KERNEL(fold_bands, kConfig.block_threads, 1) { ::scantune::fold_bands<Problem, kConfig>(arguments); }
