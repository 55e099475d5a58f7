#include <algorithm>

#include "engine/format/page_guard.h"
#include "engine/tree/redo_operations.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

namespace {

// The tuple at the start of a block's data, or an empty view.
TupleView TupleIn(ByteView data) {
  return data.size() < index_tuple::kHeaderSize ? TupleView() : TupleView(data);
}

// Inserts below the posting list that the tuple falls into.
absl::Status InsertPosting(RedoPages* pages, OffsetNumber slot, ByteView data, RedoPage* page) {
  if (data.size() < sizeof(std::uint16_t) + index_tuple::kHeaderSize) {
    return pages->Reject(0, "a record without its tuple");
  }
  const auto posting_offset = LoadLittleEndian<std::uint16_t>(data.data());
  const TupleView tuple = TupleIn(data.subspan(sizeof(std::uint16_t)));
  return pages->Check(0,
                      nbtree::InsertIntoPosting(page->ref.writer(), slot, tuple, posting_offset));
}

absl::Status InsertPlain(RedoPages* pages, OffsetNumber slot, ByteView data, RedoPage* page) {
  const TupleView tuple = TupleIn(data);
  if (tuple.stored_size() == 0) return pages->Reject(0, "a record without its tuple");
  const char* rule = nbtree::GuardTuple(page->nbtree(), slot, tuple, nullptr);
  if (rule != nullptr) return pages->Reject(0, rule);
  return pages->Check(0, nbtree::InsertItem(page->ref.writer(), slot, data));
}

absl::Status InsertOnPage(RedoPages* pages, OffsetNumber slot) {
  const std::uint8_t info = pages->record().info;
  const bool upper = info == wal::kInsertUpper || info == wal::kInsertMeta;
  RedoPage page;
  absl::Status status = pages->OpenWithItems(0, upper ? RedoPages::kAnyLevel : 0, &page);
  if (!status.ok() || !page.due) return status;
  if (upper && page.nbtree().is_leaf()) return pages->Reject(0, "a leaf instead of a parent");
  // Nothing goes before the first downlink: minus infinity is below every key.
  const OffsetNumber least = page.nbtree().first_data_slot() + (upper ? 1 : 0);
  if (slot < least) return pages->Reject(0, "no item can stand there");
  const ByteView data = pages->block(0).data;
  status = info == wal::kInsertPosting ? InsertPosting(pages, slot, data, &page)
                                       : InsertPlain(pages, slot, data, &page);
  if (status.ok()) pages->Finish(&page);
  return status;
}

}  // namespace

absl::Status RedoInsert(RedoPages* pages) {
  wal::InsertRecord record;
  if (!wal::InsertRecord::Decode(pages->record().main_data, &record)) {
    return pages->RejectRecord("main data");
  }
  const std::uint8_t info = pages->record().info;
  if (info == wal::kInsertUpper || info == wal::kInsertMeta) {
    // Readers do not look at the flag, so that nothing has to be held across levels.
    const absl::Status status = ClearIncompleteSplit(pages, 1, RedoPages::kAnyLevel);
    if (!status.ok()) return status;
  }
  const absl::Status status = InsertOnPage(pages, record.slot);
  if (!status.ok() || info != wal::kInsertMeta) return status;
  return RedoMeta(pages, 2);
}

absl::Status RedoDedup(RedoPages* pages) {
  wal::DedupRecord record;
  if (!wal::DedupRecord::Decode(pages->record().main_data, &record)) {
    return pages->RejectRecord("main data");
  }
  RedoPage page;
  absl::Status status = pages->OpenWithItems(0, 0, &page);
  if (!status.ok() || !page.due) return status;
  std::vector<nbtree::DedupInterval> intervals;
  if (!wal::DecodeIntervals(pages->block(0).data, record.interval_count, &intervals)) {
    return pages->Reject(0, "intervals");
  }
  status = pages->Check(0, nbtree::ApplyDedup(page.ref.writer(), intervals));
  if (status.ok()) pages->Finish(&page);
  return status;
}

namespace {

// Whether a deletion leaves the high key alone.
bool NamesDataItems(const nbtree::NbtreePage& page, const wal::DeletePayload& payload) {
  const OffsetNumber first = page.first_data_slot();
  return std::all_of(payload.deleted.begin(), payload.deleted.end(),
                     [first](OffsetNumber slot) { return slot >= first; }) &&
         std::all_of(payload.updates.begin(), payload.updates.end(),
                     [first](const nbtree::PostingUpdate& update) { return update.slot >= first; });
}

}  // namespace

absl::Status RedoDelete(RedoPages* pages) {
  const bool vacuum = pages->record().info == wal::kVacuum;
  wal::DeleteRecord record;
  if (!wal::DeleteRecord::Decode(pages->record().main_data, /*with_horizon=*/!vacuum, &record)) {
    return pages->RejectRecord("main data");
  }
  RedoPage page;
  absl::Status status = pages->OpenWithItems(0, 0, &page, /*cleanup=*/vacuum);
  if (!status.ok() || !page.due) return status;
  wal::DeletePayload payload;
  if (!wal::DeletePayload::Decode(pages->block(0).data, record, &payload)) {
    return pages->Reject(0, "lists of items");
  }
  if (!NamesDataItems(page.nbtree(), payload)) return pages->Reject(0, "would delete a high key");
  const PageWriter writer = page.ref.writer();
  status = pages->Check(0, nbtree::DeleteAndUpdate(writer, payload.deleted, payload.updates));
  if (!status.ok()) return status;
  nbtree::SetFlags(writer,
                   static_cast<std::uint16_t>(page.nbtree().flags() & ~nbtree::kHasGarbage));
  if (vacuum) nbtree::SetCycleId(writer, 0);
  pages->Finish(&page);
  return absl::OkStatus();
}

}  // namespace tornleaf
