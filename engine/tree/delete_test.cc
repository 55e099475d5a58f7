#include "engine/tree/delete.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/tree/node.h"
#include "engine/tree/removal_test_util.h"
#include "engine/tree/replica_test_util.h"
#include "engine/wal/record/xlog_records.h"
#include "gmock/gmock.h"

namespace tornleaf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Rows that are dead, and of which some may come back in a crash.
class UnsafeLiveness final : public Liveness {
 public:
  bool IsDead(ItemPointer tid) override { return dead.contains(tid); }
  bool IsSafelyDead(ItemPointer tid) override { return IsDead(tid) && !unsafe.contains(tid); }
  bool AnyDead() override { return !dead.empty(); }

  std::set<ItemPointer> dead;
  std::set<ItemPointer> unsafe;
};

// One leaf, the root, of int4 keys.
class LeafRemoval : public ::testing::Test {
 protected:
  LeafRemoval() : index_("int4", FewFrames(1024)) { Reopen(TreeOptions()); }

  void Reopen(const TreeOptions& options) {
    Tree::Parts parts = index_.tree->parts();
    parts.liveness = &liveness_;
    index_.tree = std::make_unique<Tree>(parts, options);
    ASSERT_TRUE(index_.tree->Open().ok());
  }
  void Insert(std::int64_t number, ItemPointer tid) {
    const absl::Status status = index_.Insert(NumberRow(index_.schema, number, tid)).status();
    ASSERT_TRUE(status.ok()) << status;
  }
  PageRef Leaf(Hold hold = Hold::kExclusive) { return index_.PinPage(index_.LeafOf(0), hold); }
  void Mark(const std::vector<OffsetNumber>& slots) {
    PageRef leaf = Leaf();
    MarkItemsDead(index_.tree.get(), &leaf, slots);
  }
  // Slots that are LP_DEAD.
  std::vector<OffsetNumber> Marked() {
    const PageRef leaf = Leaf(Hold::kShared);
    std::vector<OffsetNumber> slots;
    for (OffsetNumber slot = 1; slot <= leaf.view().item_count(); ++slot) {
      if (leaf.view().line_pointer(slot).flags == LineFlags::kDead) slots.push_back(slot);
    }
    return slots;
  }
  bool HasGarbage() {
    const PageRef leaf = Leaf(Hold::kShared);
    return (nbtree::NbtreePage(leaf.view()).flags() & nbtree::kHasGarbage) != 0;
  }
  // The row addresses on the leaf.
  std::vector<ItemPointer> Tids() {
    const PageRef leaf = Leaf(Hold::kShared);
    const nbtree::NbtreePage node(leaf.view());
    std::vector<ItemPointer> tids;
    for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
      const TupleView item = node.tuple(slot);
      const bool posting = nbtree::KindOf(item) == nbtree::TupleKind::kPosting;
      const std::uint32_t count = posting ? nbtree::PostingCount(item) : 1;
      for (std::uint32_t at = 0; at < count; ++at) {
        tids.push_back(posting ? nbtree::PostingTid(item, at) : item.tid());
      }
    }
    return tids;
  }
  bool SimpleDelete(ItemPointer new_tid) {
    const TestRow row = NumberRow(index_.schema, 7, new_tid);
    const std::vector<Value> values = row.Values();
    std::vector<std::uint8_t> tuple;
    FormTuple(index_.schema, values.data(), 1, new_tid, &tuple);
    PageRef leaf = Leaf();
    const absl::StatusOr<bool> deleted =
        tornleaf::SimpleDelete(index_.tree.get(), &leaf, TupleView(tuple));
    EXPECT_TRUE(deleted.ok()) << deleted.status();
    return deleted.ok() && *deleted;
  }
  std::uint64_t HintImages() {
    const auto counts = index_.log.counts();
    const auto found =
        counts.find({static_cast<std::uint8_t>(wal::ResourceManager::kXlog), wal::kFpiForHint});
    return found == counts.end() ? 0 : found->second;
  }
  wal::DecodedRecord Last() {
    wal::DecodedRecord record;
    CHECK(wal::DecodeRecord(index_.log.records().back().bytes, &record) == wal::RecordError::kNone);
    return record;
  }

  UnsafeLiveness liveness_;
  RemovalIndex index_;
};

TEST_F(LeafRemoval, HintsAreSetOnlyWhereTheRowIsSafelyDead) {
  for (OffsetNumber row = 1; row <= 4; ++row) Insert(row, {row, 1});
  liveness_.dead = {{1, 1}, {2, 1}};
  liveness_.unsafe = {{2, 1}};
  Mark({1, 2, 3, 9, 0});
  EXPECT_THAT(Marked(), ElementsAre(1));
  EXPECT_TRUE(HasGarbage());
  liveness_.unsafe.clear();
  Mark({1, 2});
  EXPECT_THAT(Marked(), ElementsAre(1, 2));
}

TEST_F(LeafRemoval, NoHintNoFlag) {
  Insert(1, {1, 1});
  Mark({1});
  EXPECT_THAT(Marked(), IsEmpty());
  EXPECT_FALSE(HasGarbage());
}

TEST_F(LeafRemoval, TheFirstHintSinceACheckpointLogsAnImage) {
  for (OffsetNumber row = 1; row <= 4; ++row) Insert(row, {row, 1});
  liveness_.dead = {{1, 1}, {2, 1}, {3, 1}};
  Mark({1});
  EXPECT_EQ(HintImages(), 0U);
  index_.log.BeginCheckpoint();
  const MarkWatch image("hint.image_logged");
  Mark({2});
  EXPECT_EQ(HintImages(), 1U);
  EXPECT_EQ(image.passed(), 1U);
  EXPECT_EQ(Leaf(Hold::kShared).view().lsn(), index_.log.records().back().end);
  Mark({3});
  EXPECT_EQ(HintImages(), 1U);
  ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index_));
}

TEST_F(LeafRemoval, WithoutChecksumsHintsLogNothing) {
  TreeOptions options;
  options.log_hints = false;
  Reopen(options);
  Insert(1, {1, 1});
  liveness_.dead = {{1, 1}};
  index_.log.BeginCheckpoint();
  Mark({1});
  EXPECT_EQ(HintImages(), 0U);
  EXPECT_THAT(Marked(), ElementsAre(1));
}

TEST_F(LeafRemoval, WithoutHintsSimpleDeletionDoesNothing) {
  Insert(1, {1, 1});
  liveness_.dead = {{1, 1}};
  const std::size_t records = index_.log.records().size();
  EXPECT_FALSE(SimpleDelete({1, 2}));
  EXPECT_EQ(index_.log.records().size(), records);
}

TEST_F(LeafRemoval, SimpleDeletionTakesWhatIsDeadInTheSameBlocks) {
  Insert(1, {10, 1});
  Insert(2, {10, 2});
  Insert(3, {10, 3});
  Insert(4, {20, 1});
  Insert(5, {30, 1});
  // Dead: one marked, one in its block, one in the new row's block, one elsewhere.
  liveness_.dead = {{10, 1}};
  Mark({1});
  liveness_.dead = {{10, 1}, {10, 3}, {20, 1}, {30, 1}};
  EXPECT_TRUE(SimpleDelete({20, 7}));
  EXPECT_THAT(Tids(), ElementsAre(ItemPointer{10, 2}, ItemPointer{30, 1}));
  EXPECT_FALSE(HasGarbage());

  const wal::DecodedRecord record = Last();
  EXPECT_EQ(record.info, wal::kDelete);
  wal::DeleteRecord main;
  ASSERT_TRUE(wal::DeleteRecord::Decode(record.main_data, true, &main));
  EXPECT_EQ(main.latest_removed_xid, 0U);
  wal::DeletePayload payload;
  ASSERT_TRUE(wal::DeletePayload::Decode(record.blocks[0].data, main, &payload));
  EXPECT_THAT(payload.deleted, ElementsAre(1, 3, 4));
  EXPECT_THAT(payload.updates, IsEmpty());
  ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index_));
}

TEST_F(LeafRemoval, SimpleDeletionUpdatesPostingListsThatArePartlyDead) {
  // Enough duplicates for a deduplication pass.
  const auto tid_of = [](OffsetNumber row) {
    return ItemPointer{10U + row / 30U, static_cast<OffsetNumber>(1 + row % 30)};
  };
  for (OffsetNumber row = 0; row < 60; ++row) Insert(5, tid_of(row));
  Insert(6, {12, 1});
  const OffsetNumber last = Leaf(Hold::kShared).view().item_count();
  ASSERT_LT(last, 40U);
  liveness_.dead = {{12, 1}};
  Mark({last});
  // The new row stands in the block of the first half.
  for (OffsetNumber row = 0; row < 60; row += 2) liveness_.dead.insert(tid_of(row));
  const MarkWatch partly("delete.simple.partly_dead_posting");
  EXPECT_TRUE(SimpleDelete({10, 35}));
  EXPECT_GT(partly.passed(), 0U);
  std::vector<ItemPointer> left;
  for (OffsetNumber row = 0; row < 60; ++row) {
    if (row >= 30 || row % 2 != 0) left.push_back(tid_of(row));
  }
  EXPECT_EQ(Tids(), left);
  EXPECT_EQ(index_.log.count(wal::kDelete), 1U);
  ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index_));
}

TEST_F(LeafRemoval, BottomUpDeletionFreesWhatOldVersionsTake) {
  // Three versions of each row, of which the second lives.
  const auto tid_of = [](OffsetNumber row) {
    return ItemPointer{1U + row / 10U, static_cast<OffsetNumber>(1 + row % 10)};
  };
  for (OffsetNumber row = 0; row < 30; ++row) Insert(row / 3, tid_of(row));
  for (OffsetNumber row = 0; row < 30; ++row) {
    if (row % 3 != 1) liveness_.dead.insert(tid_of(row));
  }
  PageRef leaf = Leaf();
  const std::uint32_t free_before = leaf.view().upper() - leaf.view().lower();
  const absl::StatusOr<bool> enough = BottomUpDelete(index_.tree.get(), &leaf, 16);
  ASSERT_TRUE(enough.ok()) << enough.status();
  EXPECT_TRUE(*enough);
  EXPECT_GE(leaf.view().upper() - leaf.view().lower(), free_before + 1024 / 16);
  leaf.Drop();
  EXPECT_EQ(Last().info, wal::kDelete);
  const std::vector<ItemPointer> tids = Tids();
  EXPECT_LT(tids.size(), 30U);
  for (OffsetNumber row = 1; row < 30; row += 3) {
    EXPECT_TRUE(std::find(tids.begin(), tids.end(), tid_of(row)) != tids.end()) << row;
  }
  ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index_));
}

TEST_F(LeafRemoval, BottomUpDeletionSaysWhereDeduplicationIsOfNoUse) {
  for (OffsetNumber row = 1; row <= 10; ++row) Insert(row, {row, 1});
  const MarkWatch none("delete.bottom_up.no_duplicates");
  PageRef leaf = Leaf();
  EXPECT_TRUE(BottomUpDelete(index_.tree.get(), &leaf, 16).value());
  EXPECT_EQ(none.passed(), 1U);
}

TEST_F(LeafRemoval, BottomUpDeletionOfLiveRowsLeavesItToDeduplication) {
  for (OffsetNumber row = 1; row <= 48; ++row) Insert(1, {row, 1});
  PageRef leaf = Leaf();
  ASSERT_LT(leaf.view().upper() - leaf.view().lower(), 100U);
  EXPECT_FALSE(BottomUpDelete(index_.tree.get(), &leaf, 96).value());
}

TEST_F(LeafRemoval, RefusesWhatThePageDoesNotHold) {
  Insert(1, {1, 1});
  const std::size_t records = index_.log.records().size();
  const OffsetNumber slots[] = {2};
  PageRef leaf = Leaf();
  const absl::Status status = RemoveFromLeaf(index_.tree.get(), &leaf, Remover::kVacuum, slots, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(index_.log.records().size(), records);
}

// Versions of the same rows over and over: without deletion by insertions the index would grow with
// each round.
TEST(VersionChurn, DoesNotGrowTheIndex) {
  RemovalIndex index("int4", FewFrames(1024));
  constexpr std::int64_t kRows = 200;
  std::vector<ItemPointer> current(kRows);
  BlockNumber next = 1;
  BlockNumber pages = 0;
  for (int round = 0; round < 60; ++round) {
    for (std::int64_t number = 0; number < kRows; ++number) {
      const ItemPointer tid{next / 8, static_cast<OffsetNumber>(1 + next % 8)};
      ++next;
      ASSERT_TRUE(
          index.Insert(NumberRow(index.schema, number, tid), UniqueCheck::kNone, round > 0).ok());
      if (round > 0) index.liveness.Kill(current[static_cast<std::size_t>(number)]);
      current[static_cast<std::size_t>(number)] = tid;
    }
    if (round == 10) pages = BufferPool::block_count(index.pooled);
  }
  EXPECT_LE(BufferPool::block_count(index.pooled), 2 * pages);
  EXPECT_GT(index.log.count(wal::kDelete), 50U);
  std::vector<ItemPointer> tids;
  for (const TestRow& row : index.Rows()) tids.push_back(row.tid);
  EXPECT_EQ(tids, current);
  index.ExpectClean();
  ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index));
}

}  // namespace
}  // namespace tornleaf
