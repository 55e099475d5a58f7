#include "engine/base/fixed_vector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tornleaf {
namespace {

using ::testing::ElementsAre;

struct Pair {
  int first = 0;
  FixedVector<int, 2> more;
};

TEST(FixedVectorTest, HoldsWhatWasPutInInOrder) {
  FixedVector<int, 3> numbers{1, 2};
  numbers.push_back(3);
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
  EXPECT_EQ(numbers.back(), 3);
  numbers.clear();
  EXPECT_TRUE(numbers.empty());
}

TEST(FixedVectorTest, CopiesDoNotShare) {
  FixedVector<Pair, 2> pairs;
  pairs.emplace_back().more.push_back(7);
  FixedVector<Pair, 2> copy = pairs;
  copy[0].more.push_back(8);
  EXPECT_THAT(pairs[0].more, ElementsAre(7));
  EXPECT_THAT(copy[0].more, ElementsAre(7, 8));
  copy = pairs;
  EXPECT_THAT(copy[0].more, ElementsAre(7));
}

TEST(FixedVectorDeathTest, RefusesMoreThanItHasRoomFor) {
  FixedVector<int, 1> numbers{1};
  EXPECT_DEATH(numbers.push_back(2), "size_ < kCapacity");
  EXPECT_DEATH(static_cast<void>(numbers[1]), "index < size_");
}

}  // namespace
}  // namespace tornleaf
