#include "engine/tree/split.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/mark.h"
#include "engine/tree/insert.h"
#include "engine/tree/new_root.h"
#include "engine/tree/node.h"
#include "engine/tree/split_point.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

using nbtree::EditError;
using nbtree::NbtreePage;

namespace {

using Buffer = std::vector<std::uint8_t>;

// The item and its neighbour as they will be on the pages, after the exchange of row addresses.
struct FinalItems {
  Buffer posting_bytes;
  Buffer item_bytes;
  TupleView item;
  TupleView posting;  // empty if there is no exchange
};

absl::Status Finalise(const PageInsertion& insertion, FinalItems* items) {
  items->item = insertion.item;
  if (insertion.posting_offset == 0) return absl::OkStatus();
  const NbtreePage node = NodeOf(insertion.page);
  const TupleView existing = node.tuple(static_cast<OffsetNumber>(insertion.slot - 1));
  const EditError error = nbtree::SwapPosting(existing, insertion.item, insertion.posting_offset,
                                              &items->posting_bytes, &items->item_bytes);
  if (error != EditError::kNone) return RefusedEdit(insertion.page.block(), error);
  items->posting = TupleView(items->posting_bytes);
  items->item = TupleView(items->item_bytes);
  return absl::OkStatus();
}

// The new high key of the left half: a separator between its last and the right half's first item
// on a leaf; on an internal page that first item, so that separators stay the same from level to
// level.
Buffer FormHighKey(const Schema& schema, const PageInsertion& insertion, const FinalItems& items,
                   const SplitPoint& point) {
  const NbtreePage node = NodeOf(insertion.page);
  const auto existing = [&](OffsetNumber slot) {
    const bool swapped = insertion.posting_offset != 0 && slot + 1 == insertion.slot;
    return swapped ? items.posting : node.tuple(slot);
  };
  const bool new_at_boundary = point.first_right == insertion.slot;
  const TupleView first_right =
      new_at_boundary && !point.new_item_on_left ? items.item : existing(point.first_right);
  Buffer high_key;
  if (!node.is_leaf()) {
    high_key.assign(first_right.data(), first_right.data() + first_right.stored_size());
    return high_key;
  }
  const TupleView last_left = new_at_boundary && point.new_item_on_left
                                  ? items.item
                                  : existing(static_cast<OffsetNumber>(point.first_right - 1));
  nbtree::TruncateForHighKey(schema, last_left, first_right, &high_key);
  return high_key;
}

// The page right of the one that is split, held exclusively; invalid if that is the rightmost.
absl::StatusOr<PageRef> PinOldSibling(Tree* tree, const PageRef& page) {
  const NbtreePage node = NodeOf(page);
  if (node.is_rightmost()) return PageRef();
  absl::StatusOr<PageRef> sibling = PinNode(tree, node.next(), node.level(), Hold::kExclusive);
  if (!sibling.ok()) return sibling;
  if (NodeOf(*sibling).is_deleted() || NodeOf(*sibling).prev() != page.block()) {
    MARK("split.sibling_does_not_link_back");
    return Tree::Damage(sibling->block(), "the left sibling it links to is another");
  }
  return sibling;
}

// The flags of a half: those of the whole, less what it cannot be any more.
std::uint16_t FlagsOfHalf(const NbtreePage& node) {
  return static_cast<std::uint16_t>(node.flags() &
                                    ~(nbtree::kRoot | nbtree::kSplitEnd | nbtree::kHasGarbage));
}

struct Halves {
  nbtree::SplitPlan plan;
  Buffer high_key;
  Buffer left;
  Buffer right;
};

// Builds both halves beside the page. `sibling` may be invalid.
EditError BuildHalves(Tree* tree, const PageInsertion& insertion, const PageRef& sibling,
                      BlockNumber right_block, Halves* halves) {
  const NbtreePage node = NodeOf(insertion.page);
  const ByteView original = insertion.page.bytes();
  const std::uint16_t cycle_id = tree->cycle_id();
  const std::uint16_t flags = FlagsOfHalf(node);
  const PageWriter right(halves->right);
  std::uint16_t right_flags = flags;
  // A sibling of another VACUUM was not split from this page: VACUUM need not look beyond it.
  if (sibling.valid() && NodeOf(sibling).cycle_id() != cycle_id) right_flags |= nbtree::kSplitEnd;
  nbtree::InitializePage(right, node.level(), right_flags);
  nbtree::SetPrev(right, insertion.page.block());
  nbtree::SetNext(right, node.next());
  nbtree::SetCycleId(right, cycle_id);
  const EditError error = nbtree::BuildSplitRight(original, halves->plan, insertion.item, right);
  if (error != EditError::kNone) return error;
  return nbtree::BuildSplitLeft(original, halves->plan, insertion.item, TupleView(halves->high_key),
                                static_cast<std::uint16_t>(flags | nbtree::kIncompleteSplit),
                                right_block, cycle_id, halves->left);
}

void ClearIncompleteSplit(PageRef* child) {
  nbtree::SetFlags(child->writer(),
                   static_cast<std::uint16_t>(NodeOf(*child).flags() & ~nbtree::kIncompleteSplit));
}

// Logs a split whose pages are ready.
void LogSplit(Tree* tree, PageInsertion* insertion, const Halves& halves, PageRef* right,
              PageRef* sibling) {
  const nbtree::SplitPlan& plan = halves.plan;
  // The exchange is only of interest where the posting list stays on the left: the right half is
  // logged as it is.
  const bool swaps_left = plan.posting_offset != 0 && plan.new_item_slot - 1 < plan.first_right;
  const wal::SplitRecord record{NodeOf(*right).level(), plan.first_right, plan.new_item_slot,
                                swaps_left ? plan.posting_offset : std::uint16_t{0}};
  wal::Bytes main;
  record.Encode(&main);
  const RelationId& id = tree->parts().relation_id;
  LoggedChange change(tree->parts().log, wal::ResourceManager::kBtree,
                      plan.new_item_on_left ? wal::kSplitLeft : wal::kSplitRight);
  change.AddMain(main);
  change.AddPage(0, id, &insertion->page, wal::kStandardPage);
  if (plan.new_item_on_left || swaps_left) change.AddData(insertion->item.bytes());
  change.AddData(halves.high_key);
  change.AddPage(1, id, right, wal::kWillInit);
  const PageView page = right->view();
  change.AddData(page.bytes().subspan(page.upper(), page.special() - page.upper()));
  if (sibling->valid()) change.AddPage(2, id, sibling, wal::kStandardPage);
  if (insertion->child.valid()) change.AddPage(3, id, &insertion->child, wal::kStandardPage);
  change.Commit();
}

void MarkKindOfSplit(const PageInsertion& insertion, const nbtree::SplitPlan& plan) {
  if (insertion.child.valid()) MARK("split.internal");
  if (plan.posting_offset == 0) return;
  if (plan.new_item_on_left) {
    MARK("split.posting_left");
  } else if (plan.new_item_slot == plan.first_right) {
    MARK("split.posting_across");
  } else {
    MARK("split.posting_right");
  }
}

}  // namespace

absl::StatusOr<PageRef> SplitPage(Tree* tree, PageInsertion* insertion) {
  PageRef& left = insertion->page;
  FinalItems items;
  const absl::Status finalised = Finalise(*insertion, &items);
  if (!finalised.ok()) return finalised;
  const SplitPoint point = FindSplitPoint(tree->schema(), NodeOf(left), insertion->slot, items.item,
                                          tree->options().fillfactor);
  if (point.first_right == 0) return Tree::Damage(left.block(), "no place to split it at");

  Halves halves;
  halves.plan = {point.first_right, insertion->slot, point.new_item_on_left,
                 insertion->posting_offset};
  halves.high_key = FormHighKey(tree->schema(), *insertion, items, point);
  halves.left.resize(left.view().size());
  halves.right.resize(left.view().size());
  absl::StatusOr<PageRef> sibling = PinOldSibling(tree, left);
  if (!sibling.ok()) return sibling.status();
  absl::StatusOr<PageRef> right = tree->AllocatePage();
  if (!right.ok()) return right;
  const EditError error = BuildHalves(tree, *insertion, *sibling, right->block(), &halves);
  if (error != EditError::kNone) return RefusedEdit(left.block(), error);

  // From here on nothing fails.
  std::copy(halves.left.begin(), halves.left.end(), left.writer().data());
  std::copy(halves.right.begin(), halves.right.end(), right->writer().data());
  if (sibling->valid()) nbtree::SetPrev(sibling->writer(), right->block());
  if (insertion->child.valid()) ClearIncompleteSplit(&insertion->child);
  LogSplit(tree, insertion, halves, &*right, &*sibling);
  MarkKindOfSplit(*insertion, halves.plan);
  return right;
}

namespace {

// The metapage, held exclusively, if the fast root must move up to the page of `insertion`: a level
// that had one page gets a second one. Else invalid.
absl::StatusOr<PageRef> PinMetaToMoveFastRoot(Tree* tree, const PageInsertion& insertion) {
  if (!insertion.child_was_alone) return PageRef();
  absl::StatusOr<PageRef> meta_page = tree->Pin(nbtree::kMetaBlock, Hold::kExclusive);
  if (!meta_page.ok()) return meta_page;
  const auto meta = nbtree::MetaPage::Load(meta_page->view());
  if (meta.fast_level >= NodeOf(insertion.page).level()) return PageRef();
  MARK("split.fast_root_moves_up");
  return meta_page;
}

std::uint8_t OperationOf(const PageInsertion& insertion, const PageRef& meta_page) {
  if (insertion.posting_offset != 0) return wal::kInsertPosting;
  if (!insertion.child.valid()) return wal::kInsertLeaf;
  return meta_page.valid() ? wal::kInsertMeta : wal::kInsertUpper;
}

// Logs an item that is on its page.
void LogInsertion(Tree* tree, PageInsertion* insertion, PageRef* meta_page) {
  const RelationId& id = tree->parts().relation_id;
  std::uint8_t main[sizeof(OffsetNumber)];
  StoreLittleEndian(main, insertion->slot);
  std::uint8_t posting_offset[sizeof(std::uint16_t)];
  StoreLittleEndian(posting_offset, insertion->posting_offset);
  wal::Bytes meta_bytes;
  LoggedChange change(tree->parts().log, wal::ResourceManager::kBtree,
                      OperationOf(*insertion, *meta_page));
  change.AddMain(main);
  change.AddPage(0, id, &insertion->page, wal::kStandardPage);
  if (insertion->posting_offset != 0) change.AddData(posting_offset);
  change.AddData(insertion->item.bytes());
  if (insertion->child.valid()) change.AddPage(1, id, &insertion->child, wal::kStandardPage);
  if (meta_page->valid()) {
    wal::EncodeMeta(nbtree::MetaPage::Load(meta_page->view()), &meta_bytes);
    change.AddPage(2, id, meta_page, wal::kWillInit | wal::kStandardPage);
    change.AddData(meta_bytes);
  }
  change.Commit();
}

// Inserts where there is room.
absl::Status InsertOnPage(Tree* tree, PageInsertion* insertion) {
  absl::StatusOr<PageRef> meta_page = PinMetaToMoveFastRoot(tree, *insertion);
  if (!meta_page.ok()) return meta_page.status();
  const PageWriter writer = insertion->page.writer();
  const EditError error = insertion->posting_offset == 0
                              ? nbtree::InsertItem(writer, insertion->slot, insertion->item.bytes())
                              : nbtree::InsertIntoPosting(writer, insertion->slot, insertion->item,
                                                          insertion->posting_offset);
  if (error != EditError::kNone) return RefusedEdit(insertion->page.block(), error);
  if (insertion->posting_offset != 0) MARK("insert.posting_split");
  if (insertion->child.valid()) ClearIncompleteSplit(&insertion->child);
  if (meta_page->valid()) {
    auto meta = nbtree::MetaPage::Load(meta_page->view());
    meta.fast_root = insertion->page.block();
    meta.fast_level = NodeOf(insertion->page).level();
    WriteMeta(&*meta_page, meta);
  }
  LogInsertion(tree, insertion, &*meta_page);
  return absl::OkStatus();
}

// What is known of a page and its new right sibling whose downlink is missing.
struct SplitPages {
  PageRef left;
  PageRef right;
  bool was_root = false;
  bool was_alone = false;  // on its level
};

// The second step of a split, up to the point where the downlink is to be inserted: fills
// `insertion` and `downlink`, the bytes of its item. If the root was split there is nothing to
// insert, since the new root has its downlinks: the page stays invalid.
absl::Status PrepareDownlink(Tree* tree, SplitPages split, Descent* descent,
                             PageInsertion* insertion, Buffer* downlink) {
  *insertion = PageInsertion();
  if (split.was_root) return MakeRootAbove(tree, &split.left, &split.right);
  const absl::StatusOr<TupleView> high_key = HighKeyOf(split.left);
  if (!high_key.ok()) return high_key.status();
  downlink->assign(high_key->data(), high_key->data() + high_key->stored_size());
  nbtree::SetDownlink(downlink->data(), split.right.block());
  absl::StatusOr<ParentPlace> parent =
      FindParent(tree, descent, split.left.block(), NodeOf(split.left).level());
  if (!parent.ok()) return parent.status();
  // The right page is held until the parent is: nobody finds it without a downlink before.
  split.right.Drop();
  insertion->page = std::move(parent->page);
  insertion->child = std::move(split.left);
  insertion->item = TupleView(*downlink);
  insertion->slot = static_cast<OffsetNumber>(parent->slot + 1);
  insertion->child_was_alone = split.was_alone;
  return absl::OkStatus();
}

}  // namespace

absl::Status InsertUpwards(Tree* tree, PageInsertion insertion, Descent* descent) {
  // Each turn is one level higher than the one before, since FindParent() gives such a page.
  Buffer downlink;
  while (insertion.page.valid()) {
    if (FreeSpaceOf(insertion.page.view()) >= MaxAlign(insertion.item.stored_size())) {
      return InsertOnPage(tree, &insertion);
    }
    const NbtreePage node = NodeOf(insertion.page);
    SplitPages split;
    split.was_root = node.is_root();
    split.was_alone = node.is_leftmost() && node.is_rightmost();
    absl::StatusOr<PageRef> right = SplitPage(tree, &insertion);
    if (!right.ok()) return right.status();
    split.left = std::move(insertion.page);
    split.right = *std::move(right);
    const absl::Status prepared =
        PrepareDownlink(tree, std::move(split), descent, &insertion, &downlink);
    if (!prepared.ok()) return prepared;
  }
  return absl::OkStatus();
}

absl::Status FinishSplit(Tree* tree, PageRef left, Descent* descent) {
  const NbtreePage node = NodeOf(left);
  CHECK(node.is_incomplete_split());
  if (node.is_rightmost()) return Tree::Damage(left.block(), "an unfinished split without a half");
  MARK("split.finish");
  const std::uint32_t level = node.level();
  absl::StatusOr<PageRef> right = PinNode(tree, node.next(), level, Hold::kExclusive);
  if (!right.ok()) return right.status();
  SplitPages split;
  split.was_alone = node.is_leftmost() && NodeOf(*right).is_rightmost();
  const bool came_from_above =
      std::any_of(descent->begin(), descent->end(),
                  [level](const DescentStep& step) { return step.level == level + 1; });
  if (!came_from_above) {
    // Perhaps the root that the split has left without one above it.
    const absl::StatusOr<nbtree::MetaPage> meta = tree->ReadMeta();
    if (!meta.ok()) return meta.status();
    split.was_root = meta->root == left.block();
  }
  split.left = std::move(left);
  split.right = *std::move(right);
  PageInsertion insertion;
  Buffer downlink;
  const absl::Status prepared =
      PrepareDownlink(tree, std::move(split), descent, &insertion, &downlink);
  if (!prepared.ok()) return prepared;
  return InsertUpwards(tree, std::move(insertion), descent);
}

}  // namespace tornleaf
