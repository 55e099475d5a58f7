// A page as regions and as named fields: what the viewer colours and lists. Names, offsets and
// meanings come from the formats' field tables, so that a new field shows up by itself.

#ifndef TORNLEAF_TOOLS_PAGE_PICTURE_H_
#define TORNLEAF_TOOLS_PAGE_PICTURE_H_

#include <string>
#include <vector>

#include "engine/page/slotted_page_v4.h"
#include "tools/output.h"
#include "tools/page_items.h"

namespace tornleaf {

enum class Region : std::uint8_t {
  kHeader,
  kContents,  // fields in place of line pointers: metapage, safexid of a deleted page
  kLinePointers,
  kHole,
  kTuples,
  kSpecial,
  kBad,  // bytes that the header or a line pointer puts where they cannot be
};
inline constexpr std::uint32_t kRegionCount = 7;

struct RegionStyle {
  char letter;  // stands for the region where there is no colour
  Color color;
  const char* name;
};
const RegionStyle& StyleOf(Region region);

// The region of every byte.
std::vector<Region> RegionsOf(PageView page, BlockNumber block);

struct FieldValue {
  const char* structure;  // "header", "metapage", "deleted page", "special area"
  std::uint32_t offset;   // from the start of the page
  std::uint32_t size;
  const char* name;
  std::string value;
  const char* meaning;
};

// The fields of header, metapage or deleted page, and special area, in page order. Without the
// special area where the header does not say where it is.
std::vector<FieldValue> FieldsOf(PageView page, BlockNumber block);

// Rows of letters, each `row_cells` cells of `cell_bytes` bytes, with the offset of the first byte
// in front. A cell shows the region of most of its bytes; but a bad byte comes first, then header,
// contents and special area, which would vanish otherwise.
std::string RegionMap(const std::vector<Region>& regions, std::uint32_t cell_bytes,
                      std::uint32_t row_cells, bool color);

// "H header [0,24)  L line pointers [24,1480)": the regions that the page has, in order.
std::string RegionLegend(const std::vector<Region>& regions, bool color);

// A hex dump, 16 bytes a row: offset, bytes, letters of the regions (or colours), characters, and
// the names of fields and items that begin in the row. Equal rows of the hole are left out.
std::string HexDump(PageView page, BlockNumber block, bool color);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_PAGE_PICTURE_H_
