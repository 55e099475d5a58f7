// Index tuples: PostgreSQL's IndexTupleData header, null bitmap and attributes.
//
//   0 +-----------------------------------------------+
//     | t_tid: block (high half first), offset         |
//   6 | t_info: size and flags                         |
//   8 +-----------------------------------------------+
//     | null bitmap, 4 bytes, if t_info says so;       |
//     | then 4 bytes of zero                           |
//  8 or 16 ------------------------------------------- +
//     | attributes, each aligned as its type asks;     |
//     | padding is zero                                |
//     +-----------------------------------------------+ a multiple of 8
//
// What t_tid and the flag 0x2000 mean is for the access method to say: see format/nbtree_tuple.h.

#ifndef TORNLEAF_ENGINE_KEY_INDEX_TUPLE_H_
#define TORNLEAF_ENGINE_KEY_INDEX_TUPLE_H_

#include <cstdint>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/key/schema.h"
#include "engine/key/value.h"
#include "engine/page/field_table.h"

namespace tornleaf {
namespace index_tuple {

inline constexpr FieldOf<std::uint16_t> kBlockHigh{
    "t_tid.ip_blkid.bi_hi",        0,     FieldKind::kNumber,           FieldRedo::kLogged,
    "high half of a block number", "any", "insertion, downlink changes"};
inline constexpr FieldOf<std::uint16_t> kBlockLow{
    "t_tid.ip_blkid.bi_lo",       2,     FieldKind::kNumber,           FieldRedo::kLogged,
    "low half of a block number", "any", "insertion, downlink changes"};
inline constexpr FieldOf<std::uint16_t> kOffset{"t_tid.ip_posid",
                                                4,
                                                FieldKind::kHex,
                                                FieldRedo::kLogged,
                                                "offset number, or status bits and a count",
                                                "see nbtree_tuple.h",
                                                "insertion, deduplication"};
inline constexpr FieldOf<std::uint16_t> kInfo{
    "t_info",        6,           FieldKind::kHex,           FieldRedo::kLogged,
    "see kInfoBits", "size >= 8", "insertion, deduplication"};
inline constexpr Field kHeader[] = {kBlockHigh, kBlockLow, kOffset, kInfo};
inline constexpr std::uint32_t kHeaderSize = 8;
static_assert(CoversExactly(kHeader, kHeaderSize));

inline constexpr BitField kInfoBits[] = {
    {"size", 0, 13, "bytes of the tuple, header included"},
    {"INDEX_AM_RESERVED_BIT", 13, 1, "nbtree: t_tid has another meaning (INDEX_ALT_TID_MASK)"},
    {"INDEX_VAR_MASK", 14, 1, "some stored attribute has no fixed length"},
    {"INDEX_NULL_MASK", 15, 1, "there is a null bitmap"},
};
static_assert(BitsCover(kInfoBits, 16));

inline constexpr std::uint16_t kSizeMask = 0x1FFF;
inline constexpr std::uint16_t kAltTidBit = 0x2000;
inline constexpr std::uint16_t kVarWidthBit = 0x4000;
inline constexpr std::uint16_t kNullsBit = 0x8000;

inline constexpr std::uint32_t kNullBitmapSize = kMaxAttributes / 8;
inline constexpr std::uint32_t kDataOffset = MaxAlign(kHeaderSize);
inline constexpr std::uint32_t kDataOffsetWithNulls = MaxAlign(kHeaderSize + kNullBitmapSize);
inline constexpr std::uint32_t kTidSize = 6;  // a stored ItemPointerData

}  // namespace index_tuple

// Reads or writes the 6 bytes of a stored row address.
inline ItemPointer LoadTid(const std::uint8_t* from) {
  return {static_cast<BlockNumber>(Load(from, index_tuple::kBlockHigh)) << 16 |
              Load(from, index_tuple::kBlockLow),
          Load(from, index_tuple::kOffset)};
}

inline void StoreTid(std::uint8_t* to, ItemPointer tid) {
  Store(to, index_tuple::kBlockHigh, static_cast<std::uint16_t>(tid.block >> 16));
  Store(to, index_tuple::kBlockLow, static_cast<std::uint16_t>(tid.block));
  Store(to, index_tuple::kOffset, tid.offset);
}

// A row address as one number of 48 bits that orders as the address does.
using PackedTid = std::uint64_t;
inline PackedTid PackTid(ItemPointer tid) { return PackedTid{tid.block} << 16 | tid.offset; }
inline ItemPointer UnpackTid(PackedTid packed) {
  return {static_cast<BlockNumber>(packed >> 16), static_cast<OffsetNumber>(packed)};
}

// A tuple's bytes with its header loaded by field. At least 8 bytes; otherwise untrusted.
class TupleView {
 public:
  TupleView() = default;
  explicit TupleView(ByteView bytes) : bytes_(bytes) {
    CHECK(bytes.size() >= index_tuple::kHeaderSize);
  }

  ByteView bytes() const { return bytes_; }
  const std::uint8_t* data() const { return bytes_.data(); }
  // What the line pointer says, and what the tuple says of itself.
  std::uint32_t stored_size() const { return static_cast<std::uint32_t>(bytes_.size()); }
  std::uint32_t size() const { return info() & index_tuple::kSizeMask; }
  std::uint16_t info() const { return Load(data(), index_tuple::kInfo); }
  bool alt_tid() const { return (info() & index_tuple::kAltTidBit) != 0; }
  bool has_var_width() const { return (info() & index_tuple::kVarWidthBit) != 0; }
  bool has_nulls() const { return (info() & index_tuple::kNullsBit) != 0; }
  std::uint32_t data_offset() const {
    return has_nulls() ? index_tuple::kDataOffsetWithNulls : index_tuple::kDataOffset;
  }
  // The t_tid field as it stands.
  ItemPointer tid() const { return LoadTid(data()); }

 private:
  ByteView bytes_;
};

// Why an attribute could not be read. Each has an invariant of its own in verify.
enum class DeformError : std::uint8_t {
  kNone,
  kShortHeader,      // the null bitmap does not fit
  kNullBitmap,       // a bit beyond the attributes, or no attribute is null
  kPadding,          // alignment padding, or what fills up a name, is not zero
  kPastEnd,          // the attribute runs past the end of the key bytes
  kVarlenaHeader,    // an impossible varlena header, such as an out-of-line pointer
  kCompressedValue,  // the compressed data is damaged
  kTrailingBytes,    // 8 or more bytes, or a non-zero one, after the last attribute
  kVarWidthFlag,     // INDEX_VAR_MASK does not tell whether there is such an attribute
};

struct DeformResult {
  DeformError error = DeformError::kNone;
  std::uint32_t attribute = 0;  // 0-based; the one that could not be read
  std::uint32_t offset = 0;     // within the tuple

  bool ok() const { return error == DeformError::kNone; }
};

// The attributes of one tuple. Reused from tuple to tuple, so that nothing is allocated unless a
// value is compressed.
class DeformedTuple {
 public:
  const Value* values() const { return values_; }
  const Value& value(std::uint32_t index) const { return values_[index]; }
  std::uint32_t count() const { return count_; }

  // Reads the first `count` attributes of `tuple`, whose attribute bytes end at `end` (at most
  // tuple.stored_size(); a posting list or a heap TID begins there). Safe on any bytes: on an
  // error, the attributes before it have been read and count() says how many.
  DeformResult Deform(const Schema& schema, TupleView tuple, std::uint32_t count,
                      std::uint32_t end);

 private:
  DeformResult ReadVarlena(TupleView tuple, std::uint32_t attribute, std::uint32_t end,
                           std::uint32_t* offset);

  Value values_[kMaxAttributes];
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint8_t>> inflated_;  // owns values that were compressed
};

// Forms a tuple of the first `count` attributes as PostgreSQL's index_form_tuple does, except that
// nothing is compressed, and appends it to `bytes`. Returns its size, a multiple of 8, or 0 if it
// would be above what the 13-bit size field holds; `bytes` is then unchanged.
std::uint32_t FormTuple(const Schema& schema, const Value* values, std::uint32_t count,
                        ItemPointer tid, std::vector<std::uint8_t>* bytes);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_INDEX_TUPLE_H_
