#include "reduce_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "bench.h"
#include "edge_sizes.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "offsets_in_memory.h"
#include "scan_items.h"

namespace scantune::reduce_test {
namespace {

constexpr u64 kTurns = 9;  // counts of rows, columns and segments that sizes are cut into

bool is_of_short_rows(const FamilyModel& family) { return family.name() == std::string_view("reduce_short_rows"); }

}  // namespace

std::span<const FamilyModel* const> reduce_families() { return families_of<ReduceRequest>(Standing::library); }

bool is_of_rows(const FamilyModel& family) {
  return family.name() == std::string_view("reduce_rows") || is_of_short_rows(family);
}
bool is_of_columns(const FamilyModel& family) { return family.name() == std::string_view("reduce_columns"); }
bool is_of_segments(const FamilyModel& family) { return family.name() == std::string_view("reduce_segments"); }

ReduceRequest reduction_of(ValueType input, ValueType output, Operator op, Init init, Position position) {
  return {.input_type = input,
          .accumulator_type = default_accumulator(input, output),
          .output_type = output,
          .op = op,
          .position = position,
          .init = init};
}

ReduceRequest custom_reduction(const TestOperator& custom, Init init) {
  const ScanRequest& scan = custom.request;
  return {.input_type = scan.input_type,
          .accumulator_type = scan.accumulator_type,
          .output_type = scan.output_type,
          .op = scan.op,
          .init = init,
          .custom_bytes = scan.custom_bytes,
          .custom_alignment = scan.custom_alignment};
}

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

namespace {

// Rows of one of several lengths, where there are enough items to cut all but the last to it. The first ones are whole
// vectors of any type.
u64 short_rows(u64 n, u64 turn) {
  constexpr u64 kLengths[] = {16, 32, 48, 3, 112, 7, 64, 31, 1};
  const u64 length = kLengths[(turn - 1) % std::size(kLengths)];
  return n >= length * length ? ceil_div(n, length) : turn;
}

}  // namespace

ReduceRequest asked_of(const FamilyModel& family, ReduceRequest request, u64 n, u64 rows) {
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

namespace {

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

}  // namespace

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

bool takes(const Config& config, const ReduceRequest& request) {
  return !is_of_short_rows(config.family()) || reject_reason(config, request, kHostSm) == nullptr;
}

void check_edge_sizes(const ReduceRequest& of, const Config& config, Random& random, const TestOperator* custom,
                      const std::vector<bool>& alignments) {
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

}  // namespace scantune::reduce_test
