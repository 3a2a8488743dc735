// Every family of reductions compared with a plain loop, at the edge sizes, under a few schedules each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "bench.h"
#include "designed_rows.h"
#include "edge_sizes.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "offsets_in_memory.h"
#include "sampled_requests.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune::reduce_test {
namespace {

constexpr std::size_t kSampledProblems = 24 * kTestEffort;  // of each family
constexpr int kMaxTileItems = 4096;
constexpr u64 kTurns = 9;  // counts of rows, columns and segments that sizes are cut into
constexpr int kBuiltInOperators = static_cast<int>(Operator::custom_cheap);

std::span<const FamilyModel* const> reduce_families() { return families_of<ReduceRequest>(Standing::library); }

bool is_of_short_rows(const FamilyModel& family) { return family.name() == std::string_view("reduce_short_rows"); }
bool is_of_rows(const FamilyModel& family) {
  return family.name() == std::string_view("reduce_rows") || is_of_short_rows(family);
}
bool is_of_columns(const FamilyModel& family) { return family.name() == std::string_view("reduce_columns"); }
bool is_of_segments(const FamilyModel& family) { return family.name() == std::string_view("reduce_segments"); }

ReduceRequest reduction_of(ValueType input, ValueType output, Operator op = Operator::sum, Init init = Init::none,
                           Position position = Position::none) {
  return {.input_type = input,
          .accumulator_type = default_accumulator(input, output),
          .output_type = output,
          .op = op,
          .position = position,
          .init = init};
}

ReduceRequest custom_reduction(const TestOperator& custom, Init init = Init::none) {
  const ScanRequest& scan = custom.request;
  return {.input_type = scan.input_type,
          .accumulator_type = scan.accumulator_type,
          .output_type = scan.output_type,
          .op = scan.op,
          .init = init,
          .custom_bytes = scan.custom_bytes,
          .custom_alignment = scan.custom_alignment};
}

// The inclusive scan whose last result is the reduction.
ScanRequest as_scan(const ReduceRequest& request) {
  return {.input_type = request.input_type,
          .accumulator_type = request.accumulator_type,
          .output_type = request.output_type,
          .op = request.op,
          .init = request.has_position() ? Init::none : request.init,
          .custom_bytes = request.custom_bytes,
          .custom_alignment = request.custom_alignment,
          .n = request.n};
}

// Rows of one of several lengths, where there are enough items to cut all but the last to it. The first ones are whole
// vectors of any type.
u64 short_rows(u64 n, u64 turn) {
  constexpr u64 kLengths[] = {16, 32, 48, 3, 112, 7, 64, 31, 1};
  const u64 length = kLengths[(turn - 1) % std::size(kLengths)];
  return n >= length * length ? ceil_div(n, length) : turn;
}

// Returns a request that the family is for: a family of rows, columns or segments gets a few of them, and one of short
// rows as many as make them short. The types of offsets, their forms and where their count lies take turns.
ReduceRequest asked_of(const FamilyModel& family, ReduceRequest request, u64 n, u64 rows = 1) {
  request.n = n;
  if (is_of_segments(family)) {
    const int turn = static_cast<int>(request.op) + static_cast<int>(request.input_type);
    request.segments = Segments::offsets;
    request.segment_count = 2 * rows;
    request.offset_type = static_cast<OffsetType>(turn % 4);
    request.offset_form = static_cast<OffsetForm>(turn % 2);
    request.count_source = static_cast<CountSource>(turn % 3);
    if (request.has_position()) request.init = Init::value;
    if (request.init == Init::memory && turn % 2 == 0) request.init = Init::each;
    return request;
  }
  if (is_of_columns(family)) {
    request.segments = Segments::columns;
    request.columns = rows > n && !request.has_init() ? 1 : rows;
    if (unsupported_reason(request) != nullptr) request.columns = 1;
    return request;
  }
  if (!is_of_rows(family)) return request;
  request.segments = Segments::rows;
  request.rows = is_of_short_rows(family) ? short_rows(n, rows) : rows;
  if (unsupported_reason(request) != nullptr) request.rows = 1;  // more than items, or a row without any
  return request;
}

bool solves(const FamilyModel& family, const ReduceRequest& request) {
  return family.unsupported_reason(asked_of(family, request, kSomeItems), kHostSm) == nullptr;
}

struct Case {
  ReduceRequest request;  // includes n and rows
  Config config;
  u64 seed;
  const TestOperator* custom = nullptr;
  u64 misaligned_bytes = 0;  // of the input
  Variant variant = Variant::aligned;
  u64 first_item = 0;  // index of the input's first item
};

std::string to_string(const Case& reduction) {
  return scantune::to_string(Request(reduction.request)) + ", " + scantune::to_string(reduction.config) + ", input " +
         std::to_string(reduction.misaligned_bytes) + " bytes from alignment, seed " + std::to_string(reduction.seed);
}

const Module& module_of(const Case& reduction) {
  Instantiation result = instantiate(reduction.request, reduction.config, reduction.variant,
                                     reduction.custom != nullptr ? &reduction.custom->custom : nullptr);
  if (reduction.first_item != 0) {
    const std::string end = ">;\n";
    result.source.replace(result.source.find(end), end.size(), ", " + std::to_string(reduction.first_item) + end);
  }
  return bench().kernels.get(result);
}

struct Result {
  Bytes output;
  std::vector<u64> positions;
};

// Given rows as they are in memory, perhaps with gaps between them. Columns are given as they are there.
Bytes in_memory(const ReduceRequest& request, const Bytes& items) {
  const Strides& strides = request.layout.input;
  if (!request.layout.is_strided() || request.segments == Segments::columns || items.empty()) return items;
  const u64 bytes = static_cast<u64>(request.input_bytes()), row_bytes = row_items(request) * bytes;
  Bytes apart(strided_range(request, strides).items * bytes, 0x5c);
  for (u64 row = 0; row < request.rows; ++row)
    std::copy_n(items.begin() + static_cast<std::ptrdiff_t>(row * row_bytes), row_bytes,
                apart.begin() + strides.begin(row, request.layout.plane_sequences) * static_cast<i64>(bytes));
  return apart;
}

// The results for items in memory, one for each row. Nothing around or under the input changes.
Result reduced(const Case& reduction, const Bytes& given, const Bytes& init) {
  const Module& module = module_of(reduction);
  if (is_rehearsal()) return {};
  HostDevice& device = bench().device;
  const ReduceRequest& request = reduction.request;
  const Bytes items = in_memory(request, given);
  const u64 results = request.segments == Segments::rows      ? request.rows
                      : request.segments == Segments::columns ? request.columns
                      : request.has_offsets()                 ? request.segment_count
                                                              : 1;
  const GuardedMemory input(device, items.size(), reduction.misaligned_bytes);
  const GuardedMemory output(device, results * static_cast<u64>(request.output_bytes()),
                             static_cast<u64>(request.alignment_of(request.output_type)));
  const auto index_bytes = static_cast<std::size_t>(bytes_of(request.index_width));
  const GuardedMemory positions(device, results * index_bytes, index_bytes);
  const GuardedMemory init_memory(device, init.size() * (request.init == Init::each ? results : 1),
                                  static_cast<u64>(request.alignment_of(request.accumulator_type)));
  std::copy(items.begin(), items.end(), input.data());
  for (u64 place = 0; place < init_memory.size(); place += init.size())
    std::copy(init.begin(), init.end(), init_memory.data() + place);
  const Workspace workspace(device, reduction.config.family().workspace(reduction.config, request));

  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, items.empty() ? nullptr : input.data());
  arguments.set_operand(OperandRole::output, output.data());
  arguments.workspace = workspace.data();
  arguments.layout = request.layout;
  if (request.has_position()) arguments.set_operand(OperandRole::indices, positions.data());
  if (request.init == Init::value) std::memcpy(arguments.init, init.data(), init.size());
  if (request.init > Init::value) arguments.set_operand(OperandRole::init, init_memory.data());
  std::optional<OffsetsInMemory> offsets;
  if (request.has_offsets()) offsets.emplace(device, request).set(arguments);
  arguments.layout = request.layout;
  const LaunchList list = reduction.config.family().launches(reduction.config, request, reduction.variant);
  std::vector<HostLaunch> launches;
  for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
  EXPECT_NO_THROW(device.run(launches, Schedule::from_seed(reduction.seed)));

  EXPECT_TRUE(input.surroundings_intact() && output.surroundings_intact() && positions.surroundings_intact());
  EXPECT_TRUE(std::equal(items.begin(), items.end(), input.data())) << "the input has changed";
  if (request.has_offsets()) {
    const auto unwritten = static_cast<std::ptrdiff_t>(count_of_segments(request)) * request.output_bytes();
    EXPECT_TRUE(std::all_of(output.data() + unwritten, output.data() + output.size(), [](unsigned char byte) {
      return byte == GuardedMemory::kPoison;
    })) << "there are fewer segments";
  }
  Result result{{output.data(), output.data() + output.size()}, std::vector<u64>(results)};
  for (u64 row = 0; row < results; ++row)
    std::memcpy(&result.positions[row], positions.data() + row * index_bytes, index_bytes);
  return result;
}

Bytes reversed(const Bytes& items, int item_bytes) {
  Bytes result;
  for (auto end = items.end(); end != items.begin(); end -= item_bytes)
    result.insert(result.end(), end - item_bytes, end);
  return result;
}

// A minimum or maximum stands first where the running one becomes what it stays.
u64 expected_position(const ReduceRequest& request, const Bytes& items) {
  if (request.position == Position::last) {
    ReduceRequest backwards = request;
    backwards.position = Position::first;
    return items.size() / static_cast<std::size_t>(request.input_bytes()) - 1 -
           expected_position(backwards, reversed(items, request.input_bytes()));
  }
  ScanRequest scan = as_scan(request);
  scan.output_type = request.accumulator_type;
  const auto bytes = static_cast<std::size_t>(request.accumulator_bytes());
  const Bytes running = expected_scan(scan, items, nullptr);
  const Bytes last(running.end() - request.accumulator_bytes(), running.end());
  u64 index = 0;
  while (difference(scan, &running[index * bytes], last)) ++index;
  return index;
}

Bytes column_of(const ReduceRequest& request, const Bytes& items, u64 column) {
  const auto bytes = static_cast<std::size_t>(request.input_bytes());
  const Strides& strides = request.layout.input;
  Bytes result;
  for (u64 index = column; index < request.n; index += request.columns) {
    const i64 line = static_cast<i64>(index / request.columns);
    const u64 item =
        !request.layout.is_strided()
            ? index
            : static_cast<u64>(strides.begin(column, request.layout.plane_sequences) + line * strides.item);
    result.insert(result.end(), items.begin() + static_cast<std::ptrdiff_t>(item * bytes),
                  items.begin() + static_cast<std::ptrdiff_t>((item + 1) * bytes));
  }
  return result;
}

Bytes row_of(const ReduceRequest& request, const Bytes& items, u64 row) {
  const u64 items_of_row = row_items(request);
  std::pair<u64, u64> its{std::min(row * items_of_row, request.n), std::min((row + 1) * items_of_row, request.n)};
  if (request.has_offsets()) its = segments_of(request)[row];
  const auto place = [&](u64 item) {
    return items.begin() + static_cast<std::ptrdiff_t>(item) * request.input_bytes();
  };
  return {place(its.first), place(its.second)};
}

int identity_of_i8(const ReduceRequest& request) { return request.op == Operator::min ? 0x7f : 0x80; }

void check(const Case& reduction, const Bytes& items, const Bytes& init) {
  SCOPED_TRACE(to_string(reduction));
  const ReduceRequest& request = reduction.request;
  const Result found = reduced(reduction, items, init);
  u64 rows = found.positions.size();
  if (request.has_offsets()) rows = std::min(rows, count_of_segments(request));
  for (u64 row = 0; row < rows; ++row) {
    const Bytes of_row =
        request.segments == Segments::columns ? column_of(request, items, row) : row_of(request, items, row);
    if (request.has_position() && of_row.empty()) {
      if (request.input_type == ValueType::i8) {
        ASSERT_EQ(found.output[row], identity_of_i8(request)) << "row " << row;
      }
      ASSERT_EQ(found.positions[row], ~u64{0} >> (64 - 8 * bytes_of(request.index_width))) << "row " << row;
      continue;
    }
    const Bytes expected = expected_total(as_scan(request), of_row, init.data(), reduction.custom);
    const unsigned char* const output = &found.output[row * static_cast<u64>(request.output_bytes())];
    ASSERT_EQ(difference(as_scan(request), output, expected, reduction.custom), std::nullopt) << "row " << row;
    if (request.has_position()) {
      ASSERT_EQ(found.positions[row] - reduction.first_item, expected_position(request, of_row)) << "row " << row;
    }
  }
}

void check(const Case& reduction) {
  const ReduceRequest& request = reduction.request;
  ScanRequest drawn = as_scan(request);
  const Bytes init = scan_init(drawn, reduction.custom);
  if (request.segments == Segments::columns) {  // whose products are exact down each column
    drawn.segments = Segments::columns;
    drawn.columns = request.columns;
  }
  check(reduction, request.n == 0 ? Bytes() : scan_items(drawn, reduction.seed, reduction.custom), init);
}

// What is read at once, and a tile, must suit the length of short rows. Other configs take any request here.
bool takes(const Config& config, const ReduceRequest& request) {
  return !is_of_short_rows(config.family()) || reject_reason(config, request, kHostSm) == nullptr;
}

void check_edge_sizes(const ReduceRequest& of, const Config& config, Random& random,
                      const TestOperator* custom = nullptr, const std::vector<bool>& alignments = {true, false}) {
  const FamilyModel& family = config.family();
  std::vector<u64> sizes = edge_sizes(static_cast<u64>(family.tile_items(config, asked_of(family, of, kSomeItems))));
  if (of.has_init()) sizes.push_back(0);
  // A value that needs large tiles takes no more items than any others: it takes fewer tiles.
  std::erase_if(sizes, [](u64 n) { return n > 19 * kMaxTileItems + 17; });
  for (const u64 n : sizes)
    for (const bool aligned : alignments) {
      const u64 first_turn = random.below(kTurns);
      ReduceRequest request = asked_of(family, of, n, 1 + first_turn);
      for (u64 turn = 1; turn < kTurns && !takes(config, request); ++turn)
        request = asked_of(family, of, n, 1 + (first_turn + turn) % kTurns);
      if (!takes(config, request)) continue;
      Case reduction{request, config, random.below(1u << 30), custom};
      if (!aligned) {
        reduction.variant = Variant::any;
        reduction.misaligned_bytes =
            static_cast<u64>(request.alignment_of(request.input_type)) * random.below(kVectorAlignmentBytes);
      }
      check(reduction);
      if (testing::Test::HasFailure()) return;
    }
}

// A legal config with small tiles, half of them of one or two warps, which no search tries.
Config drawn_config(const FamilyModel& family, const ReduceRequest& of, Random& random) {
  const ReduceRequest request = asked_of(family, of, kSomeItems);
  for (int draw = 0; draw < 100'000; ++draw) {
    Config config(family);
    for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index) {
      const auto& values = family.parameters()[static_cast<std::size_t>(index)].values;
      config[index] = values[random.below(static_cast<u32>(values.size()))];
    }
    if (random.chance(50)) config[0] = kWarpThreads * static_cast<int>(1 + random.below(2));
    if (family.invalid_reason(config, request, kHostSm) == nullptr &&
        family.tile_items(config, request) <= kMaxTileItems)
      return config;
  }
  throw std::invalid_argument(std::string("no config of ") + family.name());
}

struct Problem {
  const FamilyModel* family;
  ReduceRequest request;
  u64 seed;
};

std::string name_of(const Problem& problem) {
  const ReduceRequest& request = problem.request;
  return std::string(problem.family->name()) + "_" + token(request.input_type) + "_" + token(request.output_type) +
         "_" + token(request.op) + (request.has_position() ? "_position" : std::string("_init_") + token(request.init));
}

void PrintTo(const Problem& problem, std::ostream* out) { *out << name_of(problem); }

// ---- the design: every pair of what reductions differ in ----

constexpr const char* kStarts[] = {"no_init", "from_value", "from_memory", "with_position", "with_last_position"};

// Scans have the others, by the same operators.
constexpr TypePair kDesignedTypes[] = {
    {ValueType::i8, ValueType::i8},   {ValueType::u16, ValueType::u16},   {ValueType::i32, ValueType::i32},
    {ValueType::u32, ValueType::u32}, {ValueType::i64, ValueType::i64},   {ValueType::u64, ValueType::u64},
    {ValueType::f16, ValueType::f16}, {ValueType::bf16, ValueType::bf16}, {ValueType::f32, ValueType::f32},
    {ValueType::f64, ValueType::f64}, {ValueType::u8, ValueType::u32},    {ValueType::i16, ValueType::i64},
    {ValueType::f16, ValueType::f32}};

ReduceRequest designed_request(const DesignRow& row) {
  const TypePair& pair = kDesignedTypes[row[1]];
  const bool has_position = row[3] >= 3;
  ReduceRequest request = reduction_of(pair.input, pair.output, static_cast<Operator>(row[2]),
                                       has_position ? Init::none : static_cast<Init>(row[3]),
                                       !has_position ? Position::none
                                       : row[3] == 3 ? Position::first
                                                     : Position::last);
  if (has_position && request.op == Operator::max) request.index_width = IntegerWidth::bits_32;
  return request;
}

Design reduce_design() {
  std::vector<std::string> families, types, operators;
  for (const FamilyModel* family : reduce_families()) families.emplace_back(family->name());
  std::ranges::sort(families);
  for (const TypePair& pair : kDesignedTypes)
    types.push_back(std::string(token(pair.input)) + "_" + token(pair.output));
  for (int op = 0; op < kBuiltInOperators; ++op) operators.emplace_back(token(static_cast<Operator>(op)));
  return Design("reductions", 2, 1,
                {{"family", families},
                 {"types", types},
                 {"operator", operators},
                 {"start", {std::begin(kStarts), std::end(kStarts)}},
                 {"place", {"aligned", "unaligned"}, true}},
                [families](const DesignRow& row) {
                  return solves(*find_family(families[static_cast<std::size_t>(row[0])]), designed_request(row));
                });
}

TEST(ReduceDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (reduce_design().write_if_asked()) return;
  EXPECT_EQ(reduce_design().gaps(), std::vector<std::string>{});
}

// The rows, whose configs have between them every value of every parameter.
const std::vector<DesignedCase>& designed_reductions() {
  static const Design kDesign = reduce_design();
  static const std::vector<DesignedCase> kReductions = [] {
    CoveringConfigs configs(kMaxTileItems);
    return designed_cases(kDesign, rows_to_run(kDesign), [&](const DesignRow& values, const RowReader& row) {
      return configs.next(row.family(), asked_of(row.family(), designed_request(values), kSomeItems));
    });
  }();
  return kReductions;
}

class Reduce : public testing::TestWithParam<DesignedCase> {};

TEST_P(Reduce, IsRightAtEdgeSizes) {
  const auto& [design, row, config] = GetParam();
  SCOPED_TRACE(design->describe(row));
  Random random(GetParam().read().seed());
  check_edge_sizes(designed_request(row), config, random, nullptr, {row[4] == 0});
}

INSTANTIATE_TEST_SUITE_P(Designed, Reduce, testing::ValuesIn(designed_reductions()), kNameOfRow);

TEST(ReduceDesign, HasEveryValueOfEveryParameter) {
  needs_no_kernel();
  for (const FamilyModel* family : reduce_families()) {
    std::vector<std::string> missing = values_that_none_has(*family, designed_reductions());
    std::erase(missing, "band_lines 64");  // for columns that are no longer, of which no request above is
    std::erase(missing,
               "columns_per_thread 16");  // for bytes alone, of which there are few rows: ReducedColumns has it
    EXPECT_EQ(missing, std::vector<std::string>{}) << family->name();
  }
}

// ---- drawn problems ----

// What a sample must not miss.
std::vector<std::string> properties(const ReduceRequest& request) {
  const std::string op = token(request.op);
  return {std::string(token(request.input_type)) + " to " + token(request.output_type),
          op + (request.has_position() ? " and its position" : " of ") + std::to_string(request.accumulator_bytes()),
          std::string("init ") + token(request.init)};
}

std::vector<ReduceRequest> problems_of(const FamilyModel& family) {
  std::vector<ReduceRequest> all;
  for (const TypePair& pair : kTypePairs)
    for (int op = 0; op < kBuiltInOperators; ++op) {
      for (const Init init : {Init::none, Init::value, Init::memory})
        all.push_back(reduction_of(pair.input, pair.output, static_cast<Operator>(op), init));
      all.push_back(reduction_of(pair.input, pair.output, static_cast<Operator>(op), Init::none, Position::first));
    }
  std::erase_if(all, [&](const ReduceRequest& request) { return !solves(family, request); });
  return all;
}

// Each family has a sample of its own, in which problems that add a property come first.
std::vector<Problem> sampled_problems() {
  std::vector<Problem> sample;
  for (const FamilyModel* family : reduce_families()) {
    std::vector<ReduceRequest> all = problems_of(*family);
    Random random(1 + sample.size());
    for (std::size_t left = all.size(); left > 1; --left)
      std::swap(all[left - 1], all[random.below(static_cast<u32>(left))]);
    std::set<std::string> seen;
    const auto others = std::stable_partition(all.begin(), all.end(), [&](const ReduceRequest& request) {
      bool adds = false;
      for (const std::string& property : properties(request)) adds |= seen.insert(property).second;
      return adds;
    });
    const auto count = std::max<std::size_t>(static_cast<std::size_t>(others - all.begin()), kSampledProblems);
    for (std::size_t index = 0; index < std::min(count, all.size()); ++index)
      sample.push_back({family, all[index], 1000 + sample.size()});
  }
  return sample;
}

class SampledReduce : public testing::TestWithParam<Problem> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledReduce);

TEST_P(SampledReduce, IsRightAtEdgeSizes) {
  const auto& [family, request, seed] = GetParam();
  Random random(seed);
  check_edge_sizes(request, drawn_config(*family, request, random), random);
}

INSTANTIATE_TEST_SUITE_P(Sampled, SampledReduce, testing::ValuesIn(drawn_in_long_runs(sampled_problems())),
                         [](const auto& tested) { return name_of(tested.param); });

// Each operator is for two of the families that take one, other two for the next.
struct CustomProblem {
  const FamilyModel* family;
  TestOperator custom;
};

void PrintTo(const CustomProblem& problem, std::ostream* out) {
  *out << problem.family->name() << " of " << problem.custom.name;
}

std::vector<CustomProblem> custom_problems() {
  std::vector<CustomProblem> all;
  std::vector<const FamilyModel*> takers;
  for (const FamilyModel* family : reduce_families())
    if (solves(*family, custom_reduction(affine_maps()))) takers.push_back(family);
  std::size_t turn = 0;
  for (const TestOperator& custom : test_operators())
    for (int time = 0; time < 2; ++time) all.push_back({takers[turn++ % takers.size()], custom});
  return all;
}

class CustomReduce : public testing::TestWithParam<CustomProblem> {};

TEST_P(CustomReduce, IsRightAtEdgeSizes) {
  const auto& [family, custom] = GetParam();
  Random random(static_cast<u64>(100 * custom.request.custom_bytes + custom.request.custom_alignment));
  const ReduceRequest request = custom_reduction(custom, static_cast<Init>(random.below(3)));
  check_edge_sizes(request, drawn_config(*family, request, random), random, &custom, {random.chance(50)});
}

INSTANTIATE_TEST_SUITE_P(AllOperators, CustomReduce, testing::ValuesIn(custom_problems()), [](const auto& tested) {
  return std::string(tested.param.family->name()) + "_" + tested.param.custom.name;
});

TEST(ReduceSample, LeavesOutNoFamilyTypeOrOperator) {
  needs_no_kernel();
  std::set<std::string> families, found, all;
  for (const Problem& problem : sampled_problems()) {
    families.insert(problem.family->name());
    for (const std::string& property : properties(problem.request))
      found.insert(problem.family->name() + (": " + property));
  }
  for (const FamilyModel* family : reduce_families())
    for (const ReduceRequest& request : problems_of(*family))
      for (const std::string& property : properties(request)) all.insert(family->name() + (": " + property));
  EXPECT_EQ(found, all);
  EXPECT_EQ(families.size(), reduce_families().size());
}

// Small tiles, so that many CTAs meet.
struct Small {
  const char* family;
  std::vector<std::pair<std::string, std::string>> values;
};

void PrintTo(const Small& small, std::ostream* out) { *out << small.family; }

const std::vector<Small> kSmall = {
    {"reduce_block", {{"block_threads", "32"}, {"unroll", "1"}, {"cluster_blocks", "1"}}},
    {"reduce_block", {{"block_threads", "64"}, {"unroll", "2"}, {"cluster_blocks", "1"}}},
    {"reduce_block", {{"block_threads", "32"}, {"unroll", "2"}, {"cluster_blocks", "2"}}},
    {"reduce_block", {{"block_threads", "64"}, {"unroll", "1"}, {"cluster_blocks", "4"}, {"pdl", "0"}}},
    {"reduce_gather", {{"block_threads", "32"}, {"unroll", "8"}, {"ctas_per_sm", "8"}}},
    {"reduce_gather", {{"block_threads", "64"}, {"unroll", "4"}, {"ctas_per_sm", "1"}, {"deal", "tiles"}}},
    {"reduce_last_block", {{"block_threads", "32"}, {"unroll", "4"}, {"ctas_per_sm", "8"}}},
    {"reduce_last_block", {{"block_threads", "64"}, {"unroll", "2"}, {"ctas_per_sm", "1"}, {"deal", "tiles"}}},
    {"reduce_two_pass", {{"block_threads", "32"}, {"unroll", "4"}, {"ctas_per_sm", "8"}}},
    {"reduce_two_pass", {{"block_threads", "64"}, {"unroll", "2"}, {"ctas_per_sm", "2"}, {"deal", "tiles"}}},
    {"reduce_atomic", {{"block_threads", "32"}, {"unroll", "1"}, {"ctas_per_sm", "4"}}},
    {"reduce_atomic", {{"block_threads", "64"}, {"unroll", "2"}, {"ctas_per_sm", "1"}, {"deal", "tiles"}}},
    {"reduce_rows", {{"block_threads", "64"}, {"unroll", "1"}, {"rows_per_block", "2"}}},
    // A row is cut into all shares that are allowed, and into one for each of its tiles.
    {"reduce_rows", {{"block_threads", "64"}, {"unroll", "2"}, {"blocks_per_row", "4"}}},
    {"reduce_rows", {{"block_threads", "32"}, {"unroll", "4"}, {"blocks_per_row", "256"}}},
    // Groups of lanes, of which some have no row.
    {"reduce_rows", {{"block_threads", "64"}, {"threads_per_row", "32"}, {"unroll", "2"}, {"rows_per_block", "2"}}},
    {"reduce_rows", {{"block_threads", "32"}, {"threads_per_row", "2"}, {"unroll", "8"}}},
    {"reduce_rows", {{"block_threads", "64"}, {"threads_per_row", "1"}, {"unroll", "1"}}},
    {"reduce_short_rows",
     {{"block_threads", "64"}, {"vectors_per_thread", "1"}, {"threads_per_row", "4"}, {"items_per_read", "1"}}},
    // Vectors at once, which the kernel for any pointers puts on a boundary.
    {"reduce_short_rows", {{"block_threads", "64"}, {"vectors_per_thread", "2"}, {"threads_per_row", "2"}}},
    {"reduce_segments",
     {{"block_threads", "64"},
      {"segment_threads", "2"},
      {"segments_at_once", "2"},
      {"unroll", "1"},
      {"long_tiles", "1"}}},
    {"reduce_segments",
     {{"block_threads", "32"},
      {"segment_threads", "32"},
      {"segments_at_once", "1"},
      {"unroll", "2"},
      {"long_tiles", "2"}}},
    {"reduce_segments",
     {{"block_threads", "64"},
      {"segment_threads", "1024"},
      {"segments_at_once", "2"},
      {"unroll", "2"},
      {"long_tiles", "1"}}},
    {"reduce_columns",
     {{"block_threads", "64"},
      {"columns_per_block", "8"},
      {"columns_per_thread", "2"},
      {"unroll", "2"},
      {"band_lines", "1700"}}},
    {"reduce_columns",
     {{"block_threads", "64"},
      {"columns_per_block", "1"},
      {"columns_per_thread", "1"},
      {"unroll", "1"},
      {"band_lines", "1700"}}},
};

Config config_of(const Small& small, const ReduceRequest& request) {
  const FamilyModel& family = *find_family(small.family);
  Config config = family.default_config(asked_of(family, request, kSomeItems), kHostSm);
  for (const auto& [name, spelling] : small.values)
    for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index)
      if (const auto& parameter = family.parameters()[static_cast<std::size_t>(index)]; name == parameter.name)
        if (!(is_custom(request.op) && name == "deal")) config[index] = parse(parameter, spelling).value();
  EXPECT_STREQ(family.invalid_reason(config, asked_of(family, request, kSomeItems), kHostSm), nullptr)
      << to_string(config);
  return config;
}

// One column has several bands.
u64 few_rows(const FamilyModel& family) { return is_of_columns(family) ? 1 : 3; }

class SmallReduce : public testing::TestWithParam<Small> {};

TEST_P(SmallReduce, IsRightAtEdgeSizes) {
  const TestOperator maps = affine_maps();
  Random random(23);
  for (const auto& [request, custom] : std::vector<std::pair<ReduceRequest, const TestOperator*>>{
           {reduction_of(ValueType::i32, ValueType::i32, Operator::sum, Init::value), nullptr},
           {reduction_of(ValueType::f32, ValueType::f32, Operator::min, Init::none, Position::first), nullptr},
           {custom_reduction(maps, Init::value), &maps}}) {
    if (!solves(*find_family(GetParam().family), request)) continue;
    const Config config = config_of(GetParam(), request);
    for (int time = 0; time < 2 * kTestEffort; ++time)
      check_edge_sizes(request, config, random, custom, {request.has_init() != is_custom(request.op)});
    if (HasFailure()) return;
  }
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(values.data());
  return {bytes, bytes + values.size() * sizeof(T)};
}

// Inputs in which values alike stand at several places, the first of them in another CTA than most.
template <class T>
std::vector<std::vector<T>> treacherous(T sign) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity(), kNan = std::numeric_limits<T>::quiet_NaN();
  constexpr std::size_t kItems = 4'001;
  const auto among = [&](T others, const std::vector<std::pair<std::size_t, T>>& placed) {
    std::vector<T> items(kItems, others);
    for (const auto& [index, value] : placed) items[index] = value;
    return items;
  };
  return {among(7, {}),
          among(sign * kInfinity, {}),  // what an accumulator starts from
          among(-sign * kInfinity, {}),
          among(kNan, {}),
          among(T{0}, {{2'900, -T{0}}, {3'500, -T{0}}}),
          among(-T{0}, {{700, T{0}}, {701, T{0}}}),
          among(1, {{kItems - 1, -sign}, {kItems - 2, -sign}}),
          among(1, {{1'999, -sign * kInfinity}, {3'000, kNan}, {3'777, -kNan}}),
          among(kNan, {{0, -sign * kInfinity}}),
          among(sign * kInfinity, {{kItems - 1, kNan}})};
}

template <class T>
void check_extremes(const Small& small, ValueType type, std::initializer_list<Operator> operators, Position position) {
  const FamilyModel& family = *find_family(small.family);
  for (const Operator op : operators) {
    const ReduceRequest of = reduction_of(type, type, op, Init::none, position);
    if (!solves(family, of)) GTEST_SKIP() << "the family takes no such reduction";
    u64 seed = 0;
    for (const std::vector<T>& items : treacherous(op == Operator::min ? T{1} : T{-1}))
      for (const Variant variant : {type == ValueType::f32 ? Variant::aligned : Variant::any}) {
        const ReduceRequest request = asked_of(family, of, items.size(), few_rows(family));
        Case reduction{request, config_of(small, of), ++seed};
        reduction.variant = variant;
        reduction.misaligned_bytes = variant == Variant::any ? sizeof(T) : 0;
        check(reduction, bytes_of(items), {});
        if (testing::Test::HasFailure()) return;
      }
  }
}

TEST_P(SmallReduce, TellsWhereAnExtremeFirstStands) {
  check_extremes<f32>(GetParam(), ValueType::f32, {Operator::min}, Position::first);
  check_extremes<f64>(GetParam(), ValueType::f64, {Operator::max}, Position::first);
}

TEST_P(SmallReduce, TellsWhereAnExtremeLastStands) {
  check_extremes<f32>(GetParam(), ValueType::f32, {Operator::max}, Position::last);
}

TEST_P(SmallReduce, TellsWhereAnExtremeFirstStandsAmongIntegersAndHalves) {
  const FamilyModel& family = *find_family(GetParam().family);
  u64 seed = 100;
  for (const auto& [type, op] : {std::pair(ValueType::u8, Operator::min),
                                 {ValueType::i64, Operator::max},
                                 {ValueType::u64, Operator::max},
                                 {ValueType::bf16, Operator::min}}) {
    const ReduceRequest of = reduction_of(type, type, op, Init::none, Position::first);
    if (!solves(family, of)) GTEST_SKIP() << "the family takes no such reduction";
    Case reduction{asked_of(family, of, 5'003, is_of_columns(family) ? 1 : 2), config_of(GetParam(), of), ++seed};
    reduction.variant = Variant::any;
    reduction.misaligned_bytes = static_cast<u64>(size_of(type));
    const auto bytes = static_cast<std::size_t>(size_of(type));
    // All items are the operator's neutral one, which must not be taken for the absence of any.
    const bool least = op == Operator::max;
    Bytes items(5'003 * bytes, least ? 0x00 : 0xff);
    if (type == ValueType::i64)
      for (std::size_t last = bytes - 1; last < items.size(); last += bytes) items[last] = least ? 0x80 : 0x7f;
    check(reduction, items, {});
    check(reduction,
          is_floating(type) ? special_items(as_scan(reduction.request), seed)
                            : scan_items(as_scan(reduction.request), seed),
          {});
    if (HasFailure()) return;
  }
}

// Items of magnitudes so different that every sum is rounded.
Bytes items_that_tell_orders_apart(u64 n) {
  Random random(11);
  std::vector<u32> words(n);
  for (u32& word : words) word = (static_cast<u32>(random.next()) & 0x807f'ffff) | (127 + random.below(16)) << 23;
  return bytes_of(words);
}

// Rows of many tiles that begin anywhere: one after another with gaps, and in planes.
TEST_P(SmallReduce, IsRightOfLongRowsWithGaps) {
  const FamilyModel& family = *find_family(GetParam().family);
  const TestOperator maps = affine_maps_among_common_names();  // whose zero is no identity
  u64 seed = 200;
  for (const auto& [of, custom] : std::vector<std::pair<ReduceRequest, const TestOperator*>>{
           {reduction_of(ValueType::i16, ValueType::i64, Operator::sum, Init::value), nullptr},
           {reduction_of(ValueType::u8, ValueType::u8, Operator::max, Init::none, Position::last), nullptr},
           {custom_reduction(maps, Init::value), &maps}})
    for (const u64 rows : {1, 2, 3, 4}) {
      constexpr u64 kLength = 9'001;
      ReduceRequest request = of;
      request.segments = Segments::rows;
      request.rows = rows;
      request.n = rows * kLength;
      const i64 apart = kLength + 3;
      request.layout = {.input = {.item = 1, .sequence = apart, .first = 1}, .plane_sequences = rows};
      if (rows == 4)
        request.layout = {.input = {.item = 1, .sequence = 2 * apart, .plane = apart}, .plane_sequences = 2};
      if (family.unsupported_reason(request, kHostSm) != nullptr) GTEST_SKIP() << "the family takes no rows with gaps";
      Case reduction{request, config_of(GetParam(), of), ++seed, custom};
      reduction.variant = Variant::any;
      reduction.misaligned_bytes = static_cast<u64>(request.alignment_of(request.input_type)) * (seed % 5);
      check(reduction);
      if (HasFailure()) return;
    }
}

// Rows around the length of a vector and of several, more of them than a CTA has groups, one after another and in
// planes that descend.
TEST_P(SmallReduce, IsRightOfShortRowsWithGaps) {
  const FamilyModel& family = *find_family(GetParam().family);
  const TestOperator maps = affine_maps_among_common_names();  // whose zero is no identity
  u64 seed = 300;
  for (const auto& [of, custom] : std::vector<std::pair<ReduceRequest, const TestOperator*>>{
           {reduction_of(ValueType::bf16, ValueType::f32, Operator::sum, Init::value), nullptr},
           {reduction_of(ValueType::u8, ValueType::u8, Operator::max, Init::none, Position::last), nullptr},
           {custom_reduction(maps, Init::value), &maps}})
    for (const u64 length : {1, 3, 8, 17, 31, 48, 131, 600}) {
      constexpr u64 kRows = 70, kPlaneRows = 35;
      ReduceRequest request = of;
      request.segments = Segments::rows;
      request.rows = kRows;
      request.n = kRows * length;
      const i64 apart = static_cast<i64>(length) + 1 + static_cast<i64>(length % 4);
      request.layout = {.input = {.item = 1, .sequence = apart, .first = 2}, .plane_sequences = kRows};
      if (++seed % 2 == 0)
        request.layout = {.input = {.item = 1, .sequence = 2 * apart, .plane = -apart, .first = apart},
                          .plane_sequences = kPlaneRows};
      if (family.unsupported_reason(request, kHostSm) != nullptr) GTEST_SKIP() << "the family takes no rows with gaps";
      for (const Variant variant : {Variant::aligned, Variant::any}) {
        Case reduction{request, config_of(GetParam(), of), seed, custom};
        reduction.variant = variant;
        if (variant == Variant::any)
          reduction.misaligned_bytes = static_cast<u64>(request.alignment_of(request.input_type)) * (seed % 5);
        check(reduction);
        if (HasFailure()) return;
      }
    }
}

TEST_P(SmallReduce, GivesTheSameBitsOnEverySchedule) {
  const FamilyModel& family = *find_family(GetParam().family);
  const ReduceRequest of = reduction_of(ValueType::f32, ValueType::f32);
  if (!solves(family, of)) GTEST_SKIP() << "the family takes no such reduction";
  constexpr u64 kItems = 7'003;
  const Bytes items = items_that_tell_orders_apart(kItems);
  Case reduction{asked_of(family, of, kItems, few_rows(family)), config_of(GetParam(), of), 0};
  const Bytes aligned = reduced(reduction, items, {}).output;
  // Otherwise every order would pass.
  if (!is_of_rows(family) && !is_of_segments(family) && !is_rehearsal()) {
    ASSERT_NE(aligned, expected_total(as_scan(reduction.request), items, nullptr));
  }
  for (u64 seed = 1; seed <= 24; ++seed) {
    reduction.seed = seed;
    reduction.variant = seed % 6 < 2 ? Variant::aligned : Variant::any;
    reduction.misaligned_bytes = reduction.variant == Variant::any ? 4 * (seed % 4) : 0;
    ASSERT_EQ(reduced(reduction, items, {}).output, aligned) << to_string(reduction);
  }
}

// Rows and columns without items, and a whole without any, have the identity of the items' type and no index.
TEST_P(SmallReduce, TellsThatNothingHasNoPlace) {
  const FamilyModel& family = *find_family(GetParam().family);
  ReduceRequest of = reduction_of(ValueType::i8, ValueType::i8, Operator::min, Init::value, Position::first);
  if (!solves(family, of)) GTEST_SKIP() << "the family takes no such reduction";
  const Config config = config_of(GetParam(), of);
  const bool has_rows = is_of_rows(family) || is_of_columns(family);  // those of segments have empty ones anyway
  for (const u64 n : {u64{0}, u64{1}, u64{10}, u64{2'003}}) {
    const Case reduction{asked_of(family, of, n, n == 10 ? 12 : 3), config, 40 + n};
    if (n == 10 && has_rows && !is_rehearsal()) {
      ASSERT_GT(reduction.request.rows + reduction.request.columns, n);
    }
    if (!takes(config, reduction.request)) continue;
    check(reduction, Bytes(n, 0x7f), {0});  // which are the identity themselves
    if (HasFailure()) return;
  }
}

TEST(SmallReduces, AreOfEveryFamily) {
  needs_no_kernel();
  std::set<std::string> tested, all;
  for (const Small& small : kSmall) tested.insert(small.family);
  for (const FamilyModel* family : reduce_families()) all.insert(family->name());
  EXPECT_EQ(tested, all);
}

INSTANTIATE_TEST_SUITE_P(Configs, SmallReduce, testing::ValuesIn(kSmall), [](const auto& tested) {
  return std::string(tested.param.family) + "_" + std::to_string(tested.index);
});

// So many rows of two shares that the last one is empty.
TEST(ReduceRows, GiveAnEmptyRowTheInitialValueAmongSharedOutOnes) {
  const TestOperator maps = affine_maps_among_common_names();  // whose zero is no identity
  const ReduceRequest of = custom_reduction(maps, Init::value);
  const Config config =
      config_of({"reduce_rows", {{"block_threads", "32"}, {"unroll", "2"}, {"blocks_per_row", "2"}}}, of);
  ReduceRequest request = asked_of(config.family(), of, kSomeItems);
  const u64 length = 2 * static_cast<u64>(config.family().tile_items(config, request));
  request.rows = length + 1;
  request.n = request.rows * (length - 1) + 1;
  ASSERT_EQ(row_items(request) * (request.rows - 1), request.n);
  ASSERT_EQ(config.family().launches(config, request, Variant::aligned).count, 2);
  check({request, config, 1, &maps});
}

// ---- columns: vectors of them, lines in turn, and strides ----

struct ColumnReduction {
  const char* name;
  ReduceRequest request;
  std::vector<std::pair<std::string, std::string>> values;
  std::optional<TestOperator> custom = {};
};

void PrintTo(const ColumnReduction& one, std::ostream* out) { *out << one.name; }

// Bands are lower than is legal, so that few items have several.
std::vector<ColumnReduction> column_reductions() {
  using enum ValueType;
  const auto values = [](const char* threads, const char* beside, const char* each, const char* unroll,
                         const char* lines) {
    return std::vector<std::pair<std::string, std::string>>{{"block_threads", threads},
                                                            {"columns_per_block", beside},
                                                            {"columns_per_thread", each},
                                                            {"unroll", unroll},
                                                            {"band_lines", lines}};
  };
  return {{"first_of_floats", reduction_of(f32, f32, Operator::max, Init::none, Position::first),
           values("128", "32", "4", "2", "64")},
          {"last_of_halves", reduction_of(f16, f16, Operator::min, Init::none, Position::last),
           values("96", "64", "2", "4", "1048576")},
          {"first_of_doubles_in_one_segment", reduction_of(f64, f64, Operator::max, Init::none, Position::first),
           values("64", "128", "2", "2", "1048576")},
          {"sums_of_bytes", reduction_of(i8, i8, Operator::sum, Init::value), values("64", "32", "16", "2", "64")},
          {"bytes_in_one_segment", reduction_of(u8, u32, Operator::max, Init::memory),
           values("32", "512", "16", "4", "1024")},
          {"sums_of_halves", reduction_of(bf16, f32), values("256", "1", "1", "8", "256")},
          {"own_operator", custom_reduction(affine_maps(), Init::value), values("128", "32", "2", "2", "64"),
           affine_maps()}};
}

struct ColumnPlaces {
  u64 columns, lines, missing;  // items that the last line lacks
  Layout layout = {};
};

Layout strided(u64 plane_columns, Strides strides) { return {.input = strides, .plane_sequences = plane_columns}; }

// Few columns and many lines, and the other way round. With strides: gaps that keep vectors and others that do not,
// neighbours that descend, and starts on no boundary, after which lines have fewer columns than a vector, or one CTA
// more.
const std::vector<ColumnPlaces> kColumnPlaces = {
    {1, 500, 0},
    {2, 333, 0},
    {3, 401, 1},
    {5, 18, 2},
    {40, 18, 3},
    {16, 129, 0},
    {33, 65, 0},
    {260, 5, 7},
    {7, 1, 3},
    {1, 700, 0, strided(1, {.item = 2, .sequence = 1})},
    {1, 300, 0, strided(1, {.item = -3, .sequence = 1, .first = 897})},
    {2, 200, 0, strided(2, {.item = 16, .sequence = 1})},
    {48, 18, 0, strided(48, {.item = 64, .sequence = 1})},
    {48, 18, 0, strided(48, {.item = 51, .sequence = 1, .first = 3})},
    {48, 18, 0, strided(48, {.item = 64, .sequence = 1, .first = 3})},
    {48, 21, 0, strided(48, {.item = -64, .sequence = 1, .first = 20 * 64 + 5})},
    {3, 130, 0, strided(3, {.item = 16, .sequence = 1, .first = 6})},
    {510, 9, 0, strided(510, {.item = 512, .sequence = 1, .first = 15})},
    {64, 1, 0, strided(64, {.item = 64, .sequence = 1, .first = 1})},
    {512, 7, 130},
    {48, 21, 0, strided(48, {.item = 48, .sequence = -1, .first = 47})},
    {48, 21, 0, strided(48, {.item = -48, .sequence = -1, .first = 21 * 48 - 1})},
    {48, 21, 0, strided(48, {.item = 48, .sequence = -1, .first = 50})},
    {45, 21, 0, strided(45, {.item = 48, .sequence = -1, .first = 46})},
    {140, 5, 0, strided(2, {.item = 2, .sequence = -1, .plane = 10, .first = 1})},
    {160, 5, 0, strided(16, {.item = 16, .sequence = 1, .plane = 80})},
    {165, 5, 0, strided(15, {.item = 16, .sequence = 1, .plane = 80})},
    {96, 7, 0, strided(96, {.item = 1, .sequence = 7})},
};

// Few different values, of which each column has many in different segments.
Bytes few_values(const ReduceRequest& request, u64 items, Random& random, const TestOperator* custom) {
  ScanRequest drawn = as_scan(request);
  drawn.n = items;
  if (custom != nullptr) return scan_items(drawn, random.below(1u << 30), custom);
  constexpr u64 kValues[][3] = {{0, 1, 2},
                                {0, 0x3c00, 0xbc00},
                                {0, 0x3f800000, 0xbf800000},
                                {0, u64{0x3ff} << 52, u64{0xbff} << 52},
                                {0, 0x3f80, 0xbf80}};
  const int row = request.input_type == ValueType::f16    ? 1
                  : request.input_type == ValueType::f32  ? 2
                  : request.input_type == ValueType::f64  ? 3
                  : request.input_type == ValueType::bf16 ? 4
                                                          : 0;
  const auto bytes = static_cast<std::size_t>(request.input_bytes());
  Bytes result(items * bytes);
  for (u64 item = 0; item < items; ++item) std::memcpy(&result[item * bytes], &kValues[row][random.below(3)], bytes);
  return result;
}

class ReducedColumns : public testing::TestWithParam<ColumnReduction> {};

TEST_P(ReducedColumns, AreRightWithEveryShapeAndStride) {
  const ColumnReduction& one = GetParam();
  const TestOperator* const custom = one.custom ? &*one.custom : nullptr;
  const FamilyModel& family = *find_family("reduce_columns");
  Random random(71);
  for (const auto& [columns, lines, missing, layout] : kColumnPlaces) {
    ReduceRequest request = one.request;
    request.segments = Segments::columns;
    request.columns = columns;
    request.n = columns * lines - missing;
    request.layout = layout;
    if (family.unsupported_reason(request, kHostSm) != nullptr)
      continue;  // columns without items, and no initial value
    Config config = family.default_config(request, kHostSm);
    for (const auto& [name, spelling] : one.values)
      for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index)
        if (const auto& parameter = family.parameters()[static_cast<std::size_t>(index)]; name == parameter.name)
          config[index] = std::stoi(spelling);
    u64 items = request.n;
    if (layout.is_strided()) {
      const StridedRange range = layout.range(layout.input, columns, lines);
      ASSERT_EQ(range.lowest, 0);
      items = range.items;
    }
    for (const Variant variant : {Variant::aligned, Variant::any}) {
      Case reduction{request, config, random.below(1u << 30), custom};
      reduction.variant = variant;
      if (variant == Variant::any)
        reduction.misaligned_bytes =
            static_cast<u64>(request.alignment_of(request.input_type)) * (1 + random.below(kVectorAlignmentBytes));
      check(reduction, few_values(request, items, random, custom), scan_init(as_scan(request), custom));
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, ReducedColumns, testing::ValuesIn(column_reductions()),
                         [](const auto& tested) { return tested.param.name; });

// Lines in turn would give each of two segments the product of every other item, 4^300 or 4^-300.
TEST(ReduceColumns, KeepProductsFiniteThatAreFiniteFromItemToItem) {
  const ReduceRequest of = reduction_of(ValueType::f32, ValueType::f32, Operator::product);
  const Config config = config_of({"reduce_columns", {{"block_threads", "64"}, {"columns_per_block", "32"}}}, of);
  ReduceRequest request = asked_of(config.family(), of, 600);
  ASSERT_EQ(request.columns, 1u);
  Bytes items(request.n * sizeof(float));
  for (u64 item = 0; item < request.n; ++item) {
    const float value = item % 2 == 0 ? 4.0f : 0.25f;
    std::memcpy(&items[item * sizeof(float)], &value, sizeof value);
  }
  check({request, config, 1}, items, scan_init(as_scan(request), nullptr));
}

// Where the index does not fit 32 bits, no half of it is lost on the way.
TEST(ReducePosition, PassesTheItemAt2To32) {
  for (const FamilyModel* family : reduce_families()) {
    const ReduceRequest of = reduction_of(ValueType::i32, ValueType::i32, Operator::min, Init::none, Position::first);
    if (!solves(*family, of)) continue;
    const ReduceRequest request = asked_of(*family, of, 3'000);
    Case reduction{request, family->default_config(request, kHostSm), 4};
    reduction.first_item = (u64{1} << 32) - 1'000;
    check(reduction);
    reduction.request.position = Position::last;
    check(reduction);
  }
}

}  // namespace
}  // namespace scantune::reduce_test
