#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/format/edit_test_util.h"
#include "engine/format/nbtree_edit.h"

namespace tornleaf {
namespace nbtree {
namespace {

using ::testing::ElementsAre;

Bytes Item(std::uint8_t number) { return PlainTuple(16, number, {number, 1}); }

struct Halves {
  TestPage left;
  TestPage right;
  EditError error = EditError::kNone;
};

Halves Split(const TestPage& page, const SplitPlan& plan, const Bytes& new_item,
             const Bytes& high_key) {
  Halves halves;
  const std::uint16_t flags = page.page().flags();
  halves.right = TestPage(page.page().level());
  halves.error = BuildSplitLeft(page.bytes, plan, TupleView(new_item), TupleView(high_key),
                                flags | kIncompleteSplit, 77, 3, halves.left.bytes);
  if (halves.error == EditError::kNone) {
    halves.error = BuildSplitRight(page.bytes, plan, TupleView(new_item), halves.right.writer());
  }
  return halves;
}

// A leaf with items 2, 4, 6 and, unless it is the rightmost one, a high key.
TestPage Leaf(bool rightmost) {
  TestPage page;
  if (!rightmost) page.Add(PivotTuple(24, 9, 1, 0));
  for (const std::uint8_t number : {2, 4, 6}) page.Add(Item(number));
  SetNext(page.writer(), rightmost ? kNoSibling : 8);
  SetPrev(page.writer(), 5);
  page.writer().set_lsn(0x1000);
  return page;
}

TEST(SplitEditTest, TheNewItemGoesToTheSideThatThePlanSays) {
  const Bytes high_key = PivotTuple(16, 8, 1, 0);
  const TestPage page = Leaf(true);
  // Before item 4 in slot 2: the last one of the left half, then the first one of the right half.
  Halves halves = Split(page, {2, 2, true, 0}, Item(3), high_key);
  ASSERT_EQ(halves.error, EditError::kNone);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2), Item(3)));
  EXPECT_THAT(halves.right.items(), ElementsAre(Item(4), Item(6)));
  halves = Split(page, {2, 2, false, 0}, Item(3), high_key);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2)));
  EXPECT_THAT(halves.right.items(), ElementsAre(Item(3), Item(4), Item(6)));
  // In the middle of either half.
  halves = Split(page, {3, 2, true, 0}, Item(3), high_key);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2), Item(3), Item(4)));
  EXPECT_THAT(halves.right.items(), ElementsAre(Item(6)));
  halves = Split(page, {2, 3, false, 0}, Item(5), high_key);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2)));
  EXPECT_THAT(halves.right.items(), ElementsAre(Item(4), Item(5), Item(6)));
  // Alone on the right half.
  halves = Split(page, {4, 4, false, 0}, Item(7), high_key);
  ASSERT_EQ(halves.error, EditError::kNone);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2), Item(4), Item(6)));
  EXPECT_THAT(halves.right.items(), ElementsAre(Item(7)));
}

TEST(SplitEditTest, TheRightHalfKeepsTheHighKeyAndTheLeftOneItsPlace) {
  const Bytes high_key = PivotTuple(16, 8, 1, 0);
  const TestPage page = Leaf(false);
  const Halves halves = Split(page, {3, 4, false, 0}, Item(5), high_key);
  ASSERT_EQ(halves.error, EditError::kNone);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2)));
  EXPECT_THAT(halves.right.items(),
              ElementsAre(PivotTuple(24, 9, 1, 0), Item(4), Item(5), Item(6)));
  const NbtreePage left = halves.left.page();
  EXPECT_EQ(left.prev(), 5U);
  EXPECT_EQ(left.next(), 77U);
  EXPECT_EQ(left.level(), 0U);
  EXPECT_EQ(left.flags(), kLeaf | kIncompleteSplit);
  EXPECT_EQ(left.cycle_id(), 3);
  EXPECT_EQ(left.page().lsn(), 0x1000U);
  EXPECT_STREQ(halves.left.rule(), "");
  // Items lie in item order from the special area down, whatever their order was.
  EXPECT_THAT(halves.left.offsets(), ElementsAre(8176 - 16, 8176 - 32));
  EXPECT_THAT(halves.right.offsets(), ElementsAre(8176 - 24, 8176 - 40, 8176 - 56, 8176 - 72));
}

TEST(SplitEditTest, AnInternalPageIsSplitInTheMiddleOfAnItem) {
  TestPage page(1);
  Bytes first;
  FormMinusInfinity(10, &first);
  page.Add(first);
  for (const std::uint8_t number : {2, 4, 6}) page.Add(PivotTuple(16, number, 1, number));
  const Bytes new_item = PivotTuple(24, 5, 1, 50);
  Halves halves = Split(page, {3, 4, false, 0}, new_item, PivotTuple(16, 4, 1, 4));
  ASSERT_EQ(halves.error, EditError::kNone);
  Bytes cut;
  FormMinusInfinity(4, &cut);
  EXPECT_THAT(halves.left.items(),
              ElementsAre(PivotTuple(16, 4, 1, 4), first, PivotTuple(16, 2, 1, 2)));
  EXPECT_THAT(halves.right.items(), ElementsAre(cut, new_item, PivotTuple(16, 6, 1, 6)));
  EXPECT_STREQ(halves.right.rule(), "");

  halves = Split(page, {4, 4, false, 0}, new_item, PivotTuple(16, 4, 1, 4));
  cut.clear();
  FormMinusInfinity(50, &cut);
  EXPECT_THAT(halves.right.items(), ElementsAre(cut, PivotTuple(16, 6, 1, 6)));
}

TEST(SplitEditTest, APostingListIsSwappedOnTheWay) {
  TestPage page;
  const Bytes posting = PostingTuple(16, 4, {{1, 1}, {2, 1}, {3, 1}});
  page.Add(Item(2));
  page.Add(posting);
  page.Add(Item(6));
  const Bytes incoming = PlainTuple(16, 4, {1, 7});
  const Bytes swapped = PostingTuple(16, 4, {{1, 1}, {1, 7}, {2, 1}});
  const Bytes rest = PlainTuple(16, 4, {3, 1});
  const Bytes high_key = PivotTuple(16, 8, 1, 0);

  Halves halves = Split(page, {3, 3, true, 1}, incoming, high_key);
  ASSERT_EQ(halves.error, EditError::kNone);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2), swapped, rest));
  EXPECT_THAT(halves.right.items(), ElementsAre(Item(6)));
  halves = Split(page, {3, 3, false, 1}, incoming, high_key);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2), swapped));
  EXPECT_THAT(halves.right.items(), ElementsAre(rest, Item(6)));
  halves = Split(page, {2, 3, false, 1}, incoming, high_key);
  EXPECT_THAT(halves.left.items(), ElementsAre(high_key, Item(2)));
  EXPECT_THAT(halves.right.items(), ElementsAre(swapped, rest, Item(6)));

  EXPECT_EQ(Split(page, {3, 3, true, 2}, incoming, high_key).error, EditError::kBadPosting);
  EXPECT_EQ(Split(page, {3, 2, true, 1}, incoming, high_key).error, EditError::kNotPosting);
  EXPECT_EQ(Split(page, {2, 1, true, 1}, incoming, high_key).error, EditError::kBadLayout);
}

TEST(SplitEditTest, PlansThatDoNotSuitThePageAreRefused) {
  const Bytes high_key = PivotTuple(16, 8, 1, 0);
  const TestPage page = Leaf(false);  // data in slots 2 to 4
  const SplitPlan wrong[] = {{1, 2, true, 0}, {0, 2, true, 0},  {5, 5, true, 0}, {6, 5, false, 0},
                             {3, 1, true, 0}, {3, 6, false, 0}, {3, 4, true, 0}, {3, 2, false, 0}};
  for (const SplitPlan& plan : wrong) {
    EXPECT_EQ(Split(page, plan, Item(3), high_key).error, EditError::kNoSuchSlot);
  }
  const Bytes damaged(16, 0xFF);
  EXPECT_EQ(Split(page, {3, 3, true, 0}, damaged, high_key).error, EditError::kBadTuple);
  EXPECT_EQ(Split(page, {3, 3, false, 0}, damaged, high_key).error, EditError::kBadTuple);
  EXPECT_EQ(Split(page, {3, 3, false, 0}, Item(3), damaged).error, EditError::kBadTuple);
  TestPage deleted = Leaf(false);
  SetFlags(deleted.writer(), kLeaf | kHalfDead);
  EXPECT_EQ(Split(deleted, {3, 3, true, 0}, Item(3), high_key).error, EditError::kBadLayout);
  TestPage empty;
  EXPECT_EQ(Split(empty, {1, 1, true, 0}, Item(3), high_key).error, EditError::kBadLayout);
}

TEST(SplitEditTest, APageIsRestoredFromItsTupleRegion) {
  TestPage page = Leaf(false);
  const PageView view = page.page().page();
  TestPage copy;
  ASSERT_EQ(RestoreItems(copy.writer(),
                         view.bytes().subspan(view.upper(), view.special() - view.upper())),
            EditError::kNone);
  EXPECT_EQ(copy.items(), page.items());
  EXPECT_EQ(copy.offsets(), page.offsets());

  TestPage blank;
  const Bytes before = blank.bytes;
  const Bytes items = Item(1);
  Bytes too_small = Item(1);
  Store(too_small.data(), index_tuple::kInfo, std::uint16_t{0});
  Bytes uneven = Item(1);
  Store(uneven.data(), index_tuple::kInfo, std::uint16_t{12});
  Bytes many;
  for (int count = 0; count < 500; ++count) many.insert(many.end(), items.begin(), items.end());
  EXPECT_EQ(RestoreItems(blank.writer(), ByteView(items).first(7)), EditError::kBadTuple);
  EXPECT_EQ(RestoreItems(blank.writer(), ByteView(items).first(8)), EditError::kBadTuple);
  EXPECT_EQ(RestoreItems(blank.writer(), too_small), EditError::kBadTuple);
  EXPECT_EQ(RestoreItems(blank.writer(), uneven), EditError::kBadTuple);
  EXPECT_EQ(RestoreItems(blank.writer(), many), EditError::kNoRoom);
  EXPECT_EQ(RestoreItems(copy.writer(), items), EditError::kBadLayout) << "not an empty page";
  EXPECT_EQ(blank.bytes, before);
}

}  // namespace
}  // namespace nbtree
}  // namespace tornleaf
