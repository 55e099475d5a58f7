#include "tools/page_picture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/format/nbtree_v4.h"
#include "engine/key/value_text.h"

namespace tornleaf {
namespace {

// Sets [begin, end), cut to the page.
void Paint(std::vector<Region>* regions, std::uint32_t begin, std::uint32_t end, Region region) {
  const auto size = static_cast<std::uint32_t>(regions->size());
  for (std::uint32_t at = std::min(begin, size); at < std::min(end, size); ++at) {
    (*regions)[at] = region;
  }
}

// Where the fields of a metapage or a deleted page end, or 0 if the page has line pointers.
std::uint32_t ContentsEnd(PageView page, PageKind kind) {
  if (kind == PageKind::kMeta) return nbtree::kMetaEnd;
  const bool full_xid = kind == PageKind::kDeleted && nbtree::NbtreePage(page).has_full_xid();
  return full_xid ? nbtree::kDeletedLower : 0;
}

std::string ValueText(const std::uint8_t* from, const Field& field) {
  std::uint64_t number = 0;
  std::memcpy(&number, from, std::min<std::size_t>(field.size, sizeof number));
  switch (field.kind) {
    case FieldKind::kNumber:
    case FieldKind::kBool:
      return absl::StrCat(number);
    case FieldKind::kSigned: {
      const int unused_bits = 64 - 8 * field.size;
      return absl::StrCat(static_cast<std::int64_t>(number << unused_bits) >> unused_bits);
    }
    case FieldKind::kFlags:
    case FieldKind::kHex:
    case FieldKind::kPadding:
      return absl::StrFormat("0x%0*x", 2 * field.size, number);
    case FieldKind::kFloat: {
      std::string text;
      AppendValueText(TypeId::kFloat8, Value::Of({from, field.size}), &text);
      return text;
    }
  }
  return "";
}

void AddFields(PageView page, const char* structure, std::uint32_t base,
               std::span<const Field> fields, std::span<const FlagBit> flags,
               std::vector<FieldValue>* values) {
  for (const Field& field : fields) {
    const std::uint32_t offset = base + field.offset;
    if (offset + field.size > page.size()) continue;
    std::string value = ValueText(page.data() + offset, field);
    if (field.kind == FieldKind::kFlags) {
      const std::uint32_t bits = LoadLittleEndian<std::uint16_t>(page.data() + offset);
      absl::StrAppend(&value, " ", FlagsText(bits, flags));
    }
    values->push_back({structure, offset, field.size, field.name, std::move(value), field.meaning});
  }
}

std::string Letter(Region region, bool color) {
  const RegionStyle& style = StyleOf(region);
  return Colored(color, style.color, std::string_view(&style.letter, 1));
}

Region RegionOfCell(const std::vector<Region>& regions, std::size_t begin, std::size_t end) {
  std::uint32_t counts[kRegionCount] = {};
  for (std::size_t at = begin; at < end; ++at) ++counts[static_cast<int>(regions[at])];
  for (const Region small : {Region::kBad, Region::kHeader, Region::kContents, Region::kSpecial}) {
    if (counts[static_cast<int>(small)] != 0) return small;
  }
  return static_cast<Region>(std::max_element(counts, counts + kRegionCount) - counts);
}

}  // namespace

const RegionStyle& StyleOf(Region region) {
  static constexpr RegionStyle kStyles[kRegionCount] = {{'H', Color::kBlue, "header"},
                                                        {'M', Color::kCyan, "contents"},
                                                        {'L', Color::kYellow, "line pointers"},
                                                        {'.', Color::kGrey, "hole"},
                                                        {'T', Color::kGreen, "tuples"},
                                                        {'S', Color::kMagenta, "special"},
                                                        {'!', Color::kRed, "bad"}};
  return kStyles[static_cast<int>(region)];
}

std::vector<Region> RegionsOf(PageView page, BlockNumber block) {
  std::vector<Region> regions(page.size(), Region::kHole);
  Paint(&regions, 0, slotted_v4::kHeaderSize, Region::kHeader);
  const PageKind kind = KindOfPage(page, block);
  if (kind == PageKind::kNew) return regions;
  const std::uint32_t contents_end = ContentsEnd(page, kind);
  const bool in_order = slotted_v4::kHeaderSize <= page.lower() && page.lower() <= page.upper() &&
                        page.upper() <= page.special();
  if (!in_order) {
    Paint(&regions, slotted_v4::kLower.offset,
          slotted_v4::kSpecial.offset + slotted_v4::kSpecial.size, Region::kBad);
  }
  // A tuple region that nothing owns is bad; tuples are painted over it.
  if (in_order) Paint(&regions, page.upper(), page.special(), Region::kBad);
  Paint(&regions, page.special(), page.size(), Region::kSpecial);
  if (contents_end != 0) {
    Paint(&regions, slotted_v4::kHeaderSize, contents_end, Region::kContents);
    return regions;
  }
  const std::uint32_t upper = in_order ? page.upper() : page.size();
  Paint(&regions, slotted_v4::kHeaderSize, std::min(page.lower(), upper), Region::kLinePointers);
  for (const PageItem& item : ItemsOf(page, block)) {
    const std::uint32_t at = PageView::LinePointerOffset(item.slot);
    if (!item.damage.empty()) Paint(&regions, at, at + slotted_v4::kLinePointerSize, Region::kBad);
    const bool inside = item.pointer.offset >= upper && item.pointer.end() <= page.special();
    if (item.has_tuple && inside) {
      Paint(&regions, item.pointer.offset, MaxAlign(item.pointer.end()), Region::kTuples);
    }
  }
  return regions;
}

std::vector<FieldValue> FieldsOf(PageView page, BlockNumber block) {
  std::vector<FieldValue> values;
  AddFields(page, "header", 0, slotted_v4::kHeader, slotted_v4::kPageFlags, &values);
  const PageKind kind = KindOfPage(page, block);
  if (kind == PageKind::kNew || kind == PageKind::kDamaged) return values;
  if (kind == PageKind::kMeta) {
    AddFields(page, "metapage", 0, nbtree::kMetaFields, {}, &values);
  } else if (ContentsEnd(page, kind) != 0) {
    static constexpr Field kSafeXidOnly[] = {nbtree::kSafeXid};
    AddFields(page, "deleted page", 0, kSafeXidOnly, {}, &values);
  }
  AddFields(page, "special area", page.special(), nbtree::kOpaque, nbtree::kFlagBits, &values);
  return values;
}

std::string RegionMap(const std::vector<Region>& regions, std::uint32_t cell_bytes,
                      std::uint32_t row_cells, bool color) {
  std::string text;
  const std::size_t row_bytes = std::size_t{cell_bytes} * row_cells;
  for (std::size_t row = 0; row < regions.size(); row += row_bytes) {
    absl::StrAppend(&text, absl::StrFormat("%6u  ", row));
    const std::size_t row_end = std::min(row + row_bytes, regions.size());
    for (std::size_t at = row; at < row_end; at += cell_bytes) {
      text += Letter(RegionOfCell(regions, at, std::min(at + cell_bytes, row_end)), color);
    }
    text += '\n';
  }
  return text;
}

std::string RegionLegend(const std::vector<Region>& regions, bool color) {
  std::string text;
  for (int index = 0; index < static_cast<int>(kRegionCount); ++index) {
    const auto region = static_cast<Region>(index);
    const auto first = std::find(regions.begin(), regions.end(), region);
    if (first == regions.end()) continue;
    const auto last = std::find(regions.rbegin(), regions.rend(), region);
    absl::StrAppend(&text, text.empty() ? "" : "  ", Letter(region, color), " ",
                    StyleOf(region).name,
                    absl::StrFormat(" [%d,%d)", first - regions.begin(), regions.rend() - last));
  }
  return text;
}

namespace {

// "pd_lower pd_upper item 3": what begins in the row's bytes.
std::string NamesIn(std::uint32_t begin, std::uint32_t end, const std::vector<FieldValue>& fields,
                    const std::vector<PageItem>& items) {
  std::string names;
  for (const FieldValue& field : fields) {
    if (field.offset >= begin && field.offset < end) absl::StrAppend(&names, " ", field.name);
  }
  for (const PageItem& item : items) {
    if (!item.has_tuple || item.pointer.offset < begin || item.pointer.offset >= end) continue;
    absl::StrAppend(&names, " item ", item.slot);
  }
  return names;
}

std::string HexRow(PageView page, std::uint32_t begin, std::uint32_t end,
                   const std::vector<Region>& regions, bool color) {
  std::string hex;
  std::string letters;
  std::string characters;
  for (std::uint32_t at = begin; at < end; ++at) {
    const std::uint8_t byte = page.data()[at];
    const RegionStyle& style = StyleOf(regions[at]);
    absl::StrAppend(&hex, at % 8 == 0 ? "  " : " ",
                    Colored(color, style.color, absl::StrFormat("%02x", byte)));
    letters += style.letter;
    characters += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '.';
  }
  return absl::StrCat(absl::StrFormat("%6u", begin), hex, "  ",
                      color ? "" : absl::StrCat(letters, "  "), "|", characters, "|");
}

}  // namespace

std::string HexDump(PageView page, BlockNumber block, bool color) {
  constexpr std::uint32_t kRowBytes = 16;
  const std::vector<Region> regions = RegionsOf(page, block);
  const std::vector<FieldValue> fields = FieldsOf(page, block);
  const std::vector<PageItem> items = ItemsOf(page, block);
  std::string text;
  bool skipping = false;
  for (std::uint32_t begin = 0; begin < page.size(); begin += kRowBytes) {
    const std::uint32_t end = begin + kRowBytes;
    const std::uint8_t* row = page.data() + begin;
    const bool repeats = begin >= kRowBytes && end < page.size() &&
                         std::memcmp(row, row - kRowBytes, kRowBytes) == 0 &&
                         regions[begin - kRowBytes] == Region::kHole &&
                         regions[end - 1] == Region::kHole;
    if (repeats) {
      if (!skipping) text += "     *\n";
      skipping = true;
      continue;
    }
    skipping = false;
    absl::StrAppend(&text, HexRow(page, begin, end, regions, color),
                    NamesIn(begin, end, fields, items), "\n");
  }
  return text;
}

}  // namespace tornleaf
