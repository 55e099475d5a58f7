#include "engine/page/page_check.h"

namespace tornleaf {
namespace page_rules {

constexpr char kPageVerified[] = "PostgreSQL bufpage.c, PageIsVerified";
constexpr char kIndexPagesCompact[] =
    "PostgreSQL bufpage.c: every edit of an index page compacts it";

constinit const Invariant kNewPageIsZero{
    "PAGE-001", "new page is zero",
    "A page whose pd_upper is 0 was allocated and never initialised: all its bytes are zero.",
    "A page that lost its header reads as empty, and everything on it is silently gone.",
    kPageVerified};
constinit const Invariant kChecksumMatches{
    "PAGE-002", "checksum matches",
    "Where checksums are on, pd_checksum is the checksum of the page at its block number.",
    "Some bytes are not the ones that were written, or the page was written elsewhere.",
    kPageVerified};
constinit const Invariant kPageSizeVersion{
    "PAGE-003", "page size and layout version",
    "pd_pagesize_version is the relation's page size plus layout version 4.",
    "The page comes from another file, or its header is damaged.", "PostgreSQL bufpage.h"};
constinit const Invariant kKnownFlags{"PAGE-004", "known page flags",
                                      "pd_flags has no bit outside 0x0007.",
                                      "The server refuses to read the page.", kPageVerified};
constinit const Invariant kRegionOrder{
    "PAGE-005", "regions in order",
    "24 <= pd_lower <= pd_upper <= pd_special <= page size, and pd_special is MAXALIGNed.",
    "Line pointers, tuples and special area overlap; the server refuses to read the page.",
    kPageVerified};
constinit const Invariant kSpecialSize{
    "PAGE-006", "special area size",
    "The special area has the size that the access method gives it: 16 bytes for nbtree.",
    "The page does not belong to a B-tree index.", "PostgreSQL nbtpage.c, _bt_checkpage"};
constinit const Invariant kWholeLinePointers{
    "PAGE-007", "whole line pointers", "pd_lower ends the page header or a whole line pointer.",
    "The number of items is in doubt.", "PostgreSQL bufpage.h"};
constinit const Invariant kUpperAligned{
    "PAGE-008", "pd_upper aligned", "pd_upper is MAXALIGNed, as every tuple is.",
    "The next tuple would be placed unaligned.", "PostgreSQL bufpage.c, PageAddItemExtended"};
constinit const Invariant kNoTableFlags{
    "PAGE-009", "no table flags", "pd_flags is 0 on an index page: all three flags are for tables.",
    "Nothing reads them on an index page; another program changed the header.",
    "PostgreSQL bufpage.h"};
constinit const Invariant kNoPruneXid{
    "PAGE-010", "no prune xid", "pd_prune_xid is 0 on an index page.",
    "Nothing reads it on an index page; another program changed the header.",
    "PostgreSQL bufpage.h"};

constinit const Invariant kLineFlags{
    "ITEM-001", "line pointer flags",
    "Every line pointer of an index page is NORMAL or DEAD, never UNUSED or REDIRECT.",
    "The item vanishes from scans.", "PostgreSQL verify_nbtree.c, PageGetItemIdCareful"};
constinit const Invariant kLineLength{
    "ITEM-002", "line pointer length",
    "lp_len is at least the size of a tuple header, 8 bytes, and MAXALIGNed.",
    "The tuple has no room for its header.", "PostgreSQL itup.h; bufpage.c"};
constinit const Invariant kLineAlignment{
    "ITEM-003", "line pointer alignment", "lp_off is MAXALIGNed.",
    "Every attribute of the tuple is read from the wrong place.", "PostgreSQL bufpage.c"};
constinit const Invariant kLineInTuples{
    "ITEM-004", "tuple inside the tuple region",
    "pd_upper <= lp_off and lp_off + lp_len <= pd_special.",
    "The tuple runs into the hole, the special area or off the page.",
    "PostgreSQL bufpage.c; verify_nbtree.c checks only the page's end"};
constinit const Invariant kNoOverlap{"ITEM-005", "tuples are disjoint",
                                     "No byte belongs to the tuples of two line pointers.",
                                     "A change to one tuple changes another.", kIndexPagesCompact};
constinit const Invariant kNoGaps{
    "ITEM-006", "tuples fill their region",
    "The tuples of the line pointers cover pd_upper..pd_special without a gap.",
    "A line pointer was lost or moved, or pd_upper is wrong.", kIndexPagesCompact};

}  // namespace page_rules

std::span<const Invariant* const> PageInvariants() {
  using namespace page_rules;
  static constexpr const Invariant* kAll[] = {
      &kNewPageIsZero, &kChecksumMatches, &kPageSizeVersion,   &kKnownFlags,
      &kRegionOrder,   &kSpecialSize,     &kWholeLinePointers, &kUpperAligned,
      &kNoTableFlags,  &kNoPruneXid,      &kLineFlags,         &kLineLength,
      &kLineAlignment, &kLineInTuples,    &kNoOverlap,         &kNoGaps};
  return kAll;
}

namespace {

using slotted_v4::kLinePointerSize;

// Where a field lies, for findings.
ByteRange RangeOf(const Field& field) {
  return {field.offset, static_cast<std::uint32_t>(field.offset + field.size)};
}

ByteRange LinePointerRange(OffsetNumber slot) {
  const std::uint32_t begin = PageView::LinePointerOffset(slot);
  return {begin, begin + kLinePointerSize};
}

Finding PageFinding(const Invariant& rule, PageView page, BlockNumber block, ByteRange bytes,
                    FindingText expected, FindingText actual) {
  Finding finding;
  finding.invariant = &rule;
  finding.block = block;
  finding.bytes = bytes;
  finding.lsn = page.lsn();
  finding.expected = expected;
  finding.actual = actual;
  return finding;
}

Finding ItemFinding(const Invariant& rule, PageView page, BlockNumber block, OffsetNumber slot,
                    FindingText expected, FindingText actual) {
  Finding finding = PageFinding(rule, page, block, LinePointerRange(slot), expected, actual);
  finding.slot = slot;
  return finding;
}

FindingText Text(const char* text) { return FindingText::Format("%s", text); }

// The first rule that the line pointer alone breaks, or null.
const Invariant* BrokenLineRule(PageView page, LinePointer pointer) {
  if (pointer.flags != LineFlags::kNormal && pointer.flags != LineFlags::kDead) {
    return &page_rules::kLineFlags;
  }
  if (pointer.length < kMaxAlign || !IsMaxAligned(pointer.length)) return &page_rules::kLineLength;
  if (!IsMaxAligned(pointer.offset)) return &page_rules::kLineAlignment;
  if (pointer.offset < page.upper() || pointer.end() > page.special()) {
    return &page_rules::kLineInTuples;
  }
  return nullptr;
}

// Says which tuples share bytes and which bytes nobody owns. Called only when CoversTuples says
// that something is wrong, so it may take its time.
void ReportCoverage(PageView page, BlockNumber block, Findings* findings) {
  constexpr std::uint32_t kUnits = slotted_v4::kPageSizeMax / kMaxAlign;
  OffsetNumber owner[kUnits] = {};
  const std::size_t before = findings->size();
  for (OffsetNumber slot = 1; slot <= page.item_count(); ++slot) {
    const LinePointer pointer = page.line_pointer(slot);
    if (BrokenLineRule(page, pointer) != nullptr) continue;
    for (std::uint32_t unit = pointer.offset / kMaxAlign; unit < pointer.end() / kMaxAlign;
         ++unit) {
      if (owner[unit] != 0) {
        const OffsetNumber other = owner[unit];
        findings->push_back(
            ItemFinding(page_rules::kNoOverlap, page, block, slot, Text("bytes of its own"),
                        FindingText::Format("[%u,%u) shared with slot %u [%u,%u)", pointer.offset,
                                            pointer.end(), other, page.line_pointer(other).offset,
                                            page.line_pointer(other).end())));
        break;
      }
      owner[unit] = slot;
    }
  }
  if (findings->size() != before) return;   // Whose bytes are shared, is missed elsewhere.
  if (!IsMaxAligned(page.upper())) return;  // PAGE-008 has said so.
  for (std::uint32_t at = page.upper(); at < page.special(); at += kMaxAlign) {
    if (owner[at / kMaxAlign] != 0) continue;
    std::uint32_t end = at;
    while (end < page.special() && owner[end / kMaxAlign] == 0) end += kMaxAlign;
    findings->push_back(PageFinding(
        page_rules::kNoGaps, page, block, {at, end},
        FindingText::Format("a tuple in every byte of [%u,%u)", page.upper(), page.special()),
        FindingText::Format("no line pointer owns [%u,%u)", at, end)));
    return;
  }
}

struct LinePointerScan {
  bool in_bounds = false;   // no line pointer breaks a rule of its own
  bool descending = false;  // tuples lie one below the other in slot order, without a gap
};

// The same rules as BrokenLineRule, put together without branches: nearly every page passes.
//
// A page that was built or split at once holds its tuples in descending order from pd_special, but
// for the high key, item 1, which comes last. That order alone shows that they tile their region.
LinePointerScan ScanLinePointers(PageView page) {
  const std::uint32_t upper = page.upper();
  const std::uint32_t special = page.special();
  const OffsetNumber count = page.item_count();
  const std::uint8_t* const pointers = page.data() + slotted_v4::kHeaderSize;
  const auto raw_at = [pointers](std::uint32_t slot) {
    return LoadLittleEndian<std::uint32_t>(pointers + (slot - 1) * kLinePointerSize);
  };
  const bool high_key_last = count > 1 && LinePointer::Decode(raw_at(2)).end() == special;
  std::uint32_t broken = 0;
  std::uint32_t misplaced = 0;
  std::uint32_t above = high_key_last ? LinePointer::Decode(raw_at(count)).offset : special;
  for (OffsetNumber slot = 1; slot <= count; ++slot) {
    const std::uint32_t raw = raw_at(slot);
    const std::uint32_t offset = raw & 0x7FFF;
    const std::uint32_t length = raw >> 17;
    const std::uint32_t unused_or_redirect = ~raw >> 15 & 1;  // NORMAL is 1, DEAD is 3
    broken |= unused_or_redirect | ((offset | length) & (kMaxAlign - 1)) |
              static_cast<std::uint32_t>(length < kMaxAlign) |
              static_cast<std::uint32_t>(offset < upper) |
              static_cast<std::uint32_t>(offset + length > special);
    misplaced |= (offset + length) ^ above;
    above = slot == 1 && high_key_last ? special : offset;
  }
  const std::uint32_t lowest = high_key_last ? LinePointer::Decode(raw_at(1)).offset : above;
  return {broken == 0, misplaced == 0 && lowest == upper};
}

// True if the tuples tile pd_upper..pd_special in any order: walking from tuple to tuple, by
// address, meets each line pointer once. One pass to note where tuples begin, one to walk; no sort.
bool TilesTuples(PageView page) {
  constexpr std::uint32_t kUnits = slotted_v4::kPageSizeMax / kMaxAlign;
  std::uint16_t length_at[kUnits];
  std::memset(length_at, 0, page.size() / kMaxAlign * sizeof(length_at[0]));
  const OffsetNumber count = page.item_count();
  for (OffsetNumber slot = 1; slot <= count; ++slot) {
    const LinePointer pointer = page.line_pointer(slot);
    length_at[pointer.offset / kMaxAlign] = static_cast<std::uint16_t>(pointer.length);
  }
  std::uint32_t at = page.upper();
  std::uint32_t met = 0;
  while (at < page.special() && length_at[at / kMaxAlign] != 0) {
    at += length_at[at / kMaxAlign];
    ++met;
  }
  return at == page.special() && met == count;
}

}  // namespace

bool CheckPageHeader(PageView page, BlockNumber block, std::uint32_t special_size,
                     Findings* findings) {
  const auto add = [&](const Invariant& rule, const Field& field, FindingText expected,
                       FindingText actual) {
    findings->push_back(PageFinding(rule, page, block, RangeOf(field), expected, actual));
  };

  const std::uint32_t wanted = page.size() | slotted_v4::kLayoutVersion;
  if (page.page_size_version() != wanted) {
    add(page_rules::kPageSizeVersion, slotted_v4::kPageSizeVersion,
        FindingText::Format("0x%04x", wanted),
        FindingText::Format("0x%04x", page.page_size_version()));
  }
  if ((page.flags() & ~slotted_v4::kKnownPageFlags) != 0) {
    add(page_rules::kKnownFlags, slotted_v4::kFlags, Text("bits of 0x0007"),
        FindingText::Format("0x%04x", page.flags()));
  } else if (page.flags() != 0) {
    add(page_rules::kNoTableFlags, slotted_v4::kFlags, Text("0"),
        FindingText::Format("0x%04x", page.flags()));
  }
  if (page.prune_xid() != 0) {
    add(page_rules::kNoPruneXid, slotted_v4::kPruneXid, Text("0"),
        FindingText::Format("%u", page.prune_xid()));
  }
  const bool in_order = page.lower() >= slotted_v4::kHeaderSize && page.lower() <= page.upper() &&
                        page.upper() <= page.special() && page.special() <= page.size() &&
                        IsMaxAligned(page.special());
  if (!in_order) {
    findings->push_back(
        PageFinding(page_rules::kRegionOrder, page, block, {slotted_v4::kLower.offset, 18},
                    FindingText::Format("24 <= lower <= upper <= special <= %u, special MAXALIGNed",
                                        page.size()),
                    FindingText::Format("lower %u, upper %u, special %u", page.lower(),
                                        page.upper(), page.special())));
    return false;
  }
  if (page.special() != page.size() - special_size) {
    add(page_rules::kSpecialSize, slotted_v4::kSpecial,
        FindingText::Format("pd_special %u", page.size() - special_size),
        FindingText::Format("%u", page.special()));
    return false;
  }
  if ((page.lower() - slotted_v4::kHeaderSize) % kLinePointerSize != 0) {
    add(page_rules::kWholeLinePointers, slotted_v4::kLower, Text("24 plus a multiple of 4"),
        FindingText::Format("%u", page.lower()));
  }
  if (!IsMaxAligned(page.upper())) {
    add(page_rules::kUpperAligned, slotted_v4::kUpper, Text("a multiple of 8"),
        FindingText::Format("%u", page.upper()));
  }
  return true;
}

bool CheckPageChecksum(PageView page, BlockNumber block, Findings* findings) {
  const std::uint16_t wanted = ComputeChecksum(page.bytes(), block);
  if (page.checksum() == wanted) return true;
  findings->push_back(PageFinding(
      page_rules::kChecksumMatches, page, block, RangeOf(slotted_v4::kChecksum),
      FindingText::Format("0x%04x", wanted), FindingText::Format("0x%04x", page.checksum())));
  return false;
}

bool CheckNewPage(PageView page, BlockNumber block, Findings* findings) {
  if (AllZero(page.bytes())) return true;
  std::uint32_t first = 0;
  while (page.data()[first] == 0) ++first;
  findings->push_back(PageFinding(page_rules::kNewPageIsZero, page, block, {first, first + 1},
                                  Text("zero bytes only, since pd_upper is 0"),
                                  FindingText::Format("0x%02x at %u", page.data()[first], first)));
  return false;
}

bool CheckLinePointers(PageView page, BlockNumber block, Findings* findings) {
  const LinePointerScan scan = ScanLinePointers(page);
  if (scan.in_bounds && (scan.descending || TilesTuples(page))) return true;
  const std::size_t before = findings->size();
  const OffsetNumber count = page.item_count();
  for (OffsetNumber slot = 1; slot <= count; ++slot) {
    const LinePointer pointer = page.line_pointer(slot);
    const Invariant* broken = BrokenLineRule(page, pointer);
    if (broken == nullptr) continue;
    findings->push_back(
        ItemFinding(*broken, page, block, slot,
                    FindingText::Format("storage in [%u,%u), MAXALIGNed, NORMAL or DEAD",
                                        page.upper(), page.special()),
                    FindingText::Format("[%u,%u) length %u flags %u", pointer.offset, pointer.end(),
                                        pointer.length, static_cast<unsigned>(pointer.flags))));
  }
  if (findings->size() != before) return false;
  ReportCoverage(page, block, findings);
  return findings->size() == before;
}

}  // namespace tornleaf
