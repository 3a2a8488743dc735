#include <algorithm>
#include <utility>
#include <vector>

#include "measure/references/algorithm_reference.h"
#include "measure/references/reduce_inputs.h"
#include "measure/references/reduced_sequences.h"
#include "measure/references/running_placed.h"
#include "measure/references/running_value.h"
#include "measure/references/scan_inputs.h"

namespace scantune {
namespace {

constexpr u64 kSegmentsAtOnce = u64{1} << 16;  // whose totals are there at the same time

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

// What segments come to, made again whenever it is looked at: there may be a segment for each item.
template <class Running>
class TotalsOfSegments final : public Reference {
 public:
  explicit TotalsOfSegments(const KnownInput& input)
      : input_(input.spec), scan_(as_scan(input.spec)), start_(start_of<Running>(scan_)) {}

  u64 item_bytes() const override { return static_cast<u64>(scan_.request.output_bytes()); }
  u64 bytes() const override { return sizeof *this; }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    std::optional<Mismatch> wrong;
    visit(input_, first, found.size() / item_bytes(), [&](u64 segment, const Running& total) {
      const std::byte* const its = found.data() + (segment - first) * item_bytes();
      if (!wrong && !total.agrees(its)) wrong = mismatch_of(scan_.request, segment, total, its);
      return !wrong;
    });
    return wrong;
  }

  void expect(const KnownInput& input, std::span<std::byte> output) const override {
    visit(input, 0, output.size() / item_bytes(), [&](u64 segment, const Running& total) {
      total.output(output.data() + segment * item_bytes());
      return true;
    });
  }

 private:
  // Calls visited(segment, total) for so many segments, until it returns false.
  template <class Visited>
  void visit(const KnownInput& input, u64 first, u64 count, const Visited& visited) const {
    for (u64 begin = first; begin < first + count; begin += kSegmentsAtOnce) {
      const u64 end = std::min(begin + kSegmentsAtOnce, first + count);
      const std::vector<Running> totals = totals_of_segments(input, Running(scan_), begin, end);
      for (u64 segment = begin; segment < end; ++segment) {
        Running total = start_;
        total.add(totals[segment - begin]);
        if (!visited(segment, total)) return;
      }
    }
  }

  KnownInput input_;  // without its items
  ScanSpec scan_;
  Running start_;
};

// The extremes of each row, and their indices. Running: RunningPlaced or RunningByLess.
template <class Running>
class ExtremesOf final : public Reference {
 public:
  explicit ExtremesOf(const KnownInput& input)
      : request_(typed<ReduceRequest>(input.spec.request)), extremes_(extremes_of(input, request_.op)) {
    if (request_.extremes == ExtremeSet::both) greatest_ = extremes_of(input, Operator::max);
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
  std::vector<Running> extremes_of(const KnownInput& input, Operator op) const {
    const Running empty(request_, op);
    return request_.has_offsets() ? totals_of_segments(input, empty, 0, request_.segment_count)
                                  : totals_of_rows(input, empty);
  }

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
  void fill_beside(const InputSpec& spec, OperandRole role, u64 first, std::span<std::byte> out) const override {
    DrawnOffsets(typed<ReduceRequest>(spec.request), spec).fill(role, first, out);
  }
  void fill_init(const Request& request, unsigned char* init) const override {
    const auto reduction = typed<ReduceRequest>(request);
    if (reduction.has_init()) fill_scan_init(as_scan(reduction), init);
  }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    const auto request = typed<ReduceRequest>(input.spec.request);
    if (request.ordered_by == OrderedBy::less) return std::make_unique<ExtremesOf<RunningByLess>>(input);
    if (request.has_position()) return std::make_unique<ExtremesOf<RunningPlaced>>(input);
    if (request.has_offsets()) return reference_by<TotalsOfSegments>(as_scan(request), input);
    return reference_by<TotalsOf>(as_scan(request), input);
  }

  // Where an initial value comes from hardly touches a kernel, so one kernel of each is enough. A record serves other
  // row counts than its own.
  std::vector<RequestVariant> also_served(const Request& request) const override {
    const auto own = typed<ReduceRequest>(request);
    if (own.has_offsets()) return served_by_offsets(own);
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
    if (reduction.init > Init::value) reduction.init = Init::value;
    return reduction;
  }

 private:
  // Every form, width and source of a number between them.
  static std::vector<RequestVariant> served_by_offsets(const ReduceRequest& own) {
    auto wide = own, apart = own, widest = own, unsigned_apart = own;
    wide.offset_type = OffsetType::i64;
    wide.count_source = CountSource::memory;
    apart.offset_form = OffsetForm::begins_and_ends;
    widest.offset_type = OffsetType::u64;
    widest.count_source = CountSource::memory_32;
    unsigned_apart.offset_type = OffsetType::u32;
    unsigned_apart.offset_form = OffsetForm::begins_and_ends;
    if (!own.has_position()) {
      wide.init = Init::each;
      unsigned_apart.init = Init::memory;
    }
    std::vector<RequestVariant> served = {
        {wide, Variant::aligned}, {apart, Variant::any}, {widest, Variant::any}, {unsigned_apart, Variant::aligned}};
    add_with_other(&ReduceRequest::segment_count, {{1, Variant::aligned}, {33, Variant::any}}, own, served);
    return served;
  }
};

}  // namespace

const AlgorithmReference& reference_of_reduce() {
  static const ReduceReference kReduce;
  return kReduce;
}

}  // namespace scantune
