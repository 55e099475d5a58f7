// What PostgreSQL 15's extension pageinspect answers, from a page's bytes: bt_metap, bt_page_stats
// and bt_page_items, columns and spelling as `psql --csv` shows them, so that a diff is empty.
//
// The server ends with an error where bytes are damaged. Here such an item has its number and empty
// columns, and the rest of the page is shown.

#ifndef TORNLEAF_TOOLS_PAGEINSPECT_H_
#define TORNLEAF_TOOLS_PAGEINSPECT_H_

#include <optional>
#include <string>
#include <vector>

#include "engine/page/page_source.h"
#include "tools/page_items.h"

namespace tornleaf {
namespace pageinspect {

using Row = std::vector<std::string>;

const Row& MetaColumns();
Row MetaRow(PageView page);

struct Stats {
  BlockNumber block = 0;
  char type = 'i';  // d D e l r i, as bt_page_stats has them
  std::uint32_t live_items = 0;
  std::uint32_t dead_items = 0;
  std::uint32_t average_item_size = 0;
  std::uint32_t page_size = 0;
  std::uint32_t free_size = 0;
  BlockNumber prev = 0;
  BlockNumber next = 0;
  std::uint32_t level = 0;
  std::uint16_t flags = 0;
};
// Nothing for new pages and for those whose special area cannot be found.
std::optional<Stats> StatsOf(PageView page, BlockNumber block);

const Row& StatsColumns();
Row StatsRow(const Stats& stats);

// Without the leading blkno that tables of several pages have.
const Row& ItemColumns();
Row ItemRow(const PageItem& item);

// The whole tables of an index: metapage; statistics of every block from 1; items of every block
// from 1 behind a column blkno. Nothing if the source cannot be read.
std::string MetaCsv(PageSource* pages);
std::string StatsCsv(PageSource* pages);
std::string ItemsCsv(PageSource* pages);

// "0f a0 ..." as bt_page_items prints a tuple's data.
std::string HexText(ByteView bytes);

}  // namespace pageinspect
}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_PAGEINSPECT_H_
