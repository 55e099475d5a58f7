// The bytes of PostgreSQL 15's log: record header, block references, and the headers of log pages.
//
// Written by wal/log.h, read by wal/log_reader.h; docs/formats/xlog-record-v15.md is the page.
//
//   page    +--------------------------------------------------+
//           | page header, 24 bytes; 40 in a segment's first    |
//           +--------------------------------------------------+
//           | rest of a record that began on an earlier page    |
//           +--------------------------------------------------+ each record MAXALIGNed
//           | XLogRecord, 24 bytes                              |
//           | block headers, each with id, flags, data length;  |
//           |   image header; relation; block number            |
//           | main data header                                  |
//           | per block: image, data                            |
//           | main data                                         |
//           +--------------------------------------------------+
//
// Numbers are little-endian and 64-bit ones have the low half first, unlike pd_lsn on pages.
//
// Checksum and tearing: xl_crc covers the record from its block headers to its end and then the
// header up to xl_crc. Page headers have no checksum: xlp_pageaddr, xlp_rem_len and xl_prev tell
// what was written for this place from what a recycled file held before.
//
// Versions: xlp_magic is 0xD110 in all of 15. Other values are other layouts.

#ifndef TORNLEAF_ENGINE_WAL_RECORD_RECORD_V15_H_
#define TORNLEAF_ENGINE_WAL_RECORD_RECORD_V15_H_

#include <cstdint>

#include "engine/page/field_table.h"

namespace tornleaf {
namespace wal {
namespace v15 {

inline constexpr const char* kWriter = "insertion of the record";
inline constexpr const char* kPageWriter = "start of the page";

// XLogRecord.

inline constexpr FieldOf<std::uint32_t> kTotalLength{
    "xl_tot_len",
    0,
    FieldKind::kNumber,
    FieldRedo::kLogged,
    "bytes of the record, this header included, padding not",
    "24..1 GiB",
    kWriter};
inline constexpr FieldOf<std::uint32_t> kXid{
    "xl_xid", 4, FieldKind::kNumber, FieldRedo::kLogged, "transaction, or 0", "any", kWriter};
inline constexpr FieldOf<std::uint64_t> kPrevious{"xl_prev",
                                                  8,
                                                  FieldKind::kHex,
                                                  FieldRedo::kLogged,
                                                  "start of the record before",
                                                  "below this record's start",
                                                  kWriter};
inline constexpr FieldOf<std::uint8_t> kInfo{
    "xl_info",
    16,
    FieldKind::kHex,
    FieldRedo::kLogged,
    "high four bits: operation of the resource manager; low four: see kRecordFlags",
    "any",
    kWriter};
inline constexpr FieldOf<std::uint8_t> kManager{"xl_rmid",
                                                17,
                                                FieldKind::kNumber,
                                                FieldRedo::kLogged,
                                                "resource manager: who understands the record",
                                                "0..21, 128..255",
                                                kWriter};
inline constexpr FieldOf<std::uint16_t> kPadding{
    "(padding)", 18, FieldKind::kPadding, FieldRedo::kLogged, "aligns xl_crc", "0", kWriter};
inline constexpr FieldOf<std::uint32_t> kCrc{
    "xl_crc",
    20,
    FieldKind::kHex,
    FieldRedo::kLogged,
    "CRC-32C of everything after this header, then of the header before this field",
    "any",
    kWriter};
inline constexpr Field kHeader[] = {kTotalLength, kXid, kPrevious, kInfo, kManager, kPadding, kCrc};
inline constexpr std::uint32_t kHeaderSize = 24;
static_assert(CoversExactly(kHeader, kHeaderSize));

inline constexpr FlagBit kRecordFlags[] = {
    {"XLR_SPECIAL_REL_UPDATE", 0x01,
     "changes relation files in ways that no block reference shows"},
    {"XLR_CHECK_CONSISTENCY", 0x02, "has images that redo compares its result with"},
};
static_assert(FlagsAreDistinct(kRecordFlags));

// XLogRecordBlockHeader.

inline constexpr FieldOf<std::uint8_t> kBlockId{"id",
                                                0,
                                                FieldKind::kNumber,
                                                FieldRedo::kLogged,
                                                "number of the reference",
                                                "0..32, ascending",
                                                kWriter};
inline constexpr FieldOf<std::uint8_t> kForkFlags{
    "fork_flags",
    1,
    FieldKind::kHex,
    FieldRedo::kLogged,
    "low four bits: fork of the relation; high four: see kBlockFlags",
    "any",
    kWriter};
inline constexpr FieldOf<std::uint16_t> kDataLength{"data_length",
                                                    2,
                                                    FieldKind::kNumber,
                                                    FieldRedo::kLogged,
                                                    "bytes of the block's data, without its image",
                                                    "0 exactly without BKPBLOCK_HAS_DATA",
                                                    kWriter};
inline constexpr Field kBlockHeader[] = {kBlockId, kForkFlags, kDataLength};
inline constexpr std::uint32_t kBlockHeaderSize = 4;
static_assert(CoversExactly(kBlockHeader, kBlockHeaderSize));

inline constexpr FlagBit kBlockFlags[] = {
    {"BKPBLOCK_HAS_IMAGE", 0x10, "an image header follows, and the image stands before the data"},
    {"BKPBLOCK_HAS_DATA", 0x20, "data_length is not 0"},
    {"BKPBLOCK_WILL_INIT", 0x40, "redo makes the page anew"},
    {"BKPBLOCK_SAME_REL", 0x80, "no relation follows: it is that of the reference before"},
};
static_assert(FlagsAreDistinct(kBlockFlags));
inline constexpr std::uint8_t kHasImage = 0x10;
inline constexpr std::uint8_t kHasData = 0x20;
inline constexpr std::uint8_t kWillInitPage = 0x40;
inline constexpr std::uint8_t kSameRelation = 0x80;
inline constexpr std::uint8_t kForkMask = 0x0F;

// XLogRecordBlockImageHeader. An image that has a hole and is compressed is followed by the length
// of the hole, two bytes; without compression it is the page size less `length`.

inline constexpr FieldOf<std::uint16_t> kImageLength{"length",
                                                     0,
                                                     FieldKind::kNumber,
                                                     FieldRedo::kLogged,
                                                     "bytes of the image as stored",
                                                     "at most the page size",
                                                     kWriter};
inline constexpr FieldOf<std::uint16_t> kHoleOffset{"hole_offset",
                                                    2,
                                                    FieldKind::kNumber,
                                                    FieldRedo::kLogged,
                                                    "where the hole that was left out begins",
                                                    "0 exactly without BKPIMAGE_HAS_HOLE",
                                                    kWriter};
inline constexpr FieldOf<std::uint8_t> kImageInfo{
    "bimg_info",  4,      FieldKind::kFlags, FieldRedo::kLogged, "see kImageFlags",
    "0x00..0x1f", kWriter};
inline constexpr Field kImageHeader[] = {kImageLength, kHoleOffset, kImageInfo};
inline constexpr std::uint32_t kImageHeaderSize = 5;
static_assert(CoversExactly(kImageHeader, kImageHeaderSize));

inline constexpr FlagBit kImageFlags[] = {
    {"BKPIMAGE_HAS_HOLE", 0x01, "bytes between pd_lower and pd_upper were left out: zeros"},
    {"BKPIMAGE_APPLY", 0x02, "redo restores the page from the image"},
    {"BKPIMAGE_COMPRESS_PGLZ", 0x04, "compressed with pglz"},
    {"BKPIMAGE_COMPRESS_LZ4", 0x08, "compressed with lz4"},
    {"BKPIMAGE_COMPRESS_ZSTD", 0x10, "compressed with zstd"},
};
static_assert(FlagsAreDistinct(kImageFlags));
inline constexpr std::uint8_t kHasHole = 0x01;
inline constexpr std::uint8_t kApply = 0x02;
inline constexpr std::uint8_t kPglz = 0x04;
inline constexpr std::uint8_t kLz4 = 0x08;
inline constexpr std::uint8_t kZstd = 0x10;
inline constexpr std::uint8_t kCompressed = kPglz | kLz4 | kZstd;

inline constexpr std::uint32_t kRelationSize = 12;  // tablespace, database, relation
inline constexpr std::uint32_t kBlockNumberSize = 4;

// Ids that are no block reference.
inline constexpr std::uint8_t kIdMainShort = 255;    // length: one byte
inline constexpr std::uint8_t kIdMainLong = 254;     // length: four bytes
inline constexpr std::uint8_t kIdOrigin = 253;       // two bytes: replication origin
inline constexpr std::uint8_t kIdTopLevelXid = 252;  // four bytes: transaction of a subtransaction
inline constexpr std::uint32_t kMainShortMax = 255;

// XLogPageHeaderData, and XLogLongPageHeaderData in the first page of a segment.

inline constexpr FieldOf<std::uint16_t> kPageMagic{
    "xlp_magic",          0,        FieldKind::kHex, FieldRedo::kLogged,
    "version of the log", "0xd110", kPageWriter};
inline constexpr FieldOf<std::uint16_t> kPageInfo{
    "xlp_info",       2,          FieldKind::kFlags, FieldRedo::kLogged, "see kPageFlags",
    "0x0000..0x000f", kPageWriter};
inline constexpr FieldOf<std::uint32_t> kPageTimeline{
    "xlp_tli", 4, FieldKind::kNumber, FieldRedo::kLogged, "timeline", "never falls", kPageWriter};
inline constexpr FieldOf<std::uint64_t> kPageAddress{"xlp_pageaddr",
                                                     8,
                                                     FieldKind::kHex,
                                                     FieldRedo::kLogged,
                                                     "position of the page in the log",
                                                     "where it stands",
                                                     kPageWriter};
inline constexpr FieldOf<std::uint32_t> kRemaining{
    "xlp_rem_len",
    16,
    FieldKind::kNumber,
    FieldRedo::kLogged,
    "bytes still to come, on this page and later ones, of a record that began before it",
    "0 exactly without XLP_FIRST_IS_CONTRECORD",
    kPageWriter};
inline constexpr FieldOf<std::uint32_t> kPagePadding{
    "(padding)",          20,  FieldKind::kPadding, FieldRedo::kLogged,
    "MAXALIGNs the size", "0", kPageWriter};
inline constexpr FieldOf<std::uint64_t> kSystemIdentifier{"xlp_sysid",
                                                          24,
                                                          FieldKind::kHex,
                                                          FieldRedo::kLogged,
                                                          "which database wrote it",
                                                          "that of the control file",
                                                          kPageWriter};
inline constexpr FieldOf<std::uint32_t> kSegmentBytes{
    "xlp_seg_size",   32,         FieldKind::kNumber, FieldRedo::kLogged, "bytes of a segment",
    "a power of two", kPageWriter};
inline constexpr FieldOf<std::uint32_t> kPageBytes{
    "xlp_xlog_blcksz", 36,         FieldKind::kNumber, FieldRedo::kLogged, "bytes of a log page",
    "a power of two",  kPageWriter};
inline constexpr Field kPageHeader[] = {kPageMagic,   kPageInfo,  kPageTimeline,
                                        kPageAddress, kRemaining, kPagePadding};
inline constexpr Field kLongPageHeader[] = {kPageMagic,        kPageInfo,     kPageTimeline,
                                            kPageAddress,      kRemaining,    kPagePadding,
                                            kSystemIdentifier, kSegmentBytes, kPageBytes};
inline constexpr std::uint32_t kPageHeaderSize = 24;
inline constexpr std::uint32_t kLongPageHeaderSize = 40;
static_assert(CoversExactly(kPageHeader, kPageHeaderSize));
static_assert(CoversExactly(kLongPageHeader, kLongPageHeaderSize));

inline constexpr std::uint16_t kMagic = 0xD110;
inline constexpr FlagBit kPageFlags[] = {
    {"XLP_FIRST_IS_CONTRECORD", 0x0001, "the page begins with the rest of a record"},
    {"XLP_LONG_HEADER", 0x0002, "the header is the long one"},
    {"XLP_BKP_REMOVABLE", 0x0004, "full-page images from here on are optional"},
    {"XLP_FIRST_IS_OVERWRITE_CONTRECORD", 0x0008,
     "the rest of the record before was lost: OVERWRITE_CONTRECORD stands here instead"},
};
static_assert(FlagsAreDistinct(kPageFlags));
inline constexpr std::uint16_t kFirstIsContinuation = 0x0001;
inline constexpr std::uint16_t kLongHeader = 0x0002;
inline constexpr std::uint16_t kFirstIsOverwrite = 0x0008;
inline constexpr std::uint16_t kKnownPageFlags = AllFlags(kPageFlags);

// What our own logs may look like; PostgreSQL's have segments from 1 MiB on.
inline constexpr std::uint32_t kPageBytesMin = 512;
inline constexpr std::uint32_t kPageBytesMax = 65536;
inline constexpr std::uint32_t kSegmentPagesMin = 4;
inline constexpr std::uint32_t kSegmentBytesMax = 1U << 30;
constexpr bool IsPageBytes(std::uint32_t bytes) {
  return bytes >= kPageBytesMin && bytes <= kPageBytesMax && (bytes & (bytes - 1)) == 0;
}
constexpr bool IsSegmentBytes(std::uint32_t bytes, std::uint32_t page_bytes) {
  return bytes >= kSegmentPagesMin * page_bytes && bytes <= kSegmentBytesMax &&
         (bytes & (bytes - 1)) == 0;
}

}  // namespace v15
}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_RECORD_V15_H_
