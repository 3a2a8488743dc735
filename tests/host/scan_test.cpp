// Every family's kernels against a plain loop, at the edge sizes, under a few schedules each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "edge_sizes.h"
#include "expected_scan.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

enum class ScanKind { inclusive, exclusive, inclusive_with_init };

using Problem = std::tuple<const FamilyModel*, ValueType, Operator, ScanKind>;

ScanRequest request_of(ValueType type, Operator op, ScanKind kind) {
  return {.input_type = type,
          .accumulator_type = type,
          .output_type = type,
          .op = op,
          .kind = kind == ScanKind::exclusive ? Kind::exclusive : Kind::inclusive,
          .init = kind == ScanKind::inclusive ? Init::none : Init::value};
}

std::string name_of(const testing::TestParamInfo<Problem>& info) {
  const auto& [family, type, op, kind] = info.param;
  constexpr const char* kKinds[] = {"inclusive", "exclusive", "inclusive_with_init"};
  return std::string(family->name()) + "_" + token(type) + "_" + token(op) + "_" + kKinds[static_cast<int>(kind)];
}

// Room for n items at some alignment, poisoned, with room around it that must stay as it is.
template <class T>
class Items {
 public:
  Items(HostDevice& device, u64 n, u64 misaligned_items)
      : device_(device),
        memory_(static_cast<unsigned char*>(device.allocate((n + 2 * kAround + misaligned_items) * sizeof(T)))),
        first_(reinterpret_cast<T*>(memory_) + kAround + misaligned_items),
        n_(n) {
    poison();
  }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;
  ~Items() { device_.free(memory_); }

  T* data() const { return first_; }
  void poison() { std::fill(first_ - kAround, first_ + n_ + kAround, poison_value()); }
  bool surroundings_intact() const {
    const auto intact = [](T item) { return std::memcmp(&item, &kPoison, sizeof item) == 0; };
    return std::all_of(first_ - kAround, first_, intact) && std::all_of(first_ + n_, first_ + n_ + kAround, intact);
  }

 private:
  static constexpr u64 kAround = 16;
  static constexpr u64 kPoison = 0x7ff8dead7fc0dead;  // a NaN in every floating-point type
  static T poison_value() {
    T value;
    std::memcpy(&value, &kPoison, sizeof value);
    return value;
  }

  HostDevice& device_;
  unsigned char* memory_;
  T* first_;
  u64 n_;
};

// One device and its compiled kernels for all tests of the process.
struct Bench {
  HostDevice device;
  ScanKernels kernels{device};
};
Bench& bench() {
  static Bench instance;
  return instance;
}

struct Case {
  ScanRequest request;  // with n and alignment
  Config config;
  bool in_place;
  u64 misaligned_items;
  u64 seed;
};

std::string to_string(const Case& scan) {
  return scantune::to_string(scan.request) + ", " + scantune::to_string(scan.config) +
         (scan.in_place ? ", in place, " : ", ") + std::to_string(scan.misaligned_items) +
         " items from alignment, seed " + std::to_string(scan.seed);
}

template <class T>
void check(const Case& scan, u64 first_item = 0, const Module* module = nullptr) {
  SCOPED_TRACE(to_string(scan));
  HostDevice& device = bench().device;
  const ScanRequest& request = scan.request;
  if (module == nullptr) module = &bench().kernels.get(request, scan.config);
  const std::vector<T> items = scan_items<T>(request.n, scan.seed);
  const T init = static_cast<T>(5);
  Items<T> input(device, request.n, scan.misaligned_items), output(device, request.n, scan.misaligned_items);
  std::copy(items.begin(), items.end(), input.data());
  T* const result = scan.in_place ? input.data() : output.data();
  const Workspace workspace(device, scan.config.family().workspace(scan.config, request));
  const auto launches =
      scan_launches(*module, scan.config, request, {input.data(), result, workspace.data(), &init}, first_item);
  ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(scan.seed)));

  const std::vector<T> expected = expected_scan(request, items, init);
  for (u64 index = 0; index < request.n; ++index)
    ASSERT_EQ(std::memcmp(&result[index], &expected[index], sizeof(T)), 0)
        << "item " << index << " is " << result[index] << " and should be " << expected[index];
  EXPECT_TRUE(input.surroundings_intact() && output.surroundings_intact());
  EXPECT_TRUE(scan.in_place || std::equal(items.begin(), items.end(), input.data())) << "the input has changed";
}

class Scan : public testing::TestWithParam<Problem> {};

TEST_P(Scan, IsRightAtEdgeSizes) {
  const auto& [family, type, op, kind] = GetParam();
  ScanRequest request = request_of(type, op, kind);
  request.n = 1;
  Random random(1 + static_cast<u64>(type) * 100 + static_cast<u64>(op) * 10 + static_cast<u64>(kind));
  for (int sample = 0; sample < 2; ++sample) {
    const Config config = random_config(*family, request, 2048, random);
    for (const u64 n : edge_sizes(static_cast<u64>(family->tile_items(config)))) {
      for (const bool aligned : {true, false}) {
        request.n = n;
        request.alignment_bytes = aligned ? kVectorAlignmentBytes : size_of(type);
        const u64 misaligned = aligned ? 0 : 1 + random.below(3);
        const Case scan{request, config, random.chance(50), misaligned, random.below(1u << 30)};
        with_type(type, [&](auto value) { check<decltype(value)>(scan); });
        if (HasFatalFailure()) return;
      }
    }
  }
}

std::vector<const FamilyModel*> all_families() { return {families().begin(), families().end()}; }

INSTANTIATE_TEST_SUITE_P(
    AllProblems, Scan,
    testing::Combine(testing::ValuesIn(all_families()),
                     testing::Values(ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64),
                     testing::Values(Operator::sum, Operator::max),
                     testing::Values(ScanKind::inclusive, ScanKind::exclusive, ScanKind::inclusive_with_init)),
    name_of);

class Family : public testing::TestWithParam<const FamilyModel*> {};

// Each value of each parameter once, the others as in a small config.
TEST_P(Family, IsRightWithEveryValueOfEveryParameter) {
  const FamilyModel& family = *GetParam();
  Random random(7);
  for (int parameter = 0; parameter < static_cast<int>(family.parameters().size()); ++parameter) {
    for (const int value : family.parameters()[static_cast<std::size_t>(parameter)].values) {
      ScanRequest request = request_of(ValueType::i32, Operator::sum, ScanKind::exclusive);
      request.n = 1;
      Config config = random_config(family, request, 1 << 20, random);
      for (config[parameter] = value; family.invalid_reason(config, request, kHostSm) != nullptr;
           config[parameter] = value)
        config = random_config(family, request, 1 << 20, random);
      request.n = 2 * static_cast<u64>(family.tile_items(config)) + 100;
      check<i32>({request, config, random.chance(50), 0, random.below(1u << 30)});
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Family, IsRightForAMillionItems) {
  const FamilyModel& family = *GetParam();
  ScanRequest request = request_of(ValueType::f32, Operator::sum, ScanKind::inclusive);
  request.n = 1u << 20;
  if (family.unsupported_reason(request, kHostSm) != nullptr) request.n = 1u << 17;  // as many as single_block takes
  check<f32>({request, family.default_config(request, kHostSm), false, 0, 0});
}

// Items whose indices do not fit 32 bits: the buffers hold the last tiles of a scan that long.
TEST_P(Family, IsRightPastTwoToThe32Items) {
  const FamilyModel& family = *GetParam();
  for (const ValueType type : {ValueType::i32, ValueType::f64}) {
    ScanRequest request = request_of(type, Operator::sum, ScanKind::inclusive_with_init);
    request.n = 1;
    Random random(3);
    for (int sample = 0; sample < 3; ++sample) {
      const Config config = random_config(family, request, 1024, random);
      const u64 tile = static_cast<u64>(family.tile_items(config));
      const u64 first_tile = ((1ull << 32) - 2 * tile) / tile;
      request.n = 7 * tile + 5;
      Instantiation instantiation = instantiate(request, config);
      const std::string end = ">;\n";
      instantiation.source.replace(instantiation.source.find(end), end.size(),
                                   ", " + std::to_string(first_tile) + ">;\n");
      with_type(type, [&](auto value) {
        check<decltype(value)>({request, config, false, 0, random.below(1000)}, first_tile * tile,
                               &bench().kernels.get(instantiation));
      });
      if (HasFatalFailure()) return;
    }
  }
}

// An operator that is not commutative and knows its neighbours: it joins half-open intervals that touch. Joining
// anything else, an item that does not exist or two in the wrong order, is an access out of bounds.
constexpr const char* kJoin = R"(
struct Join {
  static scantune::i64 combine(scantune::i64 a, scantune::i64 b) {
    if ((a & 0xffffffff) != (b >> 32)) scantune::store_relaxed(reinterpret_cast<scantune::u32*>(64), 0);
    return (a & ~0xffffffffll) | (b & 0xffffffff);
  }
};
)";

TEST_P(Family, ShowsTheOperatorOnlyRealItemsInOrder) {
  const FamilyModel& family = *GetParam();
  HostDevice& device = bench().device;
  Random random(11);
  const auto interval = [](u64 begin, u64 end) { return static_cast<i64>(begin << 32 | end); };
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive, ScanKind::inclusive_with_init}) {
    ScanRequest request = request_of(ValueType::i64, Operator::sum, kind);
    request.n = 1;
    for (int sample = 0; sample < 4; ++sample) {
      const Config config = random_config(family, request, 1024, random);
      Instantiation instantiation = instantiate(request, config);
      const std::string end = ">;\n";
      instantiation.source.replace(instantiation.source.find(end), end.size(), ", 0, Join>;\n");
      instantiation.source.insert(instantiation.source.find('\n') + 1, kJoin);
      const Module& module = bench().kernels.get(instantiation);
      for (const u64 n : edge_sizes(static_cast<u64>(family.tile_items(config)))) {
        request.n = n;
        Items<i64> items(device, n, 0);
        for (u64 index = 0; index < n; ++index) items.data()[index] = interval(index + 1, index + 2);
        const i64 init = interval(0, 1);
        const Workspace workspace(device, family.workspace(config, request));
        const u64 seed = random.below(1u << 30);
        SCOPED_TRACE(to_string(Case{request, config, true, 0, seed}));
        const auto launches =
            scan_launches(module, config, request, {items.data(), items.data(), workspace.data(), &init});
        ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(seed)));
        const u64 begin = request.has_init() ? 0 : 1;
        for (u64 index = 0; index < n; ++index)
          ASSERT_EQ(items.data()[index], interval(begin, index + (kind == ScanKind::exclusive ? 1 : 2)))
              << "item " << index;
      }
    }
  }
}

// NaN propagates from where it stands, and -0 orders below +0, whatever the order of combining.
TEST_P(Family, TakesMaximaOfNaNAndOfZerosOfBothSigns) {
  const FamilyModel& family = *GetParam();
  HostDevice& device = bench().device;
  ScanRequest request = request_of(ValueType::f32, Operator::max, ScanKind::inclusive);
  request.n = 3000;
  Random random(13);
  const Config config = random_config(family, request, 1024, random);
  const Module& module = bench().kernels.get(request, config);
  for (u64 seed = 0; seed < 10; ++seed) {
    Items<f32> items(device, request.n, 0);
    std::fill(items.data(), items.data() + request.n, -0.0f);
    const u64 zero = random.below(1500), nan = 1500 + random.below(1500);
    items.data()[zero] = 0.0f;
    items.data()[nan] = std::numeric_limits<f32>::quiet_NaN();
    const Workspace workspace(device, family.workspace(config, request));
    device.run(scan_launches(module, config, request, {items.data(), items.data(), workspace.data(), nullptr}),
               Schedule::from_seed(seed));
    for (u64 index = 0; index < request.n; ++index) {
      const f32 item = items.data()[index];
      if (index >= nan) {
        ASSERT_TRUE(item != item) << "item " << index;
      } else {
        ASSERT_EQ(item, 0.0f);
        ASSERT_EQ(__builtin_signbit(item) != 0, index < zero) << "item " << index;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, Family, testing::ValuesIn(all_families()),
                         [](const auto& family) { return std::string(family.param->name()); });

}  // namespace
}  // namespace scantune
