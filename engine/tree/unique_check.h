// Is there a row with this key already?

#ifndef TORNLEAF_ENGINE_TREE_UNIQUE_CHECK_H_
#define TORNLEAF_ENGINE_TREE_UNIQUE_CHECK_H_

#include "engine/tree/insert.h"
#include "engine/tree/key_compare.h"

namespace tornleaf {

// Looks at every row whose key equals `key`, which has no row address, from `leaf`, the first page
// it can be on, held exclusively. Dead rows are none; those that may be marked are marked.
// kInserted means that nothing is in the way; kAlreadyThere that the live row is the one at `tid`.
// `run` gets the place of the key on `leaf`: whatever is equal to it there is in [slot,
// strict_end).
absl::StatusOr<InsertResult> CheckUnique(Tree* tree, const SearchKey& key, ItemPointer tid,
                                         PageRef* leaf, PagePlace* run);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_UNIQUE_CHECK_H_
