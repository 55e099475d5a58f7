#include "tools/page_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/page_picture.h"
#include "tools/pageinspect.h"

namespace tornleaf {
namespace {

using nbtree::TupleKind;

constexpr std::size_t kDataBytesShown = 24;
constexpr std::size_t kKeyCharactersShown = 120;
constexpr std::uint32_t kMapCells = 128;
constexpr std::uint32_t kMapRowCells = 64;

const char* KindName(const PageItem& item) {
  if (item.is_high_key) return "high key";
  if (item.is_minus_infinity) return "minus infinity";
  if (item.in_pivot_place) return "pivot";
  switch (item.kind) {
    case TupleKind::kPlain:
      return "plain";
    case TupleKind::kPosting:
      return "posting";
    case TupleKind::kPivot:
      return "pivot";
  }
  return "?";
}

const char* FlagsName(LineFlags flags) {
  switch (flags) {
    case LineFlags::kUnused:
      return "unused";
    case LineFlags::kNormal:
      return "normal";
    case LineFlags::kRedirect:
      return "redirect";
    case LineFlags::kDead:
      return "dead";
  }
  return "?";
}

// Where the item points.
std::string AddressText(const PageItem& item) {
  if (item.in_pivot_place) {
    std::string text;
    if (!item.is_high_key) text = absl::StrCat("-> ", nbtree::Downlink(item.tuple));
    if (item.heap_tid) {
      absl::StrAppend(&text, text.empty() ? "" : " ", "tid ", TidText(*item.heap_tid));
    }
    return text;
  }
  if (item.kind == TupleKind::kPosting && !item.tids.empty()) {
    return absl::StrCat(TidText(item.tids.front()), "..", TidText(item.tids.back()), " ",
                        item.tids.size());
  }
  return item.heap_tid ? TidText(*item.heap_tid) : "";
}

// A key for one line: printable, and not too long.
std::string Shortened(std::string text) {
  if (text.size() <= kKeyCharactersShown) return text;
  // Cut between characters of UTF-8.
  std::size_t end = kKeyCharactersShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text + "...";
}

std::string KeyText(const PageItem& item, const PageTextOptions& options) {
  if (options.schema != nullptr) {
    return Shortened(
        Printable(absl::StrJoin(KeyTexts(item, *options.schema, kKeyCharactersShown + 1), ", ")));
  }
  const std::size_t shown = std::min(item.data.size(), kDataBytesShown);
  return absl::StrCat(pageinspect::HexText(item.data.first(shown)),
                      shown < item.data.size() ? " ..." : "");
}

std::string ChecksumText(PageView page, BlockNumber block) {
  if (page.checksum() == 0) return "checksum none";
  const std::uint16_t wanted = ComputeChecksum(page.bytes(), block);
  if (page.checksum() == wanted) return absl::StrFormat("checksum 0x%04x right", wanted);
  return absl::StrFormat("checksum 0x%04x WRONG, should be 0x%04x", page.checksum(), wanted);
}

std::string FieldLines(PageView page, BlockNumber block) {
  std::string text;
  const char* structure = "";
  for (const FieldValue& field : FieldsOf(page, block)) {
    if (std::string_view(structure) != field.structure)
      absl::StrAppend(&text, field.structure, "\n");
    structure = field.structure;
    absl::StrAppend(&text, absl::StrFormat("%7u %2u  %-32s  %-14s  %s\n", field.offset, field.size,
                                           field.name, field.value, field.meaning));
  }
  return text;
}

}  // namespace

std::string PageHeadline(const std::string& file, PageView page, BlockNumber block) {
  const PageKind kind = KindOfPage(page, block);
  std::string text = absl::StrCat(Printable(file), " page ", block, " ", NameOf(kind), " lsn ",
                                  LsnText(page.lsn()), "  ", ChecksumText(page, block));
  const std::optional<pageinspect::Stats> stats = pageinspect::StatsOf(page, block);
  if (stats && kind != PageKind::kMeta) {
    absl::StrAppend(&text, "  level ", stats->level, "  items ",
                    stats->live_items + stats->dead_items, "  dead ", stats->dead_items, "  free ",
                    stats->free_size, "  prev ", stats->prev, "  next ", stats->next);
  }
  return text + "\n";
}

std::string ItemLine(const PageItem& item, const PageTextOptions& options) {
  std::string line =
      absl::StrFormat("%7u  %5u %5u  ", item.slot, item.pointer.offset, item.pointer.length);
  if (item.has_tuple) {
    const bool dead = item.pointer.flags == LineFlags::kDead;
    absl::StrAppend(&line, absl::StrFormat("%-14s  %-22s  %s",
                                           absl::StrCat(KindName(item), dead ? " dead" : ""),
                                           AddressText(item), KeyText(item, options)));
  }
  if (!item.damage.empty()) {
    absl::StrAppend(&line, "  ", Colored(options.color, Color::kRed, "! " + item.damage));
  }
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string PageText(const std::string& file, PageView page, BlockNumber block,
                     const PageTextOptions& options) {
  std::string text = PageHeadline(file, page, block);
  const std::vector<Region> regions = RegionsOf(page, block);
  const std::uint32_t cell = std::max(page.size() / kMapCells, 8U);
  absl::StrAppend(&text, RegionLegend(regions, options.color), "  a letter is ", cell, " bytes\n",
                  RegionMap(regions, cell, kMapRowCells, options.color), FieldLines(page, block));
  const std::vector<PageItem> items = ItemsOf(page, block);
  if (items.empty()) return text;
  absl::StrAppend(&text, "items\n",
                  absl::StrFormat("%7s  %5s %5s  %-14s  %-22s  %s\n", "slot", "at", "bytes", "kind",
                                  "address", options.schema != nullptr ? "key" : "data"));
  for (const PageItem& item : items) text += ItemLine(item, options);
  return text;
}

Json ItemJson(const std::string& file, PageView page, BlockNumber block, const PageItem& item,
              const PageTextOptions& options) {
  Json json = {{"schema", "tornleaf.view.item/1"},
               {"file", file},
               {"block", block},
               {"page", NameOf(KindOfPage(page, block))},
               {"lsn", LsnText(page.lsn())},
               {"slot", item.slot},
               {"offset", item.pointer.offset},
               {"length", item.pointer.length},
               {"flags", FlagsName(item.pointer.flags)}};
  if (item.has_tuple) {
    json["kind"] = KindName(item);
    json["ctid"] = TidText(item.tuple.tid());
    json["itemlen"] = item.tuple.size();
    json["nulls"] = item.tuple.has_nulls();
    json["vars"] = item.tuple.has_var_width();
    json["data"] = pageinspect::HexText(item.data);
    json["downlink"] = item.in_pivot_place && !item.is_high_key ? Json(nbtree::Downlink(item.tuple))
                                                                : Json(nullptr);
    json["htid"] = item.heap_tid ? Json(TidText(*item.heap_tid)) : Json(nullptr);
    Json tids = Json::array();
    for (const ItemPointer tid : item.tids) tids.push_back(TidText(tid));
    json["tids"] = std::move(tids);
    if (options.schema != nullptr) json["key"] = KeyTexts(item, *options.schema);
  }
  json["damage"] = item.damage.empty() ? Json(nullptr) : Json(item.damage);
  return json;
}

}  // namespace tornleaf
