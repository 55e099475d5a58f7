// A page of the list of dead rows, version 1: row addresses that still have index entries.
//
// Written by Add() and Clear() of tree/dead_rows.h and by their redo; the specification page is
// docs/formats/dead-rows-v1.md. The page keeps a slotted page's header and the size of nbtree's
// special area, so that LSN, checksum and the hole of a full-page image are where every layer looks
// for them. There are no line pointers.
//
//        0 +--------------------------------------------------------------+
//          | header, as in page/slotted_page_v4.h                          |
//       24 +--------------------------------------------------------------+
//          | row addresses, 6 bytes each, in the order of death           v|
// pd_lower +--------------------------------------------------------------+
//          | hole                                                          |
// pd_upper = pd_special --------------------------------------------------+
//          | magic, version, zeros: 16 bytes                               |
// page size +-------------------------------------------------------------+
//
// Invariants, which GuardPage() demands: the header's offsets are in order, pd_upper is pd_special,
// pd_special is the page size less 16; between 24 and pd_lower lie whole row addresses, none with
// offset number 0; magic and version are those below, the rest of the special area is zero. The
// whole in one sentence: a row is on at most one page, and it is on one from the record of its
// deletion to the record that resets the page, before which no index entry of it is left.
//
// Checksum and tearing: as for every slotted page. A torn page that has lost addresses is repaired
// by the image, or the records, since the last checkpoint.
//
// Versions: 1 only. A page that was never used is all zero and is as good as an empty one.

#ifndef TORNLEAF_ENGINE_FORMAT_DEAD_ROWS_V1_H_
#define TORNLEAF_ENGINE_FORMAT_DEAD_ROWS_V1_H_

#include <cstdint>
#include <span>

#include "engine/base/finding.h"
#include "engine/key/index_tuple.h"
#include "engine/page/field_table.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {
namespace dead_rows_v1 {

// Special area. Offsets count from pd_special.
inline constexpr FieldOf<std::uint32_t> kMagic{"magic",
                                               0,
                                               FieldKind::kHex,
                                               FieldRedo::kLogged,
                                               "marks the list",
                                               "0x44414544, \"DEAD\"",
                                               "page initialisation"};
inline constexpr FieldOf<std::uint16_t> kVersion{
    "version",        4,   FieldKind::kNumber,   FieldRedo::kLogged,
    "format version", "1", "page initialisation"};
inline constexpr FieldOf<std::uint16_t> kReserved1{
    "(reserved)",   6,   FieldKind::kPadding,  FieldRedo::kLogged,
    "not used yet", "0", "page initialisation"};
inline constexpr FieldOf<std::uint64_t> kReserved2{
    "(reserved)",   8,   FieldKind::kPadding,  FieldRedo::kLogged,
    "not used yet", "0", "page initialisation"};
inline constexpr Field kSpecial[] = {kMagic, kVersion, kReserved1, kReserved2};
inline constexpr std::uint32_t kSpecialSize = 16;
static_assert(CoversExactly(kSpecial, kSpecialSize));

inline constexpr std::uint32_t kMagicNumber = 0x44414544;
inline constexpr std::uint16_t kVersionNumber = 1;

// Row addresses that a page takes.
constexpr std::uint32_t Capacity(std::uint32_t page_size) {
  return (page_size - slotted_v4::kHeaderSize - kSpecialSize) / index_tuple::kTidSize;
}
static_assert(Capacity(8192) == 1358);
static_assert(Capacity(512) == 78);

// Lays out an empty page.
void InitializePage(PageWriter page);

// Of a page that GuardPage() takes.
std::uint32_t RowCount(PageView page);
// `index` is 0..RowCount() - 1.
ItemPointer RowAt(PageView page, std::uint32_t index);

// Appends row addresses, stored as they are on the page. False, and nothing done, if the page does
// not hold `first` rows now, if `stored` is not a whole number of addresses with offset numbers
// above 0, or if there is no room: a damaged record may say anything.
bool AppendRows(PageWriter page, std::uint32_t first, ByteView stored);

// Null, or what is wrong with the page in a few words. Linear time, any bytes of a page's size.
const char* GuardPage(ByteView page);

}  // namespace dead_rows_v1
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_DEAD_ROWS_V1_H_
