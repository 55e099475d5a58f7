// From a key to its place.
//
// Nobody holds two pages on the way down: between a downlink and its page, the page may be split
// (then the key is to its right) or deleted (then it stays a link to the right until nobody who may
// have the downlink is left). So whoever follows links says so: see LinkUse.

#ifndef TORNLEAF_ENGINE_TREE_SEARCH_H_
#define TORNLEAF_ENGINE_TREE_SEARCH_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "engine/tree/tree.h"

namespace tornleaf {

// While it exists, no page that it has met a link to is used for something else.
class LinkUse {
 public:
  explicit LinkUse(Transactions* transactions)
      : transactions_(transactions), begun_(transactions->Begin()) {}
  ~LinkUse() { transactions_->End(begun_); }
  LinkUse(const LinkUse&) = delete;
  LinkUse& operator=(const LinkUse&) = delete;

 private:
  Transactions* transactions_;
  FullXid begun_;
};

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

// Where a search ended on a page.
struct PagePlace {
  // First slot whose item is >= key (> key with next_key); one past the last if there is none.
  OffsetNumber slot = 0;
  // A slot from which on all items are > key; the end of what was searched if none was met.
  OffsetNumber strict_end = 0;
  // The last item looked at that equals the key, row address included; 0 if there was none. It is
  // `slot` if that item equals the key and next_key is not set. For a posting list it says that the
  // address is within its range.
  OffsetNumber equal = 0;
};

// The way down: which item was followed on which page, root first. A hint: the page may have been
// split since, or lie below a root that was made since.
struct DescentStep {
  BlockNumber block = 0;
  std::uint32_t level = 0;
  OffsetNumber slot = 0;
};
using Descent = absl::InlinedVector<DescentStep, 8>;

enum class Access : std::uint8_t { kRead, kWrite };

// Goes down to the leaf that the key belongs to and pins and holds it: shared to read, exclusively
// to write. On the way moves right where a split has moved the key, finishes unfinished splits if
// it goes to write, and records its steps if `descent` is not null. An invalid PageRef: the tree is
// empty (to read); to write, a root is made first.
// `place`, if not null, gets the key's place on the leaf, which the search knows anyway.
absl::StatusOr<PageRef> FindLeaf(Tree* tree, const SearchKey& key, Access access, Descent* descent,
                                 PagePlace* place = nullptr);

// From a page that is held to the one on its level that the key belongs to, by right links; held as
// `page` was. To write, unfinished splits on the way are finished, which may correct `descent`.
absl::StatusOr<PageRef> MoveRight(Tree* tree, const SearchKey& key, PageRef page, Access access,
                                  Descent* descent);

// First or last leaf, or page of `level`; invalid if the tree is empty.
absl::StatusOr<PageRef> FindEdge(Tree* tree, bool rightmost, std::uint32_t level, Hold hold);

// The page of the level above that has the downlink to `child`, held exclusively, with the slot of
// that downlink: from the step of that level and to the right from there, or from the leftmost page
// of the level where `descent` has no such step. Finishes splits on the way, and corrects the step.
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
