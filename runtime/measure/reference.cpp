#include "measure/reference.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "measure/parallel.h"
#include "measure/running_value.h"

namespace scantune {
namespace {

constexpr u64 kPieceItems = 256;  // of an input, made at a time: they stay in the nearest cache

template <class Running>
class ReferenceOf final : public Reference {
 public:
  explicit ReferenceOf(const KnownInput& input)
      : input_(input.spec), exclusive_(input.spec.request.kind == Kind::exclusive) {
    std::vector<Running> totals(ceil_div(items(), kChunkItems), Running(input_));
    parallel_for(totals.size(), [&](u64 chunk) {
      Running total(input_);  // of its own cache line: neighbours in `totals` belong to other threads
      visit_chunk(input, chunk, kChunkItems, [&](u64, const std::byte* item) {
        total.add_item(item);
        return true;
      });
      totals[chunk] = total;
    });
    Running carry(input_);
    if (request().has_init()) {
      unsigned char init[kMaxValueBytes];
      fill_init(request(), init);
      carry.add_init(reinterpret_cast<const std::byte*>(init));
    }
    for (const Running& total : totals) {
      carries_.push_back(carry);
      carry.add(total);
    }
  }

  u64 item_bytes() const override { return static_cast<u64>(request().output_bytes()); }
  u64 bytes() const override { return sizeof *this + carries_.capacity() * sizeof(Running); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    const u64 count = found.size() / item_bytes();
    std::atomic<u64> first_wrong = items();
    parallel_for(ceil_div(count, kChunkItems), [&](u64 part) {
      const u64 begin = part * kChunkItems;
      if (first + begin >= first_wrong.load(std::memory_order_relaxed)) return;
      const u64 wrong = first_mismatch((first + begin) / kChunkItems, found.data() + begin * item_bytes(),
                                       std::min(kChunkItems, count - begin));
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
  const ScanRequest& request() const { return input_.request; }
  u64 items() const { return request().n; }

  // Calls visit(index, item) for the first `most` items of a chunk in order, until it returns false.
  template <class Visit>
  void visit_chunk(const KnownInput& input, u64 chunk, u64 most, Visit&& visit) const {
    const u64 first = chunk * kChunkItems, end = first + std::min({most, kChunkItems, items() - first});
    const u64 input_bytes = static_cast<u64>(request().input_bytes());
    std::byte scratch[kPieceItems * kMaxValueBytes];
    for (u64 piece = first; piece < end; piece += kPieceItems) {
      const u64 count = std::min(kPieceItems, end - piece);
      const auto made = input.items(piece, std::span(scratch).first(count * input_bytes));
      for (u64 item = 0; item < count; ++item)
        if (!visit(piece + item, made.data() + item * input_bytes)) return;
    }
  }

  // Calls visit(index, running) with the value that each of the first `most` outputs of a chunk should have.
  template <class Visit>
  void visit_outputs(const KnownInput& input, u64 chunk, u64 most, Visit&& visit) const {
    Running running = carries_[chunk];
    visit_chunk(input, chunk, most, [&](u64 index, const std::byte* item) {
      if (!exclusive_) running.add_item(item);
      if (!visit(index, running)) return false;
      if (exclusive_) running.add_item(item);
      return true;
    });
  }

  // The index of the first of `count` outputs of a chunk that is wrong, or n.
  u64 first_mismatch(u64 chunk, const std::byte* found, u64 count) const {
    u64 wrong = items();
    visit_outputs(input_, chunk, count, [&](u64 index, const Running& running) {
      if (running.agrees(found + (index - chunk * kChunkItems) * item_bytes())) return true;
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

  InputSpec input_;
  bool exclusive_;
  std::vector<Running> carries_;  // of everything before each chunk, the initial value included
};

// Equal bytes are right; only others are looked at item by item.
class LastingReference final : public Reference {
 public:
  LastingReference(std::unique_ptr<const Reference> computed, const KnownInput& input)
      : computed_(std::move(computed)), expected_(input.spec.request.n * computed_->item_bytes()) {
    computed_->expect(input, expected_);
  }

  u64 item_bytes() const override { return computed_->item_bytes(); }
  u64 bytes() const override { return computed_->bytes() + expected_.size(); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    if (equal_on_all_cores(std::span(expected_).subspan(first * item_bytes(), found.size()), found))
      return std::nullopt;
    return computed_->check(first, found);
  }

  void expect(const KnownInput&, std::span<std::byte> output) const override {
    std::ranges::copy(expected_, output.begin());
  }

 private:
  std::unique_ptr<const Reference> computed_;
  std::vector<std::byte> expected_;
};

}  // namespace

std::unique_ptr<const Reference> make_reference(const KnownInput& input) {
  const ScanRequest& request = input.spec.request;
  if (is_custom(request.op)) return std::make_unique<ReferenceOf<RunningStandIn>>(input);
  if (is_integer(request.accumulator_type)) return std::make_unique<ReferenceOf<RunningInteger>>(input);
  if (request.op == Operator::min || request.op == Operator::max)
    return std::make_unique<ReferenceOf<RunningExtreme>>(input);
  return std::make_unique<ReferenceOf<RunningRounded>>(input);
}

std::unique_ptr<const Reference> make_lasting_reference(const KnownInput& input) {
  auto computed = make_reference(input);
  const bool keeps = input.spec.request.n * computed->item_bytes() <= kMostKeptBytes;
  if (!keeps || input.spec.pattern == InputPattern::rounding) return computed;
  return std::make_unique<LastingReference>(std::move(computed), input);
}

}  // namespace scantune
