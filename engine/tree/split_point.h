// Where to split a full page: PostgreSQL's choice, to the byte (nbtsplitloc.c). A pure function.

#ifndef TORNLEAF_ENGINE_TREE_SPLIT_POINT_H_
#define TORNLEAF_ENGINE_TREE_SPLIT_POINT_H_

#include <cstdint>

#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"

namespace tornleaf {

struct SplitPoint {
  OffsetNumber first_right = 0;   // slot of the original page from which on items go right
  bool new_item_on_left = false;  // decides where first_right == the new item's slot
};

// `page` has no room for `new_item` (MAXALIGNed size), which would be item `new_item_slot`.
// `fillfactor` in percent is that of leaves. A page of checked geometry that cannot be split gives
// first_right 0.
SplitPoint FindSplitPoint(const Schema& schema, const nbtree::NbtreePage& page,
                          OffsetNumber new_item_slot, TupleView new_item, std::uint32_t fillfactor);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_SPLIT_POINT_H_
