// Pages as nodes of the tree, and what a link to one promises. For the files of this layer.

#ifndef TORNLEAF_ENGINE_TREE_NODE_H_
#define TORNLEAF_ENGINE_TREE_NODE_H_

#include "engine/format/nbtree_edit.h"
#include "engine/format/nbtree_page.h"
#include "engine/tree/tree.h"

namespace tornleaf {

// No tree is higher: each level above the leaves was made by a split of a full page. A level above
// this comes from damaged bytes.
inline constexpr std::uint32_t kMaxLevel = 63;

// Pins the page that a link on its level, or a downlink from the level above, leads to. It may be
// half-dead or deleted. DataLoss if it cannot be the target of such a link.
absl::StatusOr<PageRef> PinNode(Tree* tree, BlockNumber block, std::uint32_t level, Hold hold);
// From a page that is held to its right sibling, without holding both. DataLoss if there is none.
absl::StatusOr<PageRef> StepRight(Tree* tree, PageRef page);

inline nbtree::NbtreePage NodeOf(const PageRef& page) { return nbtree::NbtreePage(page.view()); }

// Counts steps along links of a level, which cannot be more than there are pages.
class StepLimit {
 public:
  explicit StepLimit(Tree* tree) : tree_(tree) {}
  // DataLoss when the links from `block` on must go in a circle.
  absl::Status Step(BlockNumber block);

 private:
  Tree* tree_;
  std::uint64_t steps_ = 0;
};

// Item 1 of a page that is not the rightmost of its level; DataLoss if the page has no item.
absl::StatusOr<TupleView> HighKeyOf(const PageRef& page);

// Bytes that one more item may take, MAXALIGNed, after its line pointer (PageGetFreeSpace).
inline std::uint32_t FreeSpaceOf(PageView page) {
  const std::uint32_t hole = page.upper() - page.lower();
  return hole < slotted_v4::kLinePointerSize ? 0 : hole - slotted_v4::kLinePointerSize;
}

// Writes all fields of the metapage, which is held exclusively. Whoever logs that logs them all,
// and redo lays the page out anew.
void WriteMeta(PageRef* page, const nbtree::MetaPage& meta);

// An edit that was refused: the page holds what its geometry did not show.
absl::Status RefusedEdit(BlockNumber block, nbtree::EditError error);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_NODE_H_
