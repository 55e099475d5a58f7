#include "engine/tree/unique_check.h"

#include <optional>
#include <utility>
#include <vector>

#include "engine/base/mark.h"
#include "engine/tree/delete.h"
#include "engine/tree/node.h"

namespace tornleaf {

using nbtree::KindOf;
using nbtree::NbtreePage;
using nbtree::TupleKind;

namespace {

// The first live row of an item; none if all are dead.
std::optional<ItemPointer> FirstLiveRow(Liveness* liveness, TupleView item) {
  const bool posting = KindOf(item) == TupleKind::kPosting;
  const std::uint32_t count = posting ? nbtree::PostingCount(item) : 1;
  for (std::uint32_t index = 0; index < count; ++index) {
    const ItemPointer tid = posting ? nbtree::PostingTid(item, index) : item.tid();
    if (!liveness->IsDead(tid)) return tid;
  }
  return std::nullopt;
}

class UniqueChecker {
 public:
  UniqueChecker(Tree* tree, const SearchKey& key, PageRef* leaf)
      : tree_(tree), comparer_(tree->schema(), key), page_(leaf) {}

  // The live row that has the key, if there is one.
  absl::StatusOr<std::optional<ItemPointer>> Run(const PagePlace& place);

 private:
  // Looks at the items of the page from `slot` on. True if the search is over; else all items up to
  // the page's end are equal, or dead.
  bool LookAtPage(OffsetNumber slot, OffsetNumber end);
  absl::StatusOr<bool> ContinuesRight();
  absl::Status StepToLivePage();
  void MarkDead();

  Tree* tree_;
  KeyComparer comparer_;
  PageRef* page_;  // leaf, or right_
  PageRef right_;
  std::optional<ItemPointer> live_;
  std::vector<OffsetNumber> dead_;
};

absl::StatusOr<std::optional<ItemPointer>> UniqueChecker::Run(const PagePlace& place) {
  // An item that is greater than the key ends the search on this page.
  const bool ends_here = place.strict_end <= NodeOf(*page_).item_count();
  bool over = LookAtPage(place.slot, place.strict_end) || ends_here;
  StepLimit limit(tree_);
  for (;;) {
    MarkDead();
    if (over) return live_;
    const absl::StatusOr<bool> continues = ContinuesRight();
    if (!continues.ok()) return continues.status();
    if (!*continues) return live_;
    MARK("unique.check_goes_right");
    absl::Status stepped = limit.Step(page_->block());
    if (stepped.ok()) stepped = StepToLivePage();
    if (!stepped.ok()) return stepped;
    const NbtreePage next = NodeOf(*page_);
    over = LookAtPage(next.first_data_slot(), static_cast<OffsetNumber>(next.item_count() + 1));
  }
}

bool UniqueChecker::LookAtPage(OffsetNumber slot, OffsetNumber end) {
  const NbtreePage node = NodeOf(*page_);
  for (; slot < end; ++slot) {
    // Dead items are passed over without a look at their keys: there may be many.
    if (node.page().line_pointer(slot).flags == LineFlags::kDead) continue;
    if (comparer_.Compare(node, slot) != 0) return true;
    live_ = FirstLiveRow(tree_->parts().liveness, node.tuple(slot));
    if (live_.has_value()) return true;
    MARK("unique.dead_row");
    dead_.push_back(slot);
  }
  return false;
}

absl::StatusOr<bool> UniqueChecker::ContinuesRight() {
  const NbtreePage node = NodeOf(*page_);
  if (node.is_rightmost()) return false;
  const absl::StatusOr<TupleView> high_key = HighKeyOf(*page_);
  if (!high_key.ok()) return high_key.status();
  return comparer_.Compare(node, 1) == 0;
}

absl::Status UniqueChecker::StepToLivePage() {
  StepLimit limit(tree_);
  BlockNumber block = NodeOf(*page_).next();
  for (;;) {
    right_.Drop();
    // Exclusively, so that dead items can be marked.
    absl::StatusOr<PageRef> next = PinNode(tree_, block, 0, Hold::kExclusive);
    if (!next.ok()) return next.status();
    right_ = *std::move(next);
    page_ = &right_;
    const NbtreePage node = NodeOf(right_);
    if (!node.is_ignorable()) return absl::OkStatus();
    MARK("unique.skip_dead_page");
    if (node.is_rightmost()) {
      return Tree::Damage(block, "a dead page at the right end of its level");
    }
    const absl::Status step = limit.Step(block);
    if (!step.ok()) return step;
    block = node.next();
  }
}

void UniqueChecker::MarkDead() {
  if (dead_.empty()) return;
  MarkItemsDead(tree_, page_, dead_);
  dead_.clear();
}

}  // namespace

absl::StatusOr<InsertResult> CheckUnique(Tree* tree, const SearchKey& key, const PagePlace& place,
                                         ItemPointer tid, PageRef* leaf) {
  const absl::StatusOr<std::optional<ItemPointer>> live = UniqueChecker(tree, key, leaf).Run(place);
  if (!live.ok()) return live.status();
  const std::optional<ItemPointer>& row = *live;
  if (!row.has_value()) return InsertResult{};
  if (*row == tid) return InsertResult{InsertResult::kAlreadyThere, {}};
  return InsertResult{InsertResult::kConflict, *row};
}

}  // namespace tornleaf
