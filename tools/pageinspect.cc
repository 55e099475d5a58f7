#include "tools/pageinspect.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/format/nbtree_page.h"
#include "engine/key/value_text.h"
#include "tools/output.h"

namespace tornleaf {
namespace pageinspect {
namespace {

std::string BoolText(bool value) { return value ? "t" : "f"; }

char TypeOf(const nbtree::NbtreePage& page) {
  if (page.is_deleted()) return page.is_leaf() || !page.has_full_xid() ? 'd' : 'D';
  if (page.is_ignorable()) return 'e';
  if (page.is_leaf()) return 'l';
  return page.is_root() ? 'r' : 'i';
}

}  // namespace

const Row& MetaColumns() {
  static const Row columns = {"magic",
                              "version",
                              "root",
                              "level",
                              "fastroot",
                              "fastlevel",
                              "last_cleanup_num_delpages",
                              "last_cleanup_num_tuples",
                              "allequalimage"};
  return columns;
}

Row MetaRow(PageView page) {
  const nbtree::MetaPage meta = nbtree::MetaPage::Load(page);
  // bt_metap prints both as signed numbers.
  Row row = {absl::StrCat(static_cast<std::int32_t>(meta.magic)),
             absl::StrCat(static_cast<std::int32_t>(meta.version)),
             absl::StrCat(meta.root),
             absl::StrCat(meta.level),
             absl::StrCat(meta.fast_root),
             absl::StrCat(meta.fast_level)};
  // Version 2 has no such fields; the server prints their defaults.
  const bool has_cleanup = meta.version > nbtree::kVersionNoVacuumFields;
  const double tuples = has_cleanup ? meta.last_cleanup_heap_tuples : -1;
  std::string tuples_text;
  std::uint8_t bytes[sizeof tuples];
  StoreLittleEndian(bytes, tuples);
  AppendValueText(TypeId::kFloat8, Value::Of(bytes), &tuples_text);
  row.push_back(absl::StrCat(has_cleanup ? meta.last_cleanup_deleted_pages : 0));
  row.push_back(tuples_text);
  row.push_back(BoolText(has_cleanup && meta.all_equal_image));
  return row;
}

std::optional<Stats> StatsOf(PageView page, BlockNumber block) {
  const PageKind kind = KindOfPage(page, block);
  if (kind == PageKind::kNew || kind == PageKind::kDamaged) return std::nullopt;
  const nbtree::NbtreePage nbtree_page(page);
  Stats stats;
  stats.block = block;
  stats.type = TypeOf(nbtree_page);
  stats.page_size = page.size();
  stats.prev = nbtree_page.prev();
  stats.next = nbtree_page.next();
  stats.level = nbtree_page.level();
  stats.flags = nbtree_page.flags();
  std::uint64_t size_sum = 0;
  for (const PageItem& item : ItemsOf(page, block)) {
    if (item.has_tuple) size_sum += item.tuple.size();
    ++(item.pointer.flags == LineFlags::kDead ? stats.dead_items : stats.live_items);
  }
  const std::uint32_t count = stats.live_items + stats.dead_items;
  if (count != 0) stats.average_item_size = static_cast<std::uint32_t>(size_sum / count);
  // PageGetFreeSpace: the hole less one line pointer.
  const std::uint32_t taken = page.lower() + slotted_v4::kLinePointerSize;
  stats.free_size = page.upper() > taken ? page.upper() - taken : 0;
  return stats;
}

const Row& StatsColumns() {
  static const Row columns = {"blkno",         "type",       "live_items", "dead_items",
                              "avg_item_size", "page_size",  "free_size",  "btpo_prev",
                              "btpo_next",     "btpo_level", "btpo_flags"};
  return columns;
}

Row StatsRow(const Stats& stats) {
  return {absl::StrCat(stats.block),
          std::string(1, stats.type),
          absl::StrCat(stats.live_items),
          absl::StrCat(stats.dead_items),
          absl::StrCat(stats.average_item_size),
          absl::StrCat(stats.page_size),
          absl::StrCat(stats.free_size),
          absl::StrCat(stats.prev),
          absl::StrCat(stats.next),
          absl::StrCat(stats.level),
          absl::StrCat(stats.flags)};
}

const Row& ItemColumns() {
  static const Row columns = {"itemoffset", "ctid", "itemlen", "nulls", "vars",
                              "data",       "dead", "htid",    "tids"};
  return columns;
}

Row ItemRow(const PageItem& item) {
  Row row(ItemColumns().size());
  row[0] = absl::StrCat(item.slot);
  if (!item.has_tuple) return row;
  row[1] = TidText(item.tuple.tid());
  row[2] = absl::StrCat(item.tuple.size());
  row[3] = BoolText(item.tuple.has_nulls());
  row[4] = BoolText(item.tuple.has_var_width());
  row[5] = HexText(item.data);
  if (!item.in_pivot_place) row[6] = BoolText(item.pointer.flags == LineFlags::kDead);
  if (item.heap_tid) row[7] = TidText(*item.heap_tid);
  if (item.kind == nbtree::TupleKind::kPosting) {
    // An array of tid, each quoted since it holds a comma.
    std::string tids = "{";
    for (const ItemPointer tid : item.tids) {
      absl::StrAppend(&tids, tids.size() == 1 ? "\"" : ",\"", TidText(tid), "\"");
    }
    row[8] = tids + "}";
  }
  return row;
}

namespace {

// Calls `add(page, block)` for each readable page in [begin, end).
template <typename Add>
void ForEachPage(PageSource* pages, BlockNumber begin, BlockNumber end, Add add) {
  std::vector<std::uint8_t> buffer(pages->page_size());
  for (BlockNumber block = begin; block < end; ++block) {
    const ByteView bytes = pages->ReadSequential(block, buffer);
    if (bytes.empty()) return;
    add(PageView(bytes), block);
  }
}

}  // namespace

std::string MetaCsv(PageSource* pages) {
  std::string csv = CsvLine(MetaColumns());
  ForEachPage(pages, 0, 1, [&](PageView page, BlockNumber) { csv += CsvLine(MetaRow(page)); });
  return csv;
}

std::string StatsCsv(PageSource* pages) {
  std::string csv = CsvLine(StatsColumns());
  ForEachPage(pages, 1, pages->block_count(), [&](PageView page, BlockNumber block) {
    const std::optional<Stats> stats = StatsOf(page, block);
    if (stats) csv += CsvLine(StatsRow(*stats));
  });
  return csv;
}

std::string ItemsCsv(PageSource* pages) {
  Row columns = ItemColumns();
  columns.insert(columns.begin(), "blkno");
  std::string csv = CsvLine(columns);
  ForEachPage(pages, 1, pages->block_count(), [&](PageView page, BlockNumber block) {
    for (const PageItem& item : ItemsOf(page, block)) {
      Row row = ItemRow(item);
      row.insert(row.begin(), absl::StrCat(block));
      csv += CsvLine(row);
    }
  });
  return csv;
}

std::string HexText(ByteView bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 3);
  for (const std::uint8_t byte : bytes) {
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace pageinspect
}  // namespace tornleaf
