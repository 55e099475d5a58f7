// What the checker score knows of a healthy index: which page is what, where keys may lie, and
// which row addresses there are. It is made from bytes that are known to be in order, so it walks
// them without checking, and shares no code with the verifier.

#ifndef TORNLEAF_TESTS_CHECKER_SCORE_INDEX_MODEL_H_
#define TORNLEAF_TESTS_CHECKER_SCORE_INDEX_MODEL_H_

#include <cstdint>
#include <vector>

#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"

namespace tornleaf {
namespace checker_score {

enum class PageState : std::uint8_t { kMeta, kNew, kDeleted, kHalfDead, kLive };

struct PageModel {
  PageState state = PageState::kNew;
  nbtree::NbtreePage page;  // set unless kNew
  // Part of a branch whose deletion has begun: its keys belong to the page on the right already.
  bool doomed = false;
  BlockNumber left_bound = 0;  // the page whose high key is the bound on the left; 0: none
  BlockNumber right = 0;       // the next live page of the level; 0: none
};

// What an item is for.
enum class ItemRole : std::uint8_t { kHighKey, kMinusInfinity, kDownlink, kLeafData, kDummy };

class IndexModel {
 public:
  // `image` is a whole healthy index of version 4, `schema` its schema; both must outlive this.
  IndexModel(ByteView image, std::uint32_t page_size, const Schema& schema);

  ByteView image() const { return image_; }
  std::uint32_t page_size() const { return page_size_; }
  BlockNumber block_count() const { return static_cast<BlockNumber>(pages_.size()); }
  const Schema& schema() const { return schema_; }
  const nbtree::MetaPage& meta() const { return meta_; }
  const PageModel& page(BlockNumber block) const { return pages_[block]; }

  ItemRole RoleOf(BlockNumber block, OffsetNumber slot) const;
  TupleView Tuple(BlockNumber block, OffsetNumber slot) const {
    return pages_[block].page.tuple(slot);
  }
  bool HasTid(ItemPointer tid) const;
  bool has_posting_lists() const { return has_posting_lists_; }
  // Of pivots with a key. Before version 4 they had no heap TID and all the key columns.
  bool has_pivots() const { return pivot_attributes_max_ != 0; }
  bool pivots_are_uniform() const {
    return !pivots_have_tids_ && pivot_attributes_min_ == pivot_attributes_max_;
  }
  bool pivots_are_whole() const {
    return pivots_are_uniform() && pivot_attributes_min_ == schema_.key_count();
  }

 private:
  void ReadPages();
  void MarkDoomed(BlockNumber half_dead_leaf);
  void LinkLevel(BlockNumber leftmost);
  void CollectItems();

  ByteView image_;
  std::uint32_t page_size_;
  const Schema& schema_;
  nbtree::MetaPage meta_;
  std::vector<PageModel> pages_;
  std::vector<ItemPointer> tids_;  // sorted
  bool has_posting_lists_ = false;
  bool pivots_have_tids_ = false;
  std::uint32_t pivot_attributes_min_ = kMaxAttributes;
  std::uint32_t pivot_attributes_max_ = 0;
};

// The row addresses of a leaf data item, ascending.
std::vector<ItemPointer> TidsOf(TupleView tuple);

}  // namespace checker_score
}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_CHECKER_SCORE_INDEX_MODEL_H_
