// A deduplication pass over a leaf that is full.

#ifndef TORNLEAF_ENGINE_TREE_DEDUP_PAGE_H_
#define TORNLEAF_ENGINE_TREE_DEDUP_PAGE_H_

#include "engine/tree/tree.h"

namespace tornleaf {

// Merges items with equal keys into posting lists, as PlanDedup() in dedup.h chooses, so that a new
// item of `new_item_size` bytes may fit; one record, DEDUP. `leaf` is held exclusively and has no
// LP_DEAD items. `bottom_up`: it was looked through for dead rows before.
absl::Status DeduplicatePage(Tree* tree, PageRef* leaf, TupleView new_item,
                             std::uint32_t new_item_size, bool bottom_up);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_DEDUP_PAGE_H_
