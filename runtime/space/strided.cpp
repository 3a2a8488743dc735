#include "space/strided.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace scantune {
namespace {

using Wide = __int128;  // the product of a stride and a number of items

// Whether numbers below `a_items` and `b_items` in magnitude, not both of them 0, lead to one place.
bool coincide(const StridedAxis& a, const StridedAxis& b) {
  const u64 a_stride = magnitude(a.stride), b_stride = magnitude(b.stride);
  if (a_stride == 0 || b_stride == 0) return true;
  const u64 common = std::gcd(a_stride, b_stride);
  return b_stride / common < a.items && a_stride / common < b.items;
}

// The range of k in which x + k * step stays below `items` in magnitude.
void narrow(Wide x, Wide step, u64 items, Wide& least, Wide& most) {
  const Wide limit = static_cast<Wide>(items) - 1;
  const auto floored = [](Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  Wide low = -limit - x, high = limit - x;
  if (step < 0) {
    step = -step;
    std::swap(low, high);
    low = -low;
    high = -high;
  }
  least = std::max(least, -floored(-low, step));
  most = std::min(most, floored(high, step));
}

// x with a * x = rest modulo b, where the greatest common divisor of a and b divides rest.
Wide solved(Wide a, Wide b, Wide rest) {
  Wide before = a, now = b, x_before = 1, x_now = 0;
  while (now != 0) {
    const Wide quotient = before / now;
    before = std::exchange(now, before - quotient * now);
    x_before = std::exchange(x_now, x_before - quotient * x_now);
  }
  const Wide modulus = b / before;
  return (x_before % modulus) * ((rest / before) % modulus) % modulus;
}

}  // namespace

std::optional<StridedRange> range_of(const StridedAxes& axes, i64 first) {
  Wide lowest = first, highest = first;
  for (const StridedAxis& axis : {axes.item, axes.sequence, axes.plane}) {
    if (axis.items < 2) continue;
    if (axis.items > static_cast<u64>(std::numeric_limits<i64>::max())) return std::nullopt;
    const Wide reach = static_cast<Wide>(axis.stride) * static_cast<Wide>(axis.items - 1);
    (reach < 0 ? lowest : highest) += reach;
  }
  // Bytes have to fit, too, and an item has 32 at most.
  constexpr Wide kMost = std::numeric_limits<i64>::max() / 64;
  if (lowest < -kMost || highest > kMost) return std::nullopt;
  return StridedRange{static_cast<i64>(std::min<Wide>(lowest, 0)),
                      static_cast<u64>(highest - std::min<Wide>(lowest, 0) + 1)};
}

std::optional<std::pair<std::string, std::string>> coinciding(const StridedAxes& axes) {
  std::vector<StridedAxis> sorted;
  for (const StridedAxis& axis : {axes.item, axes.sequence, axes.plane})
    if (axis.items > 1) sorted.push_back(axis);
  std::ranges::sort(sorted, {}, [](const StridedAxis& axis) { return magnitude(axis.stride); });
  // A stride that steps over everything along the smaller strides never meets it.
  Wide covered = 0;
  for (auto axis = sorted.begin(); axis != sorted.end(); ++axis) {
    if (static_cast<Wide>(magnitude(axis->stride)) > covered) {
      covered += static_cast<Wide>(magnitude(axis->stride)) * static_cast<Wide>(axis->items - 1);
      continue;
    }
    if (axis == sorted.begin()) return std::pair{std::string(axis->name), std::string(axis->name)};
    for (auto other = sorted.begin(); other != axis; ++other)
      if (coincide(*other, *axis)) return std::pair{std::string(other->name), std::string(axis->name)};
    // Two strides coincide in no other way. What three do together is hard to tell, so they are taken to coincide.
    if (sorted.size() > 2) return std::pair{std::string((axis - 1)->name), std::string(axis->name)};
    return std::nullopt;
  }
  return std::nullopt;
}

bool items_meet(const StridedAxes& axes, i64 bytes, u64 item_bytes) {
  if (axes.plane.items > 1 || bytes % static_cast<i64>(item_bytes) != 0) return true;
  const Wide distance = bytes / static_cast<i64>(item_bytes);
  // Find r and i with r * row_stride + i * item_stride = distance, each below the number of rows or items.
  const Wide rows = axes.sequence.items < 2 ? 0 : axes.sequence.stride,
             items = axes.item.items < 2 ? 0 : axes.item.stride;
  const auto is_reached = [&](Wide stride, u64 count) {
    return distance % stride == 0 &&
           (distance / stride < 0 ? -(distance / stride) : distance / stride) < static_cast<Wide>(count);
  };
  if (rows == 0 && items == 0) return distance == 0;
  if (rows == 0) return is_reached(items, axes.item.items);
  if (items == 0) return is_reached(rows, axes.sequence.items);
  const Wide common = static_cast<Wide>(std::gcd(magnitude(axes.sequence.stride), magnitude(axes.item.stride)));
  if (distance % common != 0) return false;
  const Wide row = solved(rows, items, distance), item = (distance - row * rows) / items;
  Wide least = std::numeric_limits<i64>::min(), most = std::numeric_limits<i64>::max();
  narrow(row, items / common, axes.sequence.items, least, most);
  narrow(item, -rows / common, axes.item.items, least, most);
  return least <= most;
}

}  // namespace scantune
