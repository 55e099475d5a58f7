#include "engine/build/index_rows.h"

#include "absl/strings/str_cat.h"
#include "engine/page/page_check.h"

namespace tornleaf {

namespace {

using nbtree::KindOf;
using nbtree::TupleKind;

// The number of row addresses in a leaf's data item; 0 if its geometry makes no sense.
std::uint32_t TidCount(TupleView tuple) {
  if (KindOf(tuple) == TupleKind::kPlain) return 1;
  if (KindOf(tuple) == TupleKind::kPivot) return 0;
  const std::uint32_t offset = nbtree::PostingOffset(tuple);
  const std::uint32_t count = nbtree::PostingCount(tuple);
  const std::uint32_t size = tuple.stored_size();
  if (offset < index_tuple::kHeaderSize || offset > size) return 0;
  return count * index_tuple::kTidSize <= size - offset ? count : 0;
}

}  // namespace

IndexRows::IndexRows(const Schema& schema, PageSource* pages)
    : schema_(schema), pages_(pages), buffer_(pages->page_size()) {}

absl::Status IndexRows::Damage(std::string_view what, OffsetNumber slot) const {
  std::string where = absl::StrCat("block ", block_);
  if (slot != 0) absl::StrAppend(&where, ", item ", slot);
  return absl::DataLossError(absl::StrCat(where, ": ", absl::string_view(what.data(), what.size()),
                                          "; tornleaf check says more"));
}

// Makes the page at hand that of `block`, which has to be a node of the given level.
absl::Status IndexRows::ReadNode(BlockNumber block, std::uint32_t level) {
  if (block == nbtree::kMetaBlock || block >= pages_->block_count()) {
    return Damage(absl::StrCat("points to block ", block, " of ", pages_->block_count()));
  }
  block_ = block;
  const ByteView bytes = pages_->ReadSequential(block, buffer_);
  if (bytes.empty()) return absl::UnavailableError(absl::StrCat("block ", block, ": cannot read"));
  const PageView page(bytes);
  Findings findings;
  if (page.is_new()) return Damage("is a page of zeros");
  if (!CheckPageHeader(page, block, nbtree::kOpaqueSize, &findings)) {
    return Damage("has no sound page header");
  }
  page_ = nbtree::NbtreePage(page);
  item_bytes_ = 0;
  if (page_.has_unknown_flags()) return Damage("has a page format that is not supported");
  if (page_.is_meta() || page_.is_deleted()) return Damage("is a metapage or a deleted page");
  if (page_.level() != level || page_.is_leaf() != (level == 0)) {
    return Damage(absl::StrCat("is not of level ", level, ", where its parent or left sibling is"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TupleView> IndexRows::ReadItem(OffsetNumber slot) const {
  const LinePointer pointer = page_.page().line_pointer(slot);
  if (!IsReadable(page_.page(), pointer) || pointer.length < index_tuple::kHeaderSize) {
    return Damage("its line pointer does not point to a tuple", slot);
  }
  const TupleView tuple = page_.tuple(slot);
  if (tuple.size() != tuple.stored_size()) {
    return Damage("the tuple's size is not that of its line pointer", slot);
  }
  return tuple;
}

// Without a root there are no rows, unless the root was lost: an index never goes back to having
// none, and until it has one it has no page that was ever written.
absl::Status IndexRows::ExpectNoRows(const nbtree::MetaPage& meta) {
  if (meta.fast_root != 0 || meta.level != 0) return Damage("has no root, but a level of one");
  for (BlockNumber block = 1; block < pages_->block_count(); ++block) {
    const ByteView bytes = pages_->ReadSequential(block, buffer_);
    if (bytes.empty())
      return absl::UnavailableError(absl::StrCat("block ", block, ": cannot read"));
    if (!PageView(bytes).is_new()) {
      return Damage(absl::StrCat("has no root, but block ", block, " is in use"));
    }
  }
  ended_ = true;
  return absl::OkStatus();
}

absl::Status IndexRows::FindLeftmostLeaf() {
  const ByteView bytes = pages_->Read(nbtree::kMetaBlock, buffer_);
  if (bytes.empty()) return absl::UnavailableError("block 0: cannot read");
  const nbtree::MetaPage meta = nbtree::MetaPage::Load(PageView(bytes));
  if (meta.magic != nbtree::kMagicNumber) {
    return absl::InvalidArgumentError("block 0 is not the metapage of a B-tree index");
  }
  if (meta.root == 0) return ExpectNoRows(meta);
  // Levels go down by one with each step, so this ends whatever the downlinks say.
  BlockNumber block = meta.root;
  std::uint32_t level = meta.level;
  for (;;) {
    const absl::Status status = ReadNode(block, level);
    if (!status.ok() || level == 0) return status;
    const OffsetNumber slot = page_.first_data_slot();
    if (page_.item_count() < slot) return Damage("has no downlink");
    const absl::StatusOr<TupleView> tuple = ReadItem(slot);
    if (!tuple.ok()) return tuple.status();
    block = nbtree::Downlink(*tuple);
    --level;
  }
}

// Moves to the right sibling; false if there is none.
absl::StatusOr<bool> IndexRows::NextLeaf() {
  if (page_.is_rightmost()) return false;
  if (++leaves_seen_ >= pages_->block_count()) return Damage("the leaves are linked in a circle");
  const absl::Status status = ReadNode(page_.next(), 0);
  if (!status.ok()) return status;
  slot_ = page_.first_data_slot() - 1;
  return true;
}

absl::Status IndexRows::OpenItem(TupleView tuple) {
  tuple_ = tuple;
  next_tid_ = 0;
  tid_count_ = TidCount(tuple);
  if (tid_count_ == 0) return Damage("is no row", slot_);
  const DeformResult read =
      values_.Deform(schema_, tuple, schema_.attribute_count(), nbtree::KeyEnd(tuple));
  if (read.ok()) return absl::OkStatus();
  return Damage(absl::StrCat("its bytes are not the columns of the schema, from column ",
                             read.attribute + 1, " on: wrong schema, or damaged"),
                slot_);
}

// Moves to the next item that is not dead; false at the end of the last leaf.
absl::StatusOr<bool> IndexRows::NextItem() {
  for (;;) {
    // A half-dead leaf has no items but a high key.
    if (slot_ >= page_.item_count() || page_.is_half_dead()) {
      const absl::StatusOr<bool> moved = NextLeaf();
      if (!moved.ok() || !*moved) return moved;
      continue;
    }
    ++slot_;
    const absl::StatusOr<TupleView> tuple = ReadItem(slot_);
    if (!tuple.ok()) return tuple.status();
    // Where line pointers share their bytes, a page has no bound of rows.
    item_bytes_ += tuple->stored_size();
    if (item_bytes_ > buffer_.size()) {
      return Damage("overlaps: with those before it, it is larger than the page", slot_);
    }
    switch (page_.page().line_pointer(slot_).flags) {
      case LineFlags::kNormal: {
        const absl::Status status = OpenItem(*tuple);
        if (!status.ok()) return status;
        return true;
      }
      case LineFlags::kDead:
        dead_rows_ += TidCount(*tuple);
        continue;
      case LineFlags::kUnused:
      case LineFlags::kRedirect:
        return Damage("its line pointer is neither normal nor dead", slot_);
    }
  }
}

absl::StatusOr<bool> IndexRows::Next() {
  if (!started_) {
    started_ = true;
    const absl::Status status = FindLeftmostLeaf();
    if (!status.ok()) return status;
    if (!ended_) slot_ = page_.first_data_slot() - 1;
  }
  if (ended_) return false;
  if (next_tid_ == tid_count_) {
    absl::StatusOr<bool> moved = NextItem();
    if (!moved.ok()) return moved;
    if (!*moved) {
      ended_ = true;
      return false;
    }
  }
  tid_ =
      KindOf(tuple_) == TupleKind::kPosting ? nbtree::PostingTid(tuple_, next_tid_) : tuple_.tid();
  ++next_tid_;
  return true;
}

}  // namespace tornleaf
