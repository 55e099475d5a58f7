// Is there a row with this key already?

#ifndef TORNLEAF_ENGINE_TREE_UNIQUE_CHECK_H_
#define TORNLEAF_ENGINE_TREE_UNIQUE_CHECK_H_

#include "engine/tree/insert.h"
#include "engine/tree/key_compare.h"

namespace tornleaf {

// Looks at every row whose key equals `key`, which has no row address, from `leaf` on, the first
// page it can be on, held exclusively, where the key's place is `place`. Dead rows are none; those
// that may be marked are marked. kInserted means that nothing is in the way; kAlreadyThere that the
// live row is the one at `tid`.
absl::StatusOr<InsertResult> CheckUnique(Tree* tree, const SearchKey& key, const PagePlace& place,
                                         ItemPointer tid, PageRef* leaf);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_UNIQUE_CHECK_H_
