// The kernels of copies, whose speed is the ceiling of scans, under any schedule.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kept_compiler.h"
#include "kernel_fixture.h"
#include "measure/device_buffer.h"
#include "measure/verify.h"
#include "prepared_kernels.h"
#include "space/config_json.h"

namespace scantune::copy_test {
namespace {

constexpr u64 kSeeds = 8;

CopyRequest copy_of(ValueType input, ValueType output, u64 n) {
  return {.input_type = input, .output_type = output, .n = n};
}

CopyRequest copy_of_structs(int bytes, int alignment, u64 n) {
  return {.input_type = ValueType::custom,
          .output_type = ValueType::custom,
          .custom_bytes = bytes,
          .custom_alignment = alignment,
          .n = n};
}

Config small_vectors() {
  return config_of(*find_family("copy_vectors"),
                   Json::parse(R"({"block_threads": 32, "unroll": 2, "hint": "streaming"})"));
}

// Rows with strides, in items.
struct View {
  const char* what;
  const char* kernel;  // that copies items of 4 bytes
  u64 planes, rows, length;
  Strides in, out;

  // Strided items of one type, as the first copy of a pair is of rows and the other one of columns.
  CopyRequest of(CopyRequest request, bool by_columns = false) const {
    request.n = planes * rows * length;
    request.segments = by_columns ? Segments::columns : Segments::rows;
    (by_columns ? request.columns : request.rows) = planes * rows;
    request.layout = {in, out, rows};
    return request;
  }
};

// A pointer is to the first item, which need not be the lowest one. Strides are in the order of the items of a row, the
// rows of a plane, and the planes; then where the first item is.
constexpr View kViews[] = {
    {"rows with gaps", "copy_rows", 1, 5, 300, {1, 303, 0, 3}, {1, 301, 0, 1}},
    {"rows that begin alike", "copy_rows", 1, 6, 64, {1, 80, 0, 0}, {1, 96, 0, 16}},
    {"one long row between others", "copy_rows", 1, 1, 3001, {1, 7, 0, 5}, {1, 9, 0, 2}},
    {"short rows in planes of two", "copy_rows", 9, 2, 21, {1, 25, 51, 0}, {1, 190, 21, 1}},
    {"many short rows", "copy_rows", 1, 200, 9, {1, 11, 0, 1}, {1, 9, 0, 0}},
    {"rows before one another", "copy_rows", 1, 7, 40, {1, -41, 0, 0}, {1, -48, 0, 5}},
    {"rows from the end to the end", "copy_rows", 1, 5, 77, {-1, 80, 0, 79}, {-1, 79, 0, 78}},
    {"rows from the end to the beginning", "copy_rows", 2, 3, 77, {-1, 80, 250, 76}, {1, 79, 240, 1}},
    {"rows from the beginning to the end", "copy_rows", 1, 5, 50, {1, 53, 0, 2}, {-1, 50, 0, 49}},
    {"lines that are one row together", "copy_rows", 3, 4, 25, {1, 25, 111, 0}, {1, 25, 103, 3}},
    {"the same row again and again", "copy_rows", 1, 12, 60, {1, 0, 0, 2}, {1, 60, 0, 0}},
    {"a transpose", "transpose_tiles", 1, 70, 45, {1, 47, 0, 1}, {71, 1, 0, 2}},
    {"transposes of planes", "transpose_tiles", 3, 64, 128, {1, 128, 8192, 0}, {64, 1, 8192, 0}},
    {"transposes from and to the end", "transpose_tiles", 2, 33, 67, {-1, 70, 2310, 69}, {34, -1, 2300, 33}},
    {"a transpose of every other item", "transpose_tiles", 1, 40, 36, {2, 80, 0, 0}, {83, 2, 0, 1}},
    {"three arrays of one with items of three", "copy_items", 1, 100, 3, {1, 3, 0, 0}, {101, 1, 0, 0}},
    {"items of three of three arrays", "copy_items", 1, 3, 100, {1, 101, 0, 1}, {3, 1, 0, 0}},
    {"every other and every third item", "copy_items", 2, 6, 50, {2, 101, 700, 0}, {-3, 151, 1000, 149}},
    {"rows of two items", "copy_items", 3, 70, 2, {1, 4, 300, 0}, {1, 3, 210, 1}},
    {"one column", "copy_items", 1, 150, 1, {9, 3, 0, 0}, {-5, 1, 0, 0}},
    {"one item", "copy_items", 1, 1, 1, {4, 5, 6, 7}, {-3, -2, -1, 8}},
};

Config small_tiles(int vector_bytes) {
  Json json = Json::parse(R"({"block_threads": 32, "unroll": 2, "load_hint": "streaming", "store_hint": "normal",
                              "pdl": 1})");
  json["vector_bytes"] = vector_bytes;
  return config_of(*find_family("copy_strided"), json);
}

class Copies : public testing::Test {
 protected:
  void verify(const Request& request, const Config& config, u64 seeds = kSeeds) {
    if (rehearses(request, config)) return;
    for (u64 seed = 0; seed < seeds; ++seed) {
      device_.set_seed(seed);
      EXPECT_NO_THROW(verifier_.verify(request, config)) << "seed " << seed;
    }
  }

  // Asks for both kernels in a rehearsal, in which the first one would fail.
  bool rehearses(const Request& request, const Config& config) {
    if (!is_rehearsal()) return false;
    for (const Variant variant : {Variant::any, Variant::aligned})
      device_.compiler().compile(instantiate(request, config, variant), "host");
    return true;
  }

  HostDevice device_{0, kept_host_compiler()};
  Verifier verifier_{device_};
};

TEST_F(Copies, MoveEveryByteAndNoneBeyond) {
  verify(copy_of(ValueType::i32, ValueType::i32, 4093), small_vectors());
  verify(copy_of(ValueType::u8, ValueType::u8, 1021), small_vectors());
  verify(copy_of(ValueType::f64, ValueType::f64, 301), small_vectors());
  verify(copy_of_structs(3, 1, 1000), small_vectors());
  verify(copy_of_structs(32, 16, 100), small_vectors());
}

TEST_F(Copies, ConvertAsScansDo) {
  for (const auto& [input, output] :
       {std::pair(ValueType::i8, ValueType::i64), std::pair(ValueType::u64, ValueType::i8),
        std::pair(ValueType::i16, ValueType::f64), std::pair(ValueType::f16, ValueType::bf16),
        std::pair(ValueType::f64, ValueType::f16), std::pair(ValueType::f32, ValueType::f64)})
    verify(copy_of(input, output, 777), small_vectors());
}

// Whole arrays are compared, gaps included, for pointers of each alignment. Every view is copied with items of 1 and 4
// bytes and some other ones, which take turns, and by vectors of either width.
TEST_F(Copies, LeadEveryItemToItsPlaceAndLeaveTheGaps) {
  const CopyRequest others[] = {copy_of(ValueType::i16, ValueType::i16, 0),
                                copy_of_structs(12, 4, 0),
                                copy_of(ValueType::u64, ValueType::u64, 0),
                                copy_of_structs(3, 1, 0),
                                copy_of_structs(16, 16, 0),
                                copy_of_structs(8, 2, 0)};
  std::size_t turn = 0;
  for (const View& view : kViews) {
    SCOPED_TRACE(view.what);
    const bool by_columns = turn % 2 != 0;
    verify(view.of(copy_of(ValueType::u8, ValueType::u8, 0)), small_tiles(by_columns ? 8 : 16), 1);
    verify(view.of(copy_of(ValueType::f32, ValueType::f32, 0), by_columns), small_tiles(by_columns ? 16 : 8), 1);
    for (int other = 0; other < 2; ++other)
      verify(view.of(others[(turn + static_cast<std::size_t>(3 * other)) % std::size(others)]), small_tiles(16), 1);
    ++turn;
  }
}

// The device refuses accesses past an allocation, and these inputs end within a vector.
TEST_F(Copies, ReadNothingPastTheEndOfAnArray) {
  for (const View& view : kViews) {
    SCOPED_TRACE(view.what);
    const Request request = view.of(copy_of(ValueType::u8, ValueType::u8, 0));
    if (rehearses(request, small_tiles(16))) continue;
    const Operands operands(request);
    const DeviceBuffer from(device_, operands.of(OperandRole::input).bytes()),
        to(device_, operands.of(OperandRole::output).bytes());
    device_.zero(from.data(), operands.of(OperandRole::input).bytes());
    const PreparedConfig prepared(device_, request, small_tiles(16), Variant::any);
    EXPECT_NO_THROW(prepared.enqueue({from.data(), to.data()}, request.n, nullptr, nullptr));
    EXPECT_NO_THROW(device_.synchronize());
  }
}

TEST(StridedCopy, KnowsWhereItsFirstItemIsForAlignedPointers) {
  CopyRequest request = kViews[0].of(copy_of(ValueType::i32, ValueType::i32, 0));
  EXPECT_EQ(variant_behind_boundaries(request), Variant::aligned);
  request.n = 600;  // two rows
  request.rows = 2;
  request.layout.plane_sequences = 2;
  for (const i64 stride : {i64{-303}, i64{-304}}) {
    request.layout.output = {.item = 1, .sequence = stride};
    EXPECT_EQ(variant_behind_boundaries(request), stride == -304 ? Variant::aligned : Variant::any);
  }
}

TEST(StridedCopy, GoesTheWayThatItsStridesAllow) {
  for (const View& view : kViews) {
    const Request request = view.of(copy_of(ValueType::i32, ValueType::i32, 0));
    const Config config = default_config(request, kHostSm);
    EXPECT_STREQ(config.family().name(), "copy_strided") << view.what;
    const LaunchList list = config.family().launches(config, request, Variant::any);
    ASSERT_EQ(list.count, 1) << view.what;
    EXPECT_STREQ(config.family().kernels()[static_cast<std::size_t>(list.launches[0].kernel)], view.kernel)
        << view.what;
  }
}

}  // namespace
}  // namespace scantune::copy_test
