#include "measure/stand_in.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "scantune/error.hpp"
#include "worker_problems.h"

namespace scantune {
namespace {

using testing::custom_request;

using Value = std::array<std::byte, kMaxValueBytes>;

Value random_value(u64& state) {
  Value value;
  for (std::byte& byte : value) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return value;
}

std::vector<ScanRequest> problems() {
  std::vector<ScanRequest> all;
  std::vector<ScanRequest> types = testing::custom_types();
  using enum ValueType;
  for (const ValueType type : {i32, i64, u32, u64, f32, f64}) types.push_back(testing::request_of(type, type, type));
  for (const ScanRequest& type : types)
    for (const ScanRequest& request : testing::with_operators(type))
      if (is_custom(request.op)) all.push_back(request);
  return all;
}

Value combined(const ScanRequest& request, const Value& earlier, const Value& later) {
  Value result{};
  StandIn(request).combine(earlier.data(), later.data(), result.data());
  return result;
}

bool equal(const ScanRequest& request, const Value& a, const Value& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(request.accumulator_bytes())) == 0;
}

TEST(StandIn, IsAssociativeToTheLastBit) {
  u64 state = 1;
  for (const ScanRequest& request : problems())
    for (int draw = 0; draw < 2000; ++draw) {
      const Value a = random_value(state), b = random_value(state), c = random_value(state);
      ASSERT_TRUE(
          equal(request, combined(request, combined(request, a, b), c), combined(request, a, combined(request, b, c))))
          << to_string(request);
    }
}

// Where one part of a value commuted, two neighbours that change places there would not be noticed. The first part of a
// value of several 4-byte words is the exception.
TEST(StandIn, DoesNotCommute) {
  constexpr int kWordBytes = 4;
  u64 state = 2;
  for (const ScanRequest& request : problems()) {
    std::array<int, kMaxValueBytes / kWordBytes> differ{};
    const int words = std::max(request.accumulator_bytes() / kWordBytes, 1);
    for (int draw = 0; draw < 200; ++draw) {
      const Value a = random_value(state), b = random_value(state);
      const Value one = combined(request, a, b), other = combined(request, b, a);
      for (int word = 0; word < words; ++word)
        differ[static_cast<std::size_t>(word)] +=
            std::memcmp(&one[static_cast<std::size_t>(kWordBytes * word)],
                        &other[static_cast<std::size_t>(kWordBytes * word)], kWordBytes) != 0;
    }
    for (int word = words > 1 ? 1 : 0; word < words; ++word)
      EXPECT_GT(differ[static_cast<std::size_t>(word)], 60) << "word " << word << " of " << to_string(request);
  }
}

// Otherwise a lost item would not be noticed.
TEST(StandIn, ForgetsNothing) {
  u64 state = 3;
  for (const ScanRequest& request : problems())
    for (int draw = 0; draw < 200; ++draw) {
      const Value a = random_value(state), b = random_value(state), c = random_value(state);
      if (equal(request, a, b)) continue;
      ASSERT_FALSE(equal(request, combined(request, a, c), combined(request, b, c))) << to_string(request);
      ASSERT_FALSE(equal(request, combined(request, c, a), combined(request, c, b))) << to_string(request);
    }
}

TEST(StandIn, MayWriteOverItsOperands) {
  u64 state = 4;
  for (const ScanRequest& request : problems()) {
    const Value a = random_value(state), b = random_value(state);
    Value over_earlier = a, over_later = b;
    StandIn(request).combine(over_earlier.data(), b.data(), over_earlier.data());
    StandIn(request).combine(a.data(), over_later.data(), over_later.data());
    EXPECT_TRUE(equal(request, over_earlier, combined(request, a, b))) << to_string(request);
    EXPECT_TRUE(equal(request, over_later, combined(request, a, b))) << to_string(request);
  }
}

TEST(StandIn, ExistsForCustomOperatorsOnly) {
  EXPECT_THROW(StandIn(testing::request_of(ValueType::i32, ValueType::i32, ValueType::i32)), RequestError);
}

}  // namespace
}  // namespace scantune
