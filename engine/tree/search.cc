#include "engine/tree/search.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/tree/insert.h"
#include "engine/tree/key_compare.h"
#include "engine/tree/new_root.h"
#include "engine/tree/node.h"

namespace tornleaf {

using nbtree::NbtreePage;

int CompareToItem(const Tree& tree, const SearchKey& key, const NbtreePage& page,
                  OffsetNumber slot) {
  return KeyComparer(tree.schema(), key).Compare(page, slot);
}

OffsetNumber SearchPage(const Tree& tree, const SearchKey& key, const NbtreePage& page) {
  const OffsetNumber slot = KeyComparer(tree.schema(), key).SearchPage(page).slot;
  return page.is_leaf() ? slot : static_cast<OffsetNumber>(slot - 1);
}

namespace {

// The root that was cached, held shared, if it still is one; else an invalid PageRef.
absl::StatusOr<PageRef> CachedRoot(Tree* tree) {
  const Tree::FastRoot cached = tree->cached_fast_root();
  if (cached.block == 0) return PageRef();
  absl::StatusOr<PageRef> page = tree->Pin(cached.block, Hold::kShared);
  if (!page.ok()) return page;
  if (!page->view().is_new()) {
    const NbtreePage node = NodeOf(*page);
    const bool alone = node.is_leftmost() && node.is_rightmost();
    if (!node.is_meta() && !node.is_ignorable() && node.level() == cached.level && alone &&
        node.is_leaf() == (cached.level == 0)) {
      return page;
    }
  }
  MARK("search.cached_root_stale");
  tree->set_cached_fast_root({});
  return PageRef();
}

// The first page that is neither half-dead nor deleted, from `page` to the right.
absl::StatusOr<PageRef> SkipDead(Tree* tree, absl::StatusOr<PageRef> page) {
  StepLimit limit(tree);
  while (page.ok() && NodeOf(*page).is_ignorable()) {
    MARK("search.skip_dead_page");
    const absl::Status step = limit.Step(page->block());
    if (!step.ok()) return step;
    page = StepRight(tree, *std::move(page));
  }
  return page;
}

absl::Status CheckLevel(std::uint32_t level) {
  if (level <= kMaxLevel) return absl::OkStatus();
  return Tree::Damage(nbtree::kMetaBlock, absl::StrCat("a root of level ", level));
}

// The page that a search begins at, held shared. An empty tree: an invalid PageRef to read; to
// write, a root is made.
absl::StatusOr<PageRef> FindRoot(Tree* tree, Access access) {
  absl::StatusOr<PageRef> cached = CachedRoot(tree);
  if (!cached.ok() || cached->valid()) return cached;
  absl::StatusOr<nbtree::MetaPage> meta = tree->ReadMeta();
  if (!meta.ok()) return meta.status();
  if (meta->root == 0) {
    if (access == Access::kRead) return PageRef();
    const absl::Status made = MakeFirstRoot(tree);
    if (!made.ok()) return made;
    meta = tree->ReadMeta();
    if (!meta.ok()) return meta.status();
  }
  const absl::Status level = CheckLevel(meta->fast_level);
  if (!level.ok()) return level;
  tree->set_cached_fast_root({meta->fast_root, meta->fast_level});
  return SkipDead(tree, PinNode(tree, meta->fast_root, meta->fast_level, Hold::kShared));
}

// Finishes the split of a page that is held, and holds the page again in the same way.
absl::StatusOr<PageRef> FinishSplitOf(Tree* tree, PageRef page, Descent* descent) {
  const BlockNumber block = page.block();
  const std::uint32_t level = NodeOf(page).level();
  const Hold hold = page.hold();
  if (hold == Hold::kShared) {
    page.Release();
    page.HoldExclusive();
  }
  if (NodeOf(page).is_incomplete_split()) {
    const absl::Status finished = FinishSplit(tree, std::move(page), descent);
    if (!finished.ok()) return finished;
  } else {
    page.Drop();
  }
  return PinNode(tree, block, level, hold);
}

// Whether the key belongs on the live page or to its left; else on one to its right. `place` gets
// the key's place on the page.
absl::StatusOr<bool> BelongsOn(const KeyComparer& comparer, const PageRef& page, PagePlace* place) {
  const NbtreePage node = NodeOf(page);
  *place = comparer.SearchPage(node);
  // An item that is not before the key says so, too, and has just been looked at: the high key need
  // not be fetched.
  if (node.is_rightmost() || place->slot <= node.item_count()) return true;
  const absl::StatusOr<TupleView> high_key = HighKeyOf(page);
  if (!high_key.ok()) return high_key.status();
  return !comparer.IsPastHighKey(node);
}

// Goes right from `page`, which is held, to the one that the key belongs on.
absl::Status MoveRightTo(Tree* tree, const KeyComparer& comparer, PageRef* page, Access access,
                         Descent* descent, PagePlace* place) {
  StepLimit limit(tree);
  for (;;) {
    const NbtreePage node = NodeOf(*page);
    const bool unfinished = access == Access::kWrite && node.is_incomplete_split();
    if (!unfinished && !node.is_ignorable()) {
      const absl::StatusOr<bool> belongs = BelongsOn(comparer, *page, place);
      if (!belongs.ok()) return belongs.status();
      if (*belongs) return absl::OkStatus();
    }
    if (unfinished) {
      MARK("search.finish_split_on_the_way");
    } else {
      MARK("search.move_right");
      const absl::Status step = limit.Step(page->block());
      if (!step.ok()) return step;
    }
    absl::StatusOr<PageRef> next = unfinished ? FinishSplitOf(tree, std::move(*page), descent)
                                              : StepRight(tree, std::move(*page));
    if (!next.ok()) return next.status();
    *page = *std::move(next);
  }
}

}  // namespace

absl::StatusOr<PageRef> MoveRight(Tree* tree, const SearchKey& key, PageRef page, Access access,
                                  Descent* descent) {
  PagePlace place;
  const absl::Status moved =
      MoveRightTo(tree, KeyComparer(tree->schema(), key), &page, access, descent, &place);
  if (!moved.ok()) return moved;
  return page;
}

absl::StatusOr<PageRef> FindLeaf(Tree* tree, const SearchKey& key, Access access, Descent* descent,
                                 PagePlace* place) {
  Descent own_steps;
  if (descent == nullptr) descent = &own_steps;
  PagePlace own_place;
  if (place == nullptr) place = &own_place;
  descent->clear();
  absl::StatusOr<PageRef> root = FindRoot(tree, access);
  if (!root.ok() || !root->valid()) return root;
  PageRef& page = *root;
  const KeyComparer comparer(tree->schema(), key);
  // Each step goes down by one level, which PinNode() insists on.
  for (;;) {
    const absl::Status moved = MoveRightTo(tree, comparer, &page, access, descent, place);
    if (!moved.ok()) return moved;
    const NbtreePage node = NodeOf(page);
    const std::uint32_t level = node.level();
    if (level == 0) break;
    if (node.item_count() < node.first_data_slot()) {
      return Tree::Damage(page.block(), "an internal page without downlinks");
    }
    const auto slot = static_cast<OffsetNumber>(place->slot - 1);
    const BlockNumber child = nbtree::Downlink(node.tuple(slot));
    descent->push_back({page.block(), level, slot});
    page.Drop();
    const bool to_leaf = level == 1 && access == Access::kWrite;
    absl::StatusOr<PageRef> below =
        PinNode(tree, child, level - 1, to_leaf ? Hold::kExclusive : Hold::kShared);
    if (!below.ok()) return below;
    page = *std::move(below);
  }
  if (access == Access::kWrite && page.hold() == Hold::kShared) {
    // The root is a leaf; it may be split before it is held again.
    page.Release();
    page.HoldExclusive();
    const absl::Status moved = MoveRightTo(tree, comparer, &page, access, descent, place);
    if (!moved.ok()) return moved;
  }
  return root;
}

absl::StatusOr<PageRef> FindEdge(Tree* tree, bool rightmost, std::uint32_t level, Hold hold) {
  absl::StatusOr<PageRef> page;
  if (level == 0) {
    page = FindRoot(tree, Access::kRead);
  } else {
    // A level above the fast root is only reached from the true root.
    const absl::StatusOr<nbtree::MetaPage> meta = tree->ReadMeta();
    if (!meta.ok()) return meta.status();
    if (meta->root == 0) return PageRef();
    const absl::Status checked = CheckLevel(meta->level);
    if (!checked.ok()) return checked;
    page = PinNode(tree, meta->root, meta->level, Hold::kShared);
  }
  if (!page.ok() || !page->valid()) return page;
  for (;;) {
    StepLimit limit(tree);
    while (NodeOf(*page).is_ignorable() || (rightmost && !NodeOf(*page).is_rightmost())) {
      MARK("search.edge_moves_right");
      const absl::Status step = limit.Step(page->block());
      if (!step.ok()) return step;
      page = StepRight(tree, *std::move(page));
      if (!page.ok()) return page;
    }
    const NbtreePage node = NodeOf(*page);
    if (node.level() == level) {
      if (page->hold() == hold) return page;
      page->Release();
      page->HoldExclusive();
      // The page may have changed in between, but not its level.
      continue;
    }
    if (node.level() < level) {
      return Tree::Damage(page->block(), absl::StrCat("the tree has no level ", level));
    }
    if (node.item_count() < node.first_data_slot()) {
      return Tree::Damage(page->block(), "an internal page without downlinks");
    }
    const OffsetNumber slot = rightmost ? node.item_count() : node.first_data_slot();
    const BlockNumber child = nbtree::Downlink(node.tuple(slot));
    const std::uint32_t child_level = node.level() - 1;
    page->Drop();
    page = PinNode(tree, child, child_level, child_level == level ? hold : Hold::kShared);
    if (!page.ok()) return page;
  }
}

namespace {

// The slot of the downlink to `child` on a page, searched from where it was on: an insertion may
// have moved it right, a deletion left. 0 if it is not there.
OffsetNumber FindDownlink(const NbtreePage& node, OffsetNumber remembered, BlockNumber child) {
  const OffsetNumber first = node.first_data_slot();
  const auto end = static_cast<OffsetNumber>(node.item_count() + 1);
  const OffsetNumber start = std::min(std::max(remembered, first), std::max(end, first));
  for (OffsetNumber slot = start; slot < end; ++slot) {
    if (nbtree::Downlink(node.tuple(slot)) == child) return slot;
  }
  for (auto slot = static_cast<OffsetNumber>(start - 1); slot >= first; --slot) {
    if (nbtree::Downlink(node.tuple(slot)) == child) {
      MARK("search.downlink_moved_left");
      return slot;
    }
  }
  return 0;
}

DescentStep* StepOfLevel(Descent* descent, std::uint32_t level) {
  for (DescentStep& step : *descent) {
    if (step.level == level) return &step;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<ParentPlace> FindParent(Tree* tree, Descent* descent, BlockNumber child,
                                       std::uint32_t child_level) {
  const std::uint32_t level = child_level + 1;
  DescentStep start{0, level, 0};
  DescentStep* step = StepOfLevel(descent, level);
  if (step != nullptr) {
    start = *step;
  } else {
    MARK("search.parent_level_made_meanwhile");
    absl::StatusOr<PageRef> edge = FindEdge(tree, false, level, Hold::kShared);
    if (!edge.ok()) return edge.status();
    if (!edge->valid()) return Tree::Damage(child, "no level above");
    start.block = edge->block();
  }
  StepLimit limit(tree);
  BlockNumber block = start.block;
  OffsetNumber remembered = start.slot;
  for (;;) {
    absl::StatusOr<PageRef> page = PinNode(tree, block, level, Hold::kExclusive);
    if (!page.ok()) return page.status();
    NbtreePage node = NodeOf(*page);
    if (node.is_incomplete_split()) {
      MARK("search.finish_split_of_parent");
      const absl::Status finished = FinishSplit(tree, *std::move(page), descent);
      if (!finished.ok()) return finished;
      continue;
    }
    if (!node.is_ignorable()) {
      const OffsetNumber slot = FindDownlink(node, remembered, child);
      if (slot != 0) {
        if (step != nullptr) *step = {block, level, slot};
        return ParentPlace{*std::move(page), slot};
      }
    }
    if (node.is_rightmost()) return Tree::Damage(child, "no page above has a downlink to it");
    MARK("search.parent_moved_right");
    const absl::Status counted = limit.Step(block);
    if (!counted.ok()) return counted;
    block = node.next();
    remembered = 0;
  }
}

}  // namespace tornleaf
