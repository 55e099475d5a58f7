#include <utility>
#include <vector>

#include "engine/base/mark.h"
#include "engine/tree/key_compare.h"
#include "engine/tree/node.h"
#include "engine/tree/scan.h"
#include "engine/tree/search.h"

namespace tornleaf {

using nbtree::KindOf;
using nbtree::NbtreePage;
using nbtree::TupleKind;

namespace {

// Appends the live rows of the items from `slot` on that are equal to the key. `equal` says that
// the first of them is. True if there may be more on the page to the right.
bool AppendLiveRows(Liveness* liveness, const KeyComparer& comparer, const NbtreePage& node,
                    OffsetNumber slot, bool equal, std::vector<ItemPointer>* tids) {
  for (; slot <= node.item_count(); ++slot) {
    if (!equal && comparer.Compare(node, slot) != 0) return false;
    equal = false;
    if (node.page().line_pointer(slot).flags == LineFlags::kDead) continue;
    const TupleView item = node.tuple(slot);
    const bool posting = KindOf(item) == TupleKind::kPosting;
    const std::uint32_t count = posting ? nbtree::PostingCount(item) : 1;
    for (std::uint32_t index = 0; index < count; ++index) {
      const ItemPointer tid = posting ? nbtree::PostingTid(item, index) : item.tid();
      if (!liveness->IsDead(tid)) tids->push_back(tid);
    }
  }
  return !node.is_rightmost() && comparer.Compare(node, 1) >= 0;
}

}  // namespace

absl::Status Lookup(Tree* tree, const Value* values, std::uint32_t count,
                    std::vector<ItemPointer>* tids) {
  const LinkUse link_use(tree->parts().transactions);
  SearchKey key;
  key.values = values;
  key.count = count;
  PagePlace place;
  absl::StatusOr<PageRef> page = FindLeaf(tree, key, Access::kRead, nullptr, &place);
  if (!page.ok()) return page.status();
  if (!page->valid()) return absl::OkStatus();
  // The search has looked at the item it ended on, if there is one.
  if (place.slot <= NodeOf(*page).item_count() && place.equal != place.slot) {
    return absl::OkStatus();
  }
  const KeyComparer comparer(tree->schema(), key);
  Liveness* liveness = tree->parts().liveness;
  bool more = AppendLiveRows(liveness, comparer, NodeOf(*page), place.slot, true, tids);
  StepLimit limit(tree);
  while (more) {
    MARK("lookup.goes_right");
    const absl::Status step = limit.Step(page->block());
    if (!step.ok()) return step;
    page = StepRight(tree, *std::move(page));
    if (!page.ok()) return page.status();
    const NbtreePage node = NodeOf(*page);
    if (node.is_ignorable()) continue;
    more = AppendLiveRows(liveness, comparer, node, node.first_data_slot(), false, tids);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FindEdgeRow(Tree* tree, bool last, std::vector<std::uint8_t>* tuple) {
  ScanRequest request;
  request.backward = last;
  Scan scan(tree, request);
  const absl::StatusOr<bool> found = scan.Next();
  if (!found.ok() || !*found) return found;
  const std::uint32_t size =
      FormTuple(tree->schema(), scan.values(), tree->schema().attribute_count(), scan.tid(), tuple);
  if (size == 0) return absl::OutOfRangeError("the row is too large for a tuple when inflated");
  return true;
}

}  // namespace tornleaf
