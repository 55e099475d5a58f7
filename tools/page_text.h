// A page as text and as JSON, for the viewer.

#ifndef TORNLEAF_TOOLS_PAGE_TEXT_H_
#define TORNLEAF_TOOLS_PAGE_TEXT_H_

#include <string>

#include "engine/key/schema.h"
#include "engine/page/slotted_page_v4.h"
#include "tools/output.h"
#include "tools/page_items.h"

namespace tornleaf {

struct PageTextOptions {
  const Schema* schema = nullptr;  // null: keys are shown as bytes
  bool color = false;
};

// "index page 17 leaf lsn 0/19D82E0  level 0  items 205  ...", with a newline.
std::string PageHeadline(const std::string& file, PageView page, BlockNumber block);

// One line: slot, storage, kind, address, key; what is wrong with it, if anything.
std::string ItemLine(const PageItem& item, const PageTextOptions& options);

// Headline, region map, fields and items.
std::string PageText(const std::string& file, PageView page, BlockNumber block,
                     const PageTextOptions& options);

// One object for a slot.
Json ItemJson(const std::string& file, PageView page, BlockNumber block, const PageItem& item,
              const PageTextOptions& options);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_PAGE_TEXT_H_
