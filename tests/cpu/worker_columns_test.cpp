// References and verification of scans of columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "measure/reference.h"
#include "measure/verify.h"
#include "worker_inputs.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::all_types;
using testing::exclusive;
using testing::expect_agreement_with_a_plain_scan;
using testing::inputs_of;
using testing::items_of;
using testing::kNameOfTypes;
using testing::named;
using testing::plain_scan;
using testing::request_of;
using testing::Scanned;
using testing::ScanningDevice;
using testing::with;
using testing::with_operators;

constexpr u64 kColumnsChunk = Reference::kChunkItems;

InputSpec in_columns(InputSpec input, u64 columns) {
  auto request = typed<ScanRequest>(input.request);
  request.segments = Segments::columns;
  request.columns = columns;
  input.request = request;
  return input;
}

class ReferenceOfColumns : public ::testing::TestWithParam<ScanRequest> {};

INSTANTIATE_TEST_SUITE_P(All, ReferenceOfColumns, ::testing::ValuesIn(all_types()), kNameOfTypes);

TEST_P(ReferenceOfColumns, AgreesWithAPlainScanOfColumns) {
  for (const u64 columns : {1, 2, 33, 700, 1999, 2001})
    for (const InputSpec& input : inputs_of(GetParam(), 2000))
      expect_agreement_with_a_plain_scan(in_columns(input, columns));
  // Several bands of lines, and lines that are wider than what is made at a time.
  const ScanRequest one = with_operators(GetParam()).front();
  for (const u64 columns : {1, 2, 33, 256, 257, 600})
    for (const InputSpec& input : {with(one, 4 * kColumnsChunk), with(exclusive(one), 3 * kColumnsChunk + 7)})
      expect_agreement_with_a_plain_scan(in_columns(input, columns));
}

TEST_P(ReferenceOfColumns, ChecksPartsOfColumnsOnTheirOwn) {
  const u64 bytes = static_cast<u64>(GetParam().output_bytes()), n = 6 * kColumnsChunk + 100;
  const ScanRequest request = with_operators(GetParam()).front();
  for (const u64 columns : {3, 300, 20'000}) {
    const InputSpec input = in_columns(with(request, n), columns);
    const auto reference = make_reference(input);
    auto output = plain_scan(input);
    for (const u64 first : {kColumnsChunk, 5 * kColumnsChunk, 6 * kColumnsChunk}) {
      const auto part = std::span(output).subspan(first * bytes, std::min(kColumnsChunk, n - first) * bytes);
      EXPECT_FALSE(reference->check(first, part)) << named(input) << " from " << first;
      for (const u64 place : {part.size() / bytes - 1, u64{57}, u64{0}}) {
        part[place * bytes + bytes - 1] ^= std::byte{0x20};
        const auto found = reference->check(first, part);
        ASSERT_TRUE(found) << named(input) << " from " << first;
        EXPECT_EQ(found->index, first + place);
        EXPECT_NE(found->found, found->expected);
      }
      for (const u64 place : {part.size() / bytes - 1, u64{57}, u64{0}})
        part[place * bytes + bytes - 1] ^= std::byte{0x20};
    }
  }
}

TEST_P(ReferenceOfColumns, GivesShorterColumnsTheItemsThatLongerOnesBeginWith) {
  const InputSpec whole = in_columns(with(with_operators(GetParam()).front(), 1000), 33);
  InputSpec beginning = whole;
  beginning.request.n = 600;
  beginning.whole_items = 1000;
  const auto all = items_of(whole), first = items_of(beginning);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin())) << named(whole);
}

TEST_P(ReferenceOfColumns, GetsTheSameItemsInPartsAsInOnePiece) {
  const u64 bytes = static_cast<u64>(GetParam().input_bytes());
  for (const InputSpec& flat : inputs_of(GetParam(), 1000)) {
    const InputSpec input = in_columns(flat, 7);
    const auto whole = items_of(input);
    std::vector<std::byte> part(100 * bytes);
    fill_input(input, 300, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(300 * bytes)))
        << named(input);
  }
}

ScanRequest columns_of_i32(u64 columns) {
  ScanRequest request = request_of(ValueType::i32, ValueType::i32, ValueType::i32);
  request.n = 5000;
  request.segments = Segments::columns;
  request.columns = columns;
  return request;
}

TEST(Verifier, RunsColumnsOfEveryLengthAndOtherNumbersOfThem) {
  const ScanRequest request = columns_of_i32(20);
  ScanningDevice device;
  std::set<std::pair<u64, u64>> lengths;  // by the number of columns
  std::set<u64> with_a_shorter_line;      // numbers of columns
  device.mistake = [&](const Scanned& scanned) {
    const u64 columns = scanned.request.columns;
    lengths.insert({columns, ceil_div(scanned.request.n, columns)});
    if (scanned.request.n > 2 * columns && scanned.request.n % columns != 0) with_a_shorter_line.insert(columns);
  };
  const Config config = find_family("scan_columns")->default_config(request, 90);
  Verifier(device).verify(request, config);
  for (const u64 columns : {u64{1}, u64{2}, request.columns, u64{33}, u64{200}}) {
    ScanRequest its = request;
    its.columns = columns;
    const auto tiles = [&](u64 lines) {
      its.n = lines * columns;
      return config.family().launches(config, its, Variant::aligned).launches[0].grid_blocks;
    };
    u64 band = 1;
    while (tiles(band + 1) == tiles(1)) ++band;
    for (const u64 length : {u64{1}, u64{31}, u64{33}, band - 1, band, band + 1, 5 * band / 2 | 1})
      EXPECT_TRUE(lengths.contains({columns, length})) << columns << " columns of " << length;
    EXPECT_EQ(with_a_shorter_line.contains(columns), columns > 1) << columns;
  }
}

TEST(Verifier, NoticesAColumnThatGoesOnFromTheOneBefore) {
  const ScanRequest request = columns_of_i32(20);
  ScanningDevice device;
  device.mistake = [](const Scanned& scanned) {
    ScanRequest flat = scanned.request;
    flat.segments = Segments::none;
    flat.columns = 0;
    if (scanned.request.columns > 1 && !scanned.request.has_init() && scanned.input != scanned.output)
      testing::plain_scan(flat, scanned.input, nullptr, scanned.output);
  };
  const Config config = find_family("scan_columns")->default_config(request, 90);
  EXPECT_THROW(Verifier(device).verify(request, config), WrongResult);
}

}  // namespace
}  // namespace scantune
