#include "engine/tree/page_delete.h"

#include <cstddef>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/mark.h"
#include "engine/format/nbtree_tuple.h"
#include "engine/tree/page_links.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

namespace {

// What is pinned at most: a page, its siblings, the leaf and the metapage, or the leaf and what it
// takes to finish the split of a parent.
constexpr std::uint32_t kFramesOfDeletion = 6;

// A copy of a high key as something to search for. Refers to itself, so it stays where it is.
class HighKeySearch {
 public:
  HighKeySearch() = default;
  HighKeySearch(const HighKeySearch&) = delete;
  HighKeySearch& operator=(const HighKeySearch&) = delete;

  absl::Status Copy(const Schema& schema, const PageRef& leaf) {
    const absl::StatusOr<TupleView> high_key = HighKeyOf(leaf);
    if (!high_key.ok()) return high_key.status();
    bytes_.assign(high_key->data(), high_key->data() + high_key->stored_size());
    const TupleView tuple{ByteView(bytes_)};
    const bool is_pivot = nbtree::KindOf(tuple) == nbtree::TupleKind::kPivot;
    const std::uint32_t count = is_pivot ? nbtree::PivotAttributeCount(tuple) : 0;
    if (count == 0 || count > schema.key_count()) {
      return Tree::Damage(leaf.block(), "the high key of a leaf is none");
    }
    if (!values_.Deform(schema, tuple, count, nbtree::KeyEnd(tuple)).ok()) {
      return Tree::Damage(leaf.block(), "the high key cannot be read");
    }
    key_.values = values_.values();
    key_.count = count;
    if (nbtree::PivotHasHeapTid(tuple)) key_.tid = nbtree::PivotHeapTid(tuple);
    key_.pivot_search = true;
    return absl::OkStatus();
  }
  const SearchKey& key() const { return key_; }

 private:
  std::vector<std::uint8_t> bytes_;
  DeformedTuple values_;
  SearchKey key_;
};

// Whether `page`, which is not held, is the right half of a split that its left half has not
// finished: then it has no downlink that could be removed. `held` is the leaf, if that is held.
absl::StatusOr<bool> HasNoDownlink(Tree* tree, BlockNumber page, BlockNumber left,
                                   std::uint32_t level, const PageRef& held) {
  if (left == nbtree::kNoSibling) return false;
  absl::StatusOr<PageRef> sibling = PinBeside(tree, left, level, Hold::kShared, {&held});
  if (!sibling.ok()) return sibling.status();
  const nbtree::NbtreePage node = NodeOf(*sibling);
  // If the sibling was split meanwhile, that was only after it had finished the split before.
  return node.next() == page && node.is_incomplete_split();
}

// A half-dead right sibling has no downlink either, so that the downlink right of the leaf's is not
// the sibling's. The next VACUUM has finished its deletion before it comes here.
absl::StatusOr<bool> RightSiblingIsHalfDead(Tree* tree, const PageRef& leaf) {
  absl::StatusOr<PageRef> sibling = PinBeside(tree, NodeOf(leaf).next(), 0, Hold::kShared, {&leaf});
  if (!sibling.ok()) return sibling.status();
  return NodeOf(*sibling).is_half_dead();
}

// The branch that goes with a leaf: from `top` down every page has one child.
struct Branch {
  BlockNumber top = 0;
  BlockNumber top_right = 0;
  std::uint32_t top_level = 0;
  ParentPlace parent;  // of `top`, with at least one child right of it
};

// Goes up from the leaf, which stays held, until a parent has a child right of the branch. False
// if there is none, or if one page of the branch may not be deleted.
absl::StatusOr<bool> FindBranch(Tree* tree, const PageRef& leaf, Descent* descent, Branch* branch) {
  branch->top = leaf.block();
  branch->top_right = NodeOf(leaf).next();
  for (; branch->top_level <= kMaxLevel; ++branch->top_level) {
    absl::StatusOr<ParentPlace> place = FindParent(tree, descent, branch->top, branch->top_level);
    if (!place.ok()) return place.status();
    const nbtree::NbtreePage parent = NodeOf(place->page);
    if (place->slot < parent.item_count()) {
      branch->parent = *std::move(place);
      return true;
    }
    // The rightmost child can only go with its parent: else its key range, which moves to the
    // right, would move out of the parent's.
    if (place->slot != parent.first_data_slot() || parent.is_rightmost()) {
      MARK("page_delete.rightmost_child");
      return false;
    }
    MARK("page_delete.only_child");
    branch->top = place->page.block();
    branch->top_right = parent.next();
    const BlockNumber left = parent.prev();
    // The parent cannot get another child meanwhile: only a split of its child, down to the leaf
    // that is held, gives one.
    place->page.Drop();
    const absl::StatusOr<bool> unlinked =
        HasNoDownlink(tree, branch->top, left, branch->top_level + 1, leaf);
    if (!unlinked.ok()) return unlinked.status();
    if (*unlinked) {
      MARK("page_delete.branch_in_unfinished_split");
      return false;
    }
  }
  return Tree::Damage(leaf.block(), "there are too many levels above it");
}

// The downlink to the branch becomes one to its right neighbour, and the neighbour's own pivot
// goes: so the neighbour takes over the key range.
void RemoveDownlink(const Branch& branch, PageRef* parent) {
  const OffsetNumber slot = branch.parent.slot;
  const LinePointer pointer = parent->view().line_pointer(slot);
  nbtree::SetDownlink(parent->writer().data() + pointer.offset, branch.top_right);
  const nbtree::EditError error =
      nbtree::DeleteItem(parent->writer(), static_cast<OffsetNumber>(slot + 1));
  CHECK(error == nbtree::EditError::kNone);
}

void BecomeHalfDead(PageRef* leaf, BlockNumber top_parent) {
  nbtree::SetFlags(leaf->writer(), NodeOf(*leaf).flags() | nbtree::kHalfDead);
  std::vector<std::uint8_t> dummy;
  nbtree::FormMinusInfinity(top_parent, &dummy);
  const nbtree::EditError error = nbtree::OverwriteItem(leaf->writer(), 1, dummy);
  CHECK(error == nbtree::EditError::kNone);
}

void LogHalfDead(Tree* tree, PageRef* leaf, Branch* branch, BlockNumber top_parent) {
  const nbtree::NbtreePage page = NodeOf(*leaf);
  wal::Bytes main_data;
  wal::MarkHalfDeadRecord{branch->parent.slot, leaf->block(), page.prev(), page.next(), top_parent}
      .Encode(&main_data);
  const RelationId& relation = tree->parts().relation_id;
  LoggedChange change(tree->parts().log, wal::ResourceManager::kBtree, wal::kMarkPageHalfDead);
  change.AddMain(main_data);
  change.AddPage(0, relation, leaf, wal::kWillInit);
  change.AddPage(1, relation, &branch->parent.page, wal::kStandardPage);
  change.Commit();
}

// Why a leaf is left alone.
bool MayGo(const nbtree::NbtreePage& leaf) {
  if (leaf.is_rightmost()) {
    MARK("page_delete.rightmost");
    return false;
  }
  if (leaf.is_incomplete_split()) {
    MARK("page_delete.unfinished_split");
    return false;
  }
  return !leaf.is_root() && IsEmpty(leaf);
}

// Lets go of the leaf, finds the way to it, and holds it again: anything may have happened to it
// meanwhile. False if it has no downlink.
absl::StatusOr<bool> FindWayTo(Tree* tree, PageRef* leaf, Descent* descent) {
  HighKeySearch search;
  const absl::Status copied = search.Copy(tree->schema(), *leaf);
  if (!copied.ok()) return copied;
  const BlockNumber left = NodeOf(*leaf).prev();
  leaf->Release();  // Pages of a level are held from left to right.
  const absl::StatusOr<bool> unlinked = HasNoDownlink(tree, leaf->block(), left, 0, PageRef());
  if (!unlinked.ok()) return unlinked.status();
  if (*unlinked) {
    MARK("page_delete.left_sibling_in_unfinished_split");
    return false;
  }
  const LinkUse links(tree->parts().transactions);
  absl::StatusOr<PageRef> found = FindLeaf(tree, search.key(), Access::kRead, descent);
  if (!found.ok()) return found.status();
  found->Drop();
  leaf->HoldExclusive();
  return true;
}

// Makes the leaf half-dead unless it is. False if it may not be deleted now.
// `descent` leads to the leaf, or to its left, or is empty.
absl::StatusOr<bool> EnsureHalfDead(Tree* tree, PageRef* leaf, Descent* descent) {
  if (NodeOf(*leaf).is_half_dead()) {
    MARK("page_delete.interrupted_one_finished");
    return true;
  }
  if (!MayGo(NodeOf(*leaf))) return false;
  if (descent->empty()) {
    const absl::StatusOr<bool> found = FindWayTo(tree, leaf, descent);
    if (!found.ok() || !*found) return found;
    if (!MayGo(NodeOf(*leaf))) {
      MARK("page_delete.refilled");
      return false;
    }
  }
  return MarkHalfDead(tree, leaf, descent);
}

// The second stage for all of a half-dead leaf's branch. True if the leaf's right sibling is empty.
absl::StatusOr<bool> UnlinkBranch(Tree* tree, PageRef* leaf, std::vector<DeletedPage>* deleted) {
  for (std::uint32_t pages = 0; pages <= kMaxLevel; ++pages) {
    const absl::StatusOr<bool> right_is_empty = UnlinkHalfDead(tree, leaf, deleted);
    if (!right_is_empty.ok() || !NodeOf(*leaf).is_half_dead()) return right_is_empty;
  }
  return Tree::Damage(leaf->block(), "its branch has too many pages");
}

}  // namespace

absl::StatusOr<bool> MarkHalfDead(Tree* tree, PageRef* leaf, Descent* descent) {
  CHECK(leaf->hold() == Hold::kExclusive);
  const absl::StatusOr<bool> right_is_half_dead = RightSiblingIsHalfDead(tree, *leaf);
  if (!right_is_half_dead.ok()) return right_is_half_dead.status();
  if (*right_is_half_dead) {
    MARK("page_delete.right_sibling_half_dead");
    return false;
  }
  Branch branch;
  const absl::StatusOr<bool> found = FindBranch(tree, *leaf, descent, &branch);
  if (!found.ok() || !*found) return found;
  PageRef& parent = branch.parent.page;
  const TupleView next = NodeOf(parent).tuple(static_cast<OffsetNumber>(branch.parent.slot + 1));
  if (nbtree::Downlink(next) != branch.top_right) {
    return Tree::Damage(parent.block(), "neighbouring downlinks do not lead to neighbours");
  }
  const BlockNumber top_parent = branch.top == leaf->block() ? kInvalidBlock : branch.top;
  RemoveDownlink(branch, &parent);
  BecomeHalfDead(leaf, top_parent);
  LogHalfDead(tree, leaf, &branch, top_parent);
  return true;
}

absl::Status DeletePage(Tree* tree, BlockNumber block, std::vector<DeletedPage>* deleted) {
  const FrameBudget::Share frames(tree->parts().pool->budget(), kFramesOfDeletion);
  Descent descent;
  StepLimit limit(tree);
  while (true) {
    absl::StatusOr<PageRef> pinned = PinNode(tree, block, 0, Hold::kExclusive);
    if (!pinned.ok()) return pinned.status();
    PageRef leaf = *std::move(pinned);
    const nbtree::NbtreePage page = NodeOf(leaf);
    if (!page.is_leaf() || page.is_deleted()) {
      return Tree::Damage(block, "a link leads to a page that is no leaf or deleted");
    }
    const absl::StatusOr<bool> half_dead = EnsureHalfDead(tree, &leaf, &descent);
    if (!half_dead.ok()) return half_dead.status();
    if (!*half_dead) return absl::OkStatus();

    const absl::StatusOr<bool> right_is_empty = UnlinkBranch(tree, &leaf, deleted);
    if (!right_is_empty.ok()) return right_is_empty.status();
    // The right sibling may have been left alone only because it was the last but one child of its
    // parent, and the leaf that is gone the other one.
    if (!*right_is_empty) return absl::OkStatus();
    MARK("page_delete.right_sibling_next");
    block = NodeOf(leaf).next();
    const absl::Status step = limit.Step(block);
    if (!step.ok()) return step;
  }
}

}  // namespace tornleaf
