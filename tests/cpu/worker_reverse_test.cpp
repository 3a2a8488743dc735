// References and verification of scans from the last item to the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "measure/reference.h"
#include "measure/verify.h"
#include "worker_inputs.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::all_types;
using testing::expect_agreement_with_a_plain_scan;
using testing::inputs_of;
using testing::items_of;
using testing::named;
using testing::plain_scan;
using testing::Scanned;
using testing::ScanningDevice;
using testing::with;
using testing::with_operators;

constexpr u64 kReverseChunk = Reference::kChunkItems;

ScanRequest sum_of(ValueType type) {
  return testing::request_of(type, default_accumulator(type, type), type, Operator::sum);
}

InputSpec reversed(InputSpec input, Segments segments = Segments::none, u64 count = 0) {
  auto request = typed<ScanRequest>(input.request);
  request.direction = Direction::reverse;
  request.segments = segments;
  (segments == Segments::columns ? request.columns : request.rows) = count;
  input.request = request;
  return input;
}

std::vector<InputSpec> reversed_inputs(const ScanRequest& types) {
  std::vector<InputSpec> all;
  for (const InputSpec& input : inputs_of(types, 700)) {
    all.push_back(reversed(input));
    all.push_back(reversed(input, Segments::rows, 33));
    all.push_back(reversed(input, Segments::columns, 7));
  }
  const ScanRequest one = with_operators(types).front();
  for (const u64 n : {kReverseChunk - 1, kReverseChunk, 3 * kReverseChunk + 7}) {
    all.push_back(reversed(with(one, n)));
    all.push_back(reversed(with(one, n), Segments::rows, 3));
    all.push_back(reversed(with(one, n), Segments::columns, 600));
  }
  return all;
}

TEST(ReferenceOfReverse, AgreesWithAPlainScanOfTheItemsInTheOtherOrder) {
  for (const ScanRequest& types : all_types())
    for (const InputSpec& input : reversed_inputs(types)) expect_agreement_with_a_plain_scan(input);
}

TEST(ReferenceOfReverse, ChecksPartsAndNamesTheItemThatIsWrong) {
  const u64 n = 3 * kReverseChunk + 100;
  for (const Segments segments : {Segments::none, Segments::rows, Segments::columns}) {
    const InputSpec input = reversed(with(sum_of(ValueType::i32), n), segments, segments == Segments::none ? 0 : 50);
    const auto reference = make_reference(input);
    auto output = plain_scan(input);
    for (const u64 first : {u64{0}, kReverseChunk, 2 * kReverseChunk, 3 * kReverseChunk}) {
      const u64 items = std::min(kReverseChunk, n - first);
      const auto part = std::span(output).subspan(first * 4, items * 4);
      EXPECT_FALSE(reference->check(first, part));
      for (const u64 spoiled : {u64{0}, u64{77}, items - 1}) {
        part[spoiled * 4] ^= std::byte{1};
        const auto wrong = reference->check(first, part);
        ASSERT_TRUE(wrong) << first << " " << spoiled;
        EXPECT_EQ(wrong->index, first + spoiled);
        part[spoiled * 4] ^= std::byte{1};
      }
    }
  }
}

TEST(ReferenceOfReverse, GetsTheSameItemsInPartsAsInOnePiece) {
  const InputSpec input = reversed(with(sum_of(ValueType::i16), 5000));
  const auto whole = items_of(input);
  for (const u64 first : {0, 1, 2999, 4000}) {
    std::vector<std::byte> part(2 * 1000);
    fill_input(input, first, part);
    EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(2 * first, part.size()))) << first;
  }
}

TEST(Verifier, AcceptsARightReverseScanAndNoForwardOne) {
  for (const ValueType type : {ValueType::i8, ValueType::i32, ValueType::f64}) {
    ScanRequest request = sum_of(type);
    request.n = 600;
    request.direction = Direction::reverse;
    ScanningDevice device;
    Verifier verifier(device);
    const Config config = default_config(request, device.identity().sm);
    EXPECT_GE(verifier.verify(request, config, nullptr, {}), 20);
    device.mistake = [&](const Scanned& scanned) {
      ScanRequest forward = scanned.request;
      forward.direction = Direction::forward;
      unsigned char init[kMaxValueBytes];
      fill_init(forward, init);
      plain_scan(forward, scanned.input, init, scanned.output);
    };
    EXPECT_THROW(verifier.verify(request, config, nullptr, {}), WrongResult);
  }
}

}  // namespace
}  // namespace scantune
