// What may differ between a page of a primary and the same page redone from the log: PostgreSQL's
// own mask (btree_mask), which wal_consistency_checking applies before it compares.

#ifndef TORNLEAF_ENGINE_FORMAT_NBTREE_MASK_H_
#define TORNLEAF_ENGINE_FORMAT_NBTREE_MASK_H_

#include "engine/format/nbtree_page.h"
#include "engine/page/page_mask.h"

namespace tornleaf {
namespace nbtree {

// Sets to zero, beside what MaskPage() does: pd_flags and pd_prune_xid, the flags of a leaf's line
// pointers, HAS_GARBAGE, SPLIT_END and the cycle id. Pages that are new, or whose geometry is not
// that of an nbtree page, are only masked as slotted pages.
inline void MaskForRedo(MutableBytes page) {
  MaskPage(page);
  const PageView view(page);
  if (view.is_new() || view.special() != view.size() - kOpaqueSize) return;
  Store(page.data(), slotted_v4::kFlags, std::uint16_t{0});
  Store(page.data(), slotted_v4::kPruneXid, std::uint32_t{0});
  const NbtreePage node(view);
  const PageWriter writer(page);
  const bool has_items = !node.is_meta() && !node.is_deleted();
  if (node.is_leaf() && has_items) {
    PageWriter items(page);
    for (OffsetNumber slot = 1; slot <= node.item_count(); ++slot) {
      LinePointer pointer = view.line_pointer(slot);
      pointer.flags = LineFlags::kUnused;
      if (pointer.end() <= view.size()) items.set_line_pointer(slot, pointer);
    }
  }
  SetFlags(writer, static_cast<std::uint16_t>(node.flags() & ~(kHasGarbage | kSplitEnd)));
  SetCycleId(writer, 0);
}

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_NBTREE_MASK_H_
