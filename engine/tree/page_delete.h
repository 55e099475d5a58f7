// Deletion of empty pages, in two stages.
//
// First the downlink goes and the leaf becomes half-dead: nobody is led to it any more, and its key
// range belongs to its right sibling. Then it is taken out of the chain of its siblings. Where the
// leaf is its parent's only child, the whole branch of only children above it goes: its top loses
// its downlink in the first stage, and its pages are unlinked from the top down. A half-dead leaf
// remembers the top of what is left of its branch, so that the next VACUUM finishes what a crash
// has cut short.

#ifndef TORNLEAF_ENGINE_TREE_PAGE_DELETE_H_
#define TORNLEAF_ENGINE_TREE_PAGE_DELETE_H_

#include <vector>

#include "engine/tree/search.h"
#include "engine/tree/tree.h"

namespace tornleaf {

struct DeletedPage {
  BlockNumber block = 0;
  FullXid safe_xid = 0;
};

// Deletes an empty or half-dead leaf, with the branch above it that leads nowhere else, and then
// its right sibling if that is empty, and so on. The caller has no page pinned. Appends what was
// deleted, in the order of the safexids: nothing, if the leaf may not be deleted now. Only the
// running VACUUM calls it.
absl::Status DeletePage(Tree* tree, BlockNumber leaf, std::vector<DeletedPage>* deleted);

// The stages, for DeletePage() and for tests that stop in between. `leaf` is held exclusively,
// before and afterwards. MarkHalfDead: false if it may not be deleted now. `descent` leads to it,
// or to its left.
absl::StatusOr<bool> MarkHalfDead(Tree* tree, PageRef* leaf, Descent* descent);
// Unlinks the top of what is left of the half-dead leaf's branch, which may be the leaf itself.
// True if the right sibling of the unlinked page is empty.
absl::StatusOr<bool> UnlinkHalfDead(Tree* tree, PageRef* leaf, std::vector<DeletedPage>* deleted);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_PAGE_DELETE_H_
