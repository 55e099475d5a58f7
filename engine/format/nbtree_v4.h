// PostgreSQL's nbtree page format, versions 2 to 4: what is stored where.
//
// Read by the verifier, the viewer and the engine; written by the bulk build. The specification
// page is docs/formats/nbtree-v4.md. An nbtree page is a slotted page (page/slotted_page_v4.h)
// whose special area is the 16 bytes below. Block 0 is the metapage.
//
//   leaf, not rightmost                        internal
//   item 1   high key (a pivot)                item 1   high key, unless rightmost
//   item 2.. data items, ascending by          item 2   "minus infinity": a downlink, no key
//            (key, heap TID)                   item 3.. downlinks, each with a strict lower bound
//   The rightmost page of a level has no high key; its data begins at item 1.
//
// Tuples are index tuples (key/index_tuple.h); their kinds are in format/nbtree_tuple.h.
//
// Invariants: META-*, FLAG-*, TUPLE-*, POST-*, KEY-*, LINK-*, LEVEL-*, PARENT-*, TREE-*, in
// docs/INVARIANTS.md. The whole in one sentence: every live page is reached exactly once from the
// root and holds, in strict order, only keys above its left neighbour's high key and up to its own.
//
// Versions. 2: up to PostgreSQL 10; fields of the metapage end with btm_fastlevel. 3: 11; the same
// pages, metapage with cleanup fields, INCLUDE columns. 4: since 12; the heap TID is the last key
// column, pivots are truncated, and since 13 there are posting lists (btm_allequalimage). Versions
// 2 and 3 hold duplicates in any order and never posting lists. Since 14 a deleted page keeps a
// 64-bit transaction id at offset 24 (BTP_HAS_FULLXID); before, 32 bits in place of btpo_level.

#ifndef TORNLEAF_ENGINE_FORMAT_NBTREE_V4_H_
#define TORNLEAF_ENGINE_FORMAT_NBTREE_V4_H_

#include <algorithm>
#include <cstdint>

#include "engine/key/index_tuple.h"
#include "engine/page/field_table.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {
namespace nbtree {

// Special area, BTPageOpaqueData. Offsets count from pd_special.

inline constexpr FieldOf<std::uint32_t> kPrev{"btpo_prev",
                                              0,
                                              FieldKind::kNumber,
                                              FieldRedo::kLogged,
                                              "left sibling, 0 if leftmost",
                                              "0 or a block of this level",
                                              "splits, page deletion"};
inline constexpr FieldOf<std::uint32_t> kNext{"btpo_next",
                                              4,
                                              FieldKind::kNumber,
                                              FieldRedo::kLogged,
                                              "right sibling, 0 if rightmost",
                                              "0 or a block of this level",
                                              "splits, page deletion"};
inline constexpr FieldOf<std::uint32_t> kLevel{
    "btpo_level",
    8,
    FieldKind::kNumber,
    FieldRedo::kLogged,
    "0 on a leaf, one more on each level above",
    "parent's level less one",
    "page initialisation; before 14, deletion put a transaction id here"};
inline constexpr FieldOf<std::uint16_t> kFlags{"btpo_flags",
                                               12,
                                               FieldKind::kFlags,
                                               FieldRedo::kLogged,
                                               "see kFlagBits",
                                               "0x0000..0x01ff",
                                               "splits, page deletion, VACUUM"};
inline constexpr FieldOf<std::uint16_t> kCycleId{"btpo_cycleid",
                                                 14,
                                                 FieldKind::kNumber,
                                                 FieldRedo::kMasked,
                                                 "id of the VACUUM during which the page was split",
                                                 "0..0xff7f",
                                                 "splits, VACUUM"};
inline constexpr Field kOpaque[] = {kPrev, kNext, kLevel, kFlags, kCycleId};
inline constexpr std::uint32_t kOpaqueSize = 16;
static_assert(CoversExactly(kOpaque, kOpaqueSize));
static_assert(kOpaqueSize % kMaxAlign == 0);

inline constexpr BlockNumber kNoSibling = 0;
inline constexpr std::uint16_t kMaxCycleId = 0xFF7F;  // Above: other access methods' page ids.

inline constexpr std::uint16_t kLeaf = 0x0001;
inline constexpr std::uint16_t kRoot = 0x0002;
inline constexpr std::uint16_t kDeleted = 0x0004;
inline constexpr std::uint16_t kMeta = 0x0008;
inline constexpr std::uint16_t kHalfDead = 0x0010;
inline constexpr std::uint16_t kSplitEnd = 0x0020;
inline constexpr std::uint16_t kHasGarbage = 0x0040;
inline constexpr std::uint16_t kIncompleteSplit = 0x0080;
inline constexpr std::uint16_t kHasFullXid = 0x0100;
inline constexpr FlagBit kFlagBits[] = {
    {"BTP_LEAF", kLeaf, "leaf page, level 0"},
    {"BTP_ROOT", kRoot, "root page"},
    {"BTP_DELETED", kDeleted, "unlinked from its siblings, waits to be recycled"},
    {"BTP_META", kMeta, "metapage"},
    {"BTP_HALF_DEAD", kHalfDead, "empty leaf without a downlink, still linked to its siblings"},
    {"BTP_SPLIT_END", kSplitEnd, "right half of the last split during a VACUUM (hint)"},
    {"BTP_HAS_GARBAGE", kHasGarbage, "some line pointers are DEAD (deprecated hint)"},
    {"BTP_INCOMPLETE_SPLIT", kIncompleteSplit, "the right sibling has no downlink yet"},
    {"BTP_HAS_FULLXID", kHasFullXid, "deleted by PostgreSQL 14 or later: safexid at offset 24"},
};
static_assert(FlagsAreDistinct(kFlagBits));
inline constexpr std::uint16_t kKnownFlags = AllFlags(kFlagBits);

// Metapage, BTMetaPageData. Offsets count from the start of the page.

inline constexpr BlockNumber kMetaBlock = 0;
inline constexpr std::uint32_t kMagicNumber = 0x00053162;
inline constexpr std::uint32_t kVersionMin = 2;
inline constexpr std::uint32_t kVersionNoVacuumFields = 2;
inline constexpr std::uint32_t kVersionHeapTidIsKey = 4;
inline constexpr std::uint32_t kVersionMax = 4;

inline constexpr FieldOf<std::uint32_t> kMetaMagic{
    "btm_magic",      24,           FieldKind::kHex, FieldRedo::kLogged,
    "marks a B-tree", "0x00053162", "CREATE INDEX"};
inline constexpr FieldOf<std::uint32_t> kMetaVersion{"btm_version",
                                                     28,
                                                     FieldKind::kNumber,
                                                     FieldRedo::kLogged,
                                                     "format version",
                                                     "2..4",
                                                     "CREATE INDEX; 2 becomes 3 in place"};
inline constexpr FieldOf<std::uint32_t> kMetaRoot{"btm_root",
                                                  32,
                                                  FieldKind::kNumber,
                                                  FieldRedo::kLogged,
                                                  "root block, 0 if empty",
                                                  "0 or a block with BTP_ROOT",
                                                  "root splits"};
inline constexpr FieldOf<std::uint32_t> kMetaLevel{
    "btm_level",         36,
    FieldKind::kNumber,  FieldRedo::kLogged,
    "level of the root", "the root page's btpo_level",
    "root splits"};
inline constexpr FieldOf<std::uint32_t> kMetaFastRoot{"btm_fastroot",
                                                      40,
                                                      FieldKind::kNumber,
                                                      FieldRedo::kLogged,
                                                      "where searches start",
                                                      "the only page of its level, under the root",
                                                      "root splits, page deletion"};
inline constexpr FieldOf<std::uint32_t> kMetaFastLevel{"btm_fastlevel",
                                                       44,
                                                       FieldKind::kNumber,
                                                       FieldRedo::kLogged,
                                                       "level of the fast root",
                                                       "0..btm_level",
                                                       "root splits, page deletion"};
inline constexpr FieldOf<std::uint32_t> kMetaDeletedPages{
    "btm_last_cleanup_num_delpages",
    48,
    FieldKind::kNumber,
    FieldRedo::kLogged,
    "deleted pages that the last VACUUM could not recycle (11 to 13: oldest transaction id)",
    "any",
    "VACUUM"};
inline constexpr FieldOf<std::uint32_t> kMetaPadding{
    "(padding)",   52, FieldKind::kPadding, FieldRedo::kLogged, "aligns the next field", "0",
    "CREATE INDEX"};
inline constexpr FieldOf<double> kMetaHeapTuples{"btm_last_cleanup_num_heap_tuples",
                                                 56,
                                                 FieldKind::kFloat,
                                                 FieldRedo::kLogged,
                                                 "table rows at the last cleanup",
                                                 "-1 since 14",
                                                 "VACUUM, up to 13"};
inline constexpr FieldOf<std::uint8_t> kMetaAllEqualImage{
    "btm_allequalimage",
    64,
    FieldKind::kBool,
    FieldRedo::kLogged,
    "whether equal keys have equal bytes: posting lists are allowed",
    "0 or 1",
    "CREATE INDEX"};
inline constexpr FieldOf<std::uint8_t> kMetaPadding1{
    "(padding)",          65,  FieldKind::kPadding, FieldRedo::kLogged,
    "rounds the size up", "0", "CREATE INDEX"};
inline constexpr FieldOf<std::uint16_t> kMetaPadding2{
    "(padding)",          66,  FieldKind::kPadding, FieldRedo::kLogged,
    "rounds the size up", "0", "CREATE INDEX"};
inline constexpr FieldOf<std::uint32_t> kMetaPadding3{
    "(padding)",          68,  FieldKind::kPadding, FieldRedo::kLogged,
    "rounds the size up", "0", "CREATE INDEX"};
inline constexpr Field kMetaFields[] = {
    kMetaMagic,     kMetaVersion,      kMetaRoot,    kMetaLevel,      kMetaFastRoot,
    kMetaFastLevel, kMetaDeletedPages, kMetaPadding, kMetaHeapTuples, kMetaAllEqualImage,
    kMetaPadding1,  kMetaPadding2,     kMetaPadding3};
// pd_lower by the release that wrote the metapage last; fields past it are absent.
inline constexpr std::uint32_t kMetaEndV2 = 48;  // up to 10
inline constexpr std::uint32_t kMetaEndV3 = 64;  // 11 and 12
inline constexpr std::uint32_t kMetaEnd = 72;    // since 13
static_assert(kMetaMagic.offset == slotted_v4::kHeaderSize);
static_assert(kMetaPadding3.offset + kMetaPadding3.size == kMetaEnd);

// Deleted page since 14: one field in place of line pointers.

inline constexpr FieldOf<std::uint64_t> kSafeXid{
    "safexid",
    24,
    FieldKind::kNumber,
    FieldRedo::kLogged,
    "the page may be used again once no transaction at or before this one can look",
    "not past the next transaction id",
    "page deletion"};
inline constexpr std::uint32_t kDeletedLower = 32;
inline constexpr std::uint32_t kFirstNormalXid = 3;  // below: ids that no transaction has

// Limits that follow from the page size; each names the macro it is.

struct Limits {
  std::uint32_t page_size;

  // BTMaxItemSizeNoHeapTid: three items and their line pointers fit a page.
  constexpr std::uint32_t MaxItemSizeNoHeapTid() const {
    const std::uint32_t third =
        (page_size - MaxAlign(slotted_v4::kHeaderSize + 3 * slotted_v4::kLinePointerSize) -
         kOpaqueSize) /
        3;
    return std::min(MaxAlignDown(third), MaxAlignDown(index_tuple::kSizeMask));
  }
  // BTMaxItemSize: leaves room for a heap TID that truncation may have to append.
  constexpr std::uint32_t MaxItemSize() const {
    const std::uint32_t third =
        (page_size - MaxAlign(slotted_v4::kHeaderSize + 3 * slotted_v4::kLinePointerSize) -
         kOpaqueSize) /
        3;
    return std::min(MaxAlignDown(third) - MaxAlign(index_tuple::kTidSize),
                    MaxAlignDown(index_tuple::kSizeMask));
  }
  // MaxIndexTuplesPerPage.
  constexpr std::uint32_t MaxItems() const {
    return (page_size - slotted_v4::kHeaderSize) /
           (MaxAlign(index_tuple::kHeaderSize + 1) + slotted_v4::kLinePointerSize);
  }
  // MaxTIDsPerBTreePage.
  constexpr std::uint32_t MaxTids() const {
    return (page_size - slotted_v4::kHeaderSize - kOpaqueSize) / index_tuple::kTidSize;
  }
  // MaxHeapTuplesPerPage: the highest offset number that a row address can have (the table has
  // the same page size; a heap tuple header is 23 bytes).
  constexpr std::uint32_t MaxHeapOffset() const {
    return (page_size - slotted_v4::kHeaderSize) / (MaxAlign(23) + slotted_v4::kLinePointerSize);
  }
  // Posting lists made while building: a tenth of a page less a line pointer.
  constexpr std::uint32_t MaxPostingSizeInBuild() const {
    return std::min(MaxAlignDown(page_size * 10 / 100) - slotted_v4::kLinePointerSize,
                    MaxItemSize());
  }
  // BTMaxPostingSize as a deduplication pass limits it.
  constexpr std::uint32_t MaxPostingSizeInPass() const {
    return std::min(MaxItemSize() / 2, std::uint32_t{index_tuple::kSizeMask});
  }
};
static_assert(Limits{8192}.MaxItemSize() == 2704);
static_assert(Limits{8192}.MaxItemSizeNoHeapTid() == 2712);
static_assert(Limits{8192}.MaxItems() == 408);
static_assert(Limits{8192}.MaxTids() == 1358);
static_assert(Limits{8192}.MaxHeapOffset() == 291);
static_assert(Limits{8192}.MaxPostingSizeInBuild() == 812);
static_assert(Limits{8192}.MaxPostingSizeInPass() == 1352);
static_assert(Limits{4096}.MaxItemSize() == 1336);
static_assert(Limits{16384}.MaxItemSize() == 5432);

inline constexpr std::uint32_t kFillFactorMin = 10;
inline constexpr std::uint32_t kFillFactorDefault = 90;
inline constexpr std::uint32_t kFillFactorMax = 100;
inline constexpr std::uint32_t kFillFactorInternal = 70;
inline constexpr std::uint32_t kFillFactorSingleValue = 96;

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_NBTREE_V4_H_
