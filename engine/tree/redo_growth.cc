#include "engine/format/page_guard.h"
#include "engine/tree/redo_operations.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

absl::Status ClearIncompleteSplit(RedoPages* pages, std::uint32_t block_id, std::uint32_t level) {
  RedoPage page;
  const absl::Status status = pages->OpenWithItems(block_id, level, &page);
  if (!status.ok() || !page.due) return status;
  if (!page.nbtree().is_incomplete_split()) {
    return pages->Reject(block_id, "no split of it is incomplete");
  }
  nbtree::SetFlags(page.ref.writer(),
                   static_cast<std::uint16_t>(page.nbtree().flags() & ~nbtree::kIncompleteSplit));
  pages->Finish(&page);
  return absl::OkStatus();
}

absl::Status RedoMeta(RedoPages* pages, std::uint32_t block_id) {
  nbtree::MetaPage meta;
  if (!pages->has_block(block_id) || pages->block(block_id).block != nbtree::kMetaBlock) {
    return pages->RejectRecord("no metapage");
  }
  if (!wal::DecodeMeta(pages->block(block_id).data, &meta)) {
    return pages->Reject(block_id, "contents of the metapage");
  }
  PageBytes bytes(pages->page_size());
  nbtree::InitializeMetaPage(PageWriter(bytes), meta);
  PageRef page;
  return pages->Rebuild(block_id, bytes, &page);
}

namespace {

struct Split {
  wal::SplitRecord record;
  BlockNumber left = 0;
  BlockNumber right = 0;
  BlockNumber old_right = 0;
};

std::uint16_t LeafFlag(std::uint32_t level) { return level == 0 ? nbtree::kLeaf : 0; }

// Takes one tuple off the front of a block's data.
TupleView TakeTuple(ByteView* data) {
  if (data->size() < index_tuple::kHeaderSize) return TupleView();
  const std::uint32_t size = TupleView(*data).size();
  if (size < index_tuple::kHeaderSize || size > data->size()) return TupleView();
  const TupleView tuple(data->first(size));
  *data = data->subspan(size);
  return tuple;
}

absl::Status MakeRightHalf(RedoPages* pages, const Split& split, PageBytes* bytes) {
  bytes->resize(pages->page_size());
  const PageWriter writer{MutableBytes(*bytes)};
  nbtree::InitializePage(writer, split.record.level, LeafFlag(split.record.level));
  nbtree::SetPrev(writer, split.left);
  nbtree::SetNext(writer, split.old_right);
  return pages->Check(1, nbtree::RestoreItems(writer, pages->block(1).data));
}

absl::Status MakeLeftHalf(RedoPages* pages, const Split& split, ByteView original,
                          PageBytes* bytes) {
  const bool on_left = pages->record().info == wal::kSplitLeft;
  const std::uint16_t posting_offset = split.record.posting_offset;
  ByteView data = pages->block(0).data;
  TupleView new_item;
  if (on_left || posting_offset != 0) {
    new_item = TakeTuple(&data);
    if (new_item.stored_size() == 0) return pages->Reject(0, "no new item");
  }
  const TupleView high_key = TakeTuple(&data);
  if (high_key.stored_size() == 0 || !data.empty()) return pages->Reject(0, "no new high key");
  const nbtree::SplitPlan plan = {split.record.first_right, split.record.new_item_slot, on_left,
                                  posting_offset};
  const auto flags =
      static_cast<std::uint16_t>(nbtree::kIncompleteSplit | LeafFlag(split.record.level));
  bytes->resize(pages->page_size());
  return pages->Check(0, nbtree::BuildSplitLeft(original, plan, new_item, high_key, flags,
                                                split.right, /*cycle_id=*/0, *bytes));
}

absl::Status FixOldRight(RedoPages* pages, const Split& split) {
  if (!pages->has_block(2)) return absl::OkStatus();
  RedoPage page;
  const absl::Status status = pages->OpenWithItems(2, split.record.level, &page);
  if (!status.ok() || !page.due) return status;
  nbtree::SetPrev(page.ref.writer(), split.right);
  pages->Finish(&page);
  return absl::OkStatus();
}

}  // namespace

absl::Status RedoSplit(RedoPages* pages) {
  Split split;
  if (!wal::SplitRecord::Decode(pages->record().main_data, &split.record)) {
    return pages->RejectRecord("main data");
  }
  if (!pages->has_block(0) || !pages->has_block(1)) return pages->RejectRecord("no two halves");
  split.left = pages->block(0).block;
  split.right = pages->block(1).block;
  split.old_right = pages->has_block(2) ? pages->block(2).block : nbtree::kNoSibling;
  const std::uint32_t level = split.record.level;
  absl::Status status = absl::OkStatus();
  if (level > 0) status = ClearIncompleteSplit(pages, 3, level - 1);
  if (!status.ok()) return status;

  // All of one level are held until the last one is done, so that nobody sees half a split.
  RedoPage left;
  PageRef right;
  PageBytes left_bytes;
  PageBytes right_bytes;
  status = MakeRightHalf(pages, split, &right_bytes);
  if (status.ok()) status = pages->OpenWithItems(0, level, &left);
  if (status.ok() && left.due) {
    status = MakeLeftHalf(pages, split, left.ref.bytes(), &left_bytes);
    if (status.ok()) status = pages->Guard(0, left_bytes);
  }
  if (status.ok()) status = pages->Rebuild(1, right_bytes, &right);
  if (status.ok() && left.due) pages->Replace(left_bytes, &left);
  if (status.ok()) status = FixOldRight(pages, split);
  return status;
}

absl::Status RedoNewRoot(RedoPages* pages) {
  wal::NewRootRecord record;
  if (!wal::NewRootRecord::Decode(pages->record().main_data, &record)) {
    return pages->RejectRecord("main data");
  }
  if (!pages->has_block(0)) return pages->RejectRecord("no root");
  PageBytes bytes(pages->page_size());
  const PageWriter writer{MutableBytes(bytes)};
  nbtree::InitializePage(writer, record.level,
                         static_cast<std::uint16_t>(nbtree::kRoot | LeafFlag(record.level)));
  absl::Status status = absl::OkStatus();
  if (record.level > 0) {
    status = pages->Check(0, nbtree::RestoreItems(writer, pages->block(0).data));
  }
  PageRef root;
  if (status.ok()) status = pages->Rebuild(0, bytes, &root);
  if (status.ok() && record.level > 0) status = ClearIncompleteSplit(pages, 1, record.level - 1);
  root.Drop();
  return status.ok() ? RedoMeta(pages, 2) : status;
}

}  // namespace tornleaf
