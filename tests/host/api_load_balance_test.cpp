// Load balances by the public API against plain loops, on the host device. This file is linked with api_test.cpp, which
// sets the host device up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_load_balance_test {
namespace {

using runtime::Buffer;

// Lengths of segments, some of them empty.
std::vector<std::uint64_t> lengths(std::uint64_t segments) {
  std::vector<std::uint64_t> all(segments);
  for (std::uint64_t segment = 0; segment < segments; ++segment)
    all[segment] = segment % 5 == 0 ? 0 : segment % 97 == 3 ? 1234 : segment * 7919 % 9;
  return all;
}

struct Plain {
  std::vector<std::uint64_t> offsets{0}, segment_of, rank_of;

  explicit Plain(std::uint64_t segments) {
    for (const std::uint64_t length : lengths(segments)) {
      for (std::uint64_t rank = 0; rank < length; ++rank) {
        segment_of.push_back(offsets.size() - 1);
        rank_of.push_back(rank);
      }
      offsets.push_back(offsets.back() + length);
    }
  }
  std::uint64_t segments() const { return offsets.size() - 1; }
  std::uint64_t n() const { return offsets.back(); }
};

template <class T>
std::vector<T> as(const std::vector<std::uint64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

template <class T>
std::vector<T> read(const Buffer<T>& buffer) {
  std::vector<T> all(buffer.size());
  buffer.download(all.data());
  return all;
}

// Each way of calling it has kernels of its own, and so has each pair of types: of most pairs only one way is tried.
template <class Offset, class Index>
void expect_balanced(const Plain& plain, bool every_way = false) {
  const Buffer<Offset> offsets(as<Offset>(plain.offsets));
  const Buffer<Index> segment_of(plain.n()), rank_of(plain.n()), by_plan(plain.n()), ranks_by_plan(plain.n());
  if (every_way) {
    runtime::load_balance(offsets.data(), plain.segments(), segment_of.data(), plain.n(), {.check = true});
    EXPECT_EQ(read(segment_of), as<Index>(plain.segment_of));
    runtime::load_balance(offsets.data(), plain.segments(), static_cast<Index*>(nullptr), plain.n(),
                          {.rank_of = rank_of.data()});
    EXPECT_EQ(read(rank_of), as<Index>(plain.rank_of));
  }
  const auto plan = runtime::segments_and_ranks_plan<Offset, Index>(plain.segments(), plain.n(), {.check = every_way});
  plan(offsets.data(), by_plan.data(), ranks_by_plan.data());
  EXPECT_EQ(read(by_plan), as<Index>(plain.segment_of));
  EXPECT_EQ(read(ranks_by_plan), as<Index>(plain.rank_of));
}

TEST(LoadBalance, TellsEveryItemItsSegmentAndItsRank) {
  for (const std::uint64_t segments : {1, 2, 333, 3000}) {
    const Plain plain(segments);
    expect_balanced<std::uint32_t, std::uint32_t>(plain, true);
    expect_balanced<std::int32_t, std::int64_t>(plain);
    expect_balanced<std::uint64_t, std::int32_t>(plain);
    expect_balanced<std::int64_t, std::uint64_t>(plain);
  }
}

struct Wide {
  std::uint32_t numbers[7];
};
struct Odd {
  unsigned char bytes[3];
};

template <class T>
void expect_expanded(const Plain& plain) {
  std::vector<T> values(plain.segments());
  for (std::size_t segment = 0; segment < values.size(); ++segment)
    for (std::size_t byte = 0; byte < sizeof(T); ++byte)
      reinterpret_cast<unsigned char*>(&values[segment])[byte] = static_cast<unsigned char>(segment * 31 + byte * 7);
  const Buffer<std::uint32_t> offsets(as<std::uint32_t>(plain.offsets));
  const Buffer<T> from(values), to(plain.n()), by_plan(plain.n());
  runtime::expand(offsets.data(), plain.segments(), from.data(), to.data(), plain.n());
  runtime::expand_plan<std::uint32_t, T>(plain.segments(), plain.n())(offsets.data(), from.data(), by_plan.data());
  const std::vector<T> found = read(to), found_by_plan = read(by_plan);
  for (std::size_t item = 0; item < found.size(); ++item) {
    ASSERT_EQ(std::memcmp(&found[item], &values[plain.segment_of[item]], sizeof(T)), 0) << item;
    ASSERT_EQ(std::memcmp(&found_by_plan[item], &values[plain.segment_of[item]], sizeof(T)), 0) << item;
  }
}

TEST(Expand, WritesTheValueOfItsSegmentForEveryItem) {
  const Plain plain(1000);
  expect_expanded<char>(plain);
  expect_expanded<float>(plain);
  expect_expanded<Wide>(plain);
  expect_expanded<Odd>(plain);
}

template <class Offset>
std::string refusal(const std::vector<Offset>& offsets, std::uint64_t n) {
  const std::uint64_t segments = offsets.size() - 1;
  const Buffer<Offset> from(offsets);
  const std::vector<std::uint32_t> before(n, 0x5a5a5a5a);
  const Buffer<std::uint32_t> to(before);
  std::string text;
  for (const bool by_plan : {false, true}) try {
      if (by_plan)
        runtime::load_balance_plan<Offset, std::uint32_t>(segments, n, {.check = true})(from.data(), to.data());
      else
        runtime::load_balance(from.data(), segments, to.data(), n, {.check = true});
      ADD_FAILURE() << "nothing was refused";
    } catch (const RequestError& error) {
      if (by_plan) {
        EXPECT_EQ(text, error.what());
      }
      text = error.what();
      EXPECT_EQ(read(to), before) << "something was written";
    }
  return is_rehearsal() ? text : text.substr(text.find(": ") + 2);
}

TEST(LoadBalanceCheck, NamesTheFirstOffsetThatIsWrong) {
  EXPECT_EQ(refusal<std::uint32_t>({1, 5, 9}, 9),
            "offsets[0] is 1: the first segment begins with item 0, so it must be 0");
  EXPECT_EQ(refusal<std::int64_t>({-1, 5, 9}, 9),
            "offsets[0] is -1: the first segment begins with item 0, so it must be 0");
  EXPECT_EQ(refusal<std::uint32_t>({0, 5, 4, 3, 9}, 9),
            "offsets[2] is 4, and offsets[1] is 5: offsets must not descend");
  EXPECT_EQ(refusal<std::uint64_t>({0, 5, 8}, 9),
            "offsets[2] is 8, and n is 9: the last segment ends with the last item, so it must be n");
  EXPECT_EQ(refusal<std::uint64_t>({0, 10, 9}, 9),
            "offsets[1] is 10, and n is 9: no segment begins or ends outside the items");
  EXPECT_EQ(refusal<std::int32_t>({0, -7, 9}, 9),
            "offsets[1] is -7, and n is 9: no segment begins or ends outside the items");
}

// The first of many, far behind the threads of one CTA.
TEST(LoadBalanceCheck, FindsTheFirstOfMany) {
  const Plain plain(9000);
  std::vector<std::uint32_t> offsets = as<std::uint32_t>(plain.offsets);
  for (const std::size_t first : {1u, 255u, 256u, 4001u, 8999u, 9000u}) {
    std::vector<std::uint32_t> wrong = offsets;
    for (std::size_t index = first; index < wrong.size(); index += 3) wrong[index] = ~0u;
    const std::string text = refusal(wrong, plain.n());
    EXPECT_TRUE(text.starts_with("offsets[" + std::to_string(first) + "] is 4294967295")) << text;
  }
}

TEST(LoadBalanceCheck, LooksAtTheOffsetsOfNoItemsToo) {
  const Buffer<std::uint32_t> right(std::vector<std::uint32_t>(100, 0)), wrong(std::vector<std::uint32_t>{0, 0, 3});
  runtime::load_balance(right.data(), 99, static_cast<std::uint32_t*>(nullptr), 0, {.check = true});
  EXPECT_THROW(runtime::load_balance(wrong.data(), 2, static_cast<std::uint32_t*>(nullptr), 0, {.check = true}),
               RequestError);
  runtime::load_balance(right.data(), 0, static_cast<std::uint32_t*>(nullptr), 0, {.check = true});
}

// What an unchecked call makes of wrong offsets is not known; that it ends is.
TEST(LoadBalance, EndsWhateverTheOffsetsAre) {
  constexpr std::uint64_t kSegments = 4000, kItems = 5000;
  std::vector<std::int32_t> offsets(kSegments + 1);
  for (std::size_t index = 0; index < offsets.size(); ++index)
    offsets[index] = static_cast<std::int32_t>(index * 2654435761u);
  const Buffer<std::int32_t> from(offsets);
  const Buffer<std::uint32_t> to(kItems);
  const Buffer<std::uint16_t> values(kSegments), out(kItems);
  runtime::load_balance(from.data(), kSegments, to.data(), kItems);
  runtime::expand(from.data(), kSegments, values.data(), out.data(), kItems);
}

}  // namespace
}  // namespace scantune::api_load_balance_test
