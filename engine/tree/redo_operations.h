// What each operation of a resource manager does to the pages of its record. For redo.cc.

#ifndef TORNLEAF_ENGINE_TREE_REDO_OPERATIONS_H_
#define TORNLEAF_ENGINE_TREE_REDO_OPERATIONS_H_

#include "engine/tree/redo_pages.h"

namespace tornleaf {

// redo_items.cc: single items of a page.
absl::Status RedoInsert(RedoPages* pages);
absl::Status RedoDedup(RedoPages* pages);
absl::Status RedoDelete(RedoPages* pages);

// redo_growth.cc: a tree that grows.
absl::Status RedoSplit(RedoPages* pages);
absl::Status RedoNewRoot(RedoPages* pages);
absl::Status RedoMeta(RedoPages* pages, std::uint32_t block_id);
// An insertion one level up has finished the split of this page.
absl::Status ClearIncompleteSplit(RedoPages* pages, std::uint32_t block_id, std::uint32_t level);

// redo_removal.cc: pages that leave the tree.
absl::Status RedoMarkHalfDead(RedoPages* pages);
absl::Status RedoUnlink(RedoPages* pages);
absl::Status RedoReuse(RedoPages* pages);

// redo_dead_rows.cc: the list of dead rows.
absl::Status RedoRowList(RedoPages* pages);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_REDO_OPERATIONS_H_
