// What the tests of page deletion share.

#ifndef TORNLEAF_ENGINE_TREE_PAGE_DELETE_TEST_UTIL_H_
#define TORNLEAF_ENGINE_TREE_PAGE_DELETE_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <vector>

#include "engine/tree/delete.h"
#include "engine/tree/removal_test_util.h"

namespace tornleaf {

// An index whose pages are made empty without VACUUM, so that a test can delete them one by one.
class PageDeletion : public ::testing::Test {
 protected:
  // Removes every entry of a leaf.
  void Empty(BlockNumber block) {
    PageRef page = index_.PinPage(block, Hold::kExclusive);
    const nbtree::NbtreePage node(page.view());
    std::vector<OffsetNumber> slots;
    for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
      slots.push_back(slot);
      const ItemPointer tid = node.tuple(slot).tid();
      index_.Kill(tid.block, 1);
    }
    ASSERT_TRUE(RemoveFromLeaf(index_.tree.get(), &page, Remover::kVacuum, slots, {}).ok());
  }

  std::vector<DeletedPage> Delete(BlockNumber block) {
    std::vector<DeletedPage> deleted;
    const absl::Status status = DeletePage(index_.tree.get(), block, &deleted);
    EXPECT_TRUE(status.ok()) << status;
    return deleted;
  }

  // The way to the leaf that `number` belongs to.
  Descent WayTo(std::int64_t number) {
    const TestRow row = NumberRow(index_.schema, number, {0, 1});
    const std::vector<Value> values = row.Values();
    SearchKey key;
    key.values = values.data();
    key.count = 1;
    Descent descent;
    EXPECT_TRUE(FindLeaf(index_.tree.get(), key, Access::kRead, &descent).ok());
    return descent;
  }

  // Any number that a leaf holds.
  std::int64_t NumberOn(BlockNumber block) {
    const PageRef page = index_.PinPage(block);
    const nbtree::NbtreePage node(page.view());
    return node.tuple(node.first_data_slot()).tid().block;
  }

  // Takes the downlink to the right sibling of `left` out of the parent, as if the split that made
  // the sibling had not been finished.
  void Unfinish(BlockNumber left, std::uint32_t level) {
    PageRef page = index_.PinPage(left, Hold::kExclusive);
    const nbtree::NbtreePage node(page.view());
    const BlockNumber right = node.next();
    nbtree::SetFlags(page.writer(), node.flags() | nbtree::kIncompleteSplit);
    page.MarkDirty();
    for (const BlockNumber block : index_.Level(level + 1)) {
      PageRef parent = index_.PinPage(block, Hold::kExclusive);
      const nbtree::NbtreePage above(parent.view());
      for (OffsetNumber slot = above.first_data_slot(); slot <= above.item_count(); ++slot) {
        if (nbtree::Downlink(above.tuple(slot)) != right) continue;
        ASSERT_NE(slot, above.first_data_slot());
        ASSERT_EQ(nbtree::DeleteItem(parent.writer(), slot), nbtree::EditError::kNone);
        parent.MarkDirty();
        return;
      }
    }
    FAIL() << "no downlink to " << right;
  }

  // The children of an internal page.
  std::vector<BlockNumber> Children(BlockNumber block) {
    const PageRef page = index_.PinPage(block);
    const nbtree::NbtreePage node(page.view());
    std::vector<BlockNumber> children;
    for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
      children.push_back(nbtree::Downlink(node.tuple(slot)));
    }
    return children;
  }
  bool IsDeleted(BlockNumber block) {
    const PageRef page = index_.PinPage(block);
    return nbtree::NbtreePage(page.view()).is_deleted();
  }

  RemovalIndex index_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_PAGE_DELETE_TEST_UTIL_H_
