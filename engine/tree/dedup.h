// What a deduplication pass merges: PostgreSQL's choice (nbtdedup.c). A pure function; ApplyDedup
// in format/nbtree_edit.h carries it out.

#ifndef TORNLEAF_ENGINE_TREE_DEDUP_H_
#define TORNLEAF_ENGINE_TREE_DEDUP_H_

#include <vector>

#include "engine/format/nbtree_edit.h"
#include "engine/key/schema.h"

namespace tornleaf {

// `page` is a leaf without LP_DEAD items. `new_item_size` is what has to fit afterwards,
// MAXALIGNed. `bottom_up`: the pass comes after a bottom-up deletion. Empty: nothing can be merged.
// The second function is the other use of the same grouping: the intervals of equal keys that
// bottom-up deletion looks at, without size limits of posting lists.
std::vector<nbtree::DedupInterval> PlanDedup(const Schema& schema, const nbtree::NbtreePage& page,
                                             TupleView new_item, std::uint32_t new_item_size,
                                             bool bottom_up);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_DEDUP_H_
