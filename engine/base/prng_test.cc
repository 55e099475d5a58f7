#include "engine/base/prng.h"

#include <gtest/gtest.h>

#include <array>

namespace tornleaf {
namespace {

// The values were computed from the published algorithms by another program.
TEST(PrngTest, GivesTheNumbersOfTheAlgorithm) {
  Prng unnamed(1);
  EXPECT_EQ(unnamed.Next(), 0x20163e00ad8302a6U);
  EXPECT_EQ(unnamed.Next(), 0x77090eb991eeaebfU);
  EXPECT_EQ(unnamed.Next(), 0x6be0f3f8158c6adbU);
  Prng named(1, "keys");
  EXPECT_EQ(named.Next(), 0xab18c4cb14b4778aU);
  EXPECT_EQ(named.Next(), 0x16c743f1eff6c854U);
}

TEST(PrngTest, BelowIsEvenAndInside) {
  Prng prng(7, "below");
  std::array<int, 6> seen{};
  for (int draw = 0; draw < 60000; ++draw) {
    const std::uint64_t value = prng.Below(seen.size());
    ASSERT_LT(value, seen.size());
    ++seen[value];
  }
  for (const int count : seen) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(prng.Below(1), 0U);
}

TEST(PrngTest, BetweenIncludesBothEnds) {
  Prng prng(7, "between");
  bool low = false;
  bool high = false;
  for (int draw = 0; draw < 200; ++draw) {
    const std::uint64_t value = prng.Between(3, 5);
    ASSERT_GE(value, 3U);
    ASSERT_LE(value, 5U);
    low |= value == 3;
    high |= value == 5;
  }
  EXPECT_TRUE(low);
  EXPECT_TRUE(high);
  EXPECT_NE(prng.Between(0, UINT64_MAX), prng.Between(0, UINT64_MAX));
}

TEST(PrngTest, ChanceIsAsOftenAsItSays) {
  Prng prng(7, "chance");
  int hits = 0;
  for (int draw = 0; draw < 40000; ++draw) hits += prng.Chance(1, 4) ? 1 : 0;
  EXPECT_NEAR(hits, 10000, 400);
  EXPECT_FALSE(prng.Chance(0, 9));
  EXPECT_TRUE(prng.Chance(9, 9));
}

}  // namespace
}  // namespace tornleaf
