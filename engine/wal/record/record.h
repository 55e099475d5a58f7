// PostgreSQL 15's log record: header, block references, full-page images, data.
//
//   XLogRecord header, 24 bytes      length, xid, previous record, info, resource manager, CRC-32C
//   block headers                    id, fork and flags, data length; image header; relation; block
//   main data header                 id 255 (short) or 254 (long), length
//   per block: image, then data      in the order of the block headers
//   main data
//
// A codec: bytes in, a decoded record or a reason out, bounded work on any bytes. Facts are those
// of src/include/access/xlogrecord.h; pg_waldump and a server's own log are the judges.

#ifndef TORNLEAF_ENGINE_WAL_RECORD_RECORD_H_
#define TORNLEAF_ENGINE_WAL_RECORD_RECORD_H_

#include <cstdint>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/base/fixed_vector.h"

namespace tornleaf {

// Which relation a page belongs to: PostgreSQL's RelFileNode.
struct RelationId {
  std::uint32_t tablespace = 0;
  std::uint32_t database = 0;
  std::uint32_t relation = 0;

  friend auto operator<=>(const RelationId&, const RelationId&) = default;
};

namespace wal {

enum class ResourceManager : std::uint8_t {
  kXlog = 0,
  kBtree = 11,
  kTornleaf = 128,  // what PostgreSQL leaves to extensions under development
};

using Xid = std::uint32_t;

inline constexpr std::uint32_t kMaxBlockId = 32;
inline constexpr std::uint8_t kMainFork = 0;

// The low bits of xl_info belong to the log itself, the high four to the resource manager.
inline constexpr std::uint8_t kInfoOperation = 0xF0;

// How a record's writer treats one page (REGBUF_*).
enum BlockFlags : std::uint8_t {
  kStandardPage = 1,  // the hole between pd_lower and pd_upper may be left out of an image
  kWillInit = 2,      // redo makes the page anew from the data: no image is needed
  kForceImage = 4,    // with an image whatever the page's LSN
  kNoImage = 8,       // never with an image
};

// Pieces of bytes that are written one after the other.
using Pieces = FixedVector<ByteView, 6>;

// One page that a record changes. Views outlive the call that takes them.
struct BlockChange {
  std::uint8_t id = 0;  // ascending within a record
  RelationId relation;
  std::uint8_t fork = kMainFork;
  BlockNumber block = 0;
  std::uint8_t flags = 0;  // BlockFlags
  ByteView page;           // as it is after the change; its LSN is still that of the change before
  Pieces data;
};

// A record to be written. In place, since one is made for every change of a page.
struct RecordDraft {
  ResourceManager manager = ResourceManager::kBtree;
  std::uint8_t info = 0;  // kInfoOperation bits
  Xid xid = 0;
  Pieces main_data;
  FixedVector<BlockChange, kMaxBlockId + 1> blocks;
};

struct DecodedBlock {
  bool in_use = false;
  RelationId relation;
  std::uint8_t fork = kMainFork;
  BlockNumber block = 0;
  bool will_init = false;
  bool has_data = false;
  ByteView data;
  bool has_image = false;
  bool apply_image = false;  // else it is there only to be compared with
  std::uint16_t hole_offset = 0;
  std::uint16_t hole_length = 0;  // as stated; 0 in an image that is not compressed: see HoleLength
  std::uint8_t image_info = 0;    // BKPIMAGE_* bits
  ByteView image;                 // as stored: without its hole, perhaps compressed
};

// Views into the record's bytes.
struct DecodedRecord {
  std::uint32_t total_length = 0;
  Xid xid = 0;
  Lsn previous = 0;
  std::uint8_t info = 0;  // kInfoOperation bits only
  std::uint8_t raw_info = 0;
  std::uint8_t manager = 0;  // ResourceManager, or one we know nothing about
  ByteView main_data;
  std::uint32_t block_count = 0;  // highest block id in use, plus one
  DecodedBlock blocks[kMaxBlockId + 1];

  // Whether the record has a reference with this id.
  bool has_block(std::uint32_t id) const { return id < block_count && blocks[id].in_use; }
};

// Why bytes are no record.
enum class RecordError : std::uint8_t {
  kNone,
  kLength,  // xl_tot_len is too small, too large, or not what the parts add up to
  kCrc,
  kBlockOrder,   // block ids do not ascend, or an unknown id
  kBlockHeader,  // flags and lengths contradict each other
  kImageHeader,  // hole or length impossible
  kNoRelation,   // "same relation" without one before
  kImage,        // the image cannot be decompressed, or has another size than a page
};
const char* RecordErrorText(RecordError error);

inline constexpr std::uint32_t kRecordHeaderSize = 24;  // v15::kHeaderSize
inline constexpr std::uint32_t kMaxRecordLength = 1U << 30;

// Decodes one whole record, header included, padding not. Looks neither at the CRC nor at xl_prev:
// see CheckRecordCrc.
RecordError DecodeRecord(ByteView bytes, DecodedRecord* record);

// Whether the CRC-32C of a whole record is right. At least kRecordHeaderSize bytes.
bool CheckRecordCrc(ByteView bytes);

// Bytes of the hole in a block's image when pages have `page_size` bytes.
std::uint32_t HoleLength(const DecodedBlock& block, std::uint32_t page_size);

// Restores the page of an image, hole zeroed. `page` has the page size that the relation has. The
// page's LSN is that of the change before; the caller sets it to the end of the record.
RecordError RestoreImage(const DecodedBlock& block, MutableBytes page);

// Appends a record to `bytes`: header with `previous` and CRC, all parts, no padding. `with_image`
// has a bit for every draft.blocks entry, by index: whether its image goes in. An image replaces a
// block's data, unless the block will_init. Returns the record's length.
std::uint32_t EncodeRecord(const RecordDraft& draft, Lsn previous, std::uint64_t with_image,
                           std::vector<std::uint8_t>* bytes);

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_RECORD_H_
