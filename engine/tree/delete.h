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

// Removes what is marked LP_DEAD and whatever else on the page is dead and stands in the same table
// blocks, or in that of `new_item`, a plain tuple (PostgreSQL has these blocks at hand then; asking
// about the same ones gives the same pages). `leaf` is held exclusively. Logs a DELETE record. True
// if anything went; false if nothing is marked.
absl::StatusOr<bool> SimpleDelete(Tree* tree, PageRef* leaf, TupleView new_item);

// Asks about runs of equal keys, the most promising first, until enough is free for a new item of
// `new_item_size` bytes (MAXALIGNed, without line pointer) and some more, or it is not worth going
// on. No item is LP_DEAD. False if deduplication should be tried next: not if there is enough room
// now, and not if no two keys are equal.
absl::StatusOr<bool> BottomUpDelete(Tree* tree, PageRef* leaf, std::uint32_t new_item_size);

// A hint was set on a page that is held exclusively: marks it dirty, after logging its image where
// a torn write would else leave a page whose checksum is wrong.
void FinishHint(Tree* tree, PageRef* page);

// Removes items and row addresses from a leaf and logs it: as a DELETE record, or as VACUUM's,
// which also clears the cycle id. Not both are empty; both ascend. `leaf` is held exclusively, for
// cleanup by VACUUM. DataLoss, and nothing done, if an item is not what the arguments say.
enum class Remover : std::uint8_t { kDelete, kVacuum };
absl::Status RemoveFromLeaf(Tree* tree, PageRef* leaf, Remover remover,
                            std::span<const OffsetNumber> deleted,
                            std::span<const nbtree::PostingUpdate> updates);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_DELETE_H_
