// What a slotted page of an index must look like, whatever its tuples mean.

#ifndef TORNLEAF_ENGINE_PAGE_PAGE_CHECK_H_
#define TORNLEAF_ENGINE_PAGE_PAGE_CHECK_H_

#include <span>

#include "engine/base/finding.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {

// The rules of this layer, in the order in which they are checked.
namespace page_rules {
extern const Invariant kNewPageIsZero;      // PAGE-001
extern const Invariant kChecksumMatches;    // PAGE-002
extern const Invariant kPageSizeVersion;    // PAGE-003
extern const Invariant kKnownFlags;         // PAGE-004
extern const Invariant kRegionOrder;        // PAGE-005
extern const Invariant kSpecialSize;        // PAGE-006
extern const Invariant kWholeLinePointers;  // PAGE-007
extern const Invariant kUpperAligned;       // PAGE-008
extern const Invariant kNoTableFlags;       // PAGE-009
extern const Invariant kNoPruneXid;         // PAGE-010

extern const Invariant kLineFlags;      // ITEM-001
extern const Invariant kLineLength;     // ITEM-002
extern const Invariant kLineAlignment;  // ITEM-003
extern const Invariant kLineInTuples;   // ITEM-004
extern const Invariant kNoOverlap;      // ITEM-005
extern const Invariant kNoGaps;         // ITEM-006
}  // namespace page_rules
std::span<const Invariant* const> PageInvariants();

enum class ChecksumMode : std::uint8_t { kOff, kOn };

// Checks the header of an initialised page (not is_new()). True if the regions are in order, so
// that line pointers and special area may be read; findings that leave them readable do not make
// it false.
bool CheckPageHeader(PageView page, BlockNumber block, std::uint32_t special_size,
                     Findings* findings);

// Checks the bytes that the checksum protects against pd_checksum.
bool CheckPageChecksum(PageView page, BlockNumber block, Findings* findings);

// A new page must be zero to its last byte.
bool CheckNewPage(PageView page, BlockNumber block, Findings* findings);

// Checks every line pointer of a page whose header is in order: storage inside the tuple region,
// aligned, disjoint, and together covering it. True if each tuple's bytes may be read.
// `bad_slots`, if not null, gets the slots whose storage must not be read.
bool CheckLinePointers(PageView page, BlockNumber block, Findings* findings);

// True if the line pointer's storage lies inside the tuple region, is aligned and has room for a
// tuple header, 8 bytes: what a reader must know before it touches the tuple.
inline bool IsReadable(PageView page, LinePointer pointer) {
  return IsMaxAligned(pointer.offset) && pointer.length >= kMaxAlign &&
         pointer.offset >= page.upper() && pointer.end() <= page.special();
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_PAGE_PAGE_CHECK_H_
