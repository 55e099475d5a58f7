#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/prng.h"
#include "engine/format/edit_test_util.h"
#include "engine/format/nbtree_edit.h"

namespace tornleaf {
namespace nbtree {
namespace {

using ::testing::ElementsAre;

std::vector<ItemPointer> TidsOf(const Bytes& tuple) {
  const TupleView view(tuple);
  if (KindOf(view) == TupleKind::kPlain) return {view.tid()};
  std::vector<ItemPointer> tids;
  for (std::uint32_t index = 0; index < PostingCount(view); ++index) {
    tids.push_back(PostingTid(view, index));
  }
  return tids;
}

TEST(PostingEditTest, AListLosesAddresses) {
  const Bytes original = PostingTuple(16, 5, {{1, 1}, {1, 2}, {1, 9}, {4, 1}});
  const std::uint16_t middle[] = {1, 2};
  Bytes bytes;
  ASSERT_EQ(FormUpdatedPosting(TupleView(original), middle, &bytes), EditError::kNone);
  EXPECT_EQ(bytes, PostingTuple(16, 5, {{1, 1}, {4, 1}}));

  const std::uint16_t all_but_one[] = {0, 1, 3};
  bytes.clear();
  ASSERT_EQ(FormUpdatedPosting(TupleView(original), all_but_one, &bytes), EditError::kNone);
  EXPECT_EQ(bytes, PlainTuple(16, 5, {1, 9})) << "one address is left: a plain tuple";
}

TEST(PostingEditTest, AListIsNotUpdatedByNonsense) {
  const Bytes original = PostingTuple(16, 5, {{1, 1}, {1, 2}, {1, 9}});
  const std::uint16_t every[] = {0, 1, 2};
  const std::uint16_t past[] = {3};
  const std::uint16_t twice[] = {1, 1};
  const std::uint16_t one[] = {1};
  Bytes bytes;
  EXPECT_EQ(FormUpdatedPosting(TupleView(original), every, &bytes), EditError::kBadPosting);
  EXPECT_EQ(FormUpdatedPosting(TupleView(original), past, &bytes), EditError::kBadPosting);
  EXPECT_EQ(FormUpdatedPosting(TupleView(original), twice, &bytes), EditError::kBadPosting);
  EXPECT_EQ(FormUpdatedPosting(TupleView(original), {}, &bytes), EditError::kBadPosting);
  const Bytes plain = PlainTuple(16, 5, {1, 1});
  EXPECT_EQ(FormUpdatedPosting(TupleView(plain), one, &bytes), EditError::kNotPosting);
  Bytes unordered = original;
  StoreTid(unordered.data() + 16, {2, 1});
  EXPECT_EQ(FormUpdatedPosting(TupleView(unordered), one, &bytes), EditError::kBadPosting);
  EXPECT_TRUE(bytes.empty());
}

TEST(PostingEditTest, SoundListsLieInsideTheirTuple) {
  const Bytes sound = PostingTuple(16, 5, {{1, 1}, {1, 2}, {1, 9}});
  EXPECT_TRUE(IsSoundPosting(TupleView(sound)));
  const ItemPointer wrong[] = {
      {16, kPosting | 1}, {16, kPosting | 5}, {8, kPosting | 9}, {12, kPosting | 2},
      {48, kPosting | 2}, {0, kPosting | 2},  {16, 3},           {0x10010, kPosting | 2},
      {40, kPosting | 2}};
  for (const ItemPointer& tid : wrong) {
    Bytes bytes = sound;
    StoreTid(bytes.data(), tid);
    EXPECT_FALSE(IsSoundPosting(TupleView(bytes))) << tid.block << " " << tid.offset;
  }
  EXPECT_FALSE(IsSoundPosting(TupleView(PlainTuple(16, 5, {1, 1}))));
}

TEST(PostingEditTest, ASplitListKeepsItsSizeAndGivesItsGreatestAddress) {
  const Bytes existing = PostingTuple(16, 5, {{1, 1}, {1, 5}, {2, 1}, {9, 9}});
  const Bytes incoming = PlainTuple(24, 6, {1, 7});
  Bytes posting;
  Bytes item;
  ASSERT_EQ(SwapPosting(TupleView(existing), TupleView(incoming), 2, &posting, &item),
            EditError::kNone);
  EXPECT_EQ(posting, PostingTuple(16, 5, {{1, 1}, {1, 5}, {1, 7}, {2, 1}}));
  EXPECT_EQ(item, PlainTuple(24, 6, {9, 9})) << "the key stays that of the new tuple";

  posting.clear();
  item.clear();
  const Bytes last = PlainTuple(24, 6, {9, 8});
  ASSERT_EQ(SwapPosting(TupleView(existing), TupleView(last), 3, &posting, &item),
            EditError::kNone);
  EXPECT_EQ(posting, PostingTuple(16, 5, {{1, 1}, {1, 5}, {2, 1}, {9, 8}}));
}

TEST(PostingEditTest, OnlyTheRightPlaceOfAListIsSplit) {
  const Bytes existing = PostingTuple(16, 5, {{1, 1}, {1, 5}, {2, 1}});
  const Bytes incoming = PlainTuple(16, 5, {1, 7});
  Bytes posting;
  Bytes item;
  for (const std::uint32_t offset : {0U, 1U, 3U, 4U, 0xFFFFU}) {
    EXPECT_EQ(SwapPosting(TupleView(existing), TupleView(incoming), offset, &posting, &item),
              EditError::kBadPosting);
  }
  const Bytes same = PlainTuple(16, 5, {1, 5});
  EXPECT_EQ(SwapPosting(TupleView(existing), TupleView(same), 1, &posting, &item),
            EditError::kBadPosting);
  EXPECT_EQ(SwapPosting(TupleView(incoming), TupleView(same), 1, &posting, &item),
            EditError::kNotPosting);
  EXPECT_EQ(SwapPosting(TupleView(existing), TupleView(existing), 1, &posting, &item),
            EditError::kBadTuple);
  Bytes unordered = existing;
  StoreTid(unordered.data() + 16, {2, 1});
  EXPECT_EQ(SwapPosting(TupleView(unordered), TupleView(incoming), 2, &posting, &item),
            EditError::kBadPosting);
  EXPECT_TRUE(posting.empty());
  EXPECT_TRUE(item.empty());
}

TEST(PostingEditTest, ASplitListOnAPageStaysInItsPlace) {
  TestPage page;
  page.Add(PlainTuple(16, 1, {1, 1}));
  page.Add(PostingTuple(16, 5, {{1, 1}, {1, 5}, {2, 1}}));
  page.Add(PlainTuple(16, 9, {1, 1}));
  const std::vector<std::uint32_t> before = page.offsets();
  ASSERT_EQ(InsertIntoPosting(page.writer(), 3, TupleView(PlainTuple(16, 5, {1, 4})), 1),
            EditError::kNone);
  EXPECT_THAT(page.items(),
              ElementsAre(PlainTuple(16, 1, {1, 1}), PostingTuple(16, 5, {{1, 1}, {1, 4}, {1, 5}}),
                          PlainTuple(16, 5, {2, 1}), PlainTuple(16, 9, {1, 1})));
  EXPECT_EQ(page.offsets()[1], before[1]);

  const Bytes state = page.bytes;
  const Bytes tuple = PlainTuple(16, 5, {1, 2});
  EXPECT_EQ(InsertIntoPosting(page.writer(), 1, TupleView(tuple), 1), EditError::kNoSuchSlot);
  EXPECT_EQ(InsertIntoPosting(page.writer(), 6, TupleView(tuple), 1), EditError::kNoSuchSlot);
  EXPECT_EQ(InsertIntoPosting(page.writer(), 2, TupleView(tuple), 1), EditError::kNotPosting);
  EXPECT_EQ(InsertIntoPosting(page.writer(), 3, TupleView(tuple), 2), EditError::kBadPosting);
  while (page.writer().FreeSpace() >= 16) page.Add(PlainTuple(16, 9, {1, 1}));
  const Bytes full = page.bytes;
  EXPECT_EQ(InsertIntoPosting(page.writer(), 3, TupleView(tuple), 1), EditError::kNoRoom);
  EXPECT_EQ(page.bytes, full);
  EXPECT_NE(state, full);
}

TEST(PostingEditTest, ItemsGoAfterListsWereUpdated) {
  TestPage page;
  page.Add(PostingTuple(16, 1, {{1, 1}, {1, 2}, {1, 3}}));
  page.Add(PlainTuple(16, 2, {2, 1}));
  page.Add(PostingTuple(16, 3, {{3, 1}, {3, 2}}));
  page.Add(PlainTuple(16, 4, {4, 1}));
  const OffsetNumber deleted[] = {2, 4};
  const PostingUpdate updates[] = {{1, {1}}, {3, {0}}};
  ASSERT_EQ(DeleteAndUpdate(page.writer(), deleted, updates), EditError::kNone);
  EXPECT_THAT(page.items(),
              ElementsAre(PostingTuple(16, 1, {{1, 1}, {1, 3}}), PlainTuple(16, 3, {3, 2})));
  EXPECT_STREQ(page.rule(), "");

  const Bytes before = page.bytes;
  const OffsetNumber first[] = {1};
  const PostingUpdate same[] = {{1, {1}}};
  const PostingUpdate second_bad[] = {{1, {1}}, {2, {0}}};
  const PostingUpdate unordered[] = {{1, {0}}, {1, {1}}};
  const PostingUpdate past[] = {{3, {0}}};
  EXPECT_EQ(DeleteAndUpdate(page.writer(), first, same), EditError::kNoSuchSlot);
  EXPECT_EQ(DeleteAndUpdate(page.writer(), {}, second_bad), EditError::kNotPosting);
  EXPECT_EQ(DeleteAndUpdate(page.writer(), {}, unordered), EditError::kNoSuchSlot);
  EXPECT_EQ(DeleteAndUpdate(page.writer(), {}, past), EditError::kNoSuchSlot);
  const OffsetNumber beyond[] = {1, 3};
  EXPECT_EQ(DeleteAndUpdate(page.writer(), beyond, {}), EditError::kNoSuchSlot);
  EXPECT_EQ(page.bytes, before);
}

TEST(PostingEditTest, ADeduplicatedPageIsLaidOutAnew) {
  TestPage page;
  page.Add(PivotTuple(16, 9, 1, 0));
  page.Add(PlainTuple(16, 1, {1, 1}));
  page.Add(PlainTuple(16, 1, {1, 2}));
  page.Add(PostingTuple(16, 1, {{1, 3}, {2, 1}}));
  page.Add(PlainTuple(16, 2, {1, 1}));
  page.Add(PlainTuple(16, 3, {1, 1}));
  page.Add(PlainTuple(16, 3, {1, 2}));
  SetNext(page.writer(), 7);
  SetPrev(page.writer(), 5);
  SetFlags(page.writer(), kLeaf | kHasGarbage);
  page.writer().set_lsn(0x123456789);
  const DedupInterval intervals[] = {{2, 3}, {6, 2}};
  ASSERT_EQ(ApplyDedup(page.writer(), intervals), EditError::kNone);
  EXPECT_THAT(
      page.items(),
      ElementsAre(PivotTuple(16, 9, 1, 0), PostingTuple(16, 1, {{1, 1}, {1, 2}, {1, 3}, {2, 1}}),
                  PlainTuple(16, 2, {1, 1}), PostingTuple(16, 3, {{1, 1}, {1, 2}})));
  EXPECT_THAT(page.offsets(), ElementsAre(kMaxAlign * 1020, kMaxAlign * 1020 - 40,
                                          kMaxAlign * 1020 - 56, kMaxAlign * 1020 - 88));
  EXPECT_EQ(page.page().flags(), kLeaf);
  EXPECT_EQ(page.page().next(), 7U);
  EXPECT_EQ(page.page().prev(), 5U);
  EXPECT_EQ(page.page().page().lsn(), 0x123456789U);
  EXPECT_STREQ(page.rule(), "");
}

TEST(PostingEditTest, IntervalsThatDoNotSuitThePageChangeNothing) {
  TestPage page;
  page.Add(PivotTuple(16, 9, 1, 0));
  for (std::uint16_t number = 1; number <= 4; ++number) page.Add(PlainTuple(16, 1, {1, number}));
  page.Add(PlainTuple(16, 1, {1, 1}));
  SetNext(page.writer(), 7);
  const Bytes before = page.bytes;
  const std::vector<DedupInterval> wrong[] = {{{1, 2}}, {{0, 2}}, {{2, 1}},         {{2, 0}},
                                              {{6, 2}}, {{2, 9}}, {{2, 3}, {4, 2}}, {{7, 2}}};
  for (const std::vector<DedupInterval>& intervals : wrong) {
    EXPECT_EQ(ApplyDedup(page.writer(), intervals), EditError::kNoSuchSlot);
  }
  const DedupInterval not_ascending[] = {{4, 3}};
  EXPECT_EQ(ApplyDedup(page.writer(), not_ascending), EditError::kBadPosting);

  TestPage large;
  for (std::uint16_t number = 0; number < 3; ++number) {
    std::vector<ItemPointer> tids;
    for (std::uint16_t each = 1; each <= 200; ++each) tids.push_back({number, each});
    large.Add(PostingTuple(16, 1, tids));
  }
  const DedupInterval too_large[] = {{1, 3}};
  EXPECT_EQ(ApplyDedup(large.writer(), too_large), EditError::kBadPosting);
  EXPECT_EQ(page.bytes, before);
}

TEST(PostingEditTest, NoAddressIsLostHoweverListsAreEdited) {
  Prng prng(1, "postings");
  for (int round = 0; round < 300; ++round) {
    TestPage page;
    std::vector<ItemPointer> all;
    BlockNumber block = 0;
    while (page.writer().FreeSpace() > 600) {
      std::vector<ItemPointer> tids;
      const std::uint64_t count = prng.Between(1, 60);
      for (std::uint64_t index = 0; index < count; ++index) tids.push_back({++block, 1});
      all.insert(all.end(), tids.begin(), tids.end());
      page.Add(count == 1 ? PlainTuple(16, 1, tids[0]) : PostingTuple(16, 1, tids));
    }
    std::vector<DedupInterval> intervals;
    for (std::uint32_t slot = 1; slot < page.page().item_count(); slot += 4) {
      intervals.push_back({static_cast<OffsetNumber>(slot), 2});
    }
    ASSERT_EQ(ApplyDedup(page.writer(), intervals), EditError::kNone);
    ASSERT_STREQ(page.rule(), "");
    std::vector<ItemPointer> after;
    for (const Bytes& item : page.items()) {
      for (const ItemPointer& tid : TidsOf(item)) after.push_back(tid);
    }
    ASSERT_EQ(after, all);
  }
}

}  // namespace
}  // namespace nbtree
}  // namespace tornleaf
