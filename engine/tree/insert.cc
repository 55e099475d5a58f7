#include "engine/tree/insert.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/tree/dedup_page.h"
#include "engine/tree/delete.h"
#include "engine/tree/key_compare.h"
#include "engine/tree/node.h"
#include "engine/tree/split.h"
#include "engine/tree/unique_check.h"

namespace tornleaf {

using nbtree::KindOf;
using nbtree::NbtreePage;
using nbtree::TupleKind;

namespace {

// What a split pins at most: child, page, right half, sibling, metapage and the page that is read.
constexpr std::uint32_t kFramesOfInsertion = 6;

// One insertion on its way.
class Inserter {
 public:
  Inserter(Tree* tree, const InsertRequest& request, TupleView tuple, bool check_unique)
      : tree_(tree), request_(request), tuple_(tuple), check_unique_(check_unique) {}

  absl::StatusOr<InsertResult> Run();

 private:
  absl::Status FindTargetLeaf();
  absl::Status StepToRightSibling();
  absl::StatusOr<bool> MakeRoom(bool duplicates_seen);
  absl::StatusOr<InsertResult> Place();
  // Where the tuple goes on the leaf, by a search that uses what the unique check found out.
  PagePlace FindPlace();

  std::uint32_t size() const { return MaxAlign(tuple_.stored_size()); }

  Tree* tree_;
  const InsertRequest& request_;
  TupleView tuple_;
  bool check_unique_;
  SearchKey key_;
  Descent descent_;
  PageRef leaf_;
  // The key's place on leaf_, while that is the page that was searched, and as it was. As long as
  // the key has no row address, items that are equal to it are in [slot, strict_end).
  std::optional<PagePlace> place_;
};

absl::StatusOr<InsertResult> Inserter::Run() {
  key_.values = request_.values;
  key_.count = tree_->schema().key_count();
  // With the row address the search would lead past rows with an equal key.
  if (!check_unique_) key_.tid = request_.tid;
  PagePlace found_place;
  absl::StatusOr<PageRef> leaf = FindLeaf(tree_, key_, Access::kWrite, &descent_, &found_place);
  if (!leaf.ok()) return leaf.status();
  leaf_ = *std::move(leaf);
  place_ = found_place;
  if (check_unique_) {
    // Whoever inserts the same key begins on this leaf, which stays held until the row is there.
    absl::StatusOr<InsertResult> found =
        CheckUnique(tree_, key_, found_place, request_.tid, &leaf_);
    if (!found.ok() || found->outcome != InsertResult::kInserted) return found;
    key_.tid = request_.tid;
  }
  const absl::Status at_target = FindTargetLeaf();
  if (!at_target.ok()) return at_target;
  return Place();
}

absl::Status Inserter::FindTargetLeaf() {
  bool duplicates_seen = request_.key_unchanged;
  if (check_unique_) {
    duplicates_seen |= place_.has_value() && place_->slot < place_->strict_end;
    const KeyComparer comparer(tree_->schema(), key_);
    StepLimit limit(tree_);
    for (;;) {
      const NbtreePage node = NodeOf(leaf_);
      // An item that is greater than the key says that the row belongs here.
      if (place_.has_value() && place_->strict_end <= node.item_count()) break;
      if (node.is_rightmost()) break;
      const absl::StatusOr<TupleView> high_key = HighKeyOf(leaf_);
      if (!high_key.ok()) return high_key.status();
      if (!comparer.IsPastHighKey(node)) break;
      MARK("insert.unique_moves_right");
      absl::Status stepped = limit.Step(leaf_.block());
      if (stepped.ok()) stepped = StepToRightSibling();
      if (!stepped.ok()) return stepped;
      duplicates_seen = true;
    }
  }
  if (FreeSpaceOf(leaf_.view()) >= size()) return absl::OkStatus();
  return MakeRoom(duplicates_seen).status();
}

// Holds the right sibling before the leaf is given up: else another insertion of the same key could
// miss this one. The leaf is not the rightmost.
absl::Status Inserter::StepToRightSibling() {
  StepLimit limit(tree_);
  BlockNumber block = NodeOf(leaf_).next();
  PageRef right;
  for (;;) {
    absl::StatusOr<PageRef> next = PinNode(tree_, block, 0, Hold::kExclusive);
    if (!next.ok()) return next.status();
    const absl::Status counted = limit.Step(block);
    if (!counted.ok()) return counted;
    if (NodeOf(*next).is_incomplete_split()) {
      MARK("insert.finish_split_of_right_sibling");
      const absl::Status finished = FinishSplit(tree_, *std::move(next), &descent_);
      if (!finished.ok()) return finished;
      continue;
    }
    if (!NodeOf(*next).is_ignorable()) {
      leaf_ = *std::move(next);
      place_.reset();
      return absl::OkStatus();
    }
    MARK("insert.skip_dead_sibling");
    if (NodeOf(*next).is_rightmost()) {
      return Tree::Damage(block, "a dead page at the right end of its level");
    }
    block = NodeOf(*next).next();
  }
}

// Tries to avoid a split of the leaf. The order is PostgreSQL's: what is known to be dead, then
// old versions of rows, then deduplication.
absl::StatusOr<bool> Inserter::MakeRoom(bool duplicates_seen) {
  absl::StatusOr<bool> deleted = SimpleDelete(tree_, &leaf_, tuple_);
  if (!deleted.ok()) return deleted;
  if (*deleted) {
    place_.reset();
    if (FreeSpaceOf(leaf_.view()) >= size()) {
      MARK("insert.room_by_simple_deletion");
      return true;
    }
    duplicates_seen = true;
  }
  // In a unique index without duplicates there are neither versions nor posting lists to gain.
  if (check_unique_ && !duplicates_seen) return false;
  place_.reset();
  if (duplicates_seen) {
    const absl::StatusOr<bool> enough = BottomUpDelete(tree_, &leaf_, size());
    if (!enough.ok()) return enough;
    if (*enough) {
      MARK("insert.room_by_bottom_up_deletion");
      return true;
    }
  }
  if (tree_->deduplicates()) {
    const absl::Status passed = DeduplicatePage(tree_, &leaf_, tuple_, size(), duplicates_seen);
    if (!passed.ok()) return passed;
  }
  return FreeSpaceOf(leaf_.view()) >= size();
}

PagePlace Inserter::FindPlace() {
  if (place_.has_value() && !check_unique_) return *place_;
  const KeyComparer comparer(tree_->schema(), key_);
  if (place_.has_value()) return comparer.Search(NodeOf(leaf_), place_->slot, place_->strict_end);
  return comparer.SearchPage(NodeOf(leaf_));
}

absl::StatusOr<InsertResult> Inserter::Place() {
  PagePlace place = FindPlace();
  PageInsertion insertion;
  if (place.equal != 0) {
    NbtreePage node = NodeOf(leaf_);
    TupleView equal = node.tuple(place.equal);
    const bool dead_posting = KindOf(equal) == TupleKind::kPosting &&
                              node.page().line_pointer(place.equal).flags == LineFlags::kDead;
    if (dead_posting) {
      // A posting list that is marked dead must not come back to life by getting a new address.
      MARK("insert.into_dead_posting");
      const absl::StatusOr<bool> deleted = SimpleDelete(tree_, &leaf_, tuple_);
      if (!deleted.ok()) return deleted.status();
      place_.reset();
      place = FindPlace();
    }
  }
  if (place.equal != 0) {
    const TupleView equal = NodeOf(leaf_).tuple(place.equal);
    if (KindOf(equal) != TupleKind::kPosting) return InsertResult{InsertResult::kAlreadyThere, {}};
    const std::uint32_t index = FindInPosting(equal, request_.tid);
    if (nbtree::PostingTid(equal, index) == request_.tid) {
      return InsertResult{InsertResult::kAlreadyThere, {}};
    }
    insertion.posting_offset = static_cast<std::uint16_t>(index);
    place.slot = static_cast<OffsetNumber>(place.equal + 1);
  }
  insertion.slot = place.slot;
  insertion.item = tuple_;
  insertion.page = std::move(leaf_);
  const absl::Status inserted = InsertUpwards(tree_, std::move(insertion), &descent_);
  if (!inserted.ok()) return inserted;
  return InsertResult{};
}

// Whether a row with these values can be in conflict with another one.
bool CanConflict(const Schema& schema, const Value* values) {
  if (schema.nulls_not_distinct()) return true;
  for (std::uint32_t index = 0; index < schema.key_count(); ++index) {
    if (values[index].is_null) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<InsertResult> Insert(Tree* tree, const InsertRequest& request) {
  const Schema& schema = tree->schema();
  const nbtree::Limits limits = tree->limits();
  if (request.tid.block == kInvalidBlock || request.tid.offset == 0 ||
      request.tid.offset > limits.MaxHeapOffset()) {
    return absl::InvalidArgumentError(absl::StrCat("(", request.tid.block, ",", request.tid.offset,
                                                   ") is no row address for this page size"));
  }
  std::vector<std::uint8_t> bytes;
  const std::uint32_t size =
      FormTuple(schema, request.values, schema.attribute_count(), request.tid, &bytes);
  if (size == 0 || size > limits.MaxItemSize()) {
    return absl::InvalidArgumentError(absl::StrCat("the row's tuple is larger than ",
                                                   limits.MaxItemSize(),
                                                   " bytes, of which three must fit a page"));
  }
  const bool check_unique =
      request.unique == UniqueCheck::kEnforce && CanConflict(schema, request.values);
  const FrameBudget::Share frames(tree->parts().pool->budget(), kFramesOfInsertion);
  const LinkUse link_use(tree->parts().transactions);
  return Inserter(tree, request, TupleView(bytes), check_unique).Run();
}

}  // namespace tornleaf
