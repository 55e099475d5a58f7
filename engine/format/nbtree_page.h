// An nbtree page's special area and metapage, loaded by field. The bytes are untrusted: CheckPage*
// in page/page_check.h says whether the special area may be read at all.

#ifndef TORNLEAF_ENGINE_FORMAT_NBTREE_PAGE_H_
#define TORNLEAF_ENGINE_FORMAT_NBTREE_PAGE_H_

#include <cstdint>

#include "engine/format/nbtree_tuple.h"
#include "engine/format/nbtree_v4.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {
namespace nbtree {

// A page whose header is in order: pd_special is page size less 16.
class NbtreePage {
 public:
  NbtreePage() = default;
  explicit NbtreePage(PageView page) : page_(page) {
    CHECK(page.special() == page.size() - kOpaqueSize);
  }

  PageView page() const { return page_; }
  BlockNumber prev() const { return Load(opaque(), kPrev); }
  BlockNumber next() const { return Load(opaque(), kNext); }
  std::uint32_t level() const { return Load(opaque(), kLevel); }
  std::uint16_t flags() const { return Load(opaque(), kFlags); }
  std::uint16_t cycle_id() const { return Load(opaque(), kCycleId); }

  bool is_leaf() const { return (flags() & kLeaf) != 0; }
  bool is_root() const { return (flags() & kRoot) != 0; }
  bool is_deleted() const { return (flags() & kDeleted) != 0; }
  bool is_meta() const { return (flags() & kMeta) != 0; }
  bool is_half_dead() const { return (flags() & kHalfDead) != 0; }
  bool is_incomplete_split() const { return (flags() & kIncompleteSplit) != 0; }
  bool has_full_xid() const { return (flags() & kHasFullXid) != 0; }
  // Half-dead and deleted pages hold no data; searches step over them.
  bool is_ignorable() const { return (flags() & (kDeleted | kHalfDead)) != 0; }
  bool is_rightmost() const { return next() == kNoSibling; }
  bool is_leftmost() const { return prev() == kNoSibling; }
  bool has_unknown_flags() const { return (flags() & ~kKnownFlags) != 0; }

  // Items in line pointer order: the high key, if there is one, is item 1.
  OffsetNumber item_count() const { return page_.item_count(); }
  OffsetNumber first_data_slot() const { return is_rightmost() ? 1 : 2; }
  // The tuple of a line pointer whose storage has been checked (page_check.h, IsReadable).
  TupleView tuple(OffsetNumber slot) const {
    const LinePointer pointer = page_.line_pointer(slot);
    return TupleView(page_.bytes().subspan(pointer.offset, pointer.length));
  }
  // Deleted page since 14, at least 32 bytes long.
  std::uint64_t safe_xid() const { return Load(page_.data(), kSafeXid); }

 private:
  const std::uint8_t* opaque() const { return page_.data() + page_.size() - kOpaqueSize; }

  PageView page_;
};

// The metapage's fields; those past pd_lower are absent and read as if never set.
struct MetaPage {
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  BlockNumber root = 0;
  std::uint32_t level = 0;
  BlockNumber fast_root = 0;
  std::uint32_t fast_level = 0;
  std::uint32_t last_cleanup_deleted_pages = 0;
  double last_cleanup_heap_tuples = -1;
  bool all_equal_image = false;

  static MetaPage Load(PageView page);
  bool heap_tid_is_key() const { return version >= kVersionHeapTidIsKey; }
};

// Lays out an empty nbtree page of the given level, flags and siblings zero, and the metapage.
void InitializePage(PageWriter page, std::uint32_t level, std::uint16_t flags);
void SetPrev(PageWriter page, BlockNumber prev);
void SetNext(PageWriter page, BlockNumber next);
void SetFlags(PageWriter page, std::uint16_t flags);
void SetCycleId(PageWriter page, std::uint16_t cycle_id);
void InitializeMetaPage(PageWriter page, const MetaPage& meta);

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_NBTREE_PAGE_H_
