#include "engine/tree/redo_operations.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

namespace {

// The key space of the child moves to its right sibling: its downlink gets the sibling's block, and
// the sibling's own pivot goes.
absl::Status RemoveDownlink(RedoPages* pages, OffsetNumber slot) {
  RedoPage page;
  const absl::Status status = pages->OpenWithItems(1, RedoPages::kAnyLevel, &page);
  if (!status.ok() || !page.due) return status;
  const nbtree::NbtreePage parent = page.nbtree();
  if (parent.is_leaf()) return pages->Reject(1, "a leaf instead of a parent");
  if (slot < parent.first_data_slot() || slot >= parent.item_count()) {
    return pages->Reject(1, "no such downlink");
  }
  const auto next = static_cast<OffsetNumber>(slot + 1);
  const BlockNumber sibling = nbtree::Downlink(parent.tuple(next));
  const PageWriter writer = page.ref.writer();
  nbtree::SetDownlink(writer.data() + parent.page().line_pointer(slot).offset, sibling);
  CHECK(nbtree::DeleteItem(writer, next) == nbtree::EditError::kNone);
  pages->Finish(&page);
  return absl::OkStatus();
}

// A half-dead leaf has one item in the place of its high key: it leads to the highest page of the
// branch that is being deleted.
absl::Status RebuildHalfDead(RedoPages* pages, std::uint32_t block_id, BlockNumber left,
                             BlockNumber right, BlockNumber top_parent) {
  PageBytes bytes(pages->page_size());
  const PageWriter writer{MutableBytes(bytes)};
  nbtree::InitializePage(writer, 0, nbtree::kHalfDead | nbtree::kLeaf);
  nbtree::SetPrev(writer, left);
  nbtree::SetNext(writer, right);
  std::vector<std::uint8_t> item;
  nbtree::FormMinusInfinity(top_parent, &item);
  CHECK(nbtree::InsertItem(writer, 1, item) == nbtree::EditError::kNone);
  PageRef page;
  return pages->Rebuild(block_id, bytes, &page);
}

}  // namespace

absl::Status RedoMarkHalfDead(RedoPages* pages) {
  wal::MarkHalfDeadRecord record;
  if (!wal::MarkHalfDeadRecord::Decode(pages->record().main_data, &record)) {
    return pages->RejectRecord("main data");
  }
  const absl::Status status = RemoveDownlink(pages, record.parent_slot);
  if (!status.ok()) return status;
  return RebuildHalfDead(pages, 0, record.left, record.right, record.top_parent);
}

namespace {

// Opens a sibling of the page that goes; its link is set by the caller.
absl::Status OpenSibling(RedoPages* pages, std::uint32_t block_id, BlockNumber block,
                         RedoPage* page) {
  if (!pages->has_block(block_id) || pages->block(block_id).block != block) {
    return pages->RejectRecord("not the sibling that it names");
  }
  const absl::Status status = pages->Open(block_id, page);
  if (!status.ok() || !page->due) return status;
  const PageView view = page->ref.view();
  if (view.special() != view.size() - nbtree::kOpaqueSize || page->nbtree().is_meta()) {
    return pages->Reject(block_id, "no sibling");
  }
  return absl::OkStatus();
}

PageBytes DeletedPage(std::uint32_t page_size, const wal::UnlinkRecord& record) {
  PageBytes bytes(page_size);
  PageWriter writer{MutableBytes(bytes)};
  const std::uint16_t flags = nbtree::kDeleted | nbtree::kHasFullXid;
  nbtree::InitializePage(
      writer, record.level,
      static_cast<std::uint16_t>(flags | (record.level == 0 ? nbtree::kLeaf : 0)));
  nbtree::SetPrev(writer, record.left);
  nbtree::SetNext(writer, record.right);
  writer.set_lower(nbtree::kDeletedLower);
  Store(writer.data(), nbtree::kSafeXid, record.safe_xid);
  return bytes;
}

// The page and its siblings, held together from left to right.
absl::Status Unlink(RedoPages* pages, const wal::UnlinkRecord& record) {
  RedoPage left;
  RedoPage right;
  PageRef target;
  absl::Status status = absl::OkStatus();
  if (record.left != nbtree::kNoSibling) status = OpenSibling(pages, 1, record.left, &left);
  if (status.ok() && left.due) {
    nbtree::SetNext(left.ref.writer(), record.right);
    pages->Finish(&left);
  }
  if (status.ok()) {
    status = pages->Rebuild(0, DeletedPage(pages->page_size(), record), &target);
  }
  if (status.ok()) status = OpenSibling(pages, 2, record.right, &right);
  if (status.ok() && right.due) {
    nbtree::SetPrev(right.ref.writer(), record.left);
    pages->Finish(&right);
  }
  return status;
}

}  // namespace

absl::Status RedoUnlink(RedoPages* pages) {
  wal::UnlinkRecord record;
  if (!wal::UnlinkRecord::Decode(pages->record().main_data, &record)) {
    return pages->RejectRecord("main data");
  }
  absl::Status status = Unlink(pages, record);
  if (status.ok() && pages->has_block(3)) {
    status = RebuildHalfDead(pages, 3, record.leaf_left, record.leaf_right, record.leaf_top_parent);
  }
  if (status.ok() && pages->record().info == wal::kUnlinkPageMeta) status = RedoMeta(pages, 4);
  if (status.ok()) pages->SawXid(record.safe_xid);
  return status;
}

// The page is described by the record that puts it to its new use; this one tells standbys to wait
// for old readers.
absl::Status RedoReuse(RedoPages* pages) {
  wal::ReusePageRecord record;
  if (!wal::ReusePageRecord::Decode(pages->record().main_data, &record)) {
    return pages->RejectRecord("main data");
  }
  pages->SawXid(record.latest_removed_xid);
  return absl::OkStatus();
}

}  // namespace tornleaf
