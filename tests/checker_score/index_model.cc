#include "tests/checker_score/index_model.h"

#include <algorithm>

namespace tornleaf {
namespace checker_score {

std::vector<ItemPointer> TidsOf(TupleView tuple) {
  if (nbtree::KindOf(tuple) == nbtree::TupleKind::kPlain) return {tuple.tid()};
  std::vector<ItemPointer> tids;
  for (std::uint32_t index = 0; index < nbtree::PostingCount(tuple); ++index) {
    tids.push_back(nbtree::PostingTid(tuple, index));
  }
  return tids;
}

IndexModel::IndexModel(ByteView image, std::uint32_t page_size, const Schema& schema)
    : image_(image), page_size_(page_size), schema_(schema) {
  ReadPages();
  for (BlockNumber block = 0; block < block_count(); ++block) {
    if (pages_[block].state == PageState::kHalfDead) MarkDoomed(block);
  }
  for (BlockNumber block = 0; block < block_count(); ++block) {
    const PageModel& model = pages_[block];
    const bool in_tree = model.state == PageState::kLive || model.state == PageState::kHalfDead;
    if (in_tree && model.page.is_leftmost()) LinkLevel(block);
  }
  CollectItems();
}

void IndexModel::ReadPages() {
  pages_.resize(image_.size() / page_size_);
  for (BlockNumber block = 0; block < block_count(); ++block) {
    PageModel& model = pages_[block];
    const PageView view(image_.subspan(std::size_t{block} * page_size_, page_size_));
    if (view.is_new()) continue;
    model.page = nbtree::NbtreePage(view);
    model.state = model.page.is_meta()        ? PageState::kMeta
                  : model.page.is_deleted()   ? PageState::kDeleted
                  : model.page.is_half_dead() ? PageState::kHalfDead
                                              : PageState::kLive;
  }
  CHECK(pages_[0].state == PageState::kMeta);
  meta_ = nbtree::MetaPage::Load(pages_[0].page.page());
  CHECK(meta_.version == nbtree::kVersionMax);
}

// A half-dead leaf names the top page of its branch; below that page there is one child each.
void IndexModel::MarkDoomed(BlockNumber half_dead_leaf) {
  pages_[half_dead_leaf].doomed = true;
  BlockNumber block = nbtree::Downlink(Tuple(half_dead_leaf, 1));
  if (block == kInvalidBlock) return;
  for (BlockNumber step = 0; step < block_count() && block != half_dead_leaf; ++step) {
    pages_[block].doomed = true;
    block = nbtree::Downlink(Tuple(block, pages_[block].page.first_data_slot()));
  }
  CHECK(block == half_dead_leaf);
}

void IndexModel::LinkLevel(BlockNumber leftmost) {
  BlockNumber bound = 0;
  BlockNumber before = 0;
  BlockNumber block = leftmost;
  for (BlockNumber step = 0; step < block_count(); ++step) {
    PageModel& model = pages_[block];
    model.left_bound = bound;
    if (model.state == PageState::kLive) {
      if (before != 0) pages_[before].right = block;
      before = block;
      if (!model.doomed) bound = block;
    }
    if (model.page.is_rightmost()) return;
    block = model.page.next();
  }
  CHECK(!"the links of a level end");
}

void IndexModel::CollectItems() {
  for (BlockNumber block = 0; block < block_count(); ++block) {
    if (pages_[block].state != PageState::kLive) continue;
    for (OffsetNumber slot = 1; slot <= pages_[block].page.item_count(); ++slot) {
      const TupleView tuple = Tuple(block, slot);
      const ItemRole role = RoleOf(block, slot);
      if (role == ItemRole::kLeafData) {
        has_posting_lists_ |= nbtree::KindOf(tuple) == nbtree::TupleKind::kPosting;
        for (const ItemPointer tid : TidsOf(tuple)) tids_.push_back(tid);
      } else if (role != ItemRole::kMinusInfinity) {
        const std::uint32_t count = nbtree::PivotAttributeCount(tuple);
        pivots_have_tids_ |= nbtree::PivotHasHeapTid(tuple);
        pivot_attributes_min_ = std::min(pivot_attributes_min_, count);
        pivot_attributes_max_ = std::max(pivot_attributes_max_, count);
      }
    }
  }
  std::sort(tids_.begin(), tids_.end());
}

ItemRole IndexModel::RoleOf(BlockNumber block, OffsetNumber slot) const {
  const PageModel& model = pages_[block];
  if (model.state == PageState::kHalfDead) return ItemRole::kDummy;
  if (slot < model.page.first_data_slot()) return ItemRole::kHighKey;
  if (model.page.is_leaf()) return ItemRole::kLeafData;
  return slot == model.page.first_data_slot() ? ItemRole::kMinusInfinity : ItemRole::kDownlink;
}

bool IndexModel::HasTid(ItemPointer tid) const {
  return std::binary_search(tids_.begin(), tids_.end(), tid);
}

}  // namespace checker_score
}  // namespace tornleaf
