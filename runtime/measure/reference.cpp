#include "measure/reference.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <vector>

#include "measure/input_values.h"
#include "measure/parallel.h"
#include "measure/running_value.h"

namespace scantune {
namespace {

template <class T>
std::string spelled(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

template <class T, Operator kOperator>
class ReferenceOf final : public Reference {
  using Running = RunningValue<T, kOperator>;

 public:
  ReferenceOf(const ScanRequest& request, const InputSpec& input)
      : input_(input), exclusive_(request.kind == Kind::exclusive), exact_(input.pattern != InputPattern::rounding) {
    std::vector<Running> totals(ceil_div(input.n, kChunkItems));
    parallel_for(totals.size(), [&](u64 chunk) {
      Running total;
      visit_chunk(chunk, [&](u64, T item) { total.add(item); });
      totals[chunk] = total;
    });
    Running carry;
    if (request.has_init()) carry.add(initial_value<T>(kOperator));
    for (const Running& total : totals) {
      carries_.push_back(carry);
      carry.add(total);
    }
  }

  u64 item_bytes() const override { return sizeof(T); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    const u64 items = found.size() / sizeof(T);
    std::atomic<u64> first_wrong = input_.n;
    parallel_for(ceil_div(items, kChunkItems), [&](u64 part) {
      const u64 begin = first + part * kChunkItems;
      if (begin >= first_wrong.load(std::memory_order_relaxed)) return;
      const u64 wrong = first_mismatch(begin / kChunkItems, found.data() + part * kChunkItems * sizeof(T),
                                       std::min(kChunkItems, items - part * kChunkItems));
      for (u64 known = first_wrong.load(); wrong < known && !first_wrong.compare_exchange_weak(known, wrong);) {
      }
    });
    if (first_wrong == input_.n) return std::nullopt;
    return describe(first_wrong, item_of(found.data(), first_wrong - first));
  }

 private:
  template <class Visit>
  void visit_chunk(u64 chunk, Visit&& visit) const {
    const u64 first = chunk * kChunkItems;
    visit_input<T>(input_, first, std::min(kChunkItems, input_.n - first), std::forward<Visit>(visit));
  }

  static T item_of(const std::byte* items, u64 index) {
    T item;
    std::memcpy(&item, items + index * sizeof(T), sizeof item);
    return item;
  }

  // The index of the first of `items` outputs of a chunk that is wrong, or n.
  u64 first_mismatch(u64 chunk, const std::byte* found, u64 items) const {
    const u64 first = chunk * kChunkItems;
    Running running = carries_[chunk];
    u64 wrong = input_.n;
    visit_chunk(chunk, [&](u64 index, T item) {
      if (index - first >= items || wrong != input_.n) return;
      if (!exclusive_) running.add(item);
      if (!running.agrees(item_of(found, index - first), exact_)) wrong = index;
      if (exclusive_) running.add(item);
    });
    return wrong;
  }

  Mismatch describe(u64 index, T found) const {
    const u64 chunk = index / kChunkItems;
    Running running = carries_[chunk];
    visit_chunk(chunk, [&](u64 at, T item) {
      if (at < index || (at == index && !exclusive_)) running.add(item);
    });
    return {index, spelled(running.value()), spelled(found)};
  }

  InputSpec input_;
  bool exclusive_;
  bool exact_;
  std::vector<Running> carries_;  // of everything before each chunk, the initial value included
};

}  // namespace

std::unique_ptr<const Reference> make_reference(const ScanRequest& request, const InputSpec& input) {
  return visit_type(request.accumulator_type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<const Reference> {
    if (request.op == Operator::sum) return std::make_unique<ReferenceOf<T, Operator::sum>>(request, input);
    return std::make_unique<ReferenceOf<T, Operator::max>>(request, input);
  });
}

}  // namespace scantune
