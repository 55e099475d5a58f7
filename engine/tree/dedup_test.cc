#include "engine/tree/dedup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/prng.h"
#include "engine/tree/key_image.h"
#include "engine/tree/leaf_test_util.h"

namespace tornleaf {

namespace nbtree {
bool operator==(const DedupInterval& a, const DedupInterval& b) {
  return a.base == b.base && a.item_count == b.item_count;
}
void PrintTo(const DedupInterval& interval, std::ostream* out) {
  *out << interval.item_count << " from " << interval.base;
}
}  // namespace nbtree

namespace {

using nbtree::DedupInterval;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DedupTest : public testing::Test {
 protected:
  TupleBytes Key(std::int32_t key, BlockNumber row) const {
    return Int4Tuple(schema_, {key}, {row, 1});
  }
  void Add(std::int32_t key, std::uint32_t count) {
    for (; count > 0; --count) ASSERT_TRUE(leaf_.Add(Key(key, ++row_)));
  }
  void AddList(std::int32_t key, std::uint32_t tids) {
    ASSERT_TRUE(leaf_.Add(WithPostings(Key(key, 0), {row_ + 1, 1}, tids)));
    row_ += tids;
  }
  std::vector<DedupInterval> Plan(std::int32_t new_key, bool bottom_up = false) const {
    return PlanDedup(schema_, leaf_.page(), TupleView(Key(new_key, 9999)), 16, bottom_up);
  }

  const Schema schema_ = SchemaFor("int4");
  PageUnderTest leaf_;
  BlockNumber row_ = 0;
};

TEST_F(DedupTest, RunsOfEqualKeysAreMerged) {
  Add(1, 3);
  Add(2, 1);
  Add(3, 2);
  EXPECT_THAT(Plan(9), ElementsAre(DedupInterval{1, 3}, DedupInterval{5, 2}));
}

TEST_F(DedupTest, TheHighKeyIsNoItem) {
  leaf_.AddHighKey(AsPivot(Key(1, 1), 1, 0));
  EXPECT_THAT(Plan(1), IsEmpty());
  Add(1, 2);
  EXPECT_THAT(Plan(9), ElementsAre(DedupInterval{2, 2}));
}

TEST_F(DedupTest, DistinctKeysAreLeftAlone) {
  EXPECT_THAT(Plan(1), IsEmpty());
  for (std::int32_t key = 1; key <= 100; ++key) Add(key, 1);
  EXPECT_THAT(Plan(9), IsEmpty());
}

TEST_F(DedupTest, ListsGrowToASixthOfThePage) {
  // 16 + 6 n bytes, MAXALIGNed, are at most 1352: n = 222.
  Add(1, 230);
  Add(2, 1);
  EXPECT_THAT(Plan(9), ElementsAre(DedupInterval{1, 222}, DedupInterval{223, 8}));
}

TEST_F(DedupTest, ListsOnThePageAreMergedWithTheirNeighbours) {
  Add(1, 1);
  AddList(1, 220);
  AddList(1, 2);
  Add(2, 1);
  EXPECT_THAT(Plan(9), ElementsAre(DedupInterval{1, 2}));
}

TEST_F(DedupTest, APageOfOneValueKeepsItsEndForTheNextSplit) {
  // Five lists of 222 take 5 * 222 items; a page holds 407 plain ones, so lists are there already.
  for (int list = 0; list < 5; ++list) AddList(1, 222);
  Add(1, 60);
  // The sixth list may have 1352 - 0.04 (8152 - 20 - 8) = 1352 - 324 = 1028 bytes: 168 addresses;
  // 60 items merge.
  EXPECT_THAT(Plan(1), ElementsAre(DedupInterval{6, 60}));

  PageUnderTest more;
  for (int list = 0; list < 5; ++list) {
    more.Add(WithPostings(Key(1, 0), {1000 + 222U * static_cast<BlockNumber>(list), 1}, 222));
  }
  more.Add(WithPostings(Key(1, 0), {3000, 1}, 160));
  for (BlockNumber row = 4000; more.Add(Key(1, row)); ++row) {
  }
  const std::uint16_t count = more.page().item_count();
  const TupleBytes new_item = Key(1, 99999);
  // Eight more fill the sixth list; what follows stays as it is,
  EXPECT_THAT(PlanDedup(schema_, more.page(), TupleView(new_item), 16, false),
              ElementsAre(DedupInterval{6, 9}));
  // and is merged if that cannot prepare a split: after a bottom-up deletion, which is to prevent
  // the split, or if the new item has another key.
  const auto rest = static_cast<std::uint16_t>(count - 5);
  ASSERT_LT(rest, 62);
  EXPECT_THAT(PlanDedup(schema_, more.page(), TupleView(new_item), 16, true),
              ElementsAre(DedupInterval{6, rest}));
  const TupleBytes other = Key(2, 99999);
  EXPECT_THAT(PlanDedup(schema_, more.page(), TupleView(other), 16, false),
              ElementsAre(DedupInterval{6, rest}));
}

TEST_F(DedupTest, RunsForBottomUpDeletionHaveNoLimit) {
  AddList(1, 222);
  AddList(1, 222);
  Add(1, 3);
  Add(2, 1);
  EXPECT_THAT(EqualRuns(schema_, leaf_.page()), ElementsAre(DedupInterval{1, 5}));
  EXPECT_THAT(EqualRuns(schema_, PageUnderTest().page()), IsEmpty());
}

TEST_F(DedupTest, WhatIsPlannedCanBeApplied) {
  Prng prng(1, "dedup");
  for (int round = 0; round < 300; ++round) {
    PageUnderTest leaf;
    const std::uint64_t values = prng.Between(1, 60);
    std::int32_t key = 0;
    BlockNumber row = 0;
    for (;;) {
      if (prng.Chance(values, 100)) ++key;
      const auto tids = static_cast<std::uint32_t>(prng.Chance(1, 20) ? prng.Between(2, 222) : 1);
      const TupleBytes plain = Key(key, row + 1);
      if (!leaf.Add(tids == 1 ? plain : WithPostings(plain, {row + 1, 1}, tids))) break;
      row += tids;
    }
    const std::vector<DedupInterval> plan =
        PlanDedup(schema_, leaf.page(), TupleView(Key(key, row)), 16, prng.Chance(1, 2));
    const std::uint32_t before = leaf.page().item_count();
    std::uint32_t merged = 0;
    for (const DedupInterval& interval : plan) merged += interval.item_count - 1U;
    ASSERT_EQ(nbtree::ApplyDedup(leaf.writer(), plan), nbtree::EditError::kNone);
    ASSERT_EQ(leaf.page().item_count(), before - merged);
  }
}

TEST(KeyImagesTest, TheFirstColumnThatDiffersIsNamed) {
  const Schema schema = SchemaFor("int4,int4");
  KeyImages images(schema);
  const TupleBytes base = Int4Tuple(schema, {1, 2}, {1, 1});
  EXPECT_EQ(images.KeepAttributes(TupleView(base), TupleView(Int4Tuple(schema, {1, 2}, {9, 9}))),
            3U);
  EXPECT_EQ(images.KeepAttributes(TupleView(base), TupleView(Int4Tuple(schema, {1, 3}, {1, 1}))),
            2U);
  EXPECT_EQ(images.KeepAttributes(TupleView(base), TupleView(Int4Tuple(schema, {2, 2}, {1, 1}))),
            1U);
  TupleBytes pivot = Int4Tuple(schema, {1}, {1, 1});
  nbtree::SetPivotAttributes(pivot.data(), 1, false);
  EXPECT_EQ(images.KeepAttributes(TupleView(pivot), TupleView(base)), 2U);
}

}  // namespace
}  // namespace tornleaf
