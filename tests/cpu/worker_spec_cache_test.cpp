#include "measure/spec_cache.h"

#include <gtest/gtest.h>

#include "measure/known_input.h"

namespace scantune {
namespace {

struct Sized {
  u64 size;
  u64 bytes() const { return size; }
};

class SpecCacheOfHundredBytes : public ::testing::Test {
 protected:
  // Whether the cache had to make the value for this seed.
  bool makes(u64 seed, u64 size) {
    bool made = false;
    const auto value = cache_.get({.request = ScanRequest{}, .seed = seed}, [&] {
      made = true;
      return std::make_shared<const Sized>(size);
    });
    EXPECT_EQ(value->size, size);
    EXPECT_LE(cache_.bytes(), 100u);
    return made;
  }

  SpecCache<Sized> cache_{100};
};

TEST_F(SpecCacheOfHundredBytes, MakesEachValueOnce) {
  for (const u64 seed : {1, 2, 3}) EXPECT_TRUE(makes(seed, 30));
  for (const u64 seed : {1, 2, 3}) EXPECT_FALSE(makes(seed, 30));
  EXPECT_EQ(cache_.bytes(), 90u);
}

TEST_F(SpecCacheOfHundredBytes, DropsWhatWasAskedForLongestAgo) {
  for (const u64 seed : {1, 2, 3}) makes(seed, 30);
  makes(1, 30);
  EXPECT_TRUE(makes(4, 40));
  EXPECT_FALSE(makes(1, 30));
  EXPECT_FALSE(makes(3, 30));
  EXPECT_TRUE(makes(2, 30));
}

TEST_F(SpecCacheOfHundredBytes, KeepsNothingThatIsLargerThanItsLimit) {
  makes(2, 30);
  EXPECT_TRUE(makes(1, 101));
  EXPECT_EQ(cache_.bytes(), 30u);
  EXPECT_TRUE(makes(1, 101));
  EXPECT_FALSE(makes(2, 30));
}

TEST_F(SpecCacheOfHundredBytes, KeepsFewEnoughToBeLookedThrough) {
  for (u64 seed = 0; seed < 513; ++seed) makes(seed, 0);
  EXPECT_FALSE(makes(1, 0));
  EXPECT_TRUE(makes(0, 0));
}

TEST(KnownInput, HoldsTheItemsThatAreMadeOtherwise) {
  InputSpec spec{.request = ScanRequest{.input_type = ValueType::i32, .accumulator_type = ValueType::i32}};
  spec.request.n = 100'000;
  const KnownInput made{spec}, kept{spec, std::make_shared<const KnownItems>(spec)};
  ASSERT_EQ(kept.known->bytes(), 400'000u);
  std::vector<std::byte> one(40'000), other(40'000);
  for (const u64 first : {0, 1, 65'530, 90'000})
    EXPECT_TRUE(std::ranges::equal(made.items(first, one), kept.items(first, other))) << first;
}

}  // namespace
}  // namespace scantune
