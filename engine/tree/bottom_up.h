// Which rows bottom-up deletion asks about, and when it has had enough. Pure functions, apart from
// the question itself.
//
// PostgreSQL pays for each table block that it looks at, so it asks block by block, those with the
// most promising rows first, at most six, and stops at the first that gives nothing. A liveness
// interface has no blocks to pay for; the same order and limits are kept, so that the same rows go
// as on the server when the same ones are dead.

#ifndef TORNLEAF_ENGINE_TREE_BOTTOM_UP_H_
#define TORNLEAF_ENGINE_TREE_BOTTOM_UP_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/key/schema.h"
#include "engine/tree/leaf_rows.h"

namespace tornleaf {

struct BottomUpRows {
  std::vector<LeafRow> rows;  // all of the leaf, in the order of the page
  bool any_duplicates = false;
};

// All rows of a leaf. Promising are those of runs of equal keys: each plain item's, and of a
// posting list the first or the last if its table block holds half of the list.
BottomUpRows CollectBottomUpRows(const Schema& schema, const nbtree::NbtreePage& page);

// Marks rows as dead that `is_dead` says are, until `target` bytes are freed or going on is not
// worth it. `rows` keep their order.
void AskBottomUp(std::vector<LeafRow>* rows, std::uint32_t target,
                 const std::function<bool(ItemPointer)>& is_dead);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_BOTTOM_UP_H_
