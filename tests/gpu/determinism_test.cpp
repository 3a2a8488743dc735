// Determinism::run_to_run on the GPU: equal bits on every run, whatever else runs there and however the pointers lie.
#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "families_under_test.h"
#include "gpu_test.h"
#include "launch/loading.h"
#include "measure/device_buffer.h"
#include "measure/prepared_config.h"
#include "operator_sources.h"
#include "scan/config/three_phase.h"
#include "space/space.h"
#include "test_kernel.h"

namespace scantune {
namespace {

constexpr u64 kItems = 100'003;                     // so many every family can scan
constexpr u64 kManyItems = (u64{1} << 22) + 12345;  // so many that three_phase scans their sums by tiles
constexpr int kRuns = 100;

// The role of a member of an item.
enum class Member {
  summand,  // it has any sign, and magnitudes so different that f32 rounds every sum, also of half types
  factor,   // it is just above or below 1, so balanced that products of all items stay within any type
  trace     // it is about 2^-10, with either sign
};

// A problem whose results depend on the order in which items are combined.
struct Problem {
  const char* name;
  ValueType member_type;
  std::vector<Member> members;  // the members of one item
  ValueType accumulator;
  Operator op;
  std::string source = {};  // the source of a custom operator

  ScanRequest request(u64 n = kItems) const {
    const bool is_struct = members.size() > 1;
    const ValueType type = is_struct ? ValueType::custom : member_type;
    return {.input_type = type,
            .accumulator_type = accumulator,
            .output_type = type,
            .op = op,
            .determinism = Determinism::run_to_run,
            .custom_bytes = is_struct ? static_cast<int>(members.size()) * size_of(member_type) : 0,
            .custom_alignment = is_struct ? size_of(member_type) : 0,
            .n = n};
  }
};

std::ostream& operator<<(std::ostream& out, const Problem& problem) { return out << problem.name; }

constexpr const char* kProduct = "__device__ Value combine(Value a, Value b) { return a * b; }";

const Problem kProblems[] = {
    {"f32_sum", ValueType::f32, {Member::summand}, ValueType::f32, Operator::sum},
    {"f64_sum", ValueType::f64, {Member::summand}, ValueType::f64, Operator::sum},
    {"f16_sum", ValueType::f16, {Member::summand}, ValueType::f32, Operator::sum},
    {"bf16_sum", ValueType::bf16, {Member::summand}, ValueType::f32, Operator::sum},
    {"f32_product", ValueType::f32, {Member::factor}, ValueType::f32, Operator::product},
    {"f64_product", ValueType::f64, {Member::factor}, ValueType::f64, Operator::product},
    {"f16_product", ValueType::f16, {Member::factor}, ValueType::f32, Operator::product},
    {"bf16_product", ValueType::bf16, {Member::factor}, ValueType::f32, Operator::product},
    {"f32_product_as_source", ValueType::f32, {Member::factor}, ValueType::f32, Operator::custom_cheap, kProduct},
    {"affine_f32",
     ValueType::f32,
     {Member::factor, Member::summand},
     ValueType::custom,
     Operator::custom_moderate,
     affine_source("float")},
    {"complex_f32",
     ValueType::f32,
     {Member::factor, Member::trace},
     ValueType::custom,
     Operator::custom_moderate,
     complex_product_source("float")},
};

Problem problem_named(std::string_view name) {
  return *std::ranges::find(kProblems, name, [](const Problem& problem) { return std::string_view(problem.name); });
}

// The sign, exponent and fraction of a floating-point type.
struct Format {
  int exponent_bits;
  int fraction_bits;
};
constexpr Format format_of(ValueType type) {
  if (type == ValueType::f16) return {5, 10};
  if (type == ValueType::bf16) return {8, 7};
  return type == ValueType::f32 ? Format{8, 23} : Format{11, 52};
}

// The number 2^exponent * (1 + fraction / 2^fraction_bits), where excess bits of the fraction are cut off.
u64 number(const Format& format, bool negative, int exponent, u64 fraction) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const u64 mask = (u64{1} << format.fraction_bits) - 1;
  return (u64{negative} << (format.exponent_bits + format.fraction_bits)) |
         (static_cast<u64>(exponent + bias) << format.fraction_bits) | (fraction & mask);
}

u64 drawn(Member member, const Format& format, std::mt19937_64& random) {
  const u64 bits = random();
  const bool negative = (bits & 1) != 0;
  const int scale = static_cast<int>(bits >> 1 & 15);
  const u64 steps = 1 + (bits >> 5 & 3);
  switch (member) {
    case Member::summand:
      return number(format, negative, 2 - scale, random());
    case Member::trace:
      return number(format, negative, -10 - scale, random());
    case Member::factor:
      if (random() % 3 == 0) return number(format, false, 0, steps);  // 1 + steps * 2^-fraction_bits
      return number(format, false, -1, ~u64{0} - (steps - 1));        // 1 - steps * 2^-fraction_bits / 2
  }
  throw std::invalid_argument("no member");
}

std::vector<std::byte> items_of(const Problem& problem, u64 n = kItems) {
  std::mt19937_64 random(11);
  const auto bytes = static_cast<std::size_t>(size_of(problem.member_type));
  std::vector<std::byte> items;
  for (u64 item = 0; item < n; ++item)
    for (const Member member : problem.members) {
      const u64 bits = drawn(member, format_of(problem.member_type), random);
      const auto* first = reinterpret_cast<const std::byte*>(&bits);
      items.insert(items.end(), first, first + bytes);
    }
  return items;
}

// A kernel that keeps some of the GPU busy for a while.
class BusyKernel {
 public:
  explicit BusyKernel(Device& device)
      : kernel_(device,
                "extern \"C\" __global__ void kernel(scantune::KernelArguments arguments) {\n"
                "  const long long start = clock64();\n"
                "  while (clock64() - start < static_cast<long long>(arguments.n)) {}\n"
                "}\n") {}

  void enqueue(u32 blocks, u64 cycles, CUstream stream) const {
    kernel_.enqueue({.grid_blocks = blocks, .block_threads = 256, .n = cycles}, {}, stream);
  }

 private:
  TestKernel kernel_;
};

// One config's scans of one problem: by the kernel for aligned pointers, and by the one for any.
class Scans {
 public:
  static constexpr u64 kOffsets = 4;  // number of items by which pointers may lie behind a vector boundary

  Scans(Device& device, const Problem& problem, const Config& config, const std::vector<std::byte>& items)
      : device_(device),
        custom_{problem.source, ""},
        aligned_(device, problem.request(), config, Variant::aligned, custom()),
        unaligned_(device, problem.request(), config, Variant::any, custom()),
        item_bytes_(static_cast<u64>(problem.request().input_bytes())),
        n_(items.size() / item_bytes_),
        results_(items.size()),
        output_(device, items.size() + kOffsets * item_bytes_),
        workspace_(device, aligned_.workspace_bytes(n_)) {
    for (u64 offset = 0; offset < kOffsets; ++offset) {
      inputs_.emplace_back(device, items.size() + kOffsets * item_bytes_);
      device.upload(inputs_.back().data() + offset * item_bytes_, items.data(), items.size());
    }
    if (workspace_.data() != nullptr) device.zero(workspace_.data(), aligned_.workspace_bytes(n_));
  }

  // Overwrites the results, so that what a scan fails to write is no result of the scan before it.
  void poison(u64 offset) {
    results_.assign(results_.size(), std::byte{0xa5});
    device_.upload(output_.data() + offset * item_bytes_, results_.data(), results_.size());
  }

  void enqueue(u64 offset, CUstream stream) const {
    const u64 bytes = offset * item_bytes_;
    const PreparedConfig& scan = bytes % kVectorAlignmentBytes == 0 ? aligned_ : unaligned_;
    scan.enqueue({inputs_[offset].data() + bytes, output_.data() + bytes}, n_, workspace_.data(), stream);
  }

  // Waits for the scan enqueued last and returns its results.
  const std::vector<std::byte>& results(u64 offset) {
    device_.download(results_.data(), output_.data() + offset * item_bytes_, results_.size());
    return results_;
  }

 private:
  const CustomOperator* custom() const { return custom_.source.empty() ? nullptr : &custom_; }

  Device& device_;
  CustomOperator custom_;
  PreparedConfig aligned_;
  PreparedConfig unaligned_;
  u64 item_bytes_;
  u64 n_;
  std::vector<std::byte> results_;
  std::vector<DeviceBuffer> inputs_;
  DeviceBuffer output_;
  DeviceBuffer workspace_;
};

class DeterminismOnGpu : public GpuTest, public testing::WithParamInterface<Problem> {
 protected:
  // The default of every family that keeps the guarantee, and one more config.
  std::vector<Config> configs() const {
    const int sm = device_->identity().sm;
    const ScanRequest request = GetParam().request();
    std::mt19937 random(5);
    std::vector<Config> all;
    for (const FamilyModel* family : scan_families()) {
      if (family->unsupported_reason(request, sm) != nullptr) continue;
      all.push_back(family->default_config(request, sm));
      const std::vector<Config> searched = searched_configs(*family, request, sm);
      all.push_back(searched[random() % searched.size()]);
    }
    return all;
  }

  void expect_equal_bits_on_every_run(const Config& config, const std::vector<std::byte>& items) {
    const TestStream stream, other;
    const BusyKernel busy(*device_);
    const auto noise = runtime::plan<float>(1 << 20);
    const runtime::Buffer<float> noise_items(1 << 20), noise_sums(1 << 20);
    std::mt19937 random(7);
    Scans scans(*device_, GetParam(), config, items);
    scans.poison(0);
    scans.enqueue(0, stream);
    const std::vector<std::byte> first = scans.results(0);
    for (int run = 1; run < kRuns; ++run) {
      const u64 offset = random() % Scans::kOffsets;
      scans.poison(offset);
      busy.enqueue(static_cast<u32>(1 + random() % 500), random() % 200'000, other);
      if (random() % 2 == 0) noise(noise_items.data(), noise_sums.data(), other);
      scans.enqueue(offset, stream);
      ASSERT_TRUE(scans.results(offset) == first)
          << to_string(config) << ", run " << run << ", " << offset << " items behind a vector boundary";
    }
  }
};

TEST_P(DeterminismOnGpu, GivesEqualBitsOnEveryRunBesideOtherWork) {
  const std::vector<std::byte> items = items_of(GetParam());
  for (const Config& config : configs()) expect_equal_bits_on_every_run(config, items);
}

// Otherwise the test above could not fail.
TEST_P(DeterminismOnGpu, TheTestedItemsTellOneOrderOfCombiningFromAnother) {
  const std::vector<std::byte> items = items_of(GetParam());
  std::vector<std::vector<std::byte>> results;
  for (const Config& config : configs()) {
    Scans scans(*device_, GetParam(), config, items);
    scans.enqueue(0, nullptr);
    results.push_back(scans.results(0));
  }
  EXPECT_FALSE(std::ranges::all_of(results, [&](const auto& other) { return other == results.front(); }));
}

INSTANTIATE_TEST_SUITE_P(FloatingPoint, DeterminismOnGpu, testing::ValuesIn(kProblems),
                         [](const auto& tested) { return std::string(tested.param.name); });

class DeterminismOfManyItemsOnGpu : public DeterminismOnGpu {};

// There are so many tiles that three_phase reduces and scans their sums by tiles too.
TEST_P(DeterminismOfManyItemsOnGpu, GivesEqualBitsOnEveryRunBesideOtherWork) {
  using ThreePhase = Family<ThreePhaseConfig>;
  const ScanRequest request = GetParam().request(kManyItems);
  const int sm = device_->identity().sm;
  ASSERT_EQ(ThreePhase::levels(ThreePhase::default_config(request, sm), request).count, 2);
  expect_equal_bits_on_every_run(find_family(ThreePhase::kName)->default_config(request, sm),
                                 items_of(GetParam(), kManyItems));
}

// Products of half types are left out: those of so many items leave the range.
INSTANTIATE_TEST_SUITE_P(Sums, DeterminismOfManyItemsOnGpu,
                         testing::Values(problem_named("f32_sum"), problem_named("f64_sum"), problem_named("bf16_sum"),
                                         problem_named("affine_f32")),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace scantune
