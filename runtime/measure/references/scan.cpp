#include "measure/references/algorithm_reference.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/reverse_of.h"
#include "measure/references/running_value.h"
#include "measure/references/scan_inputs.h"
#include "measure/references/scan_of_columns.h"

namespace scantune {
namespace {

constexpr u64 kPieceItems = 256;  // items that are made at a time: they stay in the nearest cache

template <class Running>
class ReferenceOf final : public Reference {
 public:
  explicit ReferenceOf(const KnownInput& input)
      : input_(input.spec),
        scan_(input.spec),
        exclusive_(scan_.request.kind == Kind::exclusive),
        row_items_(row_items(scan_.request)),
        start_(scan_) {
    if (request().has_init()) {
      unsigned char init[kMaxValueBytes];
      fill_scan_init(request(), init);
      start_.add_init(reinterpret_cast<const std::byte*>(init));
    }
    std::vector<Running> totals(ceil_div(items(), kChunkItems),
                                Running(scan_));  // of what follows the last row's start
    parallel_for(totals.size(), [&](u64 chunk) {
      Running total(scan_);  // its own cache line: neighbours in `totals` belong to other threads
      visit_chunk(input, chunk, kChunkItems, [&](u64, bool begins_row, const std::byte* item) {
        if (begins_row) total = Running(scan_);
        total.add_item(item);
        return true;
      });
      totals[chunk] = total;
    });
    Running carry = start_;
    for (u64 chunk = 0; chunk < totals.size(); ++chunk) {
      carries_.push_back(carry);
      if (next_row(chunk * kChunkItems) < (chunk + 1) * kChunkItems) carry = start_;
      carry.add(totals[chunk]);
    }
  }

  u64 item_bytes() const override { return static_cast<u64>(request().output_bytes()); }
  u64 bytes() const override { return sizeof *this + carries_.capacity() * sizeof(Running); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    const u64 end = first + found.size() / item_bytes(), first_chunk = first / kChunkItems;
    std::atomic<u64> first_wrong = items();
    parallel_for(ceil_div(end, kChunkItems) - first_chunk, [&](u64 part) {
      const u64 chunk = first_chunk + part, begin = std::max(first, chunk * kChunkItems);
      if (begin >= first_wrong.load(std::memory_order_relaxed)) return;
      const u64 wrong = first_mismatch(chunk, begin, std::min((chunk + 1) * kChunkItems, end), found, first);
      for (u64 known = first_wrong.load(); wrong < known && !first_wrong.compare_exchange_weak(known, wrong);) {
      }
    });
    if (first_wrong == items()) return std::nullopt;
    return describe(first_wrong, found.data() + (first_wrong - first) * item_bytes());
  }

  void expect(const KnownInput& input, std::span<std::byte> output) const override {
    parallel_for(carries_.size(), [&](u64 chunk) {
      visit_outputs(input, chunk, kChunkItems, [&](u64 index, const Running& running) {
        running.output(output.data() + index * item_bytes());
        return true;
      });
    });
  }

 private:
  const ScanRequest& request() const { return scan_.request; }
  u64 items() const { return request().n; }

  // The first row's start from an item on.
  u64 next_row(u64 item) const { return ceil_div(item, row_items_) * row_items_; }

  // Calls visit(index, begins_row, item) for the first `most` items of a chunk in order, until it returns false.
  template <class Visit>
  void visit_chunk(const KnownInput& input, u64 chunk, u64 most, Visit&& visit) const {
    const u64 first = chunk * kChunkItems, end = first + std::min({most, kChunkItems, items() - first});
    const u64 input_bytes = static_cast<u64>(request().input_bytes());
    std::byte scratch[kPieceItems * kMaxValueBytes];
    u64 row = next_row(first);
    for (u64 piece = first; piece < end; piece += kPieceItems) {
      const u64 count = std::min(kPieceItems, end - piece);
      const auto made = input.items(piece, std::span(scratch).first(count * input_bytes));
      for (u64 item = 0; item < count; ++item) {
        const bool begins_row = piece + item == row;
        if (begins_row) row += row_items_;
        if (!visit(piece + item, begins_row, made.data() + item * input_bytes)) return;
      }
    }
  }

  // Calls visit(index, running) with the value that each of the first `most` outputs of a chunk should have.
  template <class Visit>
  void visit_outputs(const KnownInput& input, u64 chunk, u64 most, Visit&& visit) const {
    Running running = carries_[chunk];
    visit_chunk(input, chunk, most, [&](u64 index, bool begins_row, const std::byte* item) {
      if (begins_row) running = start_;
      if (!exclusive_) running.add_item(item);
      if (!visit(index, running)) return false;
      if (exclusive_) running.add_item(item);
      return true;
    });
  }

  // The index of the first output of a chunk that is wrong, among those from `first` on and before `end`, or n. `found`
  // begins with output found_first.
  u64 first_mismatch(u64 chunk, u64 first, u64 end, std::span<const std::byte> found, u64 found_first) const {
    u64 wrong = items();
    visit_outputs(input_, chunk, end - chunk * kChunkItems, [&](u64 index, const Running& running) {
      if (index < first || running.agrees(found.data() + (index - found_first) * item_bytes())) return true;
      wrong = index;
      return false;
    });
    return wrong;
  }

  Mismatch describe(u64 wrong, const std::byte* found) const {
    std::byte expected[kMaxValueBytes];
    visit_outputs(input_, wrong / kChunkItems, wrong % kChunkItems + 1, [&](u64 index, const Running& running) {
      if (index == wrong) running.output(expected);
      return true;
    });
    const ValueType type = request().output_type;
    return {wrong, spell_value(request(), type, expected), spell_value(request(), type, found)};
  }

  KnownInput input_;  // without its items
  ScanSpec scan_;
  bool exclusive_;
  u64 row_items_;
  Running start_;                 // what comes before the first item of a row
  std::vector<Running> carries_;  // everything before each chunk, the initial value included
};

// A record serves other numbers of rows than its own: one long row, one that begins anywhere, and more than a few CTAs.
constexpr std::pair<u64, Variant> kOtherRows[] = {{1, Variant::any}, {2, Variant::aligned}, {33, Variant::any}};
// A record serves other numbers of columns, too: the largest takes tiles side by side, and its lines fill vectors.
constexpr std::pair<u64, Variant> kOtherColumns[] = {{1, Variant::any},  {2, Variant::aligned},
                                                     {7, Variant::any},  {31, Variant::any},
                                                     {33, Variant::any}, {200, Variant::aligned}};

// The forward scan of the same items in the other order.
InputSpec forward_of(InputSpec spec) {
  auto scan = typed<ScanRequest>(spec.request);
  scan.direction = Direction::forward;
  spec.request = scan;
  return spec;
}

template <template <class> class Expected>
std::unique_ptr<const Reference> reference_by(const KnownInput& input) {
  const auto request = typed<ScanRequest>(input.spec.request);
  if (is_custom(request.op)) return std::make_unique<Expected<RunningStandIn>>(input);
  if (is_integer(request.accumulator_type)) return std::make_unique<Expected<RunningInteger>>(input);
  if (request.op == Operator::min || request.op == Operator::max)
    return std::make_unique<Expected<RunningExtreme>>(input);
  return std::make_unique<Expected<RunningRounded>>(input);
}

class ScanReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<ScanRequest>(); }

  bool has(InputPattern pattern, const Request& request) const override {
    return applies_to_scan(pattern, typed<ScanRequest>(request));
  }
  void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const override {
    const auto scan = typed<ScanRequest>(spec.request);
    if (scan.direction == Direction::forward) return fill_scan_input(ScanSpec(spec), first, out);
    const auto item_bytes = static_cast<u64>(scan.input_bytes());
    fill_scan_input(ScanSpec(forward_of(spec)), scan.n - first - out.size() / item_bytes, out);
    reverse_items(out, item_bytes);
  }
  void fill_init(const Request& request, unsigned char* init) const override {
    const auto scan = typed<ScanRequest>(request);
    if (scan.has_init()) fill_scan_init(scan, init);
  }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    const auto scan = typed<ScanRequest>(input.spec.request);
    if (scan.direction == Direction::reverse)
      return std::make_unique<ReverseOf>(reference(forward_of(input.spec)), forward_of(input.spec));
    const bool has_columns = scan.segments == Segments::columns;
    return has_columns ? reference_by<ColumnsOf>(input) : reference_by<ReferenceOf>(input);
  }

  // Its chunks carry on from row to row, and from column to column.
  CheckKernels check_kernels(const Request& request) const override {
    if (typed<ScanRequest>(request).segments != Segments::none) return {};
    return {"scan/kernels/check_scan.h", {"fold_chunks", "fold_totals", "check_chunks"}};
  }

  // Where an initial value comes from hardly touches a kernel, so one kernel of each kind with it in memory is enough.
  std::vector<RequestVariant> also_served(const Request& request) const override {
    const auto with = [&](Kind kind, Init init) {
      auto scan = typed<ScanRequest>(request);
      scan.kind = kind;
      scan.init = init;
      return scan;
    };
    std::vector<RequestVariant> served{{with(Kind::inclusive, Init::none), Variant::aligned},
                                       {with(Kind::exclusive, Init::value), Variant::aligned},
                                       {with(Kind::inclusive, Init::memory), Variant::any},
                                       {with(Kind::exclusive, Init::memory), Variant::any}};
    const auto own = typed<ScanRequest>(request);
    if (own.segments != Segments::none) served.push_back({with(Kind::exclusive, Init::each), Variant::any});
    if (own.segments == Segments::rows)
      for (const auto& [rows, variant] : kOtherRows) {
        ScanRequest other = own;
        other.rows = rows;
        served.push_back({other, variant});
      }
    if (own.segments == Segments::columns)
      for (const auto& [columns, variant] : kOtherColumns) {
        ScanRequest other = own;
        other.columns = columns;
        served.push_back({other, variant});
      }
    return served;
  }

  u64 sequences(const Request& request) const override {
    const auto scan = typed<ScanRequest>(request);
    return scan.segments == Segments::rows ? scan.rows : scan.segments == Segments::columns ? scan.columns : 1;
  }

  bool are_side_by_side(const Request& request) const override {
    return typed<ScanRequest>(request).segments == Segments::columns;
  }

  bool repeats_bits(const Request& request) const override {
    return needs_fixed_association(typed<ScanRequest>(request));
  }

  Request same_results(const Request& request) const override {
    auto scan = typed<ScanRequest>(request);
    if (scan.init == Init::memory || scan.init == Init::each) scan.init = Init::value;
    scan.n_source = NSource::call;
    return scan;
  }
};

}  // namespace

const AlgorithmReference& reference_of_scan() {
  static const ScanReference kScan;
  return kScan;
}

}  // namespace scantune
