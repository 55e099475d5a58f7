#include "engine/tree/page_delete.h"

#include <vector>

#include "engine/tree/delete.h"
#include "engine/tree/node.h"
#include "engine/tree/page_delete_test_util.h"
#include "gmock/gmock.h"

namespace tornleaf {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(PageDeletion, UnlinksAnEmptyLeafAndGivesItsKeysToTheRightSibling) {
  index_.Fill(0, 200);
  const std::vector<BlockNumber> leaves = index_.Level(0);
  const std::int64_t number = NumberOn(leaves[2]);
  ASSERT_NO_FATAL_FAILURE(Empty(leaves[2]));
  const FullXid next = index_.transactions.next();
  const std::vector<DeletedPage> deleted = Delete(leaves[2]);
  ASSERT_THAT(deleted, SizeIs(1));
  EXPECT_EQ(deleted[0].block, leaves[2]);
  EXPECT_EQ(deleted[0].safe_xid, next);
  EXPECT_EQ(index_.transactions.next(), next + 1);
  EXPECT_EQ(index_.LeafOf(number), leaves[3]);

  const PageRef page = index_.PinPage(leaves[2]);
  const nbtree::NbtreePage node(page.view());
  EXPECT_EQ(node.flags(), nbtree::kLeaf | nbtree::kDeleted | nbtree::kHasFullXid);
  EXPECT_EQ(node.safe_xid(), next);
  EXPECT_EQ(node.page().lower(), nbtree::kDeletedLower);
  EXPECT_EQ(node.page().upper(), node.page().special());
  // Whoever is on the way to it still gets on.
  EXPECT_EQ(node.prev(), leaves[1]);
  EXPECT_EQ(node.next(), leaves[3]);
  index_.ExpectSound();
}

TEST_F(PageDeletion, LeavesAPageWithRows) {
  index_.Fill(0, 200);
  const std::size_t records = index_.log.records().size();
  EXPECT_THAT(Delete(index_.Level(0)[2]), IsEmpty());
  EXPECT_EQ(index_.log.records().size(), records);
}

TEST_F(PageDeletion, NeverTakesTheRightmostPageNorTheRoot) {
  index_.Fill(0, 5);
  const BlockNumber root = index_.Level(0)[0];
  ASSERT_NO_FATAL_FAILURE(Empty(root));
  EXPECT_THAT(Delete(root), IsEmpty());
  index_.Fill(100, 200);
  const BlockNumber last = index_.Level(0).back();
  ASSERT_NO_FATAL_FAILURE(Empty(last));
  const MarkWatch rightmost("page_delete.rightmost");
  EXPECT_THAT(Delete(last), IsEmpty());
  EXPECT_EQ(rightmost.passed(), 1U);
  index_.ExpectSound();
}

TEST_F(PageDeletion, TheRightmostChildStaysUntilItIsTheOnlyOne) {
  index_.Fill(0, 2000);
  const BlockNumber parent = index_.Level(1)[1];
  const std::vector<BlockNumber> children = Children(parent);
  ASSERT_GT(children.size(), 2U);
  const MarkWatch rightmost("page_delete.rightmost_child");
  ASSERT_NO_FATAL_FAILURE(Empty(children.back()));
  EXPECT_THAT(Delete(children.back()), IsEmpty());
  EXPECT_EQ(rightmost.passed(), 1U);

  // With the last sibling but one it goes, and its parent with it.
  const MarkWatch next("page_delete.right_sibling_next");
  const MarkWatch branch("page_unlink.branch");
  for (std::size_t child = 0; child + 1 < children.size(); ++child) {
    ASSERT_NO_FATAL_FAILURE(Empty(children[child]));
    const std::vector<DeletedPage> deleted = Delete(children[child]);
    if (child + 2 < children.size()) {
      EXPECT_THAT(deleted, SizeIs(1));
      continue;
    }
    ASSERT_THAT(deleted, SizeIs(3));
    EXPECT_EQ(deleted[0].block, children[child]);
    EXPECT_EQ(deleted[1].block, parent);  // from the top down
    EXPECT_EQ(deleted[2].block, children.back());
    EXPECT_LT(deleted[1].safe_xid, deleted[2].safe_xid);
  }
  EXPECT_EQ(next.passed(), 1U);
  EXPECT_EQ(branch.passed(), 1U);
  EXPECT_TRUE(IsDeleted(parent));
  index_.ExpectSound();
}

TEST_F(PageDeletion, FinishesWhatWasInterruptedBetweenTheStages) {
  index_.Fill(0, 200);
  const std::vector<BlockNumber> leaves = index_.Level(0);
  const std::int64_t number = NumberOn(leaves[2]);
  ASSERT_NO_FATAL_FAILURE(Empty(leaves[2]));
  {
    Descent descent = WayTo(number);
    PageRef leaf = index_.PinPage(leaves[2], Hold::kExclusive);
    const absl::StatusOr<bool> marked = MarkHalfDead(index_.tree.get(), &leaf, &descent);
    ASSERT_TRUE(marked.ok() && *marked) << marked.status();
  }
  EXPECT_EQ(index_.LeafOf(number), leaves[3]);
  EXPECT_EQ(index_.Verify().counts.half_dead_pages, 1U);
  index_.ExpectSound();
  // Insertions into its key range go to the right sibling, scans step over it.
  index_.Fill(10'000, 1);
  ASSERT_TRUE(index_.Insert(NumberRow(index_.schema, number, {20'000, 2})).ok());
  index_.ExpectClean();

  const MarkWatch finished("page_delete.interrupted_one_finished");
  const VacuumSummary summary = index_.Vacuum();
  EXPECT_EQ(finished.passed(), 1U);
  EXPECT_EQ(summary.pages_deleted_now, 1U);
  EXPECT_TRUE(IsDeleted(leaves[2]));
  EXPECT_EQ(index_.Verify().counts.half_dead_pages, 0U);
  index_.ExpectClean();
}

// A branch loses a page with each record; VACUUM goes on from wherever it was left.
TEST_F(PageDeletion, FinishesABranchFromAnyOfItsPages) {
  for (std::uint32_t unlinked_before = 0; unlinked_before < 3; ++unlinked_before) {
    RemovalIndex index;
    index.Fill(0, 15'000);
    ASSERT_GE(index.Meta().level, 3U);
    // All but one leaf below the second page of level 2.
    PageRef top = index.PinPage(index.Level(2)[1]);
    const nbtree::NbtreePage node(top.view());
    std::vector<BlockNumber> leaves;
    for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
      const PageRef parent = index.PinPage(nbtree::Downlink(node.tuple(slot)));
      const nbtree::NbtreePage children(parent.view());
      for (OffsetNumber at = children.first_data_slot(); at <= children.item_count(); ++at) {
        leaves.push_back(nbtree::Downlink(children.tuple(at)));
      }
    }
    const BlockNumber top_block = top.block();
    top.Drop();
    // The last leaf holds a number to search for, and loses it last.
    std::int64_t first = 0;
    std::int64_t last = 0;
    {
      const PageRef page = index.PinPage(leaves.front());
      const nbtree::NbtreePage leaf(page.view());
      first = leaf.tuple(leaf.first_data_slot()).tid().block;
    }
    {
      const PageRef page = index.PinPage(leaves.back());
      const nbtree::NbtreePage leaf(page.view());
      last = leaf.tuple(leaf.first_data_slot()).tid().block;
    }
    index.Kill(first, last - first);
    index.Vacuum();
    index.Kill(last, 40);
    PageRef leaf = index.PinPage(leaves.back(), Hold::kExclusive);
    const nbtree::NbtreePage last_leaf(leaf.view());
    std::vector<OffsetNumber> slots;
    for (OffsetNumber slot = last_leaf.first_data_slot(); slot <= last_leaf.item_count(); ++slot) {
      slots.push_back(slot);
    }
    ASSERT_TRUE(RemoveFromLeaf(index.tree.get(), &leaf, Remover::kVacuum, slots, {}).ok());
    Descent descent;
    leaf.Release();
    {
      const TestRow row = NumberRow(index.schema, last, {0, 1});
      const std::vector<Value> values = row.Values();
      SearchKey key;
      key.values = values.data();
      key.count = 1;
      ASSERT_TRUE(FindLeaf(index.tree.get(), key, Access::kRead, &descent).ok());
    }
    leaf.HoldExclusive();
    const absl::StatusOr<bool> marked = MarkHalfDead(index.tree.get(), &leaf, &descent);
    ASSERT_TRUE(marked.ok() && *marked) << marked.status();
    std::vector<DeletedPage> deleted;
    for (std::uint32_t count = 0; count < unlinked_before; ++count) {
      ASSERT_TRUE(UnlinkHalfDead(index.tree.get(), &leaf, &deleted).ok());
    }
    EXPECT_EQ(nbtree::NbtreePage(leaf.view()).is_half_dead(), unlinked_before < 3);
    leaf.Drop();
    index.ExpectSound();
    const VacuumSummary summary = index.Vacuum();
    EXPECT_GE(summary.pages_deleted_now, 3 - unlinked_before);
    const PageRef page = index.PinPage(top_block);
    EXPECT_TRUE(nbtree::NbtreePage(page.view()).is_deleted());
    EXPECT_EQ(index.Verify().counts.half_dead_pages, 0U);
    index.ExpectSound();
  }
}

TEST_F(PageDeletion, WaitsForTheNextVacuumWhereTheRightSiblingIsHalfDead) {
  index_.Fill(0, 200);
  const std::vector<BlockNumber> leaves = index_.Level(0);
  const std::int64_t number = NumberOn(leaves[3]);
  ASSERT_NO_FATAL_FAILURE(Empty(leaves[2]));
  ASSERT_NO_FATAL_FAILURE(Empty(leaves[3]));
  {
    Descent descent = WayTo(number);
    PageRef leaf = index_.PinPage(leaves[3], Hold::kExclusive);
    ASSERT_TRUE(MarkHalfDead(index_.tree.get(), &leaf, &descent).value());
  }
  const MarkWatch half_dead("page_delete.right_sibling_half_dead");
  EXPECT_THAT(Delete(leaves[2]), IsEmpty());
  EXPECT_EQ(half_dead.passed(), 1U);
  index_.Vacuum();
  index_.Vacuum();
  EXPECT_TRUE(IsDeleted(leaves[2]));
  EXPECT_TRUE(IsDeleted(leaves[3]));
  index_.ExpectSound();
}

TEST_F(PageDeletion, LeavesBothHalvesOfAnUnfinishedSplit) {
  index_.Fill(0, 200);
  const std::vector<BlockNumber> leaves = index_.Level(0);
  ASSERT_NO_FATAL_FAILURE(Unfinish(leaves[2], 0));
  ASSERT_NO_FATAL_FAILURE(Empty(leaves[2]));
  ASSERT_NO_FATAL_FAILURE(Empty(leaves[3]));
  const MarkWatch left("page_delete.unfinished_split");
  const MarkWatch right("page_delete.left_sibling_in_unfinished_split");
  EXPECT_THAT(Delete(leaves[2]), IsEmpty());
  EXPECT_THAT(Delete(leaves[3]), IsEmpty());
  EXPECT_EQ(left.passed(), 1U);
  EXPECT_EQ(right.passed(), 1U);
  index_.ExpectSound();
}

TEST_F(PageDeletion, LeavesABranchWhoseTopHasNoDownlinkYet) {
  index_.Fill(0, 4000);
  const std::vector<BlockNumber> parents = index_.Level(1);
  ASSERT_GE(index_.Meta().level, 2U);
  // A page of level 1 that is not the first child, so that its split can be undone.
  const std::vector<BlockNumber> uncles = Children(index_.Level(2)[0]);
  ASSERT_GE(uncles.size(), 3U);
  const std::vector<BlockNumber> children = Children(uncles[1]);
  for (const BlockNumber child : children) ASSERT_NO_FATAL_FAILURE(Empty(child));
  ASSERT_NO_FATAL_FAILURE(Unfinish(uncles[0], 1));
  const MarkWatch unfinished("page_delete.branch_in_unfinished_split");
  EXPECT_THAT(Delete(children[0]), SizeIs(children.size() - 1));
  EXPECT_EQ(unfinished.passed(), 1U);
  EXPECT_FALSE(IsDeleted(children.back()));
  EXPECT_FALSE(IsDeleted(uncles[1]));
  index_.ExpectSound();
}

TEST_F(PageDeletion, FinishesASplitOfTheParentToGetOn) {
  index_.Fill(0, 4000);
  const std::vector<BlockNumber> uncles = Children(index_.Level(2)[0]);
  const std::vector<BlockNumber> children = Children(uncles[0]);
  ASSERT_NO_FATAL_FAILURE(Unfinish(uncles[0], 1));
  ASSERT_NO_FATAL_FAILURE(Empty(children[1]));
  EXPECT_THAT(Delete(children[1]), SizeIs(1));
  const PageRef parent = index_.PinPage(uncles[0]);
  EXPECT_FALSE(nbtree::NbtreePage(parent.view()).is_incomplete_split());
  index_.ExpectSound();
}

TEST_F(PageDeletion, AHighFastRootStays) {
  index_.Fill(0, 3000);
  index_.Kill(0, 2990);
  index_.Vacuum();
  index_.Vacuum();
  ASSERT_EQ(index_.Meta().fast_level, 0U);
  ASSERT_GE(index_.Meta().level, 2U);
  index_.Fill(10'000, 20);  // the lowest levels: two leaves below one page
  ASSERT_THAT(index_.Level(0), SizeIs(2));
  ASSERT_THAT(index_.Level(1), SizeIs(1));
  {
    // A root that is too high is slow, and legal.
    PageRef page = index_.PinPage(nbtree::kMetaBlock, Hold::kExclusive);
    nbtree::MetaPage meta = nbtree::MetaPage::Load(page.view());
    meta.fast_root = meta.root;
    meta.fast_level = meta.level;
    WriteMeta(&page, meta);
    page.MarkDirty();
    index_.tree->set_cached_fast_root({});
  }
  const MarkWatch stays("page_unlink.fast_root_stays");
  const BlockNumber first = index_.Level(0)[0];
  ASSERT_NO_FATAL_FAILURE(Empty(first));
  EXPECT_THAT(Delete(first), SizeIs(1));
  EXPECT_EQ(stays.passed(), 1U);
  EXPECT_EQ(index_.Meta().fast_level, index_.Meta().level);
  index_.ExpectSound();
}

// An insertion with a unique check goes over all leaves of a key, and then to the one that the row
// belongs on: dead pages are stepped over on both ways.
TEST(PageDeletionAndUniqueChecks, StepOverHalfDeadPages) {
  TreeOptions options;
  options.deduplicate = false;
  RemovalIndex index("int4; unique", {512, kFramesMin, options});
  for (BlockNumber block = 0; block < 300; ++block) {
    ASSERT_TRUE(index.Insert(NumberRow(index.schema, 5, {block, 1})).ok());
    index.liveness.Kill({block, 1});
  }
  const std::vector<BlockNumber> leaves = index.Level(0);
  ASSERT_GT(leaves.size(), 6U);
  {
    PageRef leaf = index.PinPage(leaves[3], Hold::kExclusive);
    const nbtree::NbtreePage node(leaf.view());
    std::vector<OffsetNumber> slots;
    for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
      slots.push_back(slot);
    }
    ASSERT_TRUE(RemoveFromLeaf(index.tree.get(), &leaf, Remover::kVacuum, slots, {}).ok());
    Descent descent;  // empty: the parent is found from the left end of its level
    ASSERT_TRUE(MarkHalfDead(index.tree.get(), &leaf, &descent).value());
  }
  const MarkWatch check("unique.skip_dead_page");
  const MarkWatch target("insert.skip_dead_sibling");
  const absl::StatusOr<InsertResult> first =
      index.Insert(NumberRow(index.schema, 5, {10'000, 1}), UniqueCheck::kEnforce);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->outcome, InsertResult::kInserted);
  EXPECT_GT(check.passed(), 0U);
  EXPECT_GT(target.passed(), 0U);
  const absl::StatusOr<InsertResult> second =
      index.Insert(NumberRow(index.schema, 5, {20'000, 1}), UniqueCheck::kEnforce);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->outcome, InsertResult::kConflict);
  EXPECT_EQ(second->conflict, (ItemPointer{10'000, 1}));
  index.ExpectClean();
}

}  // namespace
}  // namespace tornleaf
