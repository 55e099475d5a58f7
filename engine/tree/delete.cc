#include "engine/tree/delete.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/mark.h"
#include "engine/tree/bottom_up.h"
#include "engine/tree/leaf_rows.h"
#include "engine/tree/node.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/record/xlog_records.h"

namespace tornleaf {

namespace {

// What has to be free afterwards, as a share of the page, for bottom-up deletion to have been worth
// it; and what it aims at.
constexpr std::uint32_t kWorthShare = 24;
constexpr std::uint32_t kTargetShare = 16;

bool IsMarkedDead(const nbtree::NbtreePage& page, OffsetNumber slot) {
  return page.page().line_pointer(slot).flags == LineFlags::kDead;
}

bool AllSafelyDead(Liveness* liveness, TupleView item) {
  for (std::uint32_t index = 0; index < RowCountOf(item); ++index) {
    if (!liveness->IsSafelyDead(RowOf(item, index))) return false;
  }
  return true;
}

// The table blocks of rows that are marked dead, and of the new row; ascending. Empty if nothing is
// marked.
std::vector<BlockNumber> DeadBlocks(const nbtree::NbtreePage& page, TupleView new_item) {
  std::vector<BlockNumber> blocks;
  for (OffsetNumber slot = page.first_data_slot(); slot <= page.item_count(); ++slot) {
    if (!IsMarkedDead(page, slot)) continue;
    const TupleView item = page.tuple(slot);
    for (std::uint32_t index = 0; index < RowCountOf(item); ++index) {
      blocks.push_back(RowOf(item, index).block);
    }
  }
  if (blocks.empty()) return blocks;
  blocks.push_back(new_item.tid().block);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

// The rows of the page that stand in `blocks`; dead ones are marked so.
std::vector<LeafRow> RowsInBlocks(const nbtree::NbtreePage& page,
                                  const std::vector<BlockNumber>& blocks, Liveness* liveness) {
  std::vector<LeafRow> rows;
  for (OffsetNumber slot = page.first_data_slot(); slot <= page.item_count(); ++slot) {
    const TupleView item = page.tuple(slot);
    for (std::uint32_t index = 0; index < RowCountOf(item); ++index) {
      LeafRow row;
      row.tid = RowOf(item, index);
      if (!std::binary_search(blocks.begin(), blocks.end(), row.tid.block)) continue;
      row.slot = slot;
      row.posting_index = static_cast<std::uint16_t>(index);
      row.dead = IsMarkedDead(page, slot) || liveness->IsDead(row.tid);
      rows.push_back(row);
    }
  }
  return rows;
}

void LogRemoval(Tree* tree, PageRef* leaf, Remover remover, std::span<const OffsetNumber> deleted,
                std::span<const nbtree::PostingUpdate> updates) {
  const bool is_delete = remover == Remover::kDelete;
  wal::DeletePayload payload;
  payload.deleted.assign(deleted.begin(), deleted.end());
  payload.updates.assign(updates.begin(), updates.end());
  wal::Bytes payload_bytes;
  payload.Encode(&payload_bytes);
  // No transaction id says when the rows died, which would matter to a standby alone.
  const wal::DeleteRecord record{0, static_cast<std::uint16_t>(deleted.size()),
                                 static_cast<std::uint16_t>(updates.size())};
  wal::Bytes main_data;
  record.Encode(is_delete, &main_data);

  LoggedChange change(tree->parts().log, wal::ResourceManager::kBtree,
                      is_delete ? wal::kDelete : wal::kVacuum);
  change.AddMain(main_data);
  change.AddPage(0, tree->parts().relation_id, leaf, wal::kStandardPage);
  change.AddData(payload_bytes);
  change.Commit();
}

}  // namespace

void FinishHint(Tree* tree, PageRef* page) {
  CHECK(page->hold() == Hold::kExclusive);
  wal::Log* log = tree->parts().log;
  const bool image_due =
      log != nullptr && tree->options().log_hints && log->HintNeedsImage(page->view().lsn());
  if (!image_due) {
    page->MarkDirtyHint();
    return;
  }
  MARK("hint.image_logged");
  LoggedChange change(log, wal::ResourceManager::kXlog, wal::kFpiForHint);
  change.AddPage(0, tree->parts().relation_id, page,
                 static_cast<std::uint8_t>(wal::kStandardPage | wal::kForceImage));
  change.Commit();
}

void MarkItemsDead(Tree* tree, PageRef* leaf, std::span<const OffsetNumber> slots) {
  CHECK(leaf->hold() == Hold::kExclusive);
  const nbtree::NbtreePage page = NodeOf(*leaf);
  if (!page.is_leaf() || page.is_ignorable()) return;
  bool any = false;
  for (const OffsetNumber slot : slots) {
    if (slot < page.first_data_slot() || slot > page.item_count()) continue;
    LinePointer pointer = page.page().line_pointer(slot);
    if (pointer.flags == LineFlags::kDead) continue;
    if (!AllSafelyDead(tree->parts().liveness, page.tuple(slot))) continue;
    pointer.flags = LineFlags::kDead;
    leaf->writer().set_line_pointer(slot, pointer);
    any = true;
  }
  if (!any) return;
  nbtree::SetFlags(leaf->writer(), page.flags() | nbtree::kHasGarbage);
  FinishHint(tree, leaf);
}

absl::StatusOr<bool> SimpleDelete(Tree* tree, PageRef* leaf, TupleView new_item) {
  CHECK(leaf->hold() == Hold::kExclusive);
  const nbtree::NbtreePage page = NodeOf(*leaf);
  const std::vector<BlockNumber> blocks = DeadBlocks(page, new_item);
  if (blocks.empty()) return false;
  const LeafRemovals removals =
      RemovalsOf(page, RowsInBlocks(page, blocks, tree->parts().liveness));
  CHECK(!removals.empty());
  if (!removals.updates.empty()) MARK("delete.simple.partly_dead_posting");
  const absl::Status removed =
      RemoveFromLeaf(tree, leaf, Remover::kDelete, removals.deleted, removals.updates);
  if (!removed.ok()) return removed;
  return true;
}

absl::StatusOr<bool> BottomUpDelete(Tree* tree, PageRef* leaf, std::uint32_t new_item_size) {
  CHECK(leaf->hold() == Hold::kExclusive);
  const std::uint32_t needed = new_item_size + slotted_v4::kLinePointerSize;
  const std::uint32_t page_size = leaf->view().size();
  BottomUpRows found = CollectBottomUpRows(tree->schema(), NodeOf(*leaf));
  Liveness* liveness = tree->parts().liveness;
  AskBottomUp(&found.rows, std::max(page_size / kTargetShare, needed),
              [liveness](ItemPointer tid) { return liveness->IsDead(tid); });
  const LeafRemovals removals = RemovalsOf(NodeOf(*leaf), found.rows);
  if (!removals.empty()) {
    MARK("delete.bottom_up.removed");
    const absl::Status removed =
        RemoveFromLeaf(tree, leaf, Remover::kDelete, removals.deleted, removals.updates);
    if (!removed.ok()) return removed;
  }
  if (!found.any_duplicates) {
    MARK("delete.bottom_up.no_duplicates");
    return true;
  }
  const std::uint32_t free = leaf->view().upper() - leaf->view().lower();
  return free >= std::max(page_size / kWorthShare, needed);
}

absl::Status RemoveFromLeaf(Tree* tree, PageRef* leaf, Remover remover,
                            std::span<const OffsetNumber> deleted,
                            std::span<const nbtree::PostingUpdate> updates) {
  CHECK(leaf->hold() == Hold::kExclusive);
  CHECK(!deleted.empty() || !updates.empty());
  const nbtree::EditError error = nbtree::DeleteAndUpdate(leaf->writer(), deleted, updates);
  if (error != nbtree::EditError::kNone) return RefusedEdit(leaf->block(), error);
  const nbtree::NbtreePage page = NodeOf(*leaf);
  nbtree::SetFlags(leaf->writer(), static_cast<std::uint16_t>(page.flags() & ~nbtree::kHasGarbage));
  if (remover == Remover::kVacuum) nbtree::SetCycleId(leaf->writer(), 0);
  LogRemoval(tree, leaf, remover, deleted, updates);
  return absl::OkStatus();
}

}  // namespace tornleaf
