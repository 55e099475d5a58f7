// Getting rid of index entries of dead rows, on one leaf: hints, simple and bottom-up deletion.

#ifndef TORNLEAF_ENGINE_TREE_DELETE_H_
#define TORNLEAF_ENGINE_TREE_DELETE_H_

#include <span>
#include <vector>

#include "engine/format/nbtree_edit.h"
#include "engine/tree/tree.h"

namespace tornleaf {

// Marks items LP_DEAD and the page HAS_GARBAGE, if all rows of the item are
// Liveness::IsSafelyDead() now; logs an image of the page if that is due. `leaf` is held
// exclusively: whoever has it shared or only pinned tries to, and else forgets about the hints.
// `slots` may be stale, since every item is asked about again.
void MarkItemsDead(Tree* tree, PageRef* leaf, std::span<const OffsetNumber> slots);

// Removes what is marked LP_DEAD and, as PostgreSQL does, whatever else on the page is dead and
// costs no further lookups. `leaf` is held exclusively. Logs a DELETE record. True if anything
// went.
absl::StatusOr<bool> SimpleDelete(Tree* tree, PageRef* leaf, TupleView new_item);

// Asks about runs of equal keys, the most promising first, until enough is free for a new item of
// `new_item_size` bytes. True if it is.
absl::StatusOr<bool> BottomUpDelete(Tree* tree, PageRef* leaf, std::uint32_t new_item_size);

// Removes items and row addresses from a leaf and logs it: as a DELETE record, or as VACUUM's.
enum class Remover : std::uint8_t { kDelete, kVacuum };
absl::Status RemoveFromLeaf(Tree* tree, PageRef* leaf, Remover remover,
                            std::span<const OffsetNumber> deleted,
                            std::span<const nbtree::PostingUpdate> updates);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_DELETE_H_
