#include "engine/tree/leaf_rows.h"

#include <utility>

namespace tornleaf {

LeafRemovals RemovalsOf(const nbtree::NbtreePage& page, std::span<const LeafRow> rows) {
  LeafRemovals removals;
  std::size_t at = 0;
  while (at < rows.size()) {
    nbtree::PostingUpdate update;
    update.slot = rows[at].slot;
    for (; at < rows.size() && rows[at].slot == update.slot; ++at) {
      if (rows[at].dead) update.removed.push_back(rows[at].posting_index);
    }
    if (update.removed.empty()) continue;
    if (update.removed.size() == RowCountOf(page.tuple(update.slot))) {
      removals.deleted.push_back(update.slot);
    } else {
      removals.updates.push_back(std::move(update));
    }
  }
  return removals;
}

}  // namespace tornleaf
