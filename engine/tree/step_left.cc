#include <utility>

#include "engine/base/mark.h"
#include "engine/tree/node.h"
#include "engine/tree/search.h"

namespace tornleaf {

using nbtree::NbtreePage;

namespace {

// How far to the right of a left link its page is looked for. If it was split more often, or the
// page that was left is gone from the chain, the latter tells; PostgreSQL's limit.
constexpr int kStepsRightMax = 4;

// The page whose right link is `wanted`: `page` or one near it to the right. Invalid if there is
// none near.
absl::StatusOr<PageRef> FindLeftNeighbour(Tree* tree, PageRef page, BlockNumber wanted) {
  for (int steps = 0;; ++steps) {
    const NbtreePage node = NodeOf(page);
    // A half-dead page is still in the chain.
    if (!node.is_deleted() && node.next() == wanted) return page;
    if (node.is_rightmost() || steps == kStepsRightMax) return PageRef();
    MARK("search.left_sibling_was_split");
    absl::StatusOr<PageRef> next = StepRight(tree, std::move(page));
    if (!next.ok()) return next;
    page = *std::move(next);
  }
}

}  // namespace

absl::StatusOr<PageRef> StepLeft(Tree* tree, PageRef page, Hold hold) {
  CHECK(page.hold() == Hold::kNone);
  if (hold == Hold::kExclusive) {
    page.HoldExclusive();
  } else {
    page.HoldShared();
  }
  const std::uint32_t level = NodeOf(page).level();
  StepLimit limit(tree);
  for (;;) {
    if (NodeOf(page).is_leftmost()) return PageRef();
    const BlockNumber origin = page.block();
    const BlockNumber left = NodeOf(page).prev();
    page.Drop();
    absl::StatusOr<PageRef> found = PinNode(tree, left, level, hold);
    if (!found.ok()) return found;
    found = FindLeftNeighbour(tree, *std::move(found), origin);
    if (!found.ok() || found->valid()) return found;

    // What has become of the page that was left? If it was deleted, its keys went to the first page
    // to its right that was not. Else its left link is another one now.
    const absl::Status counted = limit.Step(origin);
    if (!counted.ok()) return counted;
    found = PinNode(tree, origin, level, hold);
    if (!found.ok()) return found;
    if (!NodeOf(*found).is_deleted()) {
      MARK("search.left_link_changed");
      if (NodeOf(*found).prev() == left) {
        return Tree::Damage(origin, "its left sibling does not link back");
      }
    }
    while (NodeOf(*found).is_deleted()) {
      MARK("search.left_from_deleted_page");
      const absl::Status step = limit.Step(found->block());
      if (!step.ok()) return step;
      found = StepRight(tree, *std::move(found));
      if (!found.ok()) return found;
    }
    page = *std::move(found);
  }
}

}  // namespace tornleaf
