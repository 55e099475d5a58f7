// The first root of a tree, and the root above a root that was split.

#ifndef TORNLEAF_ENGINE_TREE_NEW_ROOT_H_
#define TORNLEAF_ENGINE_TREE_NEW_ROOT_H_

#include "engine/tree/tree.h"

namespace tornleaf {

// Makes an empty leaf the root, unless somebody else has made one: one record, NEWROOT.
absl::Status MakeFirstRoot(Tree* tree);

// Makes a root with downlinks to `left`, the old root that was split, and to `right`; finishes
// their split: one record, NEWROOT. Both are held exclusively, and stay so.
absl::Status MakeRootAbove(Tree* tree, PageRef* left, PageRef* right);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_NEW_ROOT_H_
