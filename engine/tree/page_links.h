// What both stages of page deletion do with the pages around a page. For the files of this layer.

#ifndef TORNLEAF_ENGINE_TREE_PAGE_LINKS_H_
#define TORNLEAF_ENGINE_TREE_PAGE_LINKS_H_

#include <initializer_list>

#include "engine/tree/node.h"

namespace tornleaf {

inline bool IsEmpty(const nbtree::NbtreePage& page) {
  return page.item_count() < page.first_data_slot();
}

// PinNode() for somebody who holds `held` already (invalid ones do not count): a damaged link to
// one of them would wait for itself.
inline absl::StatusOr<PageRef> PinBeside(Tree* tree, BlockNumber block, std::uint32_t level,
                                         Hold hold, std::initializer_list<const PageRef*> held) {
  for (const PageRef* page : held) {
    if (page->valid() && page->block() == block) {
      return Tree::Damage(block, "links of its neighbours lead back to it");
    }
  }
  return PinNode(tree, block, level, hold);
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_PAGE_LINKS_H_
