// What a scan from the last item to the first must return.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "measure/reference.h"

namespace scantune {

// Puts the items in the other order.
inline void reverse_items(std::span<std::byte> items, u64 item_bytes) {
  if (items.empty()) return;
  for (u64 low = 0, high = items.size() - item_bytes; low < high; low += item_bytes, high -= item_bytes)
    std::swap_ranges(items.data() + low, items.data() + low + item_bytes, items.data() + high);
}

// It is the reference of the forward scan, with items and results in the other order. That makes its items itself.
class ReverseOf final : public Reference {
 public:
  ReverseOf(std::unique_ptr<const Reference> forward, const InputSpec& spec)
      : forward_(std::move(forward)), input_(spec) {}

  u64 item_bytes() const override { return forward_->item_bytes(); }
  u64 bytes() const override { return sizeof *this + forward_->bytes(); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    const u64 n = input_.spec.request.n;
    std::vector<std::byte> turned(found.begin(), found.end());
    reverse_items(turned, item_bytes());
    auto mismatch = forward_->check(n - first - found.size() / item_bytes(), turned);
    if (mismatch) mismatch->index = n - 1 - mismatch->index;
    return mismatch;
  }

  void expect(const KnownInput&, std::span<std::byte> output) const override {
    forward_->expect(input_, output);
    reverse_items(output, item_bytes());
  }

 private:
  std::unique_ptr<const Reference> forward_;
  KnownInput input_;  // the forward scan's, without its items
};

}  // namespace scantune
