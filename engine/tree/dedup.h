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
std::vector<nbtree::DedupInterval> PlanDedup(const Schema& schema, const nbtree::NbtreePage& page,
                                             TupleView new_item, std::uint32_t new_item_size,
                                             bool bottom_up);

// The runs of two items or more with equal keys, without a limit on the size of a posting list:
// what bottom-up deletion looks at.
std::vector<nbtree::DedupInterval> EqualRuns(const Schema& schema, const nbtree::NbtreePage& page);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_DEDUP_H_
