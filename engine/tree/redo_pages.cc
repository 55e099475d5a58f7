#include "engine/tree/redo_pages.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/wal/record/names.h"

namespace tornleaf {

namespace {

absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

absl::Status RedoPages::RejectRecord(std::string_view reason) const {
  const wal::RecordName manager = wal::ResourceManagerName(record_.manager);
  const wal::RecordName operation = wal::OperationName(record_.manager, record_.info);
  return absl::DataLossError(
      absl::StrCat(ToAbsl(manager.view()), " ", ToAbsl(operation.view()), ": ", ToAbsl(reason)));
}

absl::Status RedoPages::Reject(std::uint32_t id, std::string_view reason) const {
  MARK("redo.rejected");
  return RejectRecord(absl::StrCat("block ", block(id).block, ": ", ToAbsl(reason)));
}

absl::Status RedoPages::Check(std::uint32_t id, nbtree::EditError error) const {
  if (error == nbtree::EditError::kNone) return absl::OkStatus();
  return Reject(id, nbtree::EditErrorText(error));
}

absl::Status RedoPages::Find(std::uint32_t id, PooledRelation** relation) const {
  if (!has_block(id)) return RejectRecord(absl::StrCat("no reference to its block ", id));
  const auto found = relations_.find(block(id).relation);
  if (found == relations_.end() || block(id).fork != wal::kMainFork) {
    return Reject(id, "of another relation than the record's other blocks");
  }
  if (block(id).block >= kInvalidBlock - 1) return Reject(id, "no block can have this number");
  *relation = found->second;
  return absl::OkStatus();
}

absl::Status RedoPages::Open(std::uint32_t id, RedoPage* page, bool cleanup) {
  if (has_block(id) && block(id).has_image && block(id).apply_image) {
    page->due = false;
    return RestoreImage(id, &page->ref);
  }
  PooledRelation* relation;
  const absl::Status status = Find(id, &relation);
  if (!status.ok()) return status;
  absl::StatusOr<PageRef> ref =
      pool_->Pin(relation, block(id).block, cleanup ? Hold::kNone : Hold::kExclusive);
  if (!ref.ok()) return ref.status();
  page->ref = *std::move(ref);
  if (cleanup) page->ref.HoldForCleanup();
  if (page->ref.view().is_new()) return Reject(id, "the page has never been used");
  page->due = page->ref.view().lsn() < end_;
  if (!page->due) {
    MARK("redo.page_is_not_behind");
    // A process whose sync failed may have left these bytes in the system's cache as clean, and not
    // on the disk: they are written once more.
    page->ref.MarkDirty();
    ++summary_->pages_skipped;
  }
  return absl::OkStatus();
}

absl::Status RedoPages::OpenWithItems(std::uint32_t id, std::uint32_t level, RedoPage* page,
                                      bool cleanup) {
  const absl::Status status = Open(id, page, cleanup);
  if (!status.ok() || !page->due) return status;
  const PageView view = page->ref.view();
  if (view.special() != view.size() - nbtree::kOpaqueSize) return Reject(id, "no B-tree page");
  const nbtree::NbtreePage nbtree(view);
  if (nbtree.is_meta() || nbtree.is_ignorable()) return Reject(id, "a page without items");
  if (level != kAnyLevel && nbtree.level() != level) return Reject(id, "a page of another level");
  return absl::OkStatus();
}

void RedoPages::Finish(RedoPage* page) {
  page->ref.MarkDirty();
  page->ref.set_lsn(end_);
  ++summary_->pages_changed;
}

absl::Status RedoPages::Guard(std::uint32_t id, const PageBytes& bytes) const {
  PooledRelation* relation;
  absl::Status status = Find(id, &relation);
  if (!status.ok() || AllZero(bytes)) return status;
  status = BufferPool::Guard(relation, bytes, block(id).block);
  if (status.ok()) return status;
  MARK("redo.rejected_by_guard");
  return RejectRecord({status.message().data(), status.message().size()});
}

void RedoPages::Replace(const PageBytes& bytes, RedoPage* page) {
  std::memcpy(page->ref.writer().data(), bytes.data(), bytes.size());
  Finish(page);
}

absl::Status RedoPages::Rebuild(std::uint32_t id, const PageBytes& bytes, PageRef* page) {
  PooledRelation* relation;
  absl::Status status = Find(id, &relation);
  if (status.ok()) status = Guard(id, bytes);
  if (!status.ok()) return status;
  absl::StatusOr<PageRef> ref = pool_->PinForRestore(relation, block(id).block);
  if (!ref.ok()) return ref.status();
  *page = *std::move(ref);
  std::memcpy(page->writer().data(), bytes.data(), bytes.size());
  page->MarkDirty();
  // A page that was never used has no place for an LSN.
  if (!page->view().is_new()) page->set_lsn(end_);
  ++summary_->pages_changed;
  return absl::OkStatus();
}

absl::Status RedoPages::RestoreImage(std::uint32_t id, PageRef* page) {
  PageBytes bytes(page_size());
  if (wal::RestoreImage(block(id), bytes) != wal::RecordError::kNone) {
    return Reject(id, "its image cannot be restored");
  }
  const absl::Status status = Rebuild(id, bytes, page);
  if (!status.ok()) return status;
  ++summary_->images_restored;
  --summary_->pages_changed;
  return absl::OkStatus();
}

void RedoPages::SawXid(std::uint64_t xid) {
  if (xid < kXidMax) summary_->next_xid = std::max(summary_->next_xid, xid + 1);
}

}  // namespace tornleaf
