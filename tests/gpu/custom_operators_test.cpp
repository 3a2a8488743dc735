// Operators of the caller's own on the GPU: their results, the reports of their mistakes, and the records that serve
// them.
#include <cmath>
#include <complex>
#include <string>

#include "cpu/select_rows.h"
#include "device_functions.h"
#include "gpu_test.h"
#include "launch/plan.h"
#include "operator_sources.h"

namespace scantune {
namespace {

using runtime::Buffer;
using runtime::Op;

class CustomOperatorsOnGpu : public GpuTest {};

constexpr double kUnitRoundoff = 0x1p-24;  // unit roundoff of f32

template <class T>
std::vector<T> scanned(const std::vector<T>& items, const Op& op) {
  const Buffer<T> input(items), output(items.size());
  runtime::scan(input.data(), output.data(), items.size(), {.op = op});
  std::vector<T> results(items.size());
  output.download(results.data());
  return results;
}

// The map x -> a x + b.
struct Affine {
  float a, b;
};

TEST_F(CustomOperatorsOnGpu, AffinePairsSolveALinearRecurrence) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> coefficient(-0.95f, 0.95f);
  std::vector<Affine> steps(1'000'003);
  for (Affine& step : steps) step = {coefficient(random), coefficient(random)};
  const std::vector<Affine> results = scanned(steps, Op::custom(affine_source("float"), Affine{1, 0}));
  // x[i] = a[i] x[i-1] + b[i], and the same with magnitudes, to which every error is relative. What lies further back
  // than a few hundred combinations has lost its weight.
  double x = 0, magnitude = 0;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    x = static_cast<double>(steps[index].a) * x + static_cast<double>(steps[index].b);
    magnitude =
        std::abs(static_cast<double>(steps[index].a)) * magnitude + std::abs(static_cast<double>(steps[index].b));
    ASSERT_NEAR(results[index].b, x, 256 * kUnitRoundoff * magnitude) << "item " << index;
  }
}

struct MinMax {
  int smallest, largest;
  bool operator==(const MinMax&) const = default;
};
constexpr const char* kMinMax =
    "struct Value { int smallest, largest; };\n"
    "__device__ Value combine(Value x, Value y) {\n"
    "  return {x.smallest < y.smallest ? x.smallest : y.smallest, x.largest < y.largest ? y.largest : x.largest};\n"
    "}";

std::vector<MinMax> drawn_ranges(std::size_t n) {
  std::vector<MinMax> ranges;
  for (const int item : random_items(n, 2)) ranges.push_back({item, item});
  return ranges;
}

std::vector<MinMax> running_ranges(std::vector<MinMax> items) {
  for (std::size_t index = 1; index < items.size(); ++index)
    items[index] = {std::min(items[index - 1].smallest, items[index].smallest),
                    std::max(items[index - 1].largest, items[index].largest)};
  return items;
}

TEST_F(CustomOperatorsOnGpu, PairsGiveRunningMinimaAndMaximaAtOnce) {
  const std::vector<MinMax> items = drawn_ranges(2'000'001);
  EXPECT_TRUE(scanned(items, Op::custom(kMinMax, MinMax{INT32_MAX, INT32_MIN})) == running_ranges(items));
}

struct Complex {
  float re, im;
};

TEST_F(CustomOperatorsOnGpu, ComplexProductsStayWithinTheirErrorBound) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> angle(-3, 3);
  std::vector<Complex> items(100'003);
  for (Complex& item : items) {
    const auto point = std::polar(1.0, angle(random));
    item = {static_cast<float>(point.real()), static_cast<float>(point.imag())};
  }
  const std::vector<Complex> results = scanned(items, Op::custom(complex_product_source("float"), Complex{1, 0}));
  std::complex<double> product = 1;
  for (std::size_t index = 0; index < items.size(); ++index) {
    product *= std::complex<double>(items[index].re, items[index].im);
    const auto error = std::abs(std::complex<double>(results[index].re, results[index].im) - product);
    // Each of the `index` multiplications has a relative error of at most sqrt(5) u, in whatever order (Brent, Percival
    // and Zimmermann, "Error bounds on complex floating-point multiplication", 2007); the last digits are the double's.
    ASSERT_LE(error, 1.001 * std::sqrt(5.0) * kUnitRoundoff * static_cast<double>(index) * std::abs(product) + 1e-9)
        << "item " << index;
  }
}

// Affine maps modulo a number that comes with every call, in a state of the largest size. The map of x combined with
// the one behind it does not commute.
struct Modular {
  unsigned a, b;
  bool operator==(const Modular&) const = default;
};
struct Modulus {
  unsigned long long first, second, third, fourth;  // their sum
};
constexpr const char* kModular =
    "struct Value { unsigned a, b; };\n"
    "struct State { unsigned long long first, second, third, fourth; };\n"
    "__device__ Value combine(Value f, Value g, State s) {\n"
    "  const unsigned modulus = static_cast<unsigned>(s.first + s.second + s.third + s.fourth);\n"
    "  return {g.a * f.a % modulus, (g.a * f.b + g.b) % modulus};\n"
    "}";

// Returns, for every item, the combination of all items of its row or column up to it.
std::vector<Modular> modular_scan(std::vector<Modular> items, std::size_t stride, std::size_t length,
                                  unsigned modulus) {
  for (std::size_t index = 0; index < items.size(); ++index) {
    const bool begins = stride == 1 ? index % length == 0 : index < stride;
    if (begins) continue;
    const Modular f = items[index - stride], g = items[index];
    items[index] = {g.a * f.a % modulus, (g.a * f.b + g.b) % modulus};
  }
  return items;
}

TEST_F(CustomOperatorsOnGpu, AStateComesWithEveryCallOfOneKernel) {
  using runtime::Segments;
  constexpr std::size_t kLength = 1000;
  for (const std::size_t count : {std::size_t{1}, std::size_t{300}, std::size_t{3000}}) {
    std::vector<Modular> items(kLength * count);
    std::mt19937 random(4);
    const auto below_900 = [&] { return static_cast<unsigned>(random() % 900); };
    for (Modular& item : items) item = {below_900() + 1, below_900()};
    const Buffer<Modular> input(items);
    const Buffer<Modular> rows(items.size()), columns(items.size()), flat(items.size()), totals(count);
    const auto downloaded = [](const Buffer<Modular>& buffer) {
      std::vector<Modular> results(buffer.size());
      buffer.download(results.data());
      return results;
    };
    for (const unsigned modulus : {907u, 1009u, 911u}) {
      const Op op = Op::custom(kModular, Modular{1, 0}, Modulus{200, modulus - 500, 250, 50});
      runtime::scan(input.data(), flat.data(), items.size(), {.op = op});
      runtime::scan(input.data(), rows.data(), items.size(), {.op = op, .segments = Segments::rows(count, kLength)});
      runtime::scan(input.data(), columns.data(), items.size(),
                    {.op = op, .segments = Segments::columns(count, kLength)});
      runtime::reduce(input.data(), totals.data(), items.size(),
                      {.op = op, .segments = Segments::rows(count, kLength)});
      EXPECT_TRUE(downloaded(flat) == modular_scan(items, 1, items.size(), modulus)) << count << ", " << modulus;
      const std::vector<Modular> of_rows = modular_scan(items, 1, kLength, modulus);
      EXPECT_TRUE(downloaded(rows) == of_rows) << count << ", " << modulus;
      EXPECT_TRUE(downloaded(columns) == (count == 1 ? of_rows : modular_scan(items, count, kLength, modulus)))
          << count << ", " << modulus;
      std::vector<Modular> expected(count);
      for (std::size_t row = 0; row < count; ++row) expected[row] = of_rows[(row + 1) * kLength - 1];
      EXPECT_TRUE(downloaded(totals) == expected) << count << ", " << modulus;
    }
  }
}

TEST_F(CustomOperatorsOnGpu, AMistakeNamesTheCallersLineAndHarmsNothing) {
  const std::vector<MinMax> items = drawn_ranges(1000);
  const std::string broken =
      "struct Value { int smallest, largest; };\n"
      "__device__ Value combine(Value x, Value y) {\n"
      "  return {lesser(x, y), x.largest};\n"
      "}";
  try {
    scanned(items, Op::custom(broken, MinMax{}));
    FAIL() << "compiled";
  } catch (const CompileError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("operator.cu(3)"), std::string::npos) << text;
    EXPECT_NE(text.find("lesser"), std::string::npos) << text;
  }
  EXPECT_TRUE(scanned(items, Op::custom(kMinMax, MinMax{INT32_MAX, INT32_MIN})) == running_ranges(items));
}

TEST_F(CustomOperatorsOnGpu, DeviceFunctionsHaveTheResultsThatTheHostDeviceHasToo) {
  expect_right_device_functions(*device_);
}

// Records of 8-byte custom values on this GPU, one for a cost class and one for a named operator.
class RecordsOfCustomOperatorsOnGpu : public CustomOperatorsOnGpu {
 protected:
  static constexpr u64 kItems = 70'001;

  void SetUp() override {
    CustomOperatorsOnGpu::SetUp();
    if (IsSkipped()) return;
    const RecordRow rows[] = {row("custom_moderate", "three_phase"), row("custom_moderate:range", "single_block")};
    table_ = TuningTable(rows);
    ASSERT_TRUE(table_.rejected().empty()) << table_.rejected().front().reason;
  }

  RecordRow row(const char* op, const char* family) const {
    const DeviceIdentity& gpu = device_->identity();
    RecordRow row = testing::row_of(family, kItems);
    row.arch = gpu.arch;
    row.device_name = gpu.name;
    row.sm_count = gpu.sm_count;
    testing::state(row, {"input_type", "accumulator_type", "output_type"}, "custom8");
    testing::state(row, {"op"}, op);
    row.family = family;
    row.config = canonical_parameters(find_family(family)->default_config(request(), gpu.sm));
    return row;
  }

  static ScanRequest request() {
    return {.input_type = ValueType::custom,
            .accumulator_type = ValueType::custom,
            .output_type = ValueType::custom,
            .op = Operator::custom_moderate,
            .custom_bytes = sizeof(MinMax),
            .custom_alignment = alignof(MinMax),
            .n = kItems};
  }

  // The selection for an operator of that name. The plan is run too, and its results are checked.
  Selection selected(const std::string& name) const {
    const CustomOperator custom{kMinMax, name};
    const auto plan = make_plan(device_, table_, CheckedRequest(request()), 0, CaptureMemory::ahead, &custom);
    const std::vector<MinMax> items = drawn_ranges(kItems);
    const Buffer<MinMax> input(items), output(items.size());
    plan->run({input.data(), output.data()}, InitialValue(), nullptr);
    std::vector<MinMax> results(items.size());
    output.download(results.data());
    EXPECT_TRUE(results == running_ranges(items)) << plan->describe();
    return plan->selection();
  }

  TuningTable table_;
};

TEST_F(RecordsOfCustomOperatorsOnGpu, ANameFindsItsOwnRecord) {
  const Selection selection = selected("range");
  EXPECT_EQ(selection.config.family().name(), std::string("single_block"));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
}

TEST_F(RecordsOfCustomOperatorsOnGpu, WithoutANameTheRecordOfTheCostClassServes) {
  const Selection selection = selected("");
  EXPECT_EQ(selection.config.family().name(), std::string("three_phase"));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
}

TEST_F(RecordsOfCustomOperatorsOnGpu, ANameWithoutARecordFallsBackToTheCostClass) {
  EXPECT_EQ(selected("unheard_of").config.family().name(), std::string("three_phase"));
}

}  // namespace
}  // namespace scantune
