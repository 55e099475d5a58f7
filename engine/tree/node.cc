#include "engine/tree/node.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"

namespace tornleaf {

using nbtree::NbtreePage;

absl::StatusOr<PageRef> PinNode(Tree* tree, BlockNumber block, std::uint32_t level, Hold hold) {
  if (block == nbtree::kMetaBlock) return Tree::Damage(block, "a link leads to the metapage");
  absl::StatusOr<PageRef> page = tree->Pin(block, hold);
  if (!page.ok()) return page;
  if (page->view().is_new()) return Tree::Damage(block, "a link leads to a page of zeros");
  const NbtreePage node = NodeOf(*page);
  if (node.is_meta()) return Tree::Damage(block, "a second metapage");
  // Before PostgreSQL 14 a deleted page had a transaction id in place of its level.
  if (node.is_deleted() && !node.has_full_xid()) return page;
  if (node.level() != level) {
    return Tree::Damage(block, absl::StrCat("level ", node.level(), " where a link from level ",
                                            level, " or the one above leads"));
  }
  if (!node.is_ignorable() && node.is_leaf() != (level == 0)) {
    return Tree::Damage(block, "the leaf flag contradicts the level");
  }
  return page;
}

absl::StatusOr<PageRef> StepRight(Tree* tree, PageRef page) {
  const NbtreePage node = NodeOf(page);
  if (node.is_rightmost()) {
    return Tree::Damage(page.block(), "a dead page without a right sibling");
  }
  const BlockNumber next = node.next();
  const std::uint32_t level = node.level();
  const Hold hold = page.hold();
  page.Drop();
  return PinNode(tree, next, level, hold);
}

absl::Status StepLimit::Step(BlockNumber block) {
  ++steps_;
  if (steps_ <= BufferPool::block_count(tree_->parts().relation)) return absl::OkStatus();
  return Tree::Damage(block, "links from here go in a circle");
}

absl::StatusOr<TupleView> HighKeyOf(const PageRef& page) {
  const NbtreePage node = NodeOf(page);
  if (node.item_count() < 1) return Tree::Damage(page.block(), "no high key");
  return node.tuple(1);
}

void WriteMeta(PageRef* page, const nbtree::MetaPage& meta) {
  const Lsn lsn = page->view().lsn();
  nbtree::MetaPage written = meta;
  // Not kept since PostgreSQL 14, and not logged.
  written.last_cleanup_heap_tuples = -1;
  nbtree::InitializeMetaPage(page->writer(), written);
  page->writer().set_lsn(lsn);
}

absl::Status RefusedEdit(BlockNumber block, nbtree::EditError error) {
  return Tree::Damage(block, nbtree::EditErrorText(error));
}

}  // namespace tornleaf
