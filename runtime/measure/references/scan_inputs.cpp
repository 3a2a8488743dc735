#include "measure/references/scan_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

constexpr u64 kOddInteger = 12345;    // an initial value: odd, so that products keep it, and no power of two
constexpr double kMovedShare = 0.9;   // share of the range of values over which a running minimum or maximum moves
constexpr int kBoundedExponent = 6;   // keeps the product of any segment of floating-point items between 2^-12 and 2^12
constexpr int kGrowingExponent = 12;  // exponent that products of integers reach in floating point: f16 ends at 2^15
constexpr double kMostSlope = 16;     // slope of floating-point sums of unsigned items; one is at most twice that

double fraction(u64 bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

double sign(u64 bits) { return (bits & 1) != 0 ? -1 : 1; }

// The values that every type of the request holds, so that converting keeps their order.
struct Range {
  double least;
  double most;

  double span() const { return most - least; }
};

Range range_of(ValueType type) {
  if (is_floating(type)) {
    const double most = std::isinf(rounded(type, 1e6)) ? 6e4 : 1e6;  // f16 ends at 65504
    return {-most, most};
  }
  const double end = std::ldexp(1.0, significant_bits(type));
  return {is_signed(type) ? -end : 0, end};
}

Range common_range(const ScanRequest& request) {
  Range range = range_of(request.input_type);
  for (const ValueType type : {request.accumulator_type, request.output_type}) {
    range.least = std::max(range.least, range_of(type).least);
    range.most = std::min(range.most, range_of(type).most);
  }
  return range;
}

int least_significant_bits(const ScanRequest& request) {
  return std::min({significant_bits(request.input_type), significant_bits(request.accumulator_type),
                   significant_bits(request.output_type)});
}

// Half of what the significands of accumulator and output can count; the rest is for the initial value.
double most_exact_sum(const ScanRequest& request) {
  return std::ldexp(0.5, std::min(significant_bits(request.accumulator_type), significant_bits(request.output_type)));
}

int narrowest_bits(const ScanRequest& request) { return 8 * std::min(request.input_bytes(), request.output_bytes()); }

// The running minimum or maximum after `share` of its way, from the least of the range.
double moved(Operator op, const Range& range, double share) {
  const double offset = share * kMovedShare * range.span();
  return op == Operator::min ? (1 + kMovedShare) / 2 * range.span() - offset : offset;
}

// Items of one input, as numbers that are yet to be converted to the input's type.
class Items {
 public:
  explicit Items(const ScanSpec& spec)
      : request_(spec.request),
        pattern_(spec.pattern),
        seed_(spec.seed),
        columns_(spec.request.segments == Segments::columns ? std::max<u64>(spec.request.columns, 1) : 1),
        lines_(ceil_div(std::max<u64>({spec.request.n, spec.whole_items, 1}), columns_)),
        n_(lines_ * columns_),
        range_(common_range(spec.request)),
        significant_bits_(least_significant_bits(spec.request)),
        sum_slope_(std::min(kMostSlope, most_exact_sum(spec.request) / items())),
        exponent_slope_(std::min(1.0, kGrowingExponent / items())),
        bits_(narrowest_bits(spec.request)) {}

  // Calls visit(place of the item, index) for `count` items in order of memory, starting at `first`. Sums are exact and
  // results depend on items far back where items are combined in the order of their indices. So a scan of columns gets
  // the items of the scan whose rows its columns are: line l of column c has that scan's item l of row c.
  template <class Visit>
  void visit(u64 first, std::size_t count, const Visit& visit) const {
    u64 line = first / columns_, column = first % columns_, index = column * lines_ + line;
    for (std::size_t item = 0; item < count; ++item) {
      visit(item, index);
      index += lines_;
      if (++column == columns_) {
        column = 0;
        index = ++line;
      }
    }
  }

  // The items of a floating-point sum with pattern exact. Each is the difference of two prefixes, and the later one is
  // the next item's earlier one.
  template <class T>
  void fill_telescoping(u64 first, std::span<std::byte> out) const {
    if (columns_ > 1)
      return visit(first, out.size() / sizeof(T), [&](std::size_t item, u64 index) {
        put(static_cast<T>(static_cast<double>(telescoping_item(index))), out.data() + item * sizeof(T));
      });
    i64 before = first == 0 ? 0 : telescoping_prefix(first - 1);
    for (std::size_t item = 0; item * sizeof(T) < out.size(); ++item) {
      const i64 prefix = telescoping_prefix(first + item);
      put(static_cast<T>(static_cast<double>(prefix - before)), out.data() + item * sizeof(T));
      before = prefix;
    }
  }

  template <class T, Operator kOperator>
  T item(u64 index) const {
    if constexpr (std::is_integral_v<T>)
      return integer<T, kOperator>(index);
    else
      return static_cast<T>(floating<kOperator>(index));
  }

 private:
  template <class T, Operator kOperator>
  T integer(u64 index) const {
    const bool exact_floating = is_floating(request_.accumulator_type) && pattern_ == InputPattern::exact;
    if constexpr (kOperator == Operator::sum)
      return exact_floating ? static_cast<T>(floating_sum_item(index)) : nonzero<T>(index);
    else if constexpr (kOperator == Operator::product)
      return exact_floating ? static_cast<T>(power_of_two(index)) : odd<T>(index);
    else if constexpr (kOperator == Operator::min || kOperator == Operator::max)
      return static_cast<T>(static_cast<u64>(static_cast<i64>(range_.least)) + static_cast<u64>(moving_offset(index)));
    else if constexpr (kOperator == Operator::bit_and)
      return static_cast<T>(~few_ones(index));
    else if constexpr (kOperator == Operator::bit_or)
      return static_cast<T>(few_ones(index));
    else
      return nonzero<T>(index);
  }

  // The items of every operator but the exact ones of sums, which are made elsewhere.
  template <Operator kOperator>
  double floating(u64 index) const {
    if constexpr (kOperator == Operator::product)
      return pattern_ == InputPattern::exact ? telescoping_factor(index) : rounding_factor(index);
    else if constexpr (kOperator == Operator::min || kOperator == Operator::max)
      return pattern_ == InputPattern::specials ? special_item(index) : range_.least + moving_offset(index);
    else
      return rounding_item(index);
  }

  double items() const { return static_cast<double>(n_); }

  template <class T>
  T nonzero(u64 index) const {
    const T bits = static_cast<T>(random_bits(seed_, index));
    return bits == 0 ? T{1} : bits;
  }
  template <class T>
  T odd(u64 index) const {
    const T bits = static_cast<T>(random_bits(seed_, index) | 1);
    return bits == 1 ? T{3} : bits;
  }

  // Prefix sums of the telescoping input. Odd and even alternate, so neighbours differ; before item 0 it is zero. Any
  // sum of consecutive items is the difference of two of these, and takes two bits fewer than the significand has. A
  // thread may combine the sums of up to 32 runs that are not consecutive, so an accumulator holds 32 differences.
  i64 telescoping_prefix(u64 index) const {
    const int bits = std::min(significant_bits_ - 4, significant_bits(request_.accumulator_type) - 7);
    const i64 centred = static_cast<i64>(random_bits(seed_, index) >> (64 - bits)) - (i64{1} << (bits - 1));
    return 2 * centred + static_cast<i64>((index + 1) & 1);
  }
  i64 telescoping_item(u64 index) const {
    return telescoping_prefix(index) - (index == 0 ? 0 : telescoping_prefix(index - 1));
  }

  // The prefix rises by about `slope` a step, never falls, and ends at slope * n at most.
  u64 rising_prefix(double slope, u64 index) const {
    return static_cast<u64>(slope * (static_cast<double>(index) + fraction(random_bits(seed_, index))));
  }
  u64 rising_item(double slope, u64 index) const {
    return rising_prefix(slope, index) - (index == 0 ? 0 : rising_prefix(slope, index - 1));
  }

  // Unsigned items cannot telescope: their sums rise, as far as they stay exact.
  u64 floating_sum_item(u64 index) const {
    return is_signed(request_.input_type) ? static_cast<u64>(telescoping_item(index)) : rising_item(sum_slope_, index);
  }

  // Integers have no inverses to telescope with, so most are 1 or -1.
  u64 power_of_two(u64 index) const {
    const u64 power = u64{1} << rising_item(exponent_slope_, index);
    return is_signed(request_.input_type) && (random_bits(~seed_, index) & 1) != 0 ? ~power + 1 : power;
  }

  int telescoping_exponent(u64 index) const {
    const auto drawn = static_cast<int>(random_bits(seed_, index) % kBoundedExponent);
    return 2 * drawn - kBoundedExponent + static_cast<int>((index + 1) & 1);
  }
  double telescoping_factor(u64 index) const {
    const int before = index == 0 ? 0 : telescoping_exponent(index - 1);
    return std::ldexp(sign(random_bits(~seed_, index)), telescoping_exponent(index) - before);
  }

  double rounding_item(u64 index) const {
    const u64 bits = random_bits(seed_, index);
    return sign(bits >> 3) * std::ldexp(static_cast<double>((bits >> 12) | 1), -52 + static_cast<int>(bits & 7));
  }

  // Items are pairs of a number and, nearly, its inverse.
  double rounding_factor(u64 index) const {
    const double magnitude = 1 + fraction(random_bits(seed_, index / 2));
    return sign(random_bits(~seed_, index)) * (index % 2 == 0 ? magnitude : 1 / magnitude);
  }

  // Half of the items are on the path of the running value, the others past it.
  double moving_offset(u64 index) const {
    const u64 bits = random_bits(seed_, index);
    const double progress = static_cast<double>(index) / items();
    const bool leads = index == 0 || (bits & 1) != 0;
    return moved(request_.op, range_, leads ? progress : progress * fraction(bits));
  }

  double special_item(u64 index) const {
    const u64 bits = random_bits(seed_, index), n = n_;
    const double mirror = request_.op == Operator::min ? -1 : 1;
    if (index < n / 8) return -mirror * std::numeric_limits<double>::infinity();
    if (index < n / 2) return (bits & 1) != 0 ? mirror * -0.0 : -mirror;
    if (index < n / 2 + n / 8) return (bits & 1) != 0 ? -0.0 : 0.0;
    if (index == n / 4 * 3) return std::numeric_limits<double>::quiet_NaN();
    return range_.least + moving_offset(index);
  }

  // The later the item, the more of its bits may be set.
  u64 few_ones(u64 index) const {
    const int enabled = 1 + static_cast<int>(static_cast<double>(index) / items() * (bits_ - 1));
    return random_bits(seed_, index) & (~u64{0} >> (64 - enabled));
  }

  ScanRequest request_;
  InputPattern pattern_;
  u64 seed_;
  u64 columns_;  // 1: the items are not cut into columns
  u64 lines_;
  u64 n_;  // items of the whole input, with those that its last line lacks
  Range range_;
  int significant_bits_;
  double sum_slope_;
  double exponent_slope_;
  int bits_;
};

// Calls function.operator()<Operator>(), with the same one for every custom operator.
template <class Function>
void visit_operator(Operator op, const Function& function) {
  switch (op) {
    case Operator::sum:
      return function.template operator()<Operator::sum>();
    case Operator::product:
      return function.template operator()<Operator::product>();
    case Operator::min:
      return function.template operator()<Operator::min>();
    case Operator::max:
      return function.template operator()<Operator::max>();
    case Operator::bit_and:
      return function.template operator()<Operator::bit_and>();
    case Operator::bit_or:
      return function.template operator()<Operator::bit_or>();
    case Operator::bit_xor:
      return function.template operator()<Operator::bit_xor>();
    default:
      return function.template operator()<Operator::custom_cheap>();
  }
}

// Whether items are any bits at all. A NaN must not be converted: nothing says which of them it becomes.
bool takes_random_bytes(const ScanRequest& request) {
  return is_custom(request.op) && request.input_type == request.accumulator_type;
}

}  // namespace

void fill_scan_input(const ScanSpec& spec, u64 first, std::span<std::byte> out) {
  const auto item_bytes = static_cast<std::size_t>(spec.request.input_bytes());
  if (takes_random_bytes(spec.request)) {
    for (std::size_t item = 0; item * item_bytes < out.size(); ++item)
      fill_random(spec.seed, first + item, spec.request.input_bytes(), out.data() + item * item_bytes);
    return;
  }
  const Items items(spec);
  // Branch on type and operator once, not for every item: there may be 2^30.
  visit_type(spec.request.input_type, [&]<class T>(std::type_identity<T>) {
    visit_operator(spec.request.op, [&]<Operator kOperator>() {
      if constexpr (!std::is_integral_v<T> && kOperator == Operator::sum)
        if (spec.pattern == InputPattern::exact) return items.fill_telescoping<T>(first, out);
      items.visit(first, out.size() / sizeof(T), [&](std::size_t item, u64 index) {
        put(items.item<T, kOperator>(index), out.data() + item * sizeof(T));
      });
    });
  });
}

void fill_scan_init(const ScanRequest& request, unsigned char* init) {
  auto* const value = reinterpret_cast<std::byte*>(init);
  const ValueType type = request.accumulator_type;
  const auto put = [&](long double floating, u64 integer) {
    return is_floating(type) ? put_floating(type, floating, value) : put_integer(type, integer, value);
  };
  switch (request.op) {
    case Operator::sum:
      return put(std::ldexp(1.0, least_significant_bits(request) - 3) + 5, kOddInteger);
    case Operator::product:
      return put(-2, kOddInteger);
    case Operator::min:
    case Operator::max: {
      const Range range = common_range(request);
      const double offset = moved(request.op, range, 0.3);
      return put(range.least + offset, static_cast<u64>(static_cast<i64>(range.least)) + static_cast<u64>(offset));
    }
    case Operator::bit_and:
      return put_integer(type, ~(u64{1} << (narrowest_bits(request) / 2)), value);
    case Operator::bit_or:
      return put_integer(type, u64{1} << (narrowest_bits(request) / 2), value);
    case Operator::bit_xor:
      return put_integer(type, kOddInteger, value);
    default:
      return fill_random(0, 0, request.accumulator_bytes(), value);
  }
}

}  // namespace scantune
