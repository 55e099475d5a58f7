// From a key to its place.

#ifndef TORNLEAF_ENGINE_TREE_SEARCH_H_
#define TORNLEAF_ENGINE_TREE_SEARCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/tree/tree.h"

namespace tornleaf {

// What is searched for: the leading `count` key columns, and perhaps the row address as last column
// (PostgreSQL's BTScanInsert).
struct SearchKey {
  const Value* values = nullptr;  // outlive the search
  std::uint32_t count = 0;
  std::optional<ItemPointer> tid;  // only with all key columns
  // Where the search ends: false, at the first item >= key; true, at the first item > key.
  bool next_key = false;
  // The key is that of a high key, perhaps truncated: it equals the pivots that are truncated as it
  // is, and so leads to the page that it is the upper bound of. Else a key is above a pivot whose
  // kept columns it equals. Page deletion searches so (PostgreSQL's pivotsearch).
  bool pivot_search = false;
};

// Compares the key with item `slot` of a page: <0, 0, >0 as the key is before, equal to, after the
// item. Truncated columns are minus infinity; the first data item of an internal page is below
// every key.
int CompareToItem(const Tree& tree, const SearchKey& key, const nbtree::NbtreePage& page,
                  OffsetNumber slot);

// First slot of the page whose item is >= key (> key with next_key), item_count() + 1 if there is
// none; on an internal page the slot of the downlink to follow.
OffsetNumber SearchPage(const Tree& tree, const SearchKey& key, const nbtree::NbtreePage& page);

// The way down: which item was followed on which page, root first.
struct DescentStep {
  BlockNumber block = 0;
  OffsetNumber slot = 0;
};
using Descent = std::vector<DescentStep>;

enum class Access : std::uint8_t { kRead, kWrite };

// Goes down to the leaf that the key belongs to and pins and holds it: shared to read, exclusively
// to write. On the way moves right where a split has moved the key, finishes unfinished splits if
// it goes to write, and records its steps if `descent` is not null. An invalid PageRef: the tree is
// empty (to read); to write, a root is made first.
absl::StatusOr<PageRef> FindLeaf(Tree* tree, const SearchKey& key, Access access, Descent* descent);

// From a page that is held to the one on its level that the key belongs to, by right links.
absl::StatusOr<PageRef> MoveRight(Tree* tree, const SearchKey& key, PageRef page, Access access,
                                  const Descent* descent);

// First or last leaf, or page of `level`; invalid if the tree is empty.
absl::StatusOr<PageRef> FindEdge(Tree* tree, bool rightmost, std::uint32_t level, Hold hold);

// The page of the level above that has the downlink to `child`, held exclusively, with the slot of
// that downlink: from the step remembered and to the right from there. Finishes splits on the way.
struct ParentPlace {
  PageRef page;
  OffsetNumber slot = 0;
};
absl::StatusOr<ParentPlace> FindParent(Tree* tree, Descent* descent, BlockNumber child,
                                       std::uint32_t child_level);

// The page left of `page`, which is pinned and not held: follows the left link and what has become
// of it by splits and deletions. Invalid at the left end.
absl::StatusOr<PageRef> StepLeft(Tree* tree, PageRef page, Hold hold);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_SEARCH_H_
