// The items of a page as the tools show them, decoded on bytes that may be damaged.

#ifndef TORNLEAF_TOOLS_PAGE_ITEMS_H_
#define TORNLEAF_TOOLS_PAGE_ITEMS_H_

#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {

// What a page is, by its header and flags alone.
enum class PageKind {
  kNew,      // pd_upper is 0
  kDamaged,  // the header leaves no special area of 16 bytes
  kMeta,
  kLeaf,
  kInternal,
  kHalfDead,
  kDeleted,
};
PageKind KindOfPage(PageView page, BlockNumber block);
const char* NameOf(PageKind kind);

struct PageItem {
  OffsetNumber slot = 0;
  LinePointer pointer;
  // Why the tuple cannot be shown, or cannot be as it should; empty if nothing is wrong.
  std::string damage;

  // The rest only if has_tuple; every view lies inside the page.
  bool has_tuple = false;
  TupleView tuple;
  nbtree::TupleKind kind = nbtree::TupleKind::kPlain;
  // Whether a pivot belongs here: internal pages, and the high key.
  bool in_pivot_place = false;
  bool is_high_key = false;
  bool is_minus_infinity = false;
  // The key's bytes: behind header and null bitmap, before row addresses.
  ByteView data;
  std::optional<ItemPointer> heap_tid;
  std::vector<ItemPointer> tids;  // of a posting list

  // Attributes that the tuple holds, by its own word and the schema's.
  std::uint32_t AttributeCount(const Schema& schema) const;
};

// Every item of a page that holds items; none for new, damaged, meta and deleted pages.
std::vector<PageItem> ItemsOf(PageView page, BlockNumber block);

// The item's attributes as text, one each; null is `\N`. Ends early, with a word in angle brackets,
// where the bytes do not fit the schema. A text of more than `size_max` characters may be cut.
std::vector<std::string> KeyTexts(const PageItem& item, const Schema& schema,
                                  std::size_t size_max = std::string::npos);

// "(block,offset)".
std::string TidText(ItemPointer tid);
// "0/19D82E0".
std::string LsnText(Lsn lsn);
// "BTP_LEAF|BTP_ROOT", unknown bits in hex; "0" for none.
std::string FlagsText(std::uint32_t flags, std::span<const FlagBit> names);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_PAGE_ITEMS_H_
