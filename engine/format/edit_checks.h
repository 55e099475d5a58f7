// What the edits of nbtree_edit.h look at before they change a page. For their files only.

#ifndef TORNLEAF_ENGINE_FORMAT_EDIT_CHECKS_H_
#define TORNLEAF_ENGINE_FORMAT_EDIT_CHECKS_H_

#include <span>

#include "engine/format/nbtree_page.h"
#include "engine/page/page_check.h"

namespace tornleaf {
namespace nbtree {

// Regions in order and whole line pointers: enough to compute with pd_lower and pd_upper.
inline bool HasItemLayout(PageView page) {
  return page.lower() >= slotted_v4::kHeaderSize && page.lower() <= page.upper() &&
         page.upper() <= page.special() && page.special() == page.size() - kOpaqueSize &&
         (page.lower() - slotted_v4::kHeaderSize) % slotted_v4::kLinePointerSize == 0;
}

// Whether the bytes are one tuple that says so itself.
inline bool HasOwnSize(ByteView tuple) {
  return tuple.size() >= index_tuple::kHeaderSize &&
         IsMaxAligned(static_cast<std::uint32_t>(tuple.size())) &&
         TupleView(tuple).size() == tuple.size();
}

// Whether there is such an item and its bytes may be touched.
inline bool HasItem(PageView page, OffsetNumber slot) {
  if (slot < 1 || slot > page.item_count()) return false;
  const LinePointer pointer = page.line_pointer(slot);
  return IsReadable(page, pointer) && IsMaxAligned(pointer.length);
}

// Whether the slots ascend and each is that of an item.
inline bool AscendWithinPage(PageView page, std::span<const OffsetNumber> slots) {
  OffsetNumber last = 0;
  for (const OffsetNumber slot : slots) {
    if (slot <= last || !HasItem(page, slot)) return false;
    last = slot;
  }
  return true;
}

// Whether all items' bytes may be touched and fit the tuple region together.
inline bool AllReadable(PageView page) {
  std::uint32_t total = 0;
  for (std::uint32_t slot = 1; slot <= page.item_count(); ++slot) {
    if (!HasItem(page, static_cast<OffsetNumber>(slot))) return false;
    total += page.line_pointer(static_cast<OffsetNumber>(slot)).length;
  }
  return total <= page.special() - page.lower();
}

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_EDIT_CHECKS_H_
