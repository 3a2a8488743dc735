// Floating-point scans of many tiles stay within the error bound of the reference, and are right about NaN, infinities
// and the sign of zero, wherever these stand.
#include <cmath>
#include <limits>
#include <ostream>

#include "families_under_test.h"
#include "family_test.h"
#include "measure/upload_input.h"
#include "measure/value_types.h"
#include "test_scan.h"

namespace scantune {
namespace {

constexpr u64 kFloatingTiles = 3'000'001;
constexpr u64 kFloatingItems = 100'003;  // so many every family can scan
constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

struct FloatingCase {
  const FamilyModel* family;
  ValueType type;
};

std::string name_of(const FloatingCase& tested) {
  return std::string(tested.family->name()) + "_" + token(tested.type);
}
std::ostream& operator<<(std::ostream& out, const FloatingCase& tested) { return out << name_of(tested); }

std::vector<FloatingCase> all_tested() {
  std::vector<FloatingCase> all;
  for (const FamilyModel* family : scan_families())
    for (const ValueType type : {ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64})
      all.push_back({family, type});
  return all;
}

class FloatingOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<FloatingCase> {
 protected:
  // A request for all tested items, or as many as the family can scan.
  ScanRequest request_of(Operator op) const {
    const ValueType type = GetParam().type;
    ScanRequest request{.input_type = type,
                        .accumulator_type = default_accumulator(type, type),
                        .output_type = type,
                        .op = op,
                        .n = kFloatingTiles};
    if (GetParam().family->unsupported_reason(request, sm()) != nullptr) request.n = kFloatingItems;
    return request;
  }

  TestScan scan_of(const ScanRequest& request) const {
    return TestScan(*device_, request, GetParam().family->default_config(request, sm()));
  }

  static u64 result_bytes(const ScanRequest& request) { return request.n * static_cast<u64>(request.output_bytes()); }

  std::vector<std::byte> results_of(const TestScan& scan, const ScanRequest& request) const {
    std::vector<std::byte> found(result_bytes(request));
    scan.enqueue(nullptr);
    device_->download(found.data(), scan.results(), found.size());
    return found;
  }

  void expect_as_the_reference(Operator op, InputPattern pattern) const {
    const ScanRequest request = request_of(op);
    const InputSpec input{.request = request, .pattern = pattern};
    ASSERT_TRUE(applies(pattern, request));
    const TestScan scan = scan_of(request);
    Staging staging(*device_);
    upload_input(staging, input, scan.items());
    const auto wrong = make_reference(input)->check(0, results_of(scan, request));
    EXPECT_FALSE(wrong) << to_string(scan.config()) << " of " << to_string(request) << ", item " << wrong->index
                        << ": expected " << wrong->expected << ", found " << wrong->found;
  }

  // The sums of items that are `usual` except at the places in `special`.
  std::vector<long double> sums(long double usual, const std::vector<std::pair<u64, long double>>& special) const {
    const ScanRequest request = request_of(Operator::sum);
    const auto item_bytes = static_cast<u64>(request.input_bytes());
    std::vector<std::byte> items(request.n * item_bytes);
    for (u64 index = 0; index < request.n; ++index)
      put_floating(request.input_type, usual, items.data() + index * item_bytes);
    for (const auto& [index, value] : special)
      put_floating(request.input_type, value, items.data() + index * item_bytes);
    const TestScan scan = scan_of(request);
    device_->upload(scan.items(), items.data(), items.size());
    const std::vector<std::byte> found = results_of(scan, request);
    std::vector<long double> values;
    for (u64 index = 0; index < request.n; ++index)
      values.push_back(floating_at(request.output_type, found.data() + index * item_bytes));
    return values;
  }

  // The indices of the first item, of some within a tile and its neighbours, and of the last.
  std::vector<u64> places() const {
    const u64 n = request_of(Operator::sum).n;
    return {0, 1, 37, n / 3, n / 2 + 1, n - 1};
  }
};

TEST_P(FloatingOnGpu, SumsStayWithinTheErrorBound) { expect_as_the_reference(Operator::sum, InputPattern::rounding); }

TEST_P(FloatingOnGpu, ProductsStayWithinTheErrorBound) {
  expect_as_the_reference(Operator::product, InputPattern::rounding);
}

TEST_P(FloatingOnGpu, ExtremesOfNaNInfinitiesAndZerosOfBothSignsAreExact) {
  for (const Operator op : {Operator::min, Operator::max}) expect_as_the_reference(op, InputPattern::specials);
}

TEST_P(FloatingOnGpu, ANaNEntersEverySumFromItsPlaceOnAndNoneBefore) {
  for (const u64 place : places()) {
    const auto found = sums(0, {{place, std::numeric_limits<long double>::quiet_NaN()}});
    const auto first = std::ranges::find_if(found, [](long double sum) { return std::isnan(sum); });
    ASSERT_EQ(first - found.begin(), static_cast<std::ptrdiff_t>(place));
    EXPECT_TRUE(std::all_of(found.begin(), first, [](long double sum) { return sum == 0; })) << place;
    EXPECT_TRUE(std::all_of(first, found.end(), [](long double sum) { return std::isnan(sum); })) << place;
  }
}

TEST_P(FloatingOnGpu, InfinitiesOfBothSignsMakeNaNWhereTheyMeet) {
  const u64 n = request_of(Operator::sum).n, rising = n / 3, falling = n / 3 * 2;
  const auto found = sums(1, {{rising, kInfinity}, {falling, -kInfinity}});
  EXPECT_TRUE(std::isfinite(found[rising - 1]) || GetParam().type == ValueType::f16);
  for (u64 index = rising; index < falling; ++index) ASSERT_EQ(found[index], kInfinity) << index;
  for (u64 index = falling; index < n; ++index) ASSERT_TRUE(std::isnan(found[index])) << index;
}

// A sum with anything that is no item, such as +0, would lose the sign.
TEST_P(FloatingOnGpu, NegativeZerosKeepTheirSignUntilAPositiveOne) {
  const u64 n = request_of(Operator::sum).n, positive = n / 5 * 4;
  const auto found = sums(-0.0L, {{positive, 0.0L}});
  for (u64 index = 0; index < n; ++index) {
    ASSERT_EQ(found[index], 0) << index;
    ASSERT_EQ(std::signbit(found[index]), index < positive) << index;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, FloatingOnGpu, testing::ValuesIn(all_tested()),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace scantune
