#include <optional>
#include <utility>

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

enum class Outcome : std::uint8_t { kFound, kNone, kFurtherRight };

// The first live row among the items from `slot` on that are equal to the key; `equal` says that
// the first of them is.
Outcome FindLiveRow(Liveness* liveness, const KeyComparer& comparer, const NbtreePage& node,
                    OffsetNumber slot, bool equal, ItemPointer* tid) {
  for (; slot <= node.item_count(); ++slot) {
    if (!equal && comparer.Compare(node, slot) != 0) return Outcome::kNone;
    equal = false;
    if (node.page().line_pointer(slot).flags == LineFlags::kDead) continue;
    const TupleView item = node.tuple(slot);
    const bool posting = KindOf(item) == TupleKind::kPosting;
    const std::uint32_t count = posting ? nbtree::PostingCount(item) : 1;
    for (std::uint32_t index = 0; index < count; ++index) {
      *tid = posting ? nbtree::PostingTid(item, index) : item.tid();
      if (!liveness->IsDead(*tid)) return Outcome::kFound;
    }
  }
  if (node.is_rightmost() || comparer.Compare(node, 1) < 0) return Outcome::kNone;
  return Outcome::kFurtherRight;
}

}  // namespace

absl::StatusOr<bool> Lookup(Tree* tree, const Value* values, std::uint32_t count,
                            ItemPointer* tid) {
  const LinkUse link_use(tree->parts().transactions);
  SearchKey key;
  key.values = values;
  key.count = count;
  absl::StatusOr<PageRef> page = FindLeaf(tree, key, Access::kRead, nullptr);
  if (!page.ok()) return page.status();
  if (!page->valid()) return false;
  const KeyComparer comparer(tree->schema(), key);
  Liveness* liveness = tree->parts().liveness;
  NbtreePage node = NodeOf(*page);
  const auto end = static_cast<OffsetNumber>(node.item_count() + 1);
  const PagePlace place =
      comparer.Search(node, node.first_data_slot(), std::max(node.first_data_slot(), end));
  // The search has looked at the item it ended on, if there is one.
  if (place.slot < end && place.equal != place.slot) return false;
  Outcome outcome = FindLiveRow(liveness, comparer, node, place.slot, true, tid);
  StepLimit limit(tree);
  while (outcome == Outcome::kFurtherRight) {
    MARK("lookup.goes_right");
    const absl::Status step = limit.Step(page->block());
    if (!step.ok()) return step;
    page = StepRight(tree, *std::move(page));
    if (!page.ok()) return page.status();
    node = NodeOf(*page);
    if (node.is_ignorable()) continue;
    outcome = FindLiveRow(liveness, comparer, node, node.first_data_slot(), false, tid);
  }
  return outcome == Outcome::kFound;
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
