#include "engine/tree/bottom_up.h"

#include <algorithm>
#include <set>
#include <vector>

#include "engine/base/mark.h"
#include "engine/format/nbtree_tuple.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tornleaf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A leaf of int4 keys, at the right end of its level: no high key.
class LeafOfNumbers {
 public:
  explicit LeafOfNumbers(std::uint32_t page_size = 8192)
      : bytes_(page_size), schema_(Schema::Parse("int4").value()) {
    nbtree::InitializePage(PageWriter(bytes_), 0, nbtree::kLeaf);
  }
  void Add(std::int32_t key, ItemPointer tid) { PageWriter(bytes_).AppendItem(Plain(key, tid)); }
  void Add(std::int32_t key, const std::vector<ItemPointer>& tids) {
    const std::vector<std::uint8_t> base = Plain(key, tids.front());
    std::vector<std::uint8_t> posting;
    nbtree::FormPosting(TupleView(base), tids, &posting);
    PageWriter(bytes_).AppendItem(posting);
  }
  nbtree::NbtreePage page() const { return nbtree::NbtreePage(PageView(bytes_)); }
  const Schema& schema() const { return schema_; }

 private:
  std::vector<std::uint8_t> Plain(std::int32_t key, ItemPointer tid) {
    std::uint8_t stored[4];
    StoreLittleEndian(stored, key);
    const Value value = Value::Of(stored);
    std::vector<std::uint8_t> tuple;
    FormTuple(schema_, &value, 1, tid, &tuple);
    return tuple;
  }

  std::vector<std::uint8_t> bytes_;
  Schema schema_;
};

std::vector<ItemPointer> Promising(const BottomUpRows& collected) {
  std::vector<ItemPointer> tids;
  for (const LeafRow& row : collected.rows) {
    if (row.promising) tids.push_back(row.tid);
  }
  return tids;
}

std::vector<ItemPointer> Dead(const std::vector<LeafRow>& rows) {
  std::vector<ItemPointer> tids;
  for (const LeafRow& row : rows) {
    if (row.dead) tids.push_back(row.tid);
  }
  return tids;
}

TEST(CollectBottomUpRows, DuplicatesArePromising) {
  LeafOfNumbers leaf;
  leaf.Add(1, {10, 1});
  leaf.Add(2, {20, 1});
  leaf.Add(2, {21, 1});
  leaf.Add(3, {30, 1});
  const BottomUpRows collected = CollectBottomUpRows(leaf.schema(), leaf.page());
  EXPECT_TRUE(collected.any_duplicates);
  EXPECT_EQ(collected.rows.size(), 4U);
  EXPECT_THAT(Promising(collected), ElementsAre(ItemPointer{20, 1}, ItemPointer{21, 1}));
  EXPECT_EQ(collected.rows[0].free_space, 16 + 4);
}

TEST(CollectBottomUpRows, WithoutDuplicatesNothingIs) {
  LeafOfNumbers leaf;
  leaf.Add(1, {10, 1});
  leaf.Add(2, {{20, 1}, {20, 2}});
  const BottomUpRows collected = CollectBottomUpRows(leaf.schema(), leaf.page());
  EXPECT_FALSE(collected.any_duplicates);
  EXPECT_THAT(Promising(collected), IsEmpty());
}

TEST(CollectBottomUpRows, OneRowOfAPostingListInItsMainBlockIsPromising) {
  LeafOfNumbers leaf;
  leaf.Add(2, {{20, 1}, {20, 2}, {20, 3}, {21, 1}});  // begins in the block of its middle
  leaf.Add(2, {{22, 1}, {23, 1}, {23, 2}});           // ends in it
  leaf.Add(2, {{24, 1}, {25, 1}, {26, 1}});           // in neither
  const BottomUpRows collected = CollectBottomUpRows(leaf.schema(), leaf.page());
  EXPECT_TRUE(collected.any_duplicates);
  EXPECT_THAT(Promising(collected), ElementsAre(ItemPointer{20, 1}, ItemPointer{23, 2}));
  EXPECT_EQ(collected.rows[4].posting_index, 0);
  EXPECT_EQ(collected.rows[6].posting_index, 2);
  EXPECT_EQ(collected.rows[6].free_space, 6);
}

TEST(CollectBottomUpRows, ARunEndsWhereOnePostingListWouldBeLargerThanThePage) {
  LeafOfNumbers leaf(1024);
  std::vector<ItemPointer> half;
  for (OffsetNumber offset = 1; offset <= 74; ++offset) half.push_back({7, offset});
  leaf.Add(1, half);
  leaf.Add(1, {8, 1});
  leaf.Add(1, {8, 2});
  BottomUpRows collected = CollectBottomUpRows(leaf.schema(), leaf.page());
  EXPECT_EQ(Promising(collected).size(), 3U);

  std::vector<ItemPointer> second;
  for (OffsetNumber offset = 1; offset <= 60; ++offset) second.push_back({9, offset});
  LeafOfNumbers full(1024);
  full.Add(1, half);
  full.Add(1, second);
  collected = CollectBottomUpRows(full.schema(), full.page());
  EXPECT_TRUE(collected.any_duplicates);
}

LeafRow Row(BlockNumber block, OffsetNumber offset, bool promising = true) {
  LeafRow row;
  row.tid = {block, offset};
  row.slot = static_cast<OffsetNumber>(block * 10 + offset);
  row.promising = promising;
  row.free_space = 20;
  return row;
}

TEST(AskBottomUp, StopsAtTheEndOfTheBlockThatGaveEnough) {
  std::vector<LeafRow> rows = {Row(1, 1), Row(1, 2), Row(1, 3), Row(2, 1), Row(2, 2)};
  AskBottomUp(&rows, 30, [](ItemPointer) { return true; });
  EXPECT_THAT(Dead(rows), ElementsAre(ItemPointer{1, 1}, ItemPointer{1, 2}, ItemPointer{1, 3}));
}

TEST(AskBottomUp, StopsAtABlockThatGivesNothing) {
  std::vector<LeafRow> rows = {Row(1, 1), Row(2, 1), Row(3, 1)};
  std::set<BlockNumber> asked;
  AskBottomUp(&rows, 1000, [&asked](ItemPointer tid) {
    asked.insert(tid.block);
    return tid.block != 2;
  });
  EXPECT_THAT(Dead(rows), ElementsAre(ItemPointer{1, 1}));
  EXPECT_THAT(asked, ElementsAre(1, 2));
}

TEST(AskBottomUp, BeginsWithTheMostPromisingBlock) {
  std::vector<LeafRow> rows;
  for (OffsetNumber offset = 1; offset <= 9; ++offset) rows.push_back(Row(1, offset, offset < 5));
  for (OffsetNumber offset = 1; offset <= 9; ++offset) rows.push_back(Row(900, offset));
  std::vector<BlockNumber> asked;
  AskBottomUp(&rows, 1, [&asked](ItemPointer tid) {
    asked.push_back(tid.block);
    return true;
  });
  EXPECT_EQ(asked, std::vector<BlockNumber>(9, 900));
}

TEST(AskBottomUp, AmongEquallyPromisingOnesWithTheOneOfMoreRows) {
  // Four promising rows count no more than one.
  std::vector<LeafRow> rows = {Row(1, 1),          Row(1, 2),          Row(1, 3),
                               Row(500, 1),        Row(500, 2, false), Row(500, 3, false),
                               Row(500, 4, false), Row(500, 5, false)};
  std::vector<BlockNumber> asked;
  AskBottomUp(&rows, 1, [&asked](ItemPointer tid) {
    asked.push_back(tid.block);
    return true;
  });
  EXPECT_EQ(asked, std::vector<BlockNumber>(5, 500));
}

TEST(AskBottomUp, AsksAboutSixBlocksAtMost) {
  std::vector<LeafRow> rows;
  for (BlockNumber block = 1; block <= 9; ++block) rows.push_back(Row(block, 1));
  AskBottomUp(&rows, 1'000'000, [](ItemPointer) { return true; });
  EXPECT_EQ(Dead(rows).size(), 6U);
}

TEST(AskBottomUp, LosesPatienceWithBlocksThatAreNoNeighbours) {
  // The target is 70; after the first block it is halved for each further one: 35 is reached.
  std::vector<LeafRow> rows = {Row(100, 1), Row(200, 1), Row(300, 1), Row(400, 1)};
  AskBottomUp(&rows, 70, [](ItemPointer) { return true; });
  EXPECT_EQ(Dead(rows).size(), 2U);
  // Neighbours, with gaps of up to three blocks, do not cost patience.
  std::vector<LeafRow> near = {Row(100, 1), Row(103, 1), Row(101, 1), Row(106, 1)};
  AskBottomUp(&near, 70, [](ItemPointer) { return true; });
  EXPECT_EQ(Dead(near).size(), 4U);
}

TEST(AskBottomUp, OfNoRowsAsksNothing) {
  std::vector<LeafRow> rows;
  AskBottomUp(&rows, 1, [](ItemPointer) { return true; });
  EXPECT_THAT(rows, IsEmpty());
}

}  // namespace
}  // namespace tornleaf
