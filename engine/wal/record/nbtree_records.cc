#include "engine/wal/record/nbtree_records.h"

#include "engine/wal/record/cursor.h"

namespace tornleaf {
namespace wal {

namespace {

// The fields of a struct in their order, through the same list for both directions.
template <typename... Fields>
void AppendAll(Bytes* bytes, Fields... fields) {
  (AppendNumber(fields, bytes), ...);
}

template <typename... Fields>
bool TakeAll(ByteView bytes, Fields*... fields) {
  Cursor cursor(bytes);
  return (cursor.TakeNumber(fields) && ...) && cursor.left() == 0;
}

bool TakeNumbers(Cursor* cursor, std::size_t count, std::vector<std::uint16_t>* numbers) {
  ByteView bytes;
  if (!cursor->Take(count * sizeof(std::uint16_t), &bytes)) return false;
  numbers->resize(count);
  for (std::size_t index = 0; index < count; ++index) {
    (*numbers)[index] =
        LoadLittleEndian<std::uint16_t>(bytes.data() + index * sizeof(std::uint16_t));
  }
  return true;
}

}  // namespace

void InsertRecord::Encode(Bytes* bytes) const { AppendAll(bytes, slot); }
bool InsertRecord::Decode(ByteView bytes, InsertRecord* record) {
  return TakeAll(bytes, &record->slot);
}

void SplitRecord::Encode(Bytes* bytes) const {
  AppendAll(bytes, level, first_right, new_item_slot, posting_offset);
}
bool SplitRecord::Decode(ByteView bytes, SplitRecord* record) {
  return TakeAll(bytes, &record->level, &record->first_right, &record->new_item_slot,
                 &record->posting_offset);
}

void DedupRecord::Encode(Bytes* bytes) const { AppendAll(bytes, interval_count); }
bool DedupRecord::Decode(ByteView bytes, DedupRecord* record) {
  return TakeAll(bytes, &record->interval_count);
}

void EncodeIntervals(std::span<const nbtree::DedupInterval> intervals, Bytes* bytes) {
  for (const nbtree::DedupInterval& interval : intervals) {
    AppendAll(bytes, interval.base, interval.item_count);
  }
}
bool DecodeIntervals(ByteView bytes, std::uint16_t count,
                     std::vector<nbtree::DedupInterval>* intervals) {
  intervals->clear();
  Cursor cursor(bytes);
  for (std::uint32_t index = 0; index < count; ++index) {
    nbtree::DedupInterval interval;
    if (!cursor.TakeNumber(&interval.base)) return false;
    if (!cursor.TakeNumber(&interval.item_count)) return false;
    intervals->push_back(interval);
  }
  return cursor.left() == 0;
}

void DeleteRecord::Encode(bool with_horizon, Bytes* bytes) const {
  if (with_horizon) AppendNumber(latest_removed_xid, bytes);
  AppendAll(bytes, deleted_count, updated_count);
}
bool DeleteRecord::Decode(ByteView bytes, bool with_horizon, DeleteRecord* record) {
  if (with_horizon) {
    return TakeAll(bytes, &record->latest_removed_xid, &record->deleted_count,
                   &record->updated_count);
  }
  record->latest_removed_xid = 0;
  return TakeAll(bytes, &record->deleted_count, &record->updated_count);
}

void DeletePayload::Encode(Bytes* bytes) const {
  for (const OffsetNumber slot : deleted) AppendNumber(slot, bytes);
  for (const nbtree::PostingUpdate& update : updates) AppendNumber(update.slot, bytes);
  for (const nbtree::PostingUpdate& update : updates) {
    AppendNumber(static_cast<std::uint16_t>(update.removed.size()), bytes);
    for (const std::uint16_t index : update.removed) AppendNumber(index, bytes);
  }
}
bool DeletePayload::Decode(ByteView bytes, const DeleteRecord& record, DeletePayload* payload) {
  Cursor cursor(bytes);
  std::vector<std::uint16_t> updated;
  if (!TakeNumbers(&cursor, record.deleted_count, &payload->deleted)) return false;
  if (!TakeNumbers(&cursor, record.updated_count, &updated)) return false;
  payload->updates.clear();
  for (const OffsetNumber slot : updated) {
    nbtree::PostingUpdate update;
    update.slot = slot;
    std::uint16_t removed_count = 0;
    if (!cursor.TakeNumber(&removed_count)) return false;
    if (!TakeNumbers(&cursor, removed_count, &update.removed)) return false;
    payload->updates.push_back(std::move(update));
  }
  return cursor.left() == 0;
}

void MarkHalfDeadRecord::Encode(Bytes* bytes) const {
  AppendAll(bytes, parent_slot, std::uint16_t{0}, leaf, left, right, top_parent);
}
bool MarkHalfDeadRecord::Decode(ByteView bytes, MarkHalfDeadRecord* record) {
  std::uint16_t padding = 0;
  return TakeAll(bytes, &record->parent_slot, &padding, &record->leaf, &record->left,
                 &record->right, &record->top_parent);
}

void UnlinkRecord::Encode(Bytes* bytes) const {
  AppendAll(bytes, left, right, level, std::uint32_t{0}, safe_xid, leaf_left, leaf_right,
            leaf_top_parent);
}
bool UnlinkRecord::Decode(ByteView bytes, UnlinkRecord* record) {
  std::uint32_t padding = 0;
  return TakeAll(bytes, &record->left, &record->right, &record->level, &padding, &record->safe_xid,
                 &record->leaf_left, &record->leaf_right, &record->leaf_top_parent);
}

void NewRootRecord::Encode(Bytes* bytes) const { AppendAll(bytes, root, level); }
bool NewRootRecord::Decode(ByteView bytes, NewRootRecord* record) {
  return TakeAll(bytes, &record->root, &record->level);
}

void ReusePageRecord::Encode(Bytes* bytes) const {
  AppendAll(bytes, relation.tablespace, relation.database, relation.relation, block,
            latest_removed_xid);
}
bool ReusePageRecord::Decode(ByteView bytes, ReusePageRecord* record) {
  return TakeAll(bytes, &record->relation.tablespace, &record->relation.database,
                 &record->relation.relation, &record->block, &record->latest_removed_xid);
}

void EncodeMeta(const nbtree::MetaPage& meta, Bytes* bytes) {
  AppendAll(bytes, meta.version, meta.root, meta.level, meta.fast_root, meta.fast_level,
            meta.last_cleanup_deleted_pages, std::uint32_t{meta.all_equal_image});
}
bool DecodeMeta(ByteView bytes, nbtree::MetaPage* meta) {
  *meta = nbtree::MetaPage();
  meta->magic = nbtree::kMagicNumber;
  std::uint32_t all_equal_image = 0;  // one byte and three of padding
  if (!TakeAll(bytes, &meta->version, &meta->root, &meta->level, &meta->fast_root,
               &meta->fast_level, &meta->last_cleanup_deleted_pages, &all_equal_image)) {
    return false;
  }
  meta->all_equal_image = (all_equal_image & 0xFF) != 0;
  return true;
}

}  // namespace wal
}  // namespace tornleaf
