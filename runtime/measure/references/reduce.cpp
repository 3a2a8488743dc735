#include <algorithm>
#include <utility>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/reduce_inputs.h"
#include "measure/references/running_placed.h"
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
  scan.op = request.ordered_by == OrderedBy::less ? Operator::custom_cheap : request.op;
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

// What each row comes to, all items being one row where there are no others.
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

template <class Running>
class TotalsOf final : public Reference {
 public:
  explicit TotalsOf(const KnownInput& input) : scan_(as_scan(input.spec)) {
    const Running start = start_of<Running>(scan_);
    totals_ = totals_of_rows(input, Running(scan_));
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
      if (!total.agrees(its)) return mismatch_of(scan_.request, first + row, total, its);
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

// The extremes of each row, and their indices. Running: RunningPlaced or RunningByLess.
template <class Running>
class ExtremesOf final : public Reference {
 public:
  explicit ExtremesOf(const KnownInput& input)
      : request_(typed<ReduceRequest>(input.spec.request)),
        extremes_(totals_of_rows(input, Running(request_, request_.op))) {
    if (request_.extremes == ExtremeSet::both) greatest_ = totals_of_rows(input, Running(request_, Operator::max));
  }

  u64 item_bytes() const override { return static_cast<u64>(request_.output_bytes()); }
  u64 bytes() const override { return sizeof *this + (extremes_.capacity() + greatest_.capacity()) * sizeof(Running); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    return wrong_value(extremes_, first, found);
  }

  void expect(const KnownInput&, std::span<std::byte> output) const override {
    for (std::size_t row = 0; row < extremes_.size(); ++row) extremes_[row].output(output.data() + row * item_bytes());
  }

  void expect_beside(OperandRole role, u64 first, std::span<std::byte> expected) const override {
    if (role == OperandRole::second) {
      for (u64 row = 0; row * item_bytes() < expected.size(); ++row)
        greatest_[first + row].output(expected.data() + row * item_bytes());
      return;
    }
    const std::vector<Running>& extremes = role == OperandRole::indices ? extremes_ : greatest_;
    const int bytes = bytes_of(request_.index_width);
    std::vector<u64> indices(expected.size() / static_cast<std::size_t>(bytes));
    for (u64 row = 0; row < indices.size(); ++row) indices[row] = extremes[first + row].index();
    put_low_bytes(indices, bytes, expected);
  }

  // A greatest value is right if it agrees, as the output is: every NaN is one, whatever its bits.
  std::optional<Mismatch> check_beside(const Request& request, const RequestOperand& operand, u64 first,
                                       std::span<const std::byte> found) const override {
    if (operand.role == OperandRole::second) return wrong_value(greatest_, first, found);
    return Reference::check_beside(request, operand, first, found);
  }

 private:
  std::optional<Mismatch> wrong_value(const std::vector<Running>& extremes, u64 first,
                                      std::span<const std::byte> found) const {
    for (u64 row = 0; row < found.size() / item_bytes(); ++row) {
      const std::byte* const its = found.data() + row * item_bytes();
      if (!extremes[first + row].agrees(its))
        return mismatch_of(as_scan(request_), first + row, extremes[first + row], its);
    }
    return std::nullopt;
  }

  ReduceRequest request_;
  std::vector<Running> extremes_;  // by row; they point to the request
  std::vector<Running> greatest_;  // beside the least, where both are requested
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
    if (request.ordered_by == OrderedBy::less) return std::make_unique<ExtremesOf<RunningByLess>>(input);
    if (request.has_position()) return std::make_unique<ExtremesOf<RunningPlaced>>(input);
    return reference_by<TotalsOf>(as_scan(request), input);
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
      add_with_other(&ReduceRequest::rows, {{1, Variant::aligned}, {33, Variant::any}}, own, served);
    if (own.segments == Segments::columns)
      add_with_other(&ReduceRequest::columns,
                     {{1, Variant::aligned}, {7, Variant::any}, {33, Variant::any}, {200, Variant::any}}, own, served);
    return served;
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
