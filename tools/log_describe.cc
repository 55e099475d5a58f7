// What the main data of a record says, in pg_waldump's words (src/backend/access/rmgrdesc).

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/wal/record/dead_rows_records.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/record/xlog_records.h"
#include "engine/wal/segment.h"
#include "tools/log_text.h"

namespace tornleaf {

namespace {

using wal::DecodedRecord;

constexpr char kUnreadable[] = "(its main data is not that of such a record)";

// A 64-bit transaction id as "epoch:id".
std::string XidText(std::uint64_t xid) {
  return absl::StrCat(xid >> 32, ":", static_cast<std::uint32_t>(xid));
}

std::string RelationText(const RelationId& relation) {
  return absl::StrCat(relation.tablespace, "/", relation.database, "/", relation.relation);
}

std::string DescribeDelete(const DecodedRecord& record, bool with_horizon) {
  wal::DeleteRecord deletion;
  if (!wal::DeleteRecord::Decode(record.main_data, with_horizon, &deletion)) return kUnreadable;
  const std::string horizon =
      with_horizon ? absl::StrCat("latestRemovedXid ", deletion.latest_removed_xid, "; ") : "";
  return absl::StrCat(horizon, "ndeleted ", deletion.deleted_count, "; nupdated ",
                      deletion.updated_count);
}

std::string DescribeUnlink(const DecodedRecord& record) {
  wal::UnlinkRecord unlink;
  if (!wal::UnlinkRecord::Decode(record.main_data, &unlink)) return kUnreadable;
  return absl::StrCat("left ", unlink.left, "; right ", unlink.right, "; level ", unlink.level,
                      "; safexid ", XidText(unlink.safe_xid), "; leafleft ", unlink.leaf_left,
                      "; leafright ", unlink.leaf_right, "; leaftopparent ",
                      unlink.leaf_top_parent);
}

std::string DescribeSplit(const DecodedRecord& record) {
  wal::SplitRecord split;
  if (!wal::SplitRecord::Decode(record.main_data, &split)) return kUnreadable;
  return absl::StrCat("level ", split.level, ", firstrightoff ", split.first_right, ", newitemoff ",
                      split.new_item_slot, ", postingoff ", split.posting_offset);
}

std::string DescribeReuse(const DecodedRecord& record) {
  wal::ReusePageRecord reuse;
  if (!wal::ReusePageRecord::Decode(record.main_data, &reuse)) return kUnreadable;
  return absl::StrCat("rel ", RelationText(reuse.relation), "; latestRemovedXid ",
                      XidText(reuse.latest_removed_xid));
}

std::string DescribeHalfDead(const DecodedRecord& record) {
  wal::MarkHalfDeadRecord mark;
  if (!wal::MarkHalfDeadRecord::Decode(record.main_data, &mark)) return kUnreadable;
  return absl::StrCat("topparent ", mark.top_parent, "; leaf ", mark.leaf, "; left ", mark.left,
                      "; right ", mark.right);
}

std::string DescribeMetaCleanup(const DecodedRecord& record) {
  nbtree::MetaPage meta;
  if (!record.has_block(0) || !wal::DecodeMeta(record.blocks[0].data, &meta)) return kUnreadable;
  return absl::StrCat("last_cleanup_num_delpages ", meta.last_cleanup_deleted_pages);
}

std::string DescribeBtree(const DecodedRecord& record) {
  wal::InsertRecord insert;
  wal::DedupRecord dedup;
  wal::NewRootRecord root;
  switch (record.info) {
    case wal::kInsertLeaf:
    case wal::kInsertUpper:
    case wal::kInsertMeta:
    case wal::kInsertPosting:
      if (!wal::InsertRecord::Decode(record.main_data, &insert)) return kUnreadable;
      return absl::StrCat("off ", insert.slot);
    case wal::kSplitLeft:
    case wal::kSplitRight:
      return DescribeSplit(record);
    case wal::kDedup:
      if (!wal::DedupRecord::Decode(record.main_data, &dedup)) return kUnreadable;
      return absl::StrCat("nintervals ", dedup.interval_count);
    case wal::kDelete:
      return DescribeDelete(record, true);
    case wal::kVacuum:
      return DescribeDelete(record, false);
    case wal::kMarkPageHalfDead:
      return DescribeHalfDead(record);
    case wal::kUnlinkPage:
    case wal::kUnlinkPageMeta:
      return DescribeUnlink(record);
    case wal::kNewRoot:
      if (!wal::NewRootRecord::Decode(record.main_data, &root)) return kUnreadable;
      return absl::StrCat("lev ", root.level);
    case wal::kReusePage:
      return DescribeReuse(record);
    case wal::kMetaCleanup:
      return DescribeMetaCleanup(record);
    default:
      return "";
  }
}

// A server's checkpoint says more than ours: see CheckPoint in src/include/catalog/pg_control.h.
std::string DescribeCheckpoint(const DecodedRecord& record) {
  wal::CheckpointRecord checkpoint;
  if (!wal::CheckpointRecord::Decode(record.main_data, &checkpoint)) return kUnreadable;
  const auto at = [&record](std::size_t offset) {
    return LoadLittleEndian<std::uint32_t>(record.main_data.data() + offset);
  };
  return absl::StrFormat(
      "redo %s; tli %u; prev tli %u; fpw %s; xid %s; oid %u; multi %u; offset %u; oldest xid %u "
      "in DB %u; oldest multi %u in DB %u; oldest/newest commit timestamp xid: %u/%u; oldest "
      "running xid %u; %s",
      wal::LsnText(checkpoint.redo), checkpoint.timeline, at(12),
      checkpoint.full_page_images ? "true" : "false", XidText(checkpoint.next_xid), at(32), at(36),
      at(40), at(44), at(48), at(52), at(56), at(72), at(76), at(80),
      record.info == wal::kCheckpointShutdown ? "shutdown" : "online");
}

std::string DescribeXlog(const DecodedRecord& record) {
  const ByteView data = record.main_data;
  wal::OverwriteContrecordRecord overwrite;
  switch (record.info) {
    case wal::kCheckpointShutdown:
    case wal::kCheckpointOnline:
      return DescribeCheckpoint(record);
    case wal::kNextOid:
      if (data.size() != sizeof(std::uint32_t)) return kUnreadable;
      return absl::StrCat(LoadLittleEndian<std::uint32_t>(data.data()));
    case wal::kFpwChange:
      if (data.size() != 1) return kUnreadable;
      return data[0] != 0 ? "true" : "false";
    case wal::kOverwriteContrecord:
      if (!wal::OverwriteContrecordRecord::Decode(data, &overwrite)) return kUnreadable;
      return absl::StrCat("lsn ", wal::LsnText(overwrite.overwritten));
    default:
      return "";
  }
}

std::string DescribeOurs(const DecodedRecord& record) {
  if (record.info != wal::kAddDeadRows) return "";
  wal::AddDeadRowsRecord add;
  if (!wal::AddDeadRowsRecord::Decode(record.main_data, &add)) return kUnreadable;
  return absl::StrCat("first ", add.first, "; count ", add.count);
}

}  // namespace

std::string DescribeRecord(const DecodedRecord& record) {
  switch (static_cast<wal::ResourceManager>(record.manager)) {
    case wal::ResourceManager::kXlog:
      return DescribeXlog(record);
    case wal::ResourceManager::kBtree:
      return DescribeBtree(record);
    case wal::ResourceManager::kTornleaf:
      return DescribeOurs(record);
    default:
      return "";
  }
}

}  // namespace tornleaf
