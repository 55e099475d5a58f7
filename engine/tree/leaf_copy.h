// A leaf as it was when a cursor read it, given row by row: the inside of a scan.
//
// The page is copied as it is, since that is cheaper than taking its rows apart: most scans give
// every row once, and many end before the leaf does.

#ifndef TORNLEAF_ENGINE_TREE_LEAF_COPY_H_
#define TORNLEAF_ENGINE_TREE_LEAF_COPY_H_

#include <cstdint>
#include <cstring>
#include <memory>

#include "engine/format/nbtree_page.h"

namespace tornleaf {

// Slots [begin, end) of a leaf.
struct SlotRange {
  OffsetNumber begin = 0;
  OffsetNumber end = 0;
};

class LeafCopy {
 public:
  // Takes the items of `range` from a leaf of the size of all leaves before; those that are marked
  // dead are left out. Backwards: the last row first. No row is current before Next().
  void Read(PageView leaf, SlotRange range, bool backward) {
    CHECK(leaf.lower() <= leaf.upper());
    CHECK(leaf.upper() <= leaf.size());
    if (size_ == 0) bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(leaf.size());
    size_ = leaf.size();
    std::memcpy(bytes_.get(), leaf.data(), leaf.lower());
    std::memcpy(bytes_.get() + leaf.upper(), leaf.data() + leaf.upper(), size_ - leaf.upper());
    backward_ = backward;
    left_ = range.end > range.begin ? range.end - range.begin : 0;
    slot_ = backward ? range.end : static_cast<OffsetNumber>(range.begin - 1);
    row_ = row_count_ = 0;
  }
  // There is nothing left.
  void Clear() { left_ = row_ = row_count_ = 0; }

  // Moves to the next row; false at the end.
  bool Next() {
    if (row_ + 1 < row_count_) {
      ++row_;
      tid_ = nbtree::PostingTid(item_, backward_ ? row_count_ - 1 - row_ : row_);
      return true;
    }
    return NextItem();
  }

  // Of the current row.
  bool has_row() const { return row_ < row_count_; }
  ItemPointer tid() const { return tid_; }
  TupleView item() const { return item_; }
  OffsetNumber slot() const { return slot_; }
  // Whether it is the first, or the last, that its item gives.
  bool is_first_of_item() const { return row_ == 0; }
  bool is_last_of_item() const { return row_ + 1 == row_count_; }

 private:
  bool NextItem() {
    row_ = row_count_ = 0;
    while (left_ > 0) {
      --left_;
      slot_ = static_cast<OffsetNumber>(backward_ ? slot_ - 1 : slot_ + 1);
      const PageView page({bytes_.get(), size_});
      const LinePointer pointer = page.line_pointer(slot_);
      if (pointer.flags == LineFlags::kDead) continue;
      item_ = TupleView(page.bytes().subspan(pointer.offset, pointer.length));
      tid_ = item_.tid();
      row_count_ = 1;
      if (nbtree::KindOf(item_) == nbtree::TupleKind::kPosting) {
        row_count_ = nbtree::PostingCount(item_);
        tid_ = nbtree::PostingTid(item_, backward_ ? row_count_ - 1 : 0);
      }
      return true;
    }
    return false;
  }

  std::unique_ptr<std::uint8_t[]> bytes_;  // the hole's are unknown
  std::uint32_t size_ = 0;
  bool backward_ = false;
  std::uint32_t left_ = 0;  // items behind the current one
  OffsetNumber slot_ = 0;
  TupleView item_;
  ItemPointer tid_;
  std::uint32_t row_ = 0;  // of the item, in the order in which they are given
  std::uint32_t row_count_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_LEAF_COPY_H_
