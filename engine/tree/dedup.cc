#include "engine/tree/dedup.h"

#include <algorithm>

#include "engine/base/mark.h"
#include "engine/tree/key_image.h"

namespace tornleaf {
namespace {

using nbtree::DedupInterval;
using nbtree::NbtreePage;
using nbtree::TupleKind;

// One pass over the data items of a leaf that gathers neighbours with equal keys.
class DedupPass {
 public:
  DedupPass(const Schema& schema, const NbtreePage& page, std::uint32_t max_posting_size)
      : images_(schema), page_(page), max_posting_size_(max_posting_size) {}

  // Leaves the end of a page of one value alone, for the split that is to come.
  void UseSingleValueStrategy(std::uint32_t new_item_size) {
    single_value_ = true;
    new_item_size_ = new_item_size;
  }
  bool HasOneValue(TupleView new_item);
  std::vector<DedupInterval> Run();

 private:
  TupleView Item(std::uint32_t slot) const { return page_.tuple(static_cast<OffsetNumber>(slot)); }
  void Start(std::uint32_t slot);
  bool Join(std::uint32_t slot);
  void Finish();
  void LimitPostingSize();

  KeyImages images_;
  const NbtreePage& page_;
  std::uint32_t max_posting_size_;
  bool single_value_ = false;
  bool merges_ = true;
  std::uint32_t new_item_size_ = 0;
  int largest_lists_ = 0;  // made or met, that had no room for the next item
  DedupInterval pending_;
  std::uint32_t pending_tids_ = 0;
  std::uint32_t pending_key_size_ = 0;
  std::vector<DedupInterval> intervals_;
};

std::uint32_t TidCount(TupleView item) {
  return nbtree::KindOf(item) == TupleKind::kPosting ? nbtree::PostingCount(item) : 1;
}

bool DedupPass::HasOneValue(TupleView new_item) {
  return images_.Equal(new_item, Item(page_.first_data_slot())) &&
         images_.Equal(new_item, Item(page_.item_count()));
}

void DedupPass::Start(std::uint32_t slot) {
  const TupleView base = Item(slot);
  pending_ = {static_cast<OffsetNumber>(slot), 1};
  pending_tids_ = TidCount(base);
  pending_key_size_ = nbtree::KeyEnd(base);
}

// Takes an item with an equal key into the pending list. False if the list would grow too large.
bool DedupPass::Join(std::uint32_t slot) {
  // Lists with fewer row addresses do not count as large: their key takes up the space.
  constexpr std::uint32_t kFewTids = 50;
  const std::uint32_t tids = pending_tids_ + TidCount(Item(slot));
  if (MaxAlign(pending_key_size_ + tids * index_tuple::kTidSize) > max_posting_size_) {
    if (pending_tids_ > kFewTids) ++largest_lists_;
    return false;
  }
  pending_tids_ = tids;
  ++pending_.item_count;
  return true;
}

void DedupPass::Finish() {
  if (pending_.item_count > 1) intervals_.push_back(pending_);
}

// Of a page of one value, five large lists are made; a sixth one is a little smaller, so that a
// split which leaves the left half 96 % full finds its place between lists; the rest stays as it
// is.
void DedupPass::LimitPostingSize() {
  constexpr int kLargeLists = 5;
  if (largest_lists_ == kLargeLists) {
    MARK("dedup.single_value.sixth_list");
    const std::uint32_t left_free = page_.page().size() - slotted_v4::kHeaderSize -
                                    nbtree::kOpaqueSize - new_item_size_ -
                                    MaxAlign(index_tuple::kTidSize);
    const auto reduction =
        static_cast<std::uint32_t>(left_free * ((100 - nbtree::kFillFactorSingleValue) / 100.0));
    max_posting_size_ -= std::min(max_posting_size_, reduction);
  } else if (largest_lists_ == kLargeLists + 1) {
    MARK("dedup.single_value.end");
    merges_ = false;
    single_value_ = false;
  }
}

std::vector<DedupInterval> DedupPass::Run() {
  const std::uint32_t first = page_.first_data_slot();
  const std::uint32_t count = page_.item_count();
  if (first > count) return {};
  Start(first);
  for (std::uint32_t slot = first + 1; slot <= count; ++slot) {
    if (merges_ && images_.Equal(Item(pending_.base), Item(slot)) && Join(slot)) continue;
    Finish();
    if (single_value_) LimitPostingSize();
    Start(slot);
  }
  Finish();
  return std::move(intervals_);
}

}  // namespace

std::vector<DedupInterval> PlanDedup(const Schema& schema, const NbtreePage& page,
                                     TupleView new_item, std::uint32_t new_item_size,
                                     bool bottom_up) {
  if (page.item_count() < page.first_data_slot()) return {};
  DedupPass pass(schema, page, nbtree::Limits{page.page().size()}.MaxPostingSizeInPass());
  if (!bottom_up && pass.HasOneValue(new_item)) {
    MARK("dedup.single_value");
    pass.UseSingleValueStrategy(new_item_size + slotted_v4::kLinePointerSize);
  }
  return pass.Run();
}

std::vector<DedupInterval> EqualRuns(const Schema& schema, const NbtreePage& page) {
  // A posting list as large as a page has room for every row address that a page can hold.
  return DedupPass(schema, page, page.page().size()).Run();
}

}  // namespace tornleaf
