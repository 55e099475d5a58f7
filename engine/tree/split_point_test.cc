#include "engine/tree/split_point.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/prng.h"
#include "engine/tree/leaf_test_util.h"
#include "engine/tree/server_sort.h"

namespace tornleaf {
namespace {

// The figures below follow from 8,152 bytes for items on a page and 20 bytes for an int4 item with
// its line pointer: 407 of them fill a page. A left half of n old items has 8152 - 20 n - 28 bytes
// free (the high key is expected to need a row address), a right half of the others and the new
// item 20 n - 8.

void Expect(SplitPoint point, OffsetNumber first_right, bool new_item_on_left) {
  EXPECT_EQ(point.first_right, first_right);
  EXPECT_EQ(point.new_item_on_left, new_item_on_left);
}

class Int4Leaf : public testing::Test {
 protected:
  TupleBytes Key(std::int32_t key, BlockNumber row = 1) const {
    return Int4Tuple(schema_, {key}, {row, 1});
  }
  void HighKey(std::int32_t key) { leaf_.AddHighKey(AsPivot(Key(key), 1, 0)); }
  void Fill(std::int32_t first, std::int32_t step) {
    while (leaf_.Add(Key(first))) first += step;
  }
  SplitPoint Find(OffsetNumber slot, std::int32_t key, std::uint32_t fillfactor = 90) const {
    return FindSplitPoint(schema_, leaf_.page(), slot, TupleView(Key(key, 9999)), fillfactor);
  }

  const Schema schema_ = SchemaFor("int4");
  PageUnderTest leaf_;
};

TEST_F(Int4Leaf, TheRightmostLeafIsFilledToTheFillFactor) {
  Fill(1, 1);
  ASSERT_EQ(leaf_.page().item_count(), 407);
  // 0.9 (8124 - 20 n) = 0.1 (20 n - 8): n = 365.6.
  Expect(Find(408, 1000), 367, false);
  Expect(Find(408, 1000, 100), 407, false);
  // 0.5: n = 203.3; the nearer one, as many free bytes on both sides but 12.
  Expect(Find(408, 1000, 50), 204, false);
  // 0.1 (8124 - 20 n) = 0.9 (20 n - 8): n = 40.98.
  Expect(Find(408, 1000, 10), 42, false);
}

TEST_F(Int4Leaf, ANewItemOnTheLeftCountsThere) {
  Fill(1, 1);
  // 366 items stay on the left, the new one among them.
  Expect(Find(1, 0), 366, true);
}

TEST_F(Int4Leaf, OtherLeavesAreHalved) {
  HighKey(5000);
  Fill(1, 1);
  ASSERT_EQ(leaf_.page().item_count(), 407);
  // Left: 8124 - 20 n; right: 8132 - 20 (406 - n) - 20 = 20 n - 8. n = 203.3: 203 items.
  Expect(Find(408, 1000), 205, false);
  Expect(Find(2, 0), 204, true);
}

TEST_F(Int4Leaf, TheNewItemMayStandAtTheSplitPointOnEitherSide) {
  HighKey(5000);
  Fill(2, 2);
  // Slot 205 is where the halves meet: 203 items in slots 2 to 204 on the left.
  Expect(Find(205, 407), 205, false);
  Expect(Find(204, 405), 204, true);
}

TEST_F(Int4Leaf, AFullPageOfOneValueLeavesNinetySixPercent) {
  while (leaf_.Add(Key(7, leaf_.end()))) {
  }
  // 0.96 (8124 - 20 n) = 0.04 (20 n - 8): n = 389.97.
  Expect(Find(408, 7), 391, false);
}

TEST_F(Int4Leaf, AFullPageOfAValueThatGoesOnToTheRightIsHalved) {
  HighKey(7);
  while (leaf_.Add(Key(7, leaf_.end()))) {
  }
  Expect(Find(408, 7), 205, false);
}

TEST_F(Int4Leaf, TheLastPageOfAValueLeavesNinetySixPercent) {
  HighKey(8);
  while (leaf_.Add(Key(7, leaf_.end()))) {
  }
  // Right: 8132 - 20 (406 - n) - 20; as on the rightmost page n = 389.97.
  Expect(Find(408, 7), 392, false);
}

TEST_F(Int4Leaf, ManyDuplicatesAreKeptTogether) {
  for (BlockNumber row = 1; row <= 300; ++row) leaf_.Add(Key(1, row));
  while (leaf_.Add(Key(2, leaf_.end()))) {
  }
  // The fill factor's place, 366, is in the middle of the twos; 300 parts the values.
  Expect(Find(408, 2), 301, false);
}

TEST_F(Int4Leaf, DescendingKeysBesideManyDuplicatesHalveThePage) {
  HighKey(5000);
  for (BlockNumber row = 1; row <= 390; ++row) leaf_.Add(Key(1, row));
  Fill(1000, 1);
  // To part 1 from 1000 is possible only at the new item's place, slot 392.
  Expect(Find(392, 999), 205, false);
  // Far to the right of the duplicates the values are parted.
  Expect(Find(404, 1011), 392, false);
}

TEST_F(Int4Leaf, PostingListsWeighWhatTheirTuplesDo) {
  for (std::int32_t key = 1;; ++key) {
    if (!leaf_.Add(WithPostings(Key(key), {10, 1}, 100))) break;
  }
  ASSERT_EQ(leaf_.page().item_count(), 13);  // 616 + 4 bytes each
  // Left: 8152 - 620 n - (620 + 8 - 600); right: 8152 - 620 (13 - n) - 20. With 0.9 and 0.1:
  // n = 11.8, and 12 items leave 684 and 7492 bytes: 615.6 against 749.2.
  Expect(Find(14, 1000), 13, false);
}

class GroupsOfTwo : public testing::Test {
 protected:
  void SetUp() override { leaf_.AddHighKey(AsPivot(Pair(50, 0, {1, 1}), 2, 0)); }
  TupleBytes Pair(std::int32_t group, std::int32_t number, ItemPointer tid) const {
    return Int4Tuple(schema_, {group, number}, tid);
  }
  // Groups 1 and 2, `first` items in group 1.
  void Fill(std::uint32_t first) {
    std::int32_t number = 0;
    for (std::uint32_t count = 0; leaf_.Add(Pair(count < first ? 1 : 2, ++number, {7, 5}));) {
      ++count;
    }
  }
  SplitPoint Find(OffsetNumber slot, std::int32_t group, std::int32_t number,
                  ItemPointer tid) const {
    return FindSplitPoint(schema_, leaf_.page(), slot, TupleView(Pair(group, number, tid)), 90);
  }

  const Schema schema_ = SchemaFor("int4,int4");
  PageUnderTest leaf_;
};

TEST_F(GroupsOfTwo, ThePageIsSplitAfterAnItemThatContinuesAGroup) {
  Fill(100);
  Expect(Find(102, 1, 1000, {7, 6}), 102, true);
  Expect(Find(102, 1, 1000, {8, 1}), 102, true);
}

TEST_F(GroupsOfTwo, FarToTheRightTheFillFactorIsUsed) {
  Fill(400);
  // 402 / 408 is more than 0.9. As on the rightmost page n = 365.6, new item on the right.
  Expect(Find(402, 1, 1000, {7, 6}), 368, false);
  // Past the end of the page it is, too, whatever the row's address.
  Fill(406);
  Expect(Find(408, 2, 1000, {900, 9}), 368, false);
}

TEST_F(GroupsOfTwo, OtherItemsDoNotContinueAGroup) {
  Fill(100);
  Expect(Find(102, 1, 1000, {9, 1}), 204, true);   // another heap page
  Expect(Find(102, 1, 1000, {8, 2}), 204, true);   // not its first row
  Expect(Find(102, 1, 100, {7, 6}), 204, true);    // a duplicate
  Expect(Find(2, 0, 1000, {7, 6}), 204, true);     // before all items
  Expect(Find(408, 3, 1000, {7, 6}), 205, false);  // a new group at the end
}

TEST_F(GroupsOfTwo, OnlyItemsOfEqualSizeMakeAGroup) {
  const Schema text = SchemaFor("int4,text");
  PageUnderTest leaf;
  const auto tuple = [&text](std::int32_t group, std::string_view name) {
    Value values[2];
    values[0] = Value::Of({reinterpret_cast<const std::uint8_t*>(&group), sizeof(group)});
    values[1] = Value::Of({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()});
    TupleBytes bytes;
    FormTuple(text, values, 2, {7, 5}, &bytes);
    return bytes;
  };
  leaf.AddHighKey(AsPivot(tuple(9, "z"), 2, 0));
  for (int count = 100; count < 200; ++count) leaf.Add(tuple(1, std::to_string(count)));
  for (int count = 1000; leaf.Add(tuple(1, std::to_string(count) + " is longer")); ++count) {
  }
  const SplitPoint point = FindSplitPoint(text, leaf.page(), 102, TupleView(tuple(1, "1990")), 90);
  EXPECT_GT(point.first_right, 150);
}

class InternalPage : public testing::Test {
 protected:
  TupleBytes Pivot(std::string_view text) const {
    return AsPivot(TextTuple(schema_, text, {1, 1}), 1, 5);
  }
  void AddMinusInfinity(PageUnderTest* page) const {
    TupleBytes bytes;
    nbtree::FormMinusInfinity(3, &bytes);
    page->Add(bytes);
  }

  const Schema schema_ = SchemaFor("text");
};

TEST_F(InternalPage, TheRightmostOneIsFilledToSeventyPercent) {
  PageUnderTest page(1);
  AddMinusInfinity(&page);
  while (page.Add(Pivot("abc"))) {
  }
  ASSERT_EQ(page.page().item_count(), 408);
  // n old items on the left, the first of 12 bytes: left 8152 - (20 n - 8) - 20, right
  // 8152 - (8152 - (20 n - 8)) - 20 + 8. 0.7 (8140 - 20 n) = 0.3 (20 n - 20): n = 285.2.
  Expect(FindSplitPoint(schema_, page.page(), 409, TupleView(Pivot("abc")), 90), 286, false);
}

TEST_F(InternalPage, TheSmallestKeyNearTheMiddleMovesUp) {
  PageUnderTest page(1);
  page.AddHighKey(Pivot("zzz"));
  AddMinusInfinity(&page);
  OffsetNumber small = 0;
  while (page.writer().FreeSpace() >= 64) {
    const OffsetNumber slot = page.end();
    if (small == 0 && page.writer().FreeSpace() < 4200) {
      small = slot;
      page.Add(Pivot("abc"));
    } else {
      page.Add(Pivot("a key that has forty bytes of characters."));
    }
  }
  const TupleBytes big = Pivot("a key that has forty bytes of characters.");
  Expect(FindSplitPoint(schema_, page.page(), page.end(), TupleView(big), 90), small, false);
  // A new item that is the smallest is preferred where it stands near the middle.
  Expect(FindSplitPoint(schema_, page.page(), static_cast<OffsetNumber>(small + 2),
                        TupleView(Pivot("ab")), 90),
         static_cast<OffsetNumber>(small + 2), false);
}

TEST(SplitPointTest, APageThatCannotBeSplitHasNoSplitPoint) {
  const Schema schema = SchemaFor("text");
  PageUnderTest page;
  page.Add(TextTuple(schema, std::string(2600, 'a'), {1, 1}));
  const TupleBytes impossible = TextTuple(schema, std::string(8000, 'b'), {1, 2});
  EXPECT_EQ(FindSplitPoint(schema, page.page(), 2, TupleView(impossible), 90).first_right, 0);
}

// Whatever the page: the halves that the split point names can be built, and neither is empty.
TEST(SplitPointTest, BothHalvesFit) {
  Prng prng(1, "splits");
  const Schema schema = SchemaFor("text");
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t page_size = prng.Chance(1, 2) ? 8192 : 1024;
    const std::uint64_t longest = prng.Between(1, page_size == 8192 ? 2650 : 260);
    const bool rightmost = prng.Chance(1, 3);
    PageUnderTest page(0, page_size);
    const auto key = [&](std::uint64_t number) {
      std::string text(prng.Between(0, longest), 'x');
      text.insert(0, std::to_string(1000 + number / prng.Between(1, 40)));
      text.resize(std::min<std::size_t>(text.size(), longest));
      return TextTuple(schema, text, {static_cast<BlockNumber>(number), 1});
    };
    if (!rightmost) page.AddHighKey(AsPivot(TextTuple(schema, "9", {1, 1}), 1, 0));
    std::uint64_t number = 0;
    TupleBytes next = key(number);
    while (page.Add(next)) next = key(++number);
    const OffsetNumber first = page.page().first_data_slot();
    const auto slot = static_cast<OffsetNumber>(prng.Between(first, page.end()));
    const SplitPoint point = FindSplitPoint(schema, page.page(), slot, TupleView(next),
                                            static_cast<std::uint32_t>(prng.Between(10, 100)));
    ASSERT_NE(point.first_right, 0) << round;

    const nbtree::SplitPlan plan = {point.first_right, slot, point.new_item_on_left, 0};
    const bool new_is_last = point.new_item_on_left && slot == point.first_right;
    const bool new_is_first = !point.new_item_on_left && slot == point.first_right;
    const TupleView last_left =
        new_is_last ? TupleView(next)
                    : page.page().tuple(static_cast<OffsetNumber>(point.first_right - 1));
    const TupleView first_right =
        new_is_first ? TupleView(next) : page.page().tuple(point.first_right);
    TupleBytes high_key;
    nbtree::TruncateForHighKey(schema, last_left, first_right, &high_key);
    std::vector<std::uint8_t> left(page_size);
    PageUnderTest right(0, page_size);
    ASSERT_EQ(nbtree::BuildSplitLeft(page.bytes(), plan, TupleView(next), TupleView(high_key),
                                     nbtree::kLeaf, 5, 0, left),
              nbtree::EditError::kNone)
        << round;
    ASSERT_EQ(nbtree::BuildSplitRight(page.bytes(), plan, TupleView(next), right.writer()),
              nbtree::EditError::kNone);
    const OffsetNumber on_left = nbtree::NbtreePage(PageView(left)).item_count();
    ASSERT_GT(on_left, 1);
    const int high_keys = rightmost ? 1 : 2;
    ASSERT_GT(right.page().item_count(), rightmost ? 0 : 1);
    ASSERT_EQ(on_left + right.page().item_count() - high_keys,
              page.page().item_count() - (rightmost ? 0 : 1) + 1);
  }
}

TEST(ServerSortTest, SortsWhateverItIsGiven) {
  Prng prng(1, "sort");
  for (int round = 0; round < 3000; ++round) {
    std::vector<int> numbers(prng.Between(0, 300));
    const std::uint64_t values = prng.Between(1, 50);
    for (int& number : numbers) number = static_cast<int>(prng.Below(values));
    if (prng.Chance(1, 10)) std::sort(numbers.begin(), numbers.end());
    std::vector<int> expected = numbers;
    std::sort(expected.begin(), expected.end());
    ServerSort(std::span<int>(numbers), [](int a, int b) { return a - b; });
    ASSERT_EQ(numbers, expected);
  }
}

TEST(ServerSortTest, EqualElementsEndWhereTheServerLeavesThem) {
  // The order that the server's own template gives; a stable sort gives "bfcdehag".
  std::vector<std::pair<int, char>> elements = {{3, 'a'}, {1, 'b'}, {2, 'c'}, {2, 'd'},
                                                {2, 'e'}, {1, 'f'}, {3, 'g'}, {2, 'h'}};
  ServerSort(std::span<std::pair<int, char>>(elements),
             [](const auto& a, const auto& b) { return a.first - b.first; });
  std::string order;
  for (const auto& [number, name] : elements) order += name;
  EXPECT_EQ(order, "bfdehcga");
}

}  // namespace
}  // namespace tornleaf
