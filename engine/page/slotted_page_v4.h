// PostgreSQL's slotted page, layout version 4: what every index page and table page is built on.
//
// Written and read by the whole engine; the specification page is docs/formats/slotted-page-v4.md.
//
//        0 +--------------------------------------------------------------+
//          | header: pd_lsn pd_checksum pd_flags pd_lower pd_upper ...     |
//       24 +--------------------------------------------------------------+
//          | line pointers, 4 bytes each, 1-based          grow downwards v|
// pd_lower +--------------------------------------------------------------+
//          | hole: unused, its bytes mean nothing                          |
// pd_upper +--------------------------------------------------------------+
//          | tuples, each MAXALIGNed, in any order            grow upwards ^|
// pd_special +------------------------------------------------------------+
//          | special area of the access method                             |
// page size +-------------------------------------------------------------+
//
// Numbers are little-endian. pd_lsn is two 32-bit words, the high one first.
//
// Invariants: PAGE-001 .. PAGE-010 and ITEM-001 .. ITEM-006, see page_check.h. The whole in one
// sentence: the header's three offsets split the page into five regions in their order, and every
// line pointer owns bytes of the tuple region that no other line pointer owns.
//
// Checksum and tearing: pd_checksum covers the whole page with pd_checksum itself taken as zero,
// mixed with the relation-absolute block number. It is computed when the page leaves the cache, so
// the copy in memory usually holds an older one. A page torn between two sectors keeps both halves
// well-formed; only the checksum, or a full-page image in the log, notices.
//
// Versions: 4 since PostgreSQL 8.3. Earlier layouts are refused (PAGE-003). pd_flags above 0x0007
// have never been given a meaning.

#ifndef TORNLEAF_ENGINE_PAGE_SLOTTED_PAGE_V4_H_
#define TORNLEAF_ENGINE_PAGE_SLOTTED_PAGE_V4_H_

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/page/field_table.h"

namespace tornleaf {
namespace slotted_v4 {

inline constexpr FieldOf<std::uint32_t> kLsnHigh{
    "pd_lsn.xlogid",
    0,
    FieldKind::kHex,
    FieldRedo::kMasked,
    "high word of the log position after the last change",
    "not past the end of the log; 0 or a constant for unlogged changes",
    "every logged change"};
inline constexpr FieldOf<std::uint32_t> kLsnLow{"pd_lsn.xrecoff",
                                                4,
                                                FieldKind::kHex,
                                                FieldRedo::kMasked,
                                                "low word of the log position",
                                                "any",
                                                "every logged change"};
inline constexpr FieldOf<std::uint16_t> kChecksum{
    "pd_checksum",
    8,
    FieldKind::kHex,
    FieldRedo::kMasked,
    "checksum of the page, or 0 where checksums are off",
    "0, or what ComputeChecksum gives",
    "the write of the page"};
inline constexpr FieldOf<std::uint16_t> kFlags{
    "pd_flags",        10,
    FieldKind::kFlags, FieldRedo::kHint,
    "see kPageFlags",  "0x0000..0x0007; 0 on index pages",
    "tables only"};
inline constexpr FieldOf<std::uint16_t> kLower{"pd_lower",
                                               12,
                                               FieldKind::kNumber,
                                               FieldRedo::kLogged,
                                               "end of the line pointers",
                                               "24..pd_upper",
                                               "adding or removing a line pointer"};
inline constexpr FieldOf<std::uint16_t> kUpper{"pd_upper",
                                               14,
                                               FieldKind::kNumber,
                                               FieldRedo::kLogged,
                                               "start of the tuples",
                                               "pd_lower..pd_special",
                                               "adding or removing a tuple"};
inline constexpr FieldOf<std::uint16_t> kSpecial{"pd_special",
                                                 16,
                                                 FieldKind::kNumber,
                                                 FieldRedo::kLogged,
                                                 "start of the special area",
                                                 "MAXALIGNed, pd_upper..page size",
                                                 "page initialisation"};
inline constexpr FieldOf<std::uint16_t> kPageSizeVersion{
    "pd_pagesize_version",
    18,
    FieldKind::kHex,
    FieldRedo::kLogged,
    "page size, a multiple of 256, plus the layout version in the low byte",
    "size | 4",
    "page initialisation"};
inline constexpr FieldOf<std::uint32_t> kPruneXid{
    "pd_prune_xid",
    20,
    FieldKind::kNumber,
    FieldRedo::kHint,
    "oldest transaction that may have left something to prune",
    "0 on index pages",
    "tables only"};

inline constexpr Field kHeader[] = {kLsnHigh, kLsnLow,  kChecksum,        kFlags,   kLower,
                                    kUpper,   kSpecial, kPageSizeVersion, kPruneXid};
inline constexpr std::uint32_t kHeaderSize = 24;
static_assert(CoversExactly(kHeader, kHeaderSize));

inline constexpr std::uint16_t kLayoutVersion = 4;

inline constexpr FlagBit kPageFlags[] = {
    {"PD_HAS_FREE_LINES", 0x0001, "there are unused line pointers (tables)"},
    {"PD_PAGE_FULL", 0x0002, "an update found no room (tables)"},
    {"PD_ALL_VISIBLE", 0x0004, "every tuple is visible to everyone (tables)"},
};
static_assert(FlagsAreDistinct(kPageFlags));
inline constexpr std::uint16_t kKnownPageFlags = AllFlags(kPageFlags);

// Line pointer: one 32-bit number.
inline constexpr BitField kLinePointer[] = {
    {"lp_off", 0, 15, "offset of the tuple from the start of the page"},
    {"lp_flags", 15, 2, "0 unused, 1 normal, 2 redirect, 3 dead"},
    {"lp_len", 17, 15, "length of the tuple in bytes"},
};
static_assert(BitsCover(kLinePointer, 32));
inline constexpr std::uint32_t kLinePointerSize = 4;

// 1 to 32 KiB as PostgreSQL allows; 512 B for the simulator alone.
inline constexpr std::uint32_t kPageSizeMin = 512;
inline constexpr std::uint32_t kPageSizeMax = 32768;
constexpr bool IsPageSize(std::uint32_t size) {
  return size >= kPageSizeMin && size <= kPageSizeMax && (size & (size - 1)) == 0;
}
static_assert(kPageSizeMax <= (1U << 15), "lp_off and lp_len have 15 bits");

}  // namespace slotted_v4

enum class LineFlags : std::uint8_t { kUnused = 0, kNormal = 1, kRedirect = 2, kDead = 3 };

struct LinePointer {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  LineFlags flags = LineFlags::kUnused;

  static LinePointer Decode(std::uint32_t raw) {
    return {raw & 0x7FFF, raw >> 17, static_cast<LineFlags>((raw >> 15) & 3)};
  }
  std::uint32_t Encode() const {
    return offset | static_cast<std::uint32_t>(flags) << 15 | length << 17;
  }
  std::uint32_t end() const { return offset + length; }
};

// A page's bytes with its header loaded by field. The bytes are untrusted: only line_pointer() and
// item_count() promise to stay inside them whatever they hold.
class PageView {
 public:
  PageView() = default;
  // `bytes` is one whole page of a legal size.
  explicit PageView(ByteView bytes) : bytes_(bytes) { CHECK(slotted_v4::IsPageSize(size())); }

  ByteView bytes() const { return bytes_; }
  const std::uint8_t* data() const { return bytes_.data(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(bytes_.size()); }

  Lsn lsn() const {
    return static_cast<Lsn>(Load(data(), slotted_v4::kLsnHigh)) << 32 |
           Load(data(), slotted_v4::kLsnLow);
  }
  std::uint16_t checksum() const { return Load(data(), slotted_v4::kChecksum); }
  std::uint16_t flags() const { return Load(data(), slotted_v4::kFlags); }
  std::uint32_t lower() const { return Load(data(), slotted_v4::kLower); }
  std::uint32_t upper() const { return Load(data(), slotted_v4::kUpper); }
  std::uint32_t special() const { return Load(data(), slotted_v4::kSpecial); }
  std::uint16_t page_size_version() const { return Load(data(), slotted_v4::kPageSizeVersion); }
  std::uint32_t prune_xid() const { return Load(data(), slotted_v4::kPruneXid); }

  // PostgreSQL calls a page new when pd_upper is 0: allocated, never initialised.
  bool is_new() const { return upper() == 0; }

  // Number of line pointers, cut to those that lie inside the page.
  OffsetNumber item_count() const {
    const std::uint32_t end = lower() < size() ? lower() : size();
    if (end <= slotted_v4::kHeaderSize) return 0;
    return static_cast<OffsetNumber>((end - slotted_v4::kHeaderSize) /
                                     slotted_v4::kLinePointerSize);
  }

  // `slot` is 1..item_count().
  LinePointer line_pointer(OffsetNumber slot) const {
    return LinePointer::Decode(LoadLittleEndian<std::uint32_t>(data() + LinePointerOffset(slot)));
  }

  static constexpr std::uint32_t LinePointerOffset(OffsetNumber slot) {
    return slotted_v4::kHeaderSize + (slot - 1U) * slotted_v4::kLinePointerSize;
  }

 private:
  ByteView bytes_;
};

// Writes to a page that this program makes. Every rule is CHECKed: these bytes are ours.
class PageWriter {
 public:
  explicit PageWriter(MutableBytes bytes) : bytes_(bytes) { CHECK(slotted_v4::IsPageSize(size())); }

  PageView view() const { return PageView(bytes_); }
  MutableBytes bytes() const { return bytes_; }
  std::uint8_t* data() const { return bytes_.data(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(bytes_.size()); }

  // Zeroes the page and lays out an empty one with `special_size` bytes of special area.
  void Initialize(std::uint32_t special_size);
  void set_lsn(Lsn lsn);
  void set_lower(std::uint32_t lower);
  void set_upper(std::uint32_t upper);
  void set_line_pointer(OffsetNumber slot, LinePointer pointer);

  // Bytes left for one more tuple and its line pointer, as PageGetFreeSpace counts: the hole less
  // one line pointer, never below 0.
  std::uint32_t FreeSpace() const;

  // Appends a line pointer and places the tuple below the others. Its length is MAXALIGNed in the
  // tuple region; `tuple.size()` is what the line pointer says. The caller has checked FreeSpace().
  void AppendItem(ByteView tuple);

 private:
  MutableBytes bytes_;
};

// Checksum of `page` at relation-absolute `block`: 1..65535, never 0. The 32-lane FNV-like sum of
// PostgreSQL 9.3 and later (src/include/storage/checksum_impl.h), pd_checksum taken as zero.
std::uint16_t ComputeChecksum(ByteView page, BlockNumber block);

// Computes and stores pd_checksum.
void SetChecksum(MutableBytes page, BlockNumber block);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_PAGE_SLOTTED_PAGE_V4_H_
