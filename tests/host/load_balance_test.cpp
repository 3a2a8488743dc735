// The load balance on the host device compared with a plain loop: every item's segment, rank and value, for segments of
// all lengths, and offsets that are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "bench.h"
#include "designed_rows.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "scan_kernels.h"

namespace scantune::load_balance_test {
namespace {

using Offsets = std::vector<u64>;

constexpr unsigned char kPoison = 0xa5;

struct Case {
  LoadBalanceRequest request;
  Config config;
  Offsets offsets;
  u64 seed = 1;
  u64 misaligned_items = 0;  // how many items arrays lie behind a vector boundary
};

std::string to_string(const Case& balance) {
  return scantune::to_string(Request(balance.request)) + ", " + scantune::to_string(balance.config) + ", " +
         std::to_string(balance.misaligned_items) + " items from alignment, seed " + std::to_string(balance.seed);
}

// Numbers as a type of that many bytes holds them.
Bytes as_bytes(const std::vector<u64>& numbers, u64 bytes) {
  Bytes result(numbers.size() * bytes);
  for (std::size_t place = 0; place < numbers.size(); ++place)
    std::memcpy(&result[place * bytes], &numbers[place], bytes);
  return result;
}

Bytes drawn_bytes(u64 bytes) {
  Bytes result(bytes);
  for (std::size_t byte = 0; byte < bytes; ++byte) result[byte] = static_cast<unsigned char>(37 * byte + byte / 256);
  return result;
}

struct Expected {
  std::vector<u64> segments, ranks;
};

Expected plain_loop(const Offsets& offsets) {
  Expected expected;
  for (u64 segment = 0; segment + 1 < offsets.size(); ++segment)
    for (u64 item = offsets[segment]; item < offsets[segment + 1]; ++item) {
      expected.segments.push_back(segment);
      expected.ranks.push_back(item - offsets[segment]);
    }
  return expected;
}

testing::AssertionResult holds(const GuardedMemory& memory, const Bytes& expected) {
  for (u64 byte = 0; byte < memory.size(); ++byte)
    if (memory.data()[byte] != expected[byte])
      return testing::AssertionFailure() << "byte " << byte << " of " << memory.size() << " is "
                                         << int{memory.data()[byte]} << ", not " << int{expected[byte]};
  if (!memory.surroundings_intact()) return testing::AssertionFailure() << "it wrote beside the array";
  return testing::AssertionSuccess();
}

HostLaunch launch_of(const Case& balance, const KernelArguments& arguments) {
  const Variant variant = balance.misaligned_items == 0 ? Variant::aligned : Variant::any;
  return {&bench().kernels.get(instantiate(balance.request, balance.config, variant)),
          balance.config.family().launches(balance.config, balance.request, variant).launches[0], arguments};
}

void check(const Case& balance) {
  SCOPED_TRACE(to_string(balance));
  if (is_rehearsal()) {
    launch_of(balance, {});
    return;
  }
  HostDevice& device = bench().device;
  const LoadBalanceRequest& request = balance.request;
  const auto offset_bytes = static_cast<u64>(request.input_bytes()),
             output_bytes = static_cast<u64>(request.output_bytes());
  const u64 off = balance.misaligned_items;
  const GuardedMemory offsets(device, balance.offsets.size() * offset_bytes, off * offset_bytes);
  const GuardedMemory values(device, request.writes_values() ? request.segments * output_bytes : 0, off * output_bytes);
  const GuardedMemory output(device, request.n * output_bytes, off == 0 ? 0 : (off + 1) * output_bytes);
  const bool has_both = request.assigned == Assigned::segments_and_ranks;
  const GuardedMemory ranks(device, has_both ? request.n * output_bytes : 0, off == 0 ? 0 : (off + 2) * output_bytes);
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, offsets.data());
  arguments.set_operand(OperandRole::output, output.data());
  arguments.set_operand(OperandRole::indices, ranks.data());
  arguments.set_operand(OperandRole::values, values.data());

  const Bytes beside = drawn_bytes(values.size()), read = as_bytes(balance.offsets, offset_bytes);
  std::ranges::copy(read, offsets.data());
  std::ranges::copy(beside, values.data());
  const Expected plain = plain_loop(balance.offsets);
  ASSERT_EQ(plain.segments.size(), request.n);
  Bytes expected = as_bytes(request.writes_segments() ? plain.segments : plain.ranks, output_bytes);
  if (request.writes_values()) {
    expected.resize(request.n * output_bytes);
    for (u64 item = 0; item < request.n; ++item)
      std::memcpy(&expected[item * output_bytes], &beside[plain.segments[item] * output_bytes], output_bytes);
  }
  const HostLaunch launch = launch_of(balance, arguments);
  // Where both are written, tiles pass through the same shared memory one after the other.
  for (u64 time = 0; time < (has_both ? 5 : 2); ++time) {
    for (const GuardedMemory* written : {&output, &ranks}) std::fill_n(written->data(), written->size(), kPoison);
    ASSERT_NO_THROW(device.run({&launch, 1}, Schedule::from_seed(balance.seed + time)));
    ASSERT_TRUE(holds(output, expected)) << "the output";
    ASSERT_TRUE(holds(offsets, read)) << "the offsets";
    ASSERT_TRUE(holds(values, beside)) << "the values";
    if (has_both) {
      ASSERT_TRUE(holds(ranks, as_bytes(plain.ranks, output_bytes))) << "the ranks";
    }
  }
}

// Offsets of so many items by the lengths of segments.
Offsets offsets_of(const std::vector<u64>& lengths) {
  Offsets offsets{0};
  for (const u64 length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

// Lengths of segments that together hold n items.
// 0 is a single segment, 1 has one item in each, 2 has 4 on average, 3 has 256, 4 follows a power law; empty segments
// come first in 5, last in 6, between others in 7, and are most of 8; in 9 short, long and empty ones take turns.
constexpr int kShapes = 10;
Offsets shape(int which, u64 n, Random& random) {
  std::vector<u64> lengths;
  u64 left = n;
  const auto add = [&](u64 length) {
    lengths.push_back(std::min(length, left));
    left -= lengths.back();
  };
  const auto add_empty = [&](u64 count) { lengths.insert(lengths.end(), count, 0); };
  if (which == 5) add_empty(3000);
  while (left > 0) switch (which) {
      case 0:
        add(left);
        break;
      case 1:
        add(1);
        break;
      case 3:
        add(random.below(513));
        break;
      case 4:
        add(u64{1} << random.below(random.below(14) + 1));
        break;
      case 7:
        if (left <= n / 2 && lengths.size() < 3000) add_empty(3000);
        add(random.below(9));
        break;
      case 8:
        add(random.below(40) == 0 ? 1 + random.below(20) : 0);
        break;
      case 9:
        add(random.below(2) == 0 ? 1 : 700);
        add_empty(1);
        break;
      default:
        add(random.below(9));
    }
  if (which == 6) add_empty(3000);
  return offsets_of(lengths);
}

Case case_of(LoadBalanceRequest request, const Config& config, Offsets offsets) {
  request.n = offsets.back();
  request.segments = offsets.size() - 1;
  return {.request = request, .config = config, .offsets = std::move(offsets)};
}

int parameter_index(const FamilyModel& family, std::string_view name) {
  const auto parameters = family.parameters();
  return static_cast<int>(std::ranges::find(parameters, name, &ParameterModel::name) - parameters.begin());
}

// A legal config with small tiles, every parameter drawn.
Config drawn_config(LoadBalanceRequest request, Random& random) {
  request.n = request.segments = 1;
  const FamilyModel& family = *find_family("load_balance_merge");
  const auto set = [&](Config& config, const char* name, std::vector<int> values) {
    config[parameter_index(family, name)] = values[random.below(static_cast<u32>(values.size()))];
  };
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Config config = family.default_config(request, kHostSm);
    set(config, "block_threads", {32, 64, 96, 128});
    set(config, "places_per_thread", {1, 2, 4, 6, 8, 16, 32});
    set(config, "search_threads", {32, 64, 128});
    set(config, "search_samples", {1, 2, 4, 8});
    set(config, "offsets_in_flight", {1, 2, 3, 4, 16});
    set(config, "staged", {0, 1});
    set(config, "load_hint", {0, 1, 2});
    set(config, "store_hint", {0, 1});
    set(config, "pdl", {0, 1, 2});
    if (reject_reason(config, request, kHostSm) == nullptr) return config;
  }
  throw std::runtime_error("no config is legal");
}

LoadBalanceRequest of(ValueType offset, ValueType output, Assigned assigned = Assigned::segments) {
  return {.input_type = offset, .output_type = output, .assigned = assigned};
}
LoadBalanceRequest of_structs(int bytes, int alignment) {
  LoadBalanceRequest request = of(ValueType::u32, ValueType::custom, Assigned::values);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  return request;
}

// ---- the design: every pair of what load balances differ in ----

constexpr int kMostTileItems = 4096;
// Numbers, whose signs kernels do not see; and bytes and alignment of structs.
const std::vector<std::string> kResults{"u8",  "f16",  "4",    "8",     "1_1",  "2_1",  "3_1",   "4_2", "6_2",
                                        "8_8", "12_4", "16_1", "16_16", "20_4", "24_8", "32_16", "32_4"};

LoadBalanceRequest request_of(const RowReader& row) {
  const bool is_signed = row.is("numbers", "signed");
  const auto number = [&](const std::string& bytes) {
    if (bytes == "4") return is_signed ? ValueType::i32 : ValueType::u32;
    return is_signed ? ValueType::i64 : ValueType::u64;
  };
  const std::string& result = row["result"];
  LoadBalanceRequest request = of(number(row["offsets"]), ValueType::u32, row.token_of<Assigned>("assigned"));
  if (result.find('_') != result.npos) {
    request = of_structs(std::stoi(result), std::stoi(result.substr(result.find('_') + 1)));
    request.input_type = number(row["offsets"]);
    request.assigned = row.token_of<Assigned>("assigned");
  } else {
    const auto named = parse_token<ValueType>(result);
    request.output_type = named ? *named : number(result);
  }
  request.n = request.segments = 1;
  return request;
}

const Design& load_balance_design() {
  static const Design kDesign("load_balances", 2, 1,
                              {{"offsets", {"4", "8"}},
                               {"assigned", all_tokens<Assigned>()},
                               {"result", kResults},
                               {"staged", {"0", "1"}, true},
                               {"numbers", {"unsigned", "signed"}, true},
                               {"pointers", {"aligned", "any"}, true}},
                              [](const DesignRow& values) {
                                const RowReader row(load_balance_design(), values);
                                const LoadBalanceRequest request = request_of(row);
                                return find_family("load_balance_merge")->unsupported_reason(request, kHostSm) ==
                                       nullptr;
                              });
  return kDesign;
}

TEST(LoadBalanceDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (load_balance_design().write_if_asked()) return;
  EXPECT_EQ(load_balance_design().gaps(), std::vector<std::string>{});
}

std::vector<DesignedCase> cases_of(const std::vector<DesignRow>& rows) {
  CoveringConfigs configs(kMostTileItems);
  const FamilyModel& family = *find_family("load_balance_merge");
  return designed_cases(load_balance_design(), rows, [&](const DesignRow&, const RowReader& row) {
    const LoadBalanceRequest request = request_of(row);
    const auto is_legal = [&](const Config& config) {
      const int staged = config[parameter_index(family, "staged")];
      return std::to_string(staged) == row["staged"] && reject_reason(config, request, kHostSm) == nullptr;
    };
    const auto draw = [&](Random& random) {
      for (int attempt = 0; attempt < 1000; ++attempt)
        if (const Config config = drawn_config(request, random); is_legal(config)) return config;
      throw std::runtime_error("no config is legal");
    };
    return configs.next(family, {.draw = draw, .is_legal = is_legal});
  });
}

// The rows, whose configs have between them every value of every parameter.
const std::vector<DesignedCase>& designed_load_balances() {
  static const std::vector<DesignedCase> kCases = cases_of(rows_to_run(load_balance_design()));
  return kCases;
}

class LoadBalance : public testing::TestWithParam<DesignedCase> {};

// Sizes around those of a tile and several, each of another shape. Rows have many tiles of other shapes than the next.
TEST_P(LoadBalance, TellsEveryItemItsSegment) {
  const RowReader row = GetParam().read();
  const Config& config = GetParam().config;
  const LoadBalanceRequest request = request_of(row);
  Random random(row.seed());
  const auto tile = static_cast<u64>(config.family().tile_items(config, request));
  u64 which = row.seed();
  for (const u64 n : {u64{500} + random.below(9000), 7 * tile + 5, 3 * tile, tile + 1, tile, tile - 1, u64{100},
                      u64{33}, u64{31}, u64{1}}) {
    const auto of_shape = static_cast<int>(which++ % kShapes);  // counted where the size is left out, too
    if (n > std::max<u64>(20'000, tile + 1)) continue;
    Case balance = case_of(request, config, shape(of_shape, n, random));
    balance.seed = random.below(1u << 30);
    balance.misaligned_items = row.is("pointers", "aligned") ? 0 : 1 + random.below(15);
    check(balance);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Designed, LoadBalance, testing::ValuesIn(designed_load_balances()), kNameOfRow);
INSTANTIATE_TEST_SUITE_P(Drawn, LoadBalance,
                         testing::ValuesIn(drawn_in_long_runs(cases_of(load_balance_design().drawn(100 * kTestEffort,
                                                                                                   2)))),
                         [](const auto& tested) { return std::to_string(tested.index); });

TEST(LoadBalanceDesign, HasEveryValueOfEveryParameter) {
  needs_no_kernel();
  EXPECT_EQ(values_that_none_has(*find_family("load_balance_merge"), designed_load_balances()),
            std::vector<std::string>{});
}

// Every split of few places: all lengths of up to four segments with five items.
TEST(LoadBalanceOfFew, ItemsInAllWays) {
  const LoadBalanceRequest request = of(ValueType::u32, ValueType::u32, Assigned::segments_and_ranks);
  const Config config = config_of(
      *find_family("load_balance_merge"), request,
      {{"block_threads", "64"}, {"places_per_thread", "2"}, {"search_threads", "32"}, {"offsets_in_flight", "2"}});
  for (u64 a = 0; a <= 5; ++a)
    for (u64 b = a; b <= 5; ++b)
      for (u64 c = b; c <= 5; ++c) check(case_of(request, config, {0, a, b, c, 5}));
}

// The default configs, by which nothing small is drawn.
TEST(LoadBalanceByDefault, TellsEveryItemItsSegment) {
  Random random(5);
  for (const u64 n : {1000, 40'000})
    for (const LoadBalanceRequest& request : {of(ValueType::u32, ValueType::u32, Assigned::segments_and_ranks),
                                              of(ValueType::i64, ValueType::f64, Assigned::values)}) {
      Offsets offsets = shape(2, n, random);
      LoadBalanceRequest sized = request;
      sized.n = n;
      sized.segments = offsets.size() - 1;
      check(case_of(request, find_family("load_balance_merge")->default_config(sized, kHostSm), std::move(offsets)));
    }
}

// No item has nothing written for it, and the kernel ends.
TEST(LoadBalanceOfNothing, WritesNothing) {
  const LoadBalanceRequest request = of(ValueType::u32, ValueType::u32);
  Random random(6);
  check(case_of(request, drawn_config(request, random), Offsets(5000, 0)));
}

// Memory of exactly these bytes: the host device reports every access beside it.
class ExactMemory {
 public:
  ExactMemory(HostDevice& device, const Bytes& bytes) : device_(device), data_(device.allocate(bytes.size())) {
    std::memcpy(data_, bytes.data(), bytes.size());
  }
  ExactMemory(const ExactMemory&) = delete;
  ExactMemory& operator=(const ExactMemory&) = delete;
  ~ExactMemory() { device_.free(data_); }
  void* data() const { return data_; }

 private:
  HostDevice& device_;
  void* data_;
};

// Runs offsets that may be wrong. Nothing is known of the output but that it is all that is touched.
void run_with_wrong(const Case& balance) {
  SCOPED_TRACE(to_string(balance));
  if (is_rehearsal()) {
    launch_of(balance, {});
    return;
  }
  HostDevice& device = bench().device;
  const LoadBalanceRequest& request = balance.request;
  const auto output_bytes = static_cast<u64>(request.output_bytes());
  const ExactMemory offsets(device, as_bytes(balance.offsets, static_cast<u64>(request.input_bytes())));
  const ExactMemory output(device, Bytes(request.n * output_bytes)), ranks(device, Bytes(request.n * output_bytes)),
      values(device, Bytes(request.segments * output_bytes));
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, offsets.data());
  arguments.set_operand(OperandRole::output, output.data());
  arguments.set_operand(OperandRole::indices, ranks.data());
  arguments.set_operand(OperandRole::values, values.data());
  const HostLaunch launch = launch_of(balance, arguments);
  ASSERT_NO_THROW(device.run({&launch, 1}, Schedule::from_seed(balance.seed)));
}

class LoadBalanceByWrongOffsets : public testing::TestWithParam<LoadBalanceRequest> {};

TEST_P(LoadBalanceByWrongOffsets, TouchesNothingElse) {
  Random random(99 + static_cast<u64>(GetParam().assigned));
  const auto any = [&] {
    return u64{random.below(1u << 31)} << 33 | u64{random.below(1u << 31)} << 2 | random.below(4);
  };
  for (int draw = 0; draw < 2 * kTestEffort; ++draw) {
    const Config config = drawn_config(GetParam(), random);
    const std::vector<std::function<void(Offsets&)>> spoils{
        [&](Offsets& offsets) { std::ranges::generate(offsets, any); },
        [&](Offsets& offsets) { std::ranges::reverse(offsets); },
        [&](Offsets& offsets) { std::ranges::fill(offsets, offsets.back()); },
        [&](Offsets& offsets) { std::ranges::fill(offsets, ~u64{0}); },
        [&](Offsets& offsets) { std::ranges::fill(offsets, u64{0}); },
        [&](Offsets& offsets) { offsets.front() = 1 + random.below(1000); },
        [&](Offsets& offsets) {
          for (u64& offset : offsets) offset += 17;
        },
        [&](Offsets& offsets) {
          for (u64& offset : offsets) offset /= 2;
        },
        [&](Offsets& offsets) {
          for (u64& offset : offsets) offset = 0 - offset;
        },
        [&](Offsets& offsets) {
          for (u64& offset : offsets)
            if (random.below(4) == 0) offset = any();
        },
        [&](Offsets& offsets) {
          for (u64& offset : offsets) offset = random.below(static_cast<u32>(offsets.size()));
        },
        // Marks fall together: segment s stands where segment 0 does.
        [&](Offsets& offsets) {
          for (u64 place = 0; u64 & offset : offsets) offset = 2000 - place++;
        }};
    for (const auto& spoil : spoils) {
      Offsets offsets = shape(static_cast<int>(random.below(kShapes)), 1 + random.below(4000), random);
      Case balance = case_of(GetParam(), config, offsets);
      balance.seed = random.below(1u << 30);
      spoil(balance.offsets);
      run_with_wrong(balance);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryKind, LoadBalanceByWrongOffsets,
                         testing::Values(of(ValueType::u32, ValueType::u32, Assigned::segments),
                                         of(ValueType::u64, ValueType::u64, Assigned::segments_and_ranks),
                                         of(ValueType::u32, ValueType::u64, Assigned::ranks),
                                         of(ValueType::u64, ValueType::u16, Assigned::values), of_structs(12, 4)),
                         [](const auto& kind) {
                           return std::string(token(kind.param.assigned)) + "_of_" +
                                  std::to_string(kind.param.output_bytes()) + "_bytes";
                         });

}  // namespace
}  // namespace scantune::load_balance_test
