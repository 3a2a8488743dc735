#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/drawn_offsets.h"
#include "measure/references/exact_reference.h"
#include "measure/references/sort_inputs.h"

namespace scantune {
namespace {

constexpr int kDigitBits = 8;
constexpr u64 kDigits = u64{1} << kDigitBits;
constexpr u64 kMostParts = 256;  // by which one pass is shared among cores

// The sequences that are sorted by themselves.
template <class Index>
class SortedSequences {
 public:
  SortedSequences(const InputSpec& spec, const SortRequest& request)
      : row_items_(std::max<u64>(row_items(request), 1)), last_(request.n > 0 ? request.n - 1 : 0) {
    if (!request.has_offsets()) return;
    firsts_.assign(request.n, kNone);
    const DrawnOffsets offsets(request, spec);
    parallel_for(ceil_div(request.segment_count, kSegmentsAtOnce), [&](u64 part) {
      const u64 end = std::min((part + 1) * kSegmentsAtOnce, request.segment_count);
      offsets.visit(part * kSegmentsAtOnce, end, [&](u64, const DrawnOffsets::Items& its) {
        std::fill(firsts_.begin() + static_cast<std::ptrdiff_t>(its.begin),
                  firsts_.begin() + static_cast<std::ptrdiff_t>(its.end), static_cast<Index>(its.begin));
      });
    });
  }

  bool has(u64 index) const { return firsts_.empty() || firsts_[index] != kNone; }
  // The first item of the sequence with that item, which is one of its own where no sequence has it.
  u64 first(u64 index) const {
    if (firsts_.empty()) return index - index % row_items_;
    return firsts_[index] == kNone ? index : firsts_[index];
  }
  // A number that is less for earlier sequences, and the greatest one.
  u64 number(u64 index) const { return firsts_.empty() ? index / row_items_ : first(index); }
  u64 last_number() const { return firsts_.empty() ? last_ / row_items_ : last_; }
  u64 bytes() const { return firsts_.size() * sizeof(Index); }

 private:
  static constexpr u64 kSegmentsAtOnce = 4096;
  static constexpr Index kNone = std::numeric_limits<Index>::max();  // no item's

  u64 row_items_, last_;
  std::vector<Index> firsts_;  // of segments by offsets, for each item
};

// The order of the keys, as indices wide enough for every n. Keys are computed again whenever they are needed; only
// their order is stored.
template <class Index>
class SortedOrder {
 public:
  SortedOrder(const DrawnKeys& keys, const SortRequest& request, const SortedSequences<Index>& sequences)
      : keys_(keys), order_(request.n) {
    for_parts([&](u64, u64 begin, u64 end) {
      for (u64 place = begin; place < end; ++place) order_[place] = static_cast<Index>(place);
    });
    std::vector<Index> next(request.n);
    for (int bit = 0; bit < keys_.rank_bits(); bit += kDigitBits)
      sort_by(next, [&](u64 index) { return keys_.rank(index) >> bit; });
    // Sequences stay apart where their number is what is sorted by last.
    for (int bit = 0; bit < 64 && sequences.last_number() >> bit > 0; bit += kDigitBits)
      sort_by(next, [&](u64 index) { return sequences.number(index) >> bit; });
  }

  u64 operator[](u64 place) const { return order_[place]; }
  u64 bytes() const { return order_.size() * sizeof(Index); }

 private:
  using Counts = std::array<u64, kDigits>;

  u64 part_items() const { return std::max(ceil_div<u64>(order_.size(), kMostParts), Reference::kChunkItems); }
  u64 parts() const { return ceil_div<u64>(order_.size(), part_items()); }

  template <class Visit>
  void for_parts(const Visit& visit) const {
    parallel_for(parts(), [&](u64 part) {
      visit(part, part * part_items(), std::min<u64>((part + 1) * part_items(), order_.size()));
    });
  }

  // Sorts by the lowest bits of a number of each index, stably.
  template <class Number>
  void sort_by(std::vector<Index>& next, const Number& number) {
    std::vector<Counts> places(parts(), Counts{});
    for_parts([&](u64 part, u64 begin, u64 end) {
      for (u64 place = begin; place < end; ++place) ++places[part][number(order_[place]) % kDigits];
    });
    u64 before = 0;
    for (u64 digit = 0; digit < kDigits; ++digit)
      for (Counts& of_part : places) before += std::exchange(of_part[digit], before);
    for_parts([&](u64 part, u64 begin, u64 end) {
      for (u64 place = begin; place < end; ++place)
        next[places[part][number(order_[place]) % kDigits]++] = order_[place];
    });
    order_.swap(next);
  }

  const DrawnKeys& keys_;
  std::vector<Index> order_;
};

// The results of a sort, whose order is computed once.
template <class Index>
class SortedItems final : public ExactReference {
 public:
  explicit SortedItems(const KnownInput& input)
      : ExactReference(input),
        request_(typed<SortRequest>(input.spec.request)),
        keys_(input.spec, request_),
        sequences_(input.spec, request_),
        order_(keys_, request_, sequences_) {}

  u64 bytes() const override { return sizeof *this + sequences_.bytes() + order_.bytes(); }

 private:
  void make(const KnownInput&, OperandRole role, u64 first, std::span<std::byte> out) const override {
    const bool are_keys = role == OperandRole::output && request_.writes_keys();
    const u64 bytes = static_cast<u64>(are_keys ? request_.input_bytes() : request_.value_bytes());
    const u64 count = out.size() / bytes;
    parallel_for(ceil_div(count, kChunkItems), [&](u64 chunk) {
      for (u64 item = chunk * kChunkItems; item < std::min(count, (chunk + 1) * kChunkItems); ++item) {
        const u64 place = first + item;
        if (!sequences_.has(place)) {
          std::fill_n(&out[item * bytes], bytes, kUnwritten);
          continue;
        }
        if (role == OperandRole::values_output) {
          put_sorted_value(spec(), static_cast<int>(bytes), order_[place], &out[item * bytes]);
          continue;
        }
        if (are_keys) {
          keys_.put(order_[place], &out[item * bytes]);
          continue;
        }
        const u64 number = order_[place] - sequences_.first(place);
        std::memcpy(&out[item * bytes], &number, bytes);  // little-endian: its first bytes are those of fewer bits
      }
    });
  }

  SortRequest request_;
  DrawnKeys keys_;
  SortedSequences<Index> sequences_;
  SortedOrder<Index> order_;
};

class SortReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<SortRequest>(); }

  bool has(InputPattern pattern, const Request&) const override { return pattern != InputPattern::rounding; }

  void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const override {
    const auto request = typed<SortRequest>(spec.request);
    const DrawnKeys keys(spec, request);
    const auto bytes = static_cast<u64>(request.input_bytes());
    for (u64 item = 0; item < out.size() / bytes; ++item) keys.put(first + item, &out[item * bytes]);
  }

  void fill_beside(const InputSpec& spec, OperandRole role, u64 first, std::span<std::byte> out) const override {
    const auto request = typed<SortRequest>(spec.request);
    if (role != OperandRole::values) return DrawnOffsets(request, spec).fill(role, first, out);
    fill_sorted_values(spec, request.value_bytes(), first, out);
  }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    if (input.spec.request.n < std::numeric_limits<u32>::max()) return std::make_unique<SortedItems<u32>>(input);
    return std::make_unique<SortedItems<u64>>(input);
  }

  // A record for one order, for some rows or for one use of the input serves the others. Which bits are compared,
  // kernels are told when they are launched, so those of all bits must be right for some.
  std::vector<RequestVariant> also_served(const Request& request) const override {
    const auto own = typed<SortRequest>(request);
    auto some = own, other_order = own;
    if (own.is_by_source()) {
      other_order.order = own.order == Order::ascending ? Order::descending : Order::ascending;
      other_order.input_use = own.consumes_input() ? InputUse::kept : InputUse::consumed;
      return {{other_order, Variant::any}};
    }
    some.key_bits = other_order.key_bits = KeyBits::some;
    some.end_bit = static_cast<u64>(8 * own.input_bytes()) - 1;
    some.bits = some.end_bit - 2;
    other_order.order = own.order == Order::ascending ? Order::descending : Order::ascending;
    other_order.end_bit = static_cast<u64>(4 * own.input_bytes()) + 1;
    other_order.bits = 3;
    other_order.input_use = own.consumes_input() ? InputUse::kept : InputUse::consumed;
    if (own.has_offsets()) {
      some.offset_type = OffsetType::i64;
      some.offset_form = OffsetForm::begins_and_ends;
      some.count_source = CountSource::memory;
      other_order.offset_type = OffsetType::u32;
      other_order.count_source = CountSource::memory_32;
    }
    std::vector<RequestVariant> served{{some, Variant::aligned}, {other_order, Variant::any}};
    if (own.segments == Segments::rows)
      add_with_other(&SortRequest::rows, {{1, Variant::aligned}, {33, Variant::any}}, own, served);
    if (own.has_offsets()) {
      auto apart = own;
      apart.offset_form = OffsetForm::begins_and_ends;
      apart.offset_type = OffsetType::u64;
      add_with_other(&SortRequest::segment_count, {{1, Variant::any}, {33, Variant::aligned}}, apart, served);
    }
    return served;
  }
};

}  // namespace

const AlgorithmReference& reference_of_sort() {
  static const SortReference kSort;
  return kSort;
}

}  // namespace scantune
