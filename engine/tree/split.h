// Putting an item on a page, and what follows when the page is full.
//
// A split goes in two steps. The first moves the upper part of the page to a new right sibling: one
// record, after which the new page is reached by the right link alone and the left one is marked
// INCOMPLETE_SPLIT. The second puts a downlink to the new page into the parent, and clears the
// mark: again one record, or a split of the parent. A crash, or an error, between the two leaves a
// tree that is legal and that whoever writes there next repairs (FinishSplit in insert.h).

#ifndef TORNLEAF_ENGINE_TREE_SPLIT_H_
#define TORNLEAF_ENGINE_TREE_SPLIT_H_

#include "engine/tree/search.h"
#include "engine/tree/tree.h"

namespace tornleaf {

// An item that is to go on a page.
struct PageInsertion {
  PageRef page;   // held exclusively, without an incomplete split
  PageRef child;  // internal page: the page whose split the item finishes, held exclusively
  TupleView item;
  OffsetNumber slot = 0;  // that the item will have
  // Not 0: the item's row address falls into the posting list in slot - 1, before its element of
  // this index, and is exchanged for the list's last one.
  std::uint16_t posting_offset = 0;
  bool child_was_alone = false;  // on its level, before it was split
};

// Inserts the item, splitting pages upwards as far as that goes on. After an error the item may be
// there with a split unfinished.
absl::Status InsertUpwards(Tree* tree, PageInsertion insertion, Descent* descent);

// The first step: the full page of `insertion` becomes two, with the item on one of them. Gives the
// right one, held exclusively; the left one and what `insertion` holds stay held.
absl::StatusOr<PageRef> SplitPage(Tree* tree, PageInsertion* insertion);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_SPLIT_H_
