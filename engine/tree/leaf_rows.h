// The row addresses of a leaf one by one, and which of them shall go.

#ifndef TORNLEAF_ENGINE_TREE_LEAF_ROWS_H_
#define TORNLEAF_ENGINE_TREE_LEAF_ROWS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/format/nbtree_edit.h"
#include "engine/format/nbtree_page.h"

namespace tornleaf {

// One row address of a leaf item, and what is thought of it.
struct LeafRow {
  ItemPointer tid;
  OffsetNumber slot = 0;
  std::uint16_t posting_index = 0;  // 0 in a plain item
  bool dead = false;                // its entry goes
  bool promising = false;           // bottom-up deletion: may well be an old version
  std::uint16_t free_space = 0;     // bytes that its removal frees at least
};

inline std::uint32_t RowCountOf(TupleView item) {
  return nbtree::KindOf(item) == nbtree::TupleKind::kPosting ? nbtree::PostingCount(item) : 1;
}
inline ItemPointer RowOf(TupleView item, std::uint32_t index) {
  return nbtree::KindOf(item) == nbtree::TupleKind::kPosting ? nbtree::PostingTid(item, index)
                                                             : item.tid();
}

// What RemoveFromLeaf() takes.
struct LeafRemovals {
  std::vector<OffsetNumber> deleted;
  std::vector<nbtree::PostingUpdate> updates;

  bool empty() const { return deleted.empty() && updates.empty(); }
};

// Groups the dead ones of `rows`, which stand in the order of the page: an item goes if all of its
// row addresses do, and is updated if some do.
LeafRemovals RemovalsOf(const nbtree::NbtreePage& page, std::span<const LeafRow> rows);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_LEAF_ROWS_H_
