#include "engine/format/nbtree_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/prng.h"
#include "engine/format/edit_test_util.h"

namespace tornleaf {
namespace nbtree {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kSpecial = 8192 - 16;

TEST(NbtreeEditTest, TuplesGoBelowTheLowestAndLinePointersMoveUp) {
  TestPage page;
  page.Add(PlainTuple(16, 1, {1, 1}));
  page.Add(PlainTuple(24, 3, {3, 1}));
  ASSERT_EQ(InsertItem(page.writer(), 2, PlainTuple(32, 2, {2, 1})), EditError::kNone);
  EXPECT_THAT(page.offsets(), ElementsAre(kSpecial - 16, kSpecial - 72, kSpecial - 40));
  EXPECT_EQ(page.page().page().lower(), 24 + 3 * 4);
  EXPECT_EQ(page.page().page().upper(), kSpecial - 72);
  EXPECT_THAT(page.items(), ElementsAre(PlainTuple(16, 1, {1, 1}), PlainTuple(32, 2, {2, 1}),
                                        PlainTuple(24, 3, {3, 1})));
  EXPECT_STREQ(page.rule(), "");
}

TEST(NbtreeEditTest, OneOrTwoDeletedItemsLeaveTheOrderOfTheOthersBytes) {
  TestPage page;
  // Physical order, from the special area down: a, c, b.
  page.Add(PlainTuple(16, 0xA, {1, 1}));
  page.Add(PlainTuple(24, 0xC, {3, 1}));
  ASSERT_EQ(InsertItem(page.writer(), 2, PlainTuple(32, 0xB, {2, 1})), EditError::kNone);
  page.Add(PlainTuple(16, 0xD, {4, 1}));
  ASSERT_EQ(DeleteItem(page.writer(), 1), EditError::kNone);
  EXPECT_THAT(page.offsets(), ElementsAre(kSpecial - 56, kSpecial - 24, kSpecial - 72));
  EXPECT_EQ(page.page().page().upper(), kSpecial - 72);

  const OffsetNumber two[] = {1, 3};
  ASSERT_EQ(DeleteItems(page.writer(), two), EditError::kNone);
  EXPECT_THAT(page.items(), ElementsAre(PlainTuple(24, 0xC, {3, 1})));
  EXPECT_THAT(page.offsets(), ElementsAre(kSpecial - 24));
}

TEST(NbtreeEditTest, ThreeDeletedItemsLayOutTheOthersInItemOrder) {
  TestPage page;
  for (std::uint8_t fill = 1; fill <= 5; ++fill) {
    ASSERT_EQ(InsertItem(page.writer(), 1, PlainTuple(16 + fill * 8U, fill, {fill, 1})),
              EditError::kNone);
  }
  // Items are 5, 4, 3, 2, 1; 5 lies lowest.
  const OffsetNumber three[] = {2, 3, 4};
  ASSERT_EQ(DeleteItems(page.writer(), three), EditError::kNone);
  EXPECT_THAT(page.items(), ElementsAre(PlainTuple(56, 5, {5, 1}), PlainTuple(24, 1, {1, 1})));
  EXPECT_THAT(page.offsets(), ElementsAre(kSpecial - 56, kSpecial - 80));

  TestPage all;
  for (std::uint8_t fill = 1; fill <= 3; ++fill) all.Add(PlainTuple(16, fill, {fill, 1}));
  const OffsetNumber every[] = {1, 2, 3};
  ASSERT_EQ(DeleteItems(all.writer(), every), EditError::kNone);
  EXPECT_EQ(all.page().item_count(), 0);
  EXPECT_EQ(all.page().page().upper(), kSpecial);
}

TEST(NbtreeEditTest, OverwritingKeepsPlaceAndFlags) {
  TestPage page;
  page.Add(PlainTuple(16, 1, {1, 1}));
  page.Add(PlainTuple(32, 2, {2, 1}));
  page.Add(PlainTuple(16, 3, {3, 1}));
  LinePointer dead = page.page().page().line_pointer(2);
  dead.flags = LineFlags::kDead;
  page.writer().set_line_pointer(2, dead);

  ASSERT_EQ(OverwriteItem(page.writer(), 2, PlainTuple(24, 9, {2, 2})), EditError::kNone);
  EXPECT_THAT(page.offsets(), ElementsAre(kSpecial - 16, kSpecial - 40, kSpecial - 56));
  EXPECT_EQ(page.page().page().line_pointer(2).flags, LineFlags::kDead);
  EXPECT_EQ(page.item(3), PlainTuple(16, 3, {3, 1}));
  ASSERT_EQ(OverwriteItem(page.writer(), 2, PlainTuple(40, 8, {2, 3})), EditError::kNone);
  EXPECT_THAT(page.offsets(), ElementsAre(kSpecial - 16, kSpecial - 56, kSpecial - 72));
  EXPECT_EQ(page.page().page().upper(), kSpecial - 72);
  EXPECT_STREQ(page.rule(), "");
}

TEST(NbtreeEditTest, APageTakesItemsUntilItIsFull) {
  TestPage page;
  for (int count = 0; count < 407; ++count) page.Add(PlainTuple(16, 1, {1, 1}));
  EXPECT_EQ(page.writer().FreeSpace(), 8);
  const Bytes before = page.bytes;
  EXPECT_EQ(InsertItem(page.writer(), 1, PlainTuple(16, 1, {1, 1})), EditError::kNoRoom);
  EXPECT_EQ(OverwriteItem(page.writer(), 1, PlainTuple(32, 1, {1, 1})), EditError::kNoRoom);
  EXPECT_EQ(page.bytes, before);
  EXPECT_EQ(OverwriteItem(page.writer(), 1, PlainTuple(24, 1, {1, 1})), EditError::kNone);
}

// What an edit does to the list of items, whatever the page does with their bytes.
TEST(NbtreeEditTest, RandomEditsAgreeWithAListOfItems) {
  Prng prng(1, "edits");
  TestPage page;
  std::vector<Bytes> model;
  for (int step = 0; step < 20000; ++step) {
    const auto size = static_cast<std::uint32_t>(8 * prng.Between(2, 40));
    const Bytes tuple = PlainTuple(size, static_cast<std::uint8_t>(step), {7, 7});
    const auto slot = static_cast<OffsetNumber>(prng.Between(1, model.size() + 1));
    const auto at = model.begin() + (slot - 1);
    const std::uint64_t what = prng.Below(10);
    if (what < 6) {
      if (InsertItem(page.writer(), slot, tuple) == EditError::kNone) model.insert(at, tuple);
    } else if (what < 8) {
      if (OverwriteItem(page.writer(), slot, tuple) == EditError::kNone) *at = tuple;
    } else if (what < 9) {
      if (DeleteItem(page.writer(), slot) == EditError::kNone) model.erase(at);
    } else {
      std::vector<OffsetNumber> slots;
      std::vector<Bytes> left;
      for (OffsetNumber each = 1; each <= model.size(); ++each) {
        const bool goes = prng.Chance(1, 6);
        if (goes) slots.push_back(each);
        if (!goes) left.push_back(model[each - 1U]);
      }
      ASSERT_EQ(DeleteItems(page.writer(), slots), EditError::kNone);
      model = left;
    }
    ASSERT_EQ(page.items(), model) << step;
    ASSERT_STREQ(page.rule(), "");
    std::uint32_t total = 0;
    for (const Bytes& item : model) total += static_cast<std::uint32_t>(item.size());
    ASSERT_EQ(page.page().page().upper(), kSpecial - total) << "the hole is in one piece";
  }
}

TEST(NbtreeEditTest, ImpossibleArgumentsChangeNothing) {
  TestPage page;
  for (std::uint8_t fill = 1; fill <= 4; ++fill) page.Add(PlainTuple(16, fill, {fill, 1}));
  const Bytes before = page.bytes;
  const Bytes tuple = PlainTuple(16, 1, {1, 1});
  EXPECT_EQ(InsertItem(page.writer(), 0, tuple), EditError::kNoSuchSlot);
  EXPECT_EQ(InsertItem(page.writer(), 6, tuple), EditError::kNoSuchSlot);
  EXPECT_EQ(InsertItem(page.writer(), 1, {}), EditError::kBadTuple);
  EXPECT_EQ(InsertItem(page.writer(), 1, ByteView(tuple).first(8)), EditError::kBadTuple);
  EXPECT_EQ(InsertItem(page.writer(), 1, PlainTuple(20, 1, {})), EditError::kBadTuple);
  EXPECT_EQ(OverwriteItem(page.writer(), 0, tuple), EditError::kNoSuchSlot);
  EXPECT_EQ(OverwriteItem(page.writer(), 5, tuple), EditError::kNoSuchSlot);
  EXPECT_EQ(OverwriteItem(page.writer(), 1, {}), EditError::kBadTuple);
  const OffsetNumber unordered[] = {2, 1};
  const OffsetNumber twice[] = {2, 2};
  const OffsetNumber past[] = {1, 2, 3, 5};
  EXPECT_EQ(DeleteItems(page.writer(), unordered), EditError::kNoSuchSlot);
  EXPECT_EQ(DeleteItems(page.writer(), twice), EditError::kNoSuchSlot);
  EXPECT_EQ(DeleteItems(page.writer(), past), EditError::kNoSuchSlot);
  EXPECT_EQ(page.bytes, before);

  TestPage blank;
  blank.bytes.assign(blank.bytes.size(), 0);
  EXPECT_EQ(InsertItem(blank.writer(), 1, tuple), EditError::kBadLayout);
  EXPECT_EQ(OverwriteItem(blank.writer(), 1, tuple), EditError::kBadLayout);
  EXPECT_EQ(DeleteItem(blank.writer(), 1), EditError::kBadLayout);
  EXPECT_EQ(DeleteAndUpdate(blank.writer(), {}, {}), EditError::kBadLayout);
  EXPECT_EQ(InsertIntoPosting(blank.writer(), 2, TupleView(tuple), 1), EditError::kBadLayout);
  EXPECT_EQ(ApplyDedup(blank.writer(), {}), EditError::kBadLayout);
  EXPECT_EQ(RestoreItems(blank.writer(), {}), EditError::kBadLayout);
}

TEST(NbtreeEditTest, EveryErrorHasAText) {
  for (std::uint8_t error = 0; error <= 6; ++error) {
    EXPECT_STRNE(EditErrorText(static_cast<EditError>(error)), "unknown");
  }
  EXPECT_STREQ(EditErrorText(static_cast<EditError>(7)), "unknown");
}

}  // namespace
}  // namespace nbtree
}  // namespace tornleaf
