// The control file of a database directory: where recovery starts, and what the files look like.
//
// Two copies, each in a sector of its own and written in turn, so that a torn write leaves the
// other one whole. The valid copy with the higher sequence number counts.
//
//        0 +-----------------------------+
//          | copy A: fields, CRC-32C     |
//     4096 +-----------------------------+
//          | copy B                      |
//     8192 +-----------------------------+
//
// Numbers are little-endian. Checksum and tearing: the CRC covers a copy's fields; a torn write
// damages one copy. Written by db; docs/formats/control-v1.md is the page.

#ifndef TORNLEAF_ENGINE_WAL_RECORD_CONTROL_V1_H_
#define TORNLEAF_ENGINE_WAL_RECORD_CONTROL_V1_H_

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/page/field_table.h"

namespace tornleaf {
namespace wal {

// What is needed to open a database. The schema stands in a text file beside it.
struct ControlData {
  std::uint64_t sequence = 0;
  std::uint64_t system_identifier = 0;
  bool clean = false;          // closed in order: nothing to replay after the checkpoint
  Lsn checkpoint = 0;          // start of the last checkpoint's record
  Lsn redo = 0;                // where replay starts
  std::uint64_t next_xid = 0;  // at that checkpoint
  std::uint32_t page_size = 0;
  std::uint32_t log_page_bytes = 0;
  std::uint32_t log_segment_bytes = 0;
  std::uint64_t relation_segment_bytes = 0;
  // What each relation had durably at that checkpoint: they never shrink, so that one with fewer
  // has lost its end.
  std::uint32_t index_pages = 0;
  std::uint32_t dead_rows_pages = 0;
  bool checksums = false;
  bool full_page_images = false;
};

inline constexpr std::uint32_t kControlFileSize = 8192;
inline constexpr std::uint32_t kControlCopyOffset[2] = {0, 4096};
inline constexpr std::uint32_t kControlCopySize = kControlCopyOffset[1];

namespace control_v1 {

inline constexpr const char* kCheckpoint = "checkpoint, close";
inline constexpr const char* kInit = "creation of the database";

inline constexpr FieldOf<std::uint32_t> kMagic{
    "magic", 0, FieldKind::kHex, FieldRedo::kMasked, "\"TLFC\"", "0x43464c54", kInit};
inline constexpr FieldOf<std::uint32_t> kVersion{
    "version", 4, FieldKind::kNumber, FieldRedo::kMasked, "layout of this file", "1", kInit};
inline constexpr FieldOf<std::uint64_t> kSequence{"sequence",
                                                  8,
                                                  FieldKind::kNumber,
                                                  FieldRedo::kMasked,
                                                  "the valid copy with the higher number counts",
                                                  "above that of the other copy",
                                                  "every write"};
inline constexpr FieldOf<std::uint64_t> kSystemIdentifier{"system_identifier",
                                                          16,
                                                          FieldKind::kHex,
                                                          FieldRedo::kMasked,
                                                          "which database the log belongs to",
                                                          "that of the log's segments",
                                                          kInit};
inline constexpr FieldOf<std::uint64_t> kCheckpointLsn{"checkpoint",
                                                       24,
                                                       FieldKind::kHex,
                                                       FieldRedo::kMasked,
                                                       "start of the last checkpoint's record",
                                                       "not past the end of the log",
                                                       kCheckpoint};
inline constexpr FieldOf<std::uint64_t> kRedo{"redo",
                                              32,
                                              FieldKind::kHex,
                                              FieldRedo::kMasked,
                                              "where replay starts",
                                              "at most checkpoint",
                                              kCheckpoint};
inline constexpr FieldOf<std::uint64_t> kNextXid{"next_xid",
                                                 40,
                                                 FieldKind::kNumber,
                                                 FieldRedo::kMasked,
                                                 "next transaction id at that checkpoint",
                                                 "any",
                                                 kCheckpoint};
inline constexpr FieldOf<std::uint64_t> kRelationSegmentBytes{
    "relation_segment_bytes",
    48,
    FieldKind::kNumber,
    FieldRedo::kMasked,
    "bytes of a full segment of a relation",
    "a multiple of page_size, not 0",
    kInit};
inline constexpr FieldOf<std::uint32_t> kPageSize{"page_size",
                                                  56,
                                                  FieldKind::kNumber,
                                                  FieldRedo::kMasked,
                                                  "bytes of a relation's page",
                                                  "a power of two, 512..32768",
                                                  kInit};
inline constexpr FieldOf<std::uint32_t> kLogPageBytes{"log_page_bytes",
                                                      60,
                                                      FieldKind::kNumber,
                                                      FieldRedo::kMasked,
                                                      "bytes of a log page",
                                                      "a power of two, 512..65536",
                                                      kInit};
inline constexpr FieldOf<std::uint32_t> kLogSegmentBytes{"log_segment_bytes",
                                                         64,
                                                         FieldKind::kNumber,
                                                         FieldRedo::kMasked,
                                                         "bytes of a log segment",
                                                         "a power of two, 4 log pages..1 GiB",
                                                         kInit};
inline constexpr FieldOf<std::uint32_t> kIndexPages{"index_pages",
                                                    68,
                                                    FieldKind::kNumber,
                                                    FieldRedo::kMasked,
                                                    "pages of the index at that checkpoint",
                                                    "at most what the file has",
                                                    kCheckpoint};
inline constexpr FieldOf<std::uint32_t> kDeadRowsPages{"dead_rows_pages",
                                                       72,
                                                       FieldKind::kNumber,
                                                       FieldRedo::kMasked,
                                                       "pages of dead_rows at that checkpoint",
                                                       "at most what the file has",
                                                       kCheckpoint};
inline constexpr FieldOf<std::uint8_t> kClean{
    "clean",
    76,
    FieldKind::kBool,
    FieldRedo::kMasked,
    "closed in order: nothing to replay after the checkpoint",
    "0 or 1",
    "open, close"};
inline constexpr FieldOf<std::uint8_t> kChecksums{
    "checksums", 77,   FieldKind::kBool, FieldRedo::kMasked, "pages of relations have checksums",
    "0 or 1",    kInit};
inline constexpr FieldOf<std::uint8_t> kFullPageImages{
    "full_page_images",
    78,
    FieldKind::kBool,
    FieldRedo::kMasked,
    "the log has an image of each page's first change after a checkpoint",
    "0 or 1",
    kInit};
inline constexpr FieldOf<std::uint8_t> kPadding{
    "(padding)", 79, FieldKind::kPadding, FieldRedo::kMasked, "aligns crc", "0", kInit};
inline constexpr FieldOf<std::uint32_t> kCrc{
    "crc", 80,           FieldKind::kHex, FieldRedo::kMasked, "CRC-32C of the fields before it",
    "any", "every write"};
inline constexpr Field kFields[] = {
    kMagic,         kVersion,      kSequence,        kSystemIdentifier,
    kCheckpointLsn, kRedo,         kNextXid,         kRelationSegmentBytes,
    kPageSize,      kLogPageBytes, kLogSegmentBytes, kIndexPages,
    kDeadRowsPages, kClean,        kChecksums,       kFullPageImages,
    kPadding,       kCrc};
inline constexpr std::uint32_t kSize = 84;
static_assert(CoversExactly(kFields, kSize));
static_assert(kSize <= 512, "a copy lies in one sector");

inline constexpr std::uint32_t kMagicNumber = 0x43464C54;
inline constexpr std::uint32_t kVersionNumber = 1;

}  // namespace control_v1

// Fills one copy, kControlCopySize bytes, of which the tail is zero. CHECKs that DecodeControl
// would take it.
void EncodeControl(const ControlData& data, MutableBytes copy);
// False if the copy is cut short, damaged, of another version, or says what cannot be.
bool DecodeControl(ByteView copy, ControlData* data);

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_CONTROL_V1_H_
