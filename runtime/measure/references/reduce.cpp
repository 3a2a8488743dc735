#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/reduce_inputs.h"
#include "measure/references/running_value.h"
#include "measure/references/scan_inputs.h"

namespace scantune {
namespace {

constexpr u64 kLeastPartLines = 64;      // a Running takes about as many bytes, so it costs one for each item
constexpr u64 kReducedPieceItems = 256;  // of an input, made at a time: they stay in the nearest cache

// The scan whose last result the reduction returns.
ScanRequest as_scan(const ReduceRequest& request) {
  ScanRequest scan;
  scan.input_type = request.input_type;
  scan.accumulator_type = request.accumulator_type;
  scan.output_type = request.output_type;
  scan.op = request.op;
  scan.init = request.init;
  scan.custom_bytes = request.custom_bytes;
  scan.custom_alignment = request.custom_alignment;
  scan.n = request.n;
  if (request.segments == Segments::columns) {
    scan.segments = request.segments;
    scan.columns = request.columns;
  }
  return scan;
}

InputSpec as_scan(const InputSpec& spec) {
  InputSpec scan = spec;
  scan.request = as_scan(typed<ReduceRequest>(spec.request));
  return scan;
}

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

// What each column comes to, as below.
template <class Running, class Fold, class Join>
std::vector<Running> folded_columns(const KnownInput& input, const Running& empty, const Fold& fold, const Join& join) {
  const auto request = typed<ReduceRequest>(input.spec.request);
  const u64 columns = request.columns;
  const u64 part_lines = std::max(kLeastPartLines, Reference::kChunkItems / std::max<u64>(columns, 1));
  const u64 parts = std::max<u64>(ceil_div(column_items(request), part_lines), 1);
  std::vector<Running> folded(parts * columns, empty);
  parallel_for(parts, [&](u64 part) {
    const u64 first = part * part_lines * columns;
    visit_items(input, first, std::min(first + part_lines * columns, request.n), [&](u64 index, const std::byte* item) {
      fold(folded[part * columns + index % columns], index / columns, item);
    });
  });
  for (u64 part = 1; part < parts; ++part)
    for (u64 column = 0; column < columns; ++column) join(folded[column], folded[part * columns + column]);
  folded.resize(columns, empty);
  return folded;
}

// What each row comes to, all items being one row where there are no others. Running: what a row, or a part of it, has
// come to; fold(running, index in the row, item) adds an item, join(running, later) what comes behind.
template <class Running, class Fold, class Join>
std::vector<Running> folded_rows(const KnownInput& input, const Running& empty, const Fold& fold, const Join& join) {
  const auto request = typed<ReduceRequest>(input.spec.request);
  if (request.segments == Segments::columns) return folded_columns(input, empty, fold, join);
  const u64 rows = request.segments == Segments::rows ? request.rows : 1, length = row_items(request);
  const u64 parts_of_row = std::max<u64>(ceil_div(length, Reference::kChunkItems), 1), parts = rows * parts_of_row;
  const u64 parts_at_once = std::max<u64>(Reference::kChunkItems / std::max<u64>(length, 1), 1);
  std::vector<Running> folded(parts, empty);
  parallel_for(ceil_div(parts, parts_at_once), [&](u64 group) {
    for (u64 part = group * parts_at_once; part < std::min(parts, (group + 1) * parts_at_once); ++part) {
      const u64 start = part / parts_of_row * length, row_end = std::min(start + length, request.n);
      const u64 first = start + part % parts_of_row * Reference::kChunkItems;
      Running total = empty;  // in its own cache line: neighbours in `folded` belong to other threads
      visit_items(input, first, std::min(first + Reference::kChunkItems, row_end),
                  [&](u64 index, const std::byte* item) { fold(total, index - start, item); });
      folded[part] = total;
    }
  });
  if (parts_of_row == 1) return folded;
  for (u64 row = 0; row < rows; ++row) {
    folded[row] = folded[row * parts_of_row];
    for (u64 part = 1; part < parts_of_row; ++part) join(folded[row], folded[row * parts_of_row + part]);
  }
  folded.resize(rows, empty);
  return folded;
}

template <class Running>
class TotalsOf final : public Reference {
 public:
  explicit TotalsOf(const KnownInput& input) : scan_(as_scan(input.spec)) {
    Running start(scan_);
    if (scan_.request.has_init()) {
      unsigned char init[kMaxValueBytes];
      fill_scan_init(scan_.request, init);
      start.add_init(reinterpret_cast<const std::byte*>(init));
    }
    totals_ = folded_rows(
        input, Running(scan_), [](Running& sum, u64, const std::byte* item) { sum.add_item(item); },
        [](Running& sum, const Running& later) { sum.add(later); });
    for (Running& total : totals_) {
      Running with_start = start;
      with_start.add(total);
      total = with_start;
    }
  }

  u64 item_bytes() const override { return static_cast<u64>(scan_.request.output_bytes()); }
  u64 bytes() const override { return sizeof *this + totals_.capacity() * sizeof(Running); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    for (u64 row = 0; row < found.size() / item_bytes(); ++row) {
      const Running& total = totals_[first + row];
      const std::byte* const its = found.data() + row * item_bytes();
      if (total.agrees(its)) continue;
      std::byte expected[kMaxValueBytes];
      total.output(expected);
      const ValueType type = scan_.request.output_type;
      return Mismatch{first + row, spell_value(scan_.request, type, expected), spell_value(scan_.request, type, its)};
    }
    return std::nullopt;
  }

  void expect(const KnownInput&, std::span<std::byte> output) const override {
    for (std::size_t row = 0; row < totals_.size(); ++row) totals_[row].output(output.data() + row * item_bytes());
  }

 private:
  ScanSpec scan_;
  std::vector<Running> totals_;  // of scan_'s request, by row
};

// The first item of each row that is its minimum or maximum, and its index in the row.
class FirstExtremes final : public Reference {
 public:
  explicit FirstExtremes(const KnownInput& input)
      : scan_(as_scan(input.spec)), index_bytes_(bytes_of(typed<ReduceRequest>(input.spec.request).index_width)) {
    found_ = folded_rows(
        input, Found{},
        [this](Found& best, u64 index, const std::byte* item) { take({number(item), index, true}, best); },
        [this](Found& best, const Found& later) { take(later, best); });
    std::ranges::transform(found_, std::back_inserter(positions_), &Found::index);
  }

  u64 item_bytes() const override { return static_cast<u64>(scan_.request.output_bytes()); }
  u64 bytes() const override { return sizeof *this + found_.capacity() * (sizeof(Found) + sizeof(u64)); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> output) const override {
    const ValueType type = scan_.request.output_type;
    for (u64 row = 0; row < output.size() / item_bytes(); ++row) {
      std::byte expected[kMaxValueBytes];
      put(found_[first + row], expected);
      const auto its = output.subspan(row * item_bytes(), item_bytes());
      const bool both_nan =
          is_floating(type) && std::isnan(floating_at(type, expected)) && std::isnan(floating_at(type, its.data()));
      if (both_nan || std::ranges::equal(std::span(expected).first(its.size()), its)) continue;
      return Mismatch{first + row, spell_value(scan_.request, type, expected),
                      spell_value(scan_.request, type, its.data())};
    }
    return std::nullopt;
  }

  void expect(const KnownInput&, std::span<std::byte> output) const override {
    for (std::size_t row = 0; row < found_.size(); ++row) put(found_[row], output.data() + row * item_bytes());
  }

  void expect_beside(OperandRole, u64 first, std::span<std::byte> expected) const override {
    put_low_bytes(std::span(positions_).subspan(first), index_bytes_, expected);
  }

 private:
  // long double holds every integer of 64 bits and every floating-point number.
  struct Found {
    long double value = 0;
    u64 index = 0;
    bool exists = false;
  };

  long double number(const std::byte* item) const {
    const ScanRequest& request = scan_.request;
    if (is_floating(request.accumulator_type)) return accumulator_of(request, item);
    const u64 integer = reduced(request.accumulator_type, integer_at(request.input_type, item));
    return is_signed(request.accumulator_type) ? static_cast<long double>(static_cast<i64>(integer))
                                               : static_cast<long double>(integer);
  }

  void take(const Found& later, Found& best) const {
    if (later.exists && (!best.exists || replaces(later.value, best.value))) best = later;
  }

  bool replaces(long double later, long double earlier) const {
    if (std::isnan(earlier) || std::isnan(later)) return !std::isnan(earlier);
    const bool is_min = scan_.request.op == Operator::min;
    if (later == earlier) return std::signbit(later) != std::signbit(earlier) && std::signbit(later) == is_min;
    return is_min ? later < earlier : earlier < later;
  }

  void put(const Found& found, std::byte* output) const {
    const ValueType type = scan_.request.output_type;
    if (is_floating(type)) return put_floating(type, found.value, output);
    put_integer(type, found.value < 0 ? static_cast<u64>(static_cast<i64>(found.value)) : static_cast<u64>(found.value),
                output);
  }

  ScanSpec scan_;
  int index_bytes_;
  std::vector<Found> found_;  // by row
  std::vector<u64> positions_;
};

class ReduceReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<ReduceRequest>(); }

  bool has(InputPattern pattern, const Request& request) const override {
    return applies_to_scan(pattern, as_scan(typed<ReduceRequest>(request)));
  }
  void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const override {
    auto request = typed<ReduceRequest>(spec.request);
    request.n = std::max(request.n, spec.whole_items);
    const u64 length = request.segments == Segments::columns ? column_items(request) : row_items(request);
    fill_reduction_input(ScanSpec(as_scan(spec)), length, first, out);
  }
  void fill_init(const Request& request, unsigned char* init) const override {
    const auto reduction = typed<ReduceRequest>(request);
    if (reduction.has_init()) fill_scan_init(as_scan(reduction), init);
  }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    const auto request = typed<ReduceRequest>(input.spec.request);
    if (request.has_position()) return std::make_unique<FirstExtremes>(input);
    if (is_custom(request.op)) return std::make_unique<TotalsOf<RunningStandIn>>(input);
    if (is_integer(request.accumulator_type)) return std::make_unique<TotalsOf<RunningInteger>>(input);
    if (request.op == Operator::min || request.op == Operator::max)
      return std::make_unique<TotalsOf<RunningExtreme>>(input);
    return std::make_unique<TotalsOf<RunningRounded>>(input);
  }

  // Where an initial value comes from hardly touches a kernel, so one kernel of each is enough. A record serves other
  // row counts than its own.
  std::vector<RequestVariant> also_served(const Request& request) const override {
    const auto own = typed<ReduceRequest>(request);
    std::vector<RequestVariant> served;
    if (!own.has_position()) {
      auto without = own, from_memory = own;
      without.init = Init::none;
      from_memory.init = Init::memory;
      served = {{without, Variant::aligned}, {from_memory, Variant::any}};
    }
    if (own.segments == Segments::rows)
      for (const auto& [rows, variant] : {std::pair<u64, Variant>(1, Variant::aligned), {33, Variant::any}}) {
        ReduceRequest other = own;
        other.rows = rows;
        if (unsupported_reason(other) == nullptr) served.push_back({other, variant});
      }
    if (own.segments == Segments::columns)
      for (const auto& [columns, variant] :
           {std::pair<u64, Variant>(1, Variant::aligned), {7, Variant::any}, {33, Variant::any}, {200, Variant::any}}) {
        ReduceRequest other = own;
        other.columns = columns;
        if (unsupported_reason(other) == nullptr) served.push_back({other, variant});
      }
    return served;
  }

  u64 sequences(const Request& request) const override {
    const auto reduction = typed<ReduceRequest>(request);
    return reduction.segments == Segments::rows      ? reduction.rows
           : reduction.segments == Segments::columns ? reduction.columns
                                                     : 1;
  }

  bool are_side_by_side(const Request& request) const override {
    return typed<ReduceRequest>(request).segments == Segments::columns;
  }

  bool repeats_bits(const Request& request) const override {
    return needs_fixed_association(typed<ReduceRequest>(request));
  }

  Request same_results(const Request& request) const override {
    auto reduction = typed<ReduceRequest>(request);
    if (reduction.init == Init::memory) reduction.init = Init::value;
    return reduction;
  }
};

}  // namespace

const AlgorithmReference& reference_of_reduce() {
  static const ReduceReference kReduce;
  return kReduce;
}

}  // namespace scantune
