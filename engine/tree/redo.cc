#include "engine/tree/redo.h"

#include "engine/tree/redo_operations.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/record/xlog_records.h"

namespace tornleaf {

namespace {

// A server logs images of several relations in one record.
absl::Status RedoImages(const std::map<RelationId, PooledRelation*>& relations, RedoPages* pages) {
  const std::uint8_t info = pages->record().info;
  if (info != wal::kFpi && info != wal::kFpiForHint) {
    return pages->RejectRecord("a record of the log about itself that has pages");
  }
  for (std::uint32_t id = 0; id < pages->record().block_count; ++id) {
    if (!pages->has_block(id) || pages->block(id).fork != wal::kMainFork) continue;
    if (!relations.contains(pages->block(id).relation)) continue;
    PageRef page;
    const absl::Status status = pages->RestoreImage(id, &page);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// A page that is held already cannot be held once more.
bool NamesPageTwice(const wal::DecodedRecord& record) {
  for (std::uint32_t id = 0; id < record.block_count; ++id) {
    for (std::uint32_t other = 0; other < id; ++other) {
      if (!record.has_block(id) || !record.has_block(other)) continue;
      if (record.blocks[id].relation == record.blocks[other].relation &&
          record.blocks[id].block == record.blocks[other].block) {
        return true;
      }
    }
  }
  return false;
}

absl::Status RedoBtree(RedoPages* pages) {
  if (NamesPageTwice(pages->record())) return pages->RejectRecord("names a page twice");
  switch (pages->record().info) {
    case wal::kInsertLeaf:
    case wal::kInsertUpper:
    case wal::kInsertMeta:
    case wal::kInsertPosting:
      return RedoInsert(pages);
    case wal::kSplitLeft:
    case wal::kSplitRight:
      return RedoSplit(pages);
    case wal::kDedup:
      return RedoDedup(pages);
    case wal::kDelete:
    case wal::kVacuum:
      return RedoDelete(pages);
    case wal::kUnlinkPage:
    case wal::kUnlinkPageMeta:
      return RedoUnlink(pages);
    case wal::kNewRoot:
      return RedoNewRoot(pages);
    case wal::kMarkPageHalfDead:
      return RedoMarkHalfDead(pages);
    case wal::kReusePage:
      return RedoReuse(pages);
    case wal::kMetaCleanup:
      return RedoMeta(pages, 0);
    default:
      return pages->RejectRecord("unknown operation");
  }
}

absl::Status Dispatch(const std::map<RelationId, PooledRelation*>& relations, RedoPages* pages) {
  switch (static_cast<wal::ResourceManager>(pages->record().manager)) {
    case wal::ResourceManager::kXlog:
      return RedoImages(relations, pages);
    case wal::ResourceManager::kBtree:
      return RedoBtree(pages);
    case wal::ResourceManager::kTornleaf:
      return RedoRowList(pages);
    default:
      return pages->RejectRecord("changes a page of ours in a way that is not known here");
  }
}

}  // namespace

bool Redo::Concerns(const wal::DecodedRecord& record) const {
  for (std::uint32_t id = 0; id < record.block_count; ++id) {
    if (!record.has_block(id) || record.blocks[id].fork != wal::kMainFork) continue;
    if (relations_.contains(record.blocks[id].relation)) return true;
  }
  // REUSE_PAGE names its page in the main data alone.
  wal::ReusePageRecord reuse;
  return record.manager == static_cast<std::uint8_t>(wal::ResourceManager::kBtree) &&
         record.info == wal::kReusePage && wal::ReusePageRecord::Decode(record.main_data, &reuse) &&
         relations_.contains(reuse.relation);
}

absl::Status Redo::Apply(const wal::DecodedRecord& record, Lsn end) {
  if (!Concerns(record)) {
    ++summary_.records_elsewhere;
    return absl::OkStatus();
  }
  RedoPages pages(pool_, relations_, record, end, &summary_);
  const absl::Status status = Dispatch(relations_, &pages);
  if (status.ok()) ++summary_.applied[{record.manager, record.info}];
  return status;
}

}  // namespace tornleaf
