#include "measure/references/reduce_inputs.h"

#include <algorithm>
#include <cmath>

#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

// The sum of m numbers that are as likely a as -a exceeds 12 sqrt(m) a once in 10^31 times.
constexpr double kDeviations = 12;
constexpr u64 kPairedItems = 512;  // of which the later half negates the earlier one, except one item
constexpr u64 kMostExcess = 31;    // what the one item has beyond that
constexpr u64 kPowersOfARow = 16;  // about so many factors other than 1 and -1; powers of two, too few to overflow

class SmallSubsets {
 public:
  SmallSubsets(const ScanSpec& scan, u64 row_items)
      : seed_(scan.seed), row_items_(std::max<u64>(row_items, 1)), most_(most_addend(scan.request)) {}

  // Not 0, and at most twice most_. A block comes to an odd number, so that few runs of blocks come to 0.
  double addend(u64 index) const {
    const u64 place = index % row_items_, block = place / kPairedItems, half = place % (kPairedItems / 2);
    const u64 bits = random_bits(seed_, (index - place) + block * kPairedItems + half);
    const bool negated = place % kPairedItems != half;
    const double drawn = static_cast<double>(1 + (bits >> 1) % most_) * sign((bits & 1) != 0) * sign(negated);
    const u64 bits_of_block = random_bits(~seed_, index - place + block), odd_one = bits_of_block % kPairedItems;
    if (place % kPairedItems != odd_one) return drawn;
    const u64 excess = 1 + 2 * ((bits_of_block >> 32) % ((std::min(most_, kMostExcess) + 1) / 2));
    return drawn + static_cast<double>(excess) * sign(drawn < 0);
  }

  double factor(u64 index) const {
    const u64 bits = random_bits(seed_, index), one_in = std::max<u64>(row_items_ / kPowersOfARow, 1);
    const double magnitude = (bits >> 2) % one_in != 0 ? 1 : (bits & 2) != 0 ? 2 : 0.5;
    return sign((bits & 1) != 0) * magnitude;
  }

 private:
  static double sign(bool negative) { return negative ? -1 : 1; }

  // Half of what the accumulator counts is left to the initial value.
  u64 most_addend(const ScanRequest& request) const {
    const int narrowest = std::min({significant_bits(request.input_type), significant_bits(request.accumulator_type),
                                    significant_bits(request.output_type)});
    const double most_sum = std::ldexp(0.5, significant_bits(request.accumulator_type));
    const double most = most_sum / kDeviations / std::sqrt(static_cast<double>(row_items_));
    return static_cast<u64>(std::clamp(most, 1.0, std::ldexp(1.0, std::min(narrowest - 4, 40))));
  }

  u64 seed_;
  u64 row_items_;
  u64 most_;
};

}  // namespace

void fill_reduction_input(const ScanSpec& scan, u64 length, u64 first, std::span<std::byte> out) {
  const ScanRequest& request = scan.request;
  const bool is_sum = request.op == Operator::sum, is_signed_sum = is_sum && is_signed(request.input_type);
  const bool combines_far_apart =
      scan.pattern == InputPattern::exact && is_floating(request.accumulator_type) &&
      (is_signed_sum || (request.op == Operator::product && is_floating(request.input_type)));
  if (!combines_far_apart) return fill_scan_input(scan, first, out);
  const SmallSubsets items(scan, length);
  // The items of a column follow each other as those of a row do.
  const u64 columns = request.segments == Segments::columns ? request.columns : 0;
  const auto place = [&](u64 index) { return columns == 0 ? index : index % columns * length + index / columns; };
  visit_type(request.input_type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t item = 0; item * sizeof(T) < out.size(); ++item) {
      const double number = is_sum ? items.addend(place(first + item)) : items.factor(place(first + item));
      put(static_cast<T>(number), out.data() + item * sizeof(T));
    }
  });
}

}  // namespace scantune
