// The second stage of page deletion: taking a page out of the chain of its siblings.

#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/mark.h"
#include "engine/format/nbtree_tuple.h"
#include "engine/tree/page_delete.h"
#include "engine/tree/page_links.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

namespace {

// Line pointers give way to the transaction id; links stay, for whoever is on the way to the page.
void BecomeDeleted(PageRef* page, FullXid safe_xid) {
  const PageWriter writer = page->writer();
  const auto flags = static_cast<std::uint16_t>((NodeOf(*page).flags() & ~nbtree::kHalfDead) |
                                                nbtree::kDeleted | nbtree::kHasFullXid);
  nbtree::SetFlags(writer, flags);
  nbtree::SetCycleId(writer, 0);
  page->writer().set_upper(writer.view().special());
  page->writer().set_lower(nbtree::kDeletedLower);
  Store(writer.data(), nbtree::kSafeXid, safe_xid);
}

// One page, its siblings, and the half-dead leaf of whose branch it is the top. The pages are held
// in the order in which everybody holds them: up, and within a level from left to right. The leaf
// comes first, the metapage last.
class Unlinking {
 public:
  Unlinking(Tree* tree, PageRef* leaf) : tree_(tree), leaf_(leaf) {}

  absl::Status Prepare();
  // After Prepare(). Gives the page that was deleted.
  DeletedPage Apply();
  bool right_is_empty() const { return right_is_empty_; }

 private:
  bool target_is_leaf() const { return !target_page_.valid(); }
  PageRef* target() { return target_is_leaf() ? leaf_ : &target_page_; }

  absl::Status ReadLeaf();
  absl::Status HoldLeft();
  absl::Status HoldTarget();
  absl::Status CheckTarget();
  absl::Status HoldRight();
  absl::Status HoldMeta();
  void UpdateMeta();
  void Log(FullXid safe_xid);

  Tree* tree_;
  PageRef* leaf_;
  PageRef target_page_;  // invalid where the leaf itself is the target
  PageRef left_page_;    // invalid where the target is the leftmost
  PageRef right_page_;
  PageRef meta_page_;  // invalid where the fast root stays
  std::uint32_t level_ = 0;
  BlockNumber left_ = nbtree::kNoSibling;
  BlockNumber leaf_left_ = nbtree::kNoSibling;
  BlockNumber leaf_right_ = nbtree::kNoSibling;
  BlockNumber next_top_ = kInvalidBlock;  // of the branch, when the target is gone
  bool right_is_empty_ = false;
};

// Finds out which page is the target, and what is left of it, and lets go of the leaf. The pin
// stays, and a half-dead leaf is changed by nobody else: there is one VACUUM at a time.
absl::Status Unlinking::ReadLeaf() {
  const nbtree::NbtreePage leaf = NodeOf(*leaf_);
  CHECK(leaf.is_half_dead());
  if (leaf.item_count() != 1 || leaf.is_rightmost()) {
    return Tree::Damage(leaf_->block(), "a half-dead page with other items than its high key");
  }
  const BlockNumber top = nbtree::Downlink(leaf.tuple(1));
  leaf_left_ = leaf.prev();
  leaf_right_ = leaf.next();
  left_ = leaf_left_;
  leaf_->Release();
  if (top == kInvalidBlock) return absl::OkStatus();
  if (top == leaf_->block()) return Tree::Damage(top, "the top of its branch is the page itself");

  MARK("page_unlink.branch");
  absl::StatusOr<PageRef> target = tree_->Pin(top, Hold::kShared);
  if (!target.ok()) return target.status();
  const nbtree::NbtreePage page = NodeOf(*target);
  if (page.is_meta() || page.is_leaf() || page.is_deleted() || page.level() == 0 ||
      page.level() > kMaxLevel) {
    return Tree::Damage(top, "the top of a half-dead page's branch is no internal page");
  }
  level_ = page.level();
  left_ = page.prev();
  target_page_ = *std::move(target);
  target_page_.Release();
  return absl::OkStatus();
}

// The sibling may have been split since, and then is further to the right.
absl::Status Unlinking::HoldLeft() {
  const BlockNumber target_block = target()->block();
  StepLimit limit(tree_);
  while (left_ != nbtree::kNoSibling) {
    absl::StatusOr<PageRef> page =
        PinBeside(tree_, left_, level_, Hold::kExclusive, {leaf_, target()});
    if (!page.ok()) return page.status();
    const nbtree::NbtreePage node = NodeOf(*page);
    if (!node.is_deleted() && node.next() == target_block) {
      left_page_ = *std::move(page);
      return absl::OkStatus();
    }
    if (node.is_deleted() || node.is_rightmost()) {
      return Tree::Damage(target_block, "none of its left siblings has a link to it");
    }
    MARK("page_unlink.left_sibling_split");
    const absl::Status step = limit.Step(left_);
    if (!step.ok()) return step;
    left_ = node.next();
  }
  return absl::OkStatus();
}

absl::Status Unlinking::CheckTarget() {
  const nbtree::NbtreePage page = NodeOf(*target());
  if (page.is_rightmost() || page.is_root() || page.is_deleted() || page.prev() != left_) {
    return Tree::Damage(target()->block(), "it cannot be unlinked from these neighbours");
  }
  if (target_is_leaf()) {
    const bool fit = page.is_leaf() && page.is_half_dead() && IsEmpty(page);
    return fit ? absl::OkStatus() : Tree::Damage(leaf_->block(), "a half-dead page has changed");
  }
  if (page.is_leaf() || page.item_count() != page.first_data_slot()) {
    return Tree::Damage(target()->block(), "it is in a half-dead page's branch and has children");
  }
  const BlockNumber child = nbtree::Downlink(page.tuple(page.first_data_slot()));
  // The leaf says nothing of itself.
  if (child != leaf_->block()) next_top_ = child;
  if ((next_top_ == kInvalidBlock) != (level_ == 1)) {
    return Tree::Damage(target()->block(), "its branch does not end at the half-dead page");
  }
  return absl::OkStatus();
}

absl::Status Unlinking::HoldTarget() {
  target()->HoldExclusive();
  return CheckTarget();
}

absl::Status Unlinking::HoldRight() {
  const BlockNumber right = NodeOf(*target()).next();
  absl::StatusOr<PageRef> page =
      PinBeside(tree_, right, level_, Hold::kExclusive, {leaf_, target(), &left_page_});
  if (!page.ok()) return page.status();
  const nbtree::NbtreePage node = NodeOf(*page);
  if (node.is_deleted() || node.prev() != target()->block()) {
    return Tree::Damage(right, "its left link does not lead to its left neighbour");
  }
  right_is_empty_ = IsEmpty(node);
  right_page_ = *std::move(page);
  return absl::OkStatus();
}

// Where the right sibling will be the only page of its level, searches may start there from now on.
absl::Status Unlinking::HoldMeta() {
  if (left_ != nbtree::kNoSibling || !NodeOf(right_page_).is_rightmost()) return absl::OkStatus();
  absl::StatusOr<PageRef> page = tree_->Pin(nbtree::kMetaBlock, Hold::kExclusive);
  if (!page.ok()) return page.status();
  if (nbtree::MetaPage::Load(page->view()).fast_level > level_ + 1) {
    // The level above has several pages still: one that only leads to the next is among them.
    MARK("page_unlink.fast_root_stays");
    return absl::OkStatus();
  }
  MARK("page_unlink.fast_root_moves_down");
  meta_page_ = *std::move(page);
  return absl::OkStatus();
}

absl::Status Unlinking::Prepare() {
  absl::Status status = ReadLeaf();
  if (!status.ok()) return status;
  if (!target_is_leaf()) leaf_->HoldExclusive();
  status = HoldLeft();
  if (!status.ok()) return status;
  status = HoldTarget();
  if (!status.ok()) return status;
  status = HoldRight();
  if (!status.ok()) return status;
  return HoldMeta();
}

void Unlinking::UpdateMeta() {
  nbtree::MetaPage meta = nbtree::MetaPage::Load(meta_page_.view());
  meta.fast_root = right_page_.block();
  meta.fast_level = level_;
  WriteMeta(&meta_page_, meta);
}

DeletedPage Unlinking::Apply() {
  if (left_page_.valid()) nbtree::SetNext(left_page_.writer(), right_page_.block());
  nbtree::SetPrev(right_page_.writer(), left_);
  if (!target_is_leaf()) {
    const LinePointer pointer = leaf_->view().line_pointer(1);
    nbtree::SetDownlink(leaf_->writer().data() + pointer.offset, next_top_);
  }
  // Taken when no link leads here any more: whoever begins later cannot have met one.
  const FullXid safe_xid = tree_->parts().transactions->Take();
  BecomeDeleted(target(), safe_xid);
  if (meta_page_.valid()) UpdateMeta();
  Log(safe_xid);
  if (meta_page_.valid()) tree_->set_cached_fast_root({right_page_.block(), level_});
  return {target()->block(), safe_xid};
}

void Unlinking::Log(FullXid safe_xid) {
  wal::Bytes main_data;
  wal::UnlinkRecord{left_,      right_page_.block(), level_,   safe_xid,
                    leaf_left_, leaf_right_,         next_top_}
      .Encode(&main_data);
  const bool with_meta = meta_page_.valid();
  const RelationId& relation = tree_->parts().relation_id;
  LoggedChange change(tree_->parts().log, wal::ResourceManager::kBtree,
                      with_meta ? wal::kUnlinkPageMeta : wal::kUnlinkPage);
  change.AddMain(main_data);
  change.AddPage(0, relation, target(), wal::kWillInit);
  if (left_page_.valid()) change.AddPage(1, relation, &left_page_, wal::kStandardPage);
  change.AddPage(2, relation, &right_page_, wal::kStandardPage);
  if (!target_is_leaf()) change.AddPage(3, relation, leaf_, wal::kWillInit);
  wal::Bytes meta_data;
  if (with_meta) {
    wal::EncodeMeta(nbtree::MetaPage::Load(meta_page_.view()), &meta_data);
    change.AddPage(4, relation, &meta_page_,
                   static_cast<std::uint8_t>(wal::kWillInit | wal::kStandardPage));
    change.AddData(meta_data);
  }
  change.Commit();
}

}  // namespace

absl::StatusOr<bool> UnlinkHalfDead(Tree* tree, PageRef* leaf, std::vector<DeletedPage>* deleted) {
  CHECK(leaf->hold() == Hold::kExclusive);
  Unlinking unlinking(tree, leaf);
  const absl::Status prepared = unlinking.Prepare();
  if (!prepared.ok()) return prepared;
  deleted->push_back(unlinking.Apply());
  return unlinking.right_is_empty();
}

}  // namespace tornleaf
