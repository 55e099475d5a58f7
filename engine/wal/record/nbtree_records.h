// What nbtree's log records say: the main data and the data of each page.
//
// Each struct is one piece of data. Encode() appends its bytes as PostgreSQL 15 lays them out
// (src/include/access/nbtxlog.h), padding inside them zero; Decode() is false where the bytes are
// not exactly one.

#ifndef TORNLEAF_ENGINE_WAL_RECORD_NBTREE_RECORDS_H_
#define TORNLEAF_ENGINE_WAL_RECORD_NBTREE_RECORDS_H_

#include <cstdint>
#include <vector>

#include "engine/format/nbtree_edit.h"
#include "engine/format/nbtree_page.h"
#include "engine/wal/record/record.h"

namespace tornleaf {
namespace wal {

// xl_info of ResourceManager::kBtree.
enum BtreeOperation : std::uint8_t {
  kInsertLeaf = 0x00,
  kInsertUpper = 0x10,
  kInsertMeta = 0x20,
  kSplitLeft = 0x30,  // the new item went to the left half
  kSplitRight = 0x40,
  kInsertPosting = 0x50,
  kDedup = 0x60,
  kDelete = 0x70,
  kUnlinkPage = 0x80,
  kUnlinkPageMeta = 0x90,
  kNewRoot = 0xA0,
  kMarkPageHalfDead = 0xB0,
  kVacuum = 0xC0,
  kReusePage = 0xD0,
  kMetaCleanup = 0xE0,
};
// "INSERT_LEAF" and so on, as pg_waldump prints them; null for an unknown one.
const char* BtreeOperationName(std::uint8_t info);

using Bytes = std::vector<std::uint8_t>;

// Main data of INSERT_LEAF, INSERT_UPPER, INSERT_META and INSERT_POST. Data of block 0: the tuple,
// after the posting offset (two bytes) in an INSERT_POST.
struct InsertRecord {
  OffsetNumber slot = 0;

  void Encode(Bytes* bytes) const;
  static bool Decode(ByteView bytes, InsertRecord* record);
};

// Main data of SPLIT_L and SPLIT_R. Data of block 0: the new item if it goes left or swaps a
// posting list (then as it was before the swap), and the left half's new high key, each MAXALIGNed.
// Data of block 1: the tuple region of the right half as it lies on the page.
struct SplitRecord {
  std::uint32_t level = 0;
  OffsetNumber first_right = 0;
  OffsetNumber new_item_slot = 0;
  std::uint16_t posting_offset = 0;

  void Encode(Bytes* bytes) const;
  static bool Decode(ByteView bytes, SplitRecord* record);
};

// Main data of DEDUP: the number of intervals. Data of block 0: the intervals.
struct DedupRecord {
  std::uint16_t interval_count = 0;

  void Encode(Bytes* bytes) const;
  static bool Decode(ByteView bytes, DedupRecord* record);
};
void EncodeIntervals(std::span<const nbtree::DedupInterval> intervals, Bytes* bytes);
bool DecodeIntervals(ByteView bytes, std::uint16_t count,
                     std::vector<nbtree::DedupInterval>* intervals);

// Main data of DELETE (with the horizon) and VACUUM (without).
struct DeleteRecord {
  Xid latest_removed_xid = 0;
  std::uint16_t deleted_count = 0;
  std::uint16_t updated_count = 0;

  void Encode(bool with_horizon, Bytes* bytes) const;
  static bool Decode(ByteView bytes, bool with_horizon, DeleteRecord* record);
};
// Data of block 0 of both: slots to delete, slots to update, and for each of the latter which row
// addresses go.
struct DeletePayload {
  std::vector<OffsetNumber> deleted;
  std::vector<nbtree::PostingUpdate> updates;

  void Encode(Bytes* bytes) const;
  static bool Decode(ByteView bytes, const DeleteRecord& record, DeletePayload* payload);
};

struct MarkHalfDeadRecord {
  OffsetNumber parent_slot = 0;
  BlockNumber leaf = 0;
  BlockNumber left = 0;
  BlockNumber right = 0;
  BlockNumber top_parent = 0;

  void Encode(Bytes* bytes) const;
  static bool Decode(ByteView bytes, MarkHalfDeadRecord* record);
};

// Main data of UNLINK_PAGE and UNLINK_PAGE_META. In the latter block 4 is the metapage.
struct UnlinkRecord {
  BlockNumber left = 0;
  BlockNumber right = 0;
  std::uint32_t level = 0;
  std::uint64_t safe_xid = 0;
  BlockNumber leaf_left = 0;
  BlockNumber leaf_right = 0;
  BlockNumber leaf_top_parent = 0;

  void Encode(Bytes* bytes) const;
  static bool Decode(ByteView bytes, UnlinkRecord* record);
};

struct NewRootRecord {
  BlockNumber root = 0;
  std::uint32_t level = 0;

  void Encode(Bytes* bytes) const;
  static bool Decode(ByteView bytes, NewRootRecord* record);
};

struct ReusePageRecord {
  RelationId relation;
  BlockNumber block = 0;
  std::uint64_t latest_removed_xid = 0;

  void Encode(Bytes* bytes) const;
  static bool Decode(ByteView bytes, ReusePageRecord* record);
};

// Data of the metapage wherever a record changes it: xl_btree_metadata, 28 bytes.
void EncodeMeta(const nbtree::MetaPage& meta, Bytes* bytes);
bool DecodeMeta(ByteView bytes, nbtree::MetaPage* meta);

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_NBTREE_RECORDS_H_
