#include "engine/tree/split_point.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "engine/base/mark.h"
#include "engine/tree/key_image.h"
#include "engine/tree/server_sort.h"

namespace tornleaf {
namespace {

using nbtree::NbtreePage;

constexpr std::int32_t kPointerSize = slotted_v4::kLinePointerSize;

// A place between two items of the page as if the new item were on it.
struct Candidate {
  std::int32_t delta = 0;  // how far from the balance that is wanted
  std::int32_t left_free = 0;
  std::int32_t right_free = 0;
  SplitPoint point;
};

enum class Strategy : std::uint8_t { kDefault, kManyDuplicates, kSingleValue };

// How much of the page the left half is to keep: a fill factor, or half and half.
struct Balance {
  bool by_factor = false;
  double factor = 0.5;
};

class SplitSearch {
 public:
  SplitSearch(const Schema& schema, const NbtreePage& page, OffsetNumber new_item_slot,
              TupleView new_item, std::uint32_t fillfactor);

  SplitPoint Find();

 private:
  void CollectCandidates();
  void AddCandidate(std::uint32_t first_right, bool new_item_on_left, std::int32_t old_on_left);
  bool SplitsAfterNewItem(bool* by_factor);
  bool ContinuesGroup(OffsetNumber before);
  void SortByDelta(const Balance& balance);
  std::size_t CandidatesInBalance() const;
  std::uint32_t ChooseStrategy(const Candidate& leftmost, const Candidate& rightmost,
                               Strategy* strategy);
  void FindEdges(const Candidate** left, const Candidate** right) const;
  std::uint32_t Penalty(const SplitPoint& point);
  SplitPoint Best(std::uint32_t good_enough, Strategy strategy);

  bool NewItemIsFirstRight(const SplitPoint& point) const {
    return !point.new_item_on_left && point.first_right == slot_;
  }
  std::int32_t SizeOf(std::uint32_t slot) const {
    return static_cast<std::int32_t>(
               page_.page().line_pointer(static_cast<OffsetNumber>(slot)).length) +
           kPointerSize;
  }
  TupleView LastLeft(const SplitPoint& point) const {
    if (point.new_item_on_left && point.first_right == slot_) return new_item_;
    return page_.tuple(static_cast<OffsetNumber>(point.first_right - 1));
  }
  TupleView FirstRight(const SplitPoint& point) const {
    return NewItemIsFirstRight(point) ? new_item_ : page_.tuple(point.first_right);
  }

  const Schema& schema_;
  const NbtreePage& page_;
  KeyImages images_;
  OffsetNumber slot_;
  TupleView new_item_;
  double leaf_factor_;
  std::int32_t new_item_size_;  // these sizes include line pointers
  std::int32_t left_space_ = 0;
  std::int32_t right_space_ = 0;
  std::int32_t old_total_ = 0;
  std::int32_t least_first_right_ = std::numeric_limits<std::int32_t>::max();
  std::vector<Candidate> candidates_;
  std::size_t interval_ = 0;  // so many of the sorted candidates are looked at
};

SplitSearch::SplitSearch(const Schema& schema, const NbtreePage& page, OffsetNumber new_item_slot,
                         TupleView new_item, std::uint32_t fillfactor)
    : schema_(schema),
      page_(page),
      images_(schema),
      slot_(new_item_slot),
      new_item_(new_item),
      leaf_factor_(fillfactor / 100.0),
      new_item_size_(static_cast<std::int32_t>(new_item.stored_size()) + kPointerSize) {
  const PageView view = page.page();
  left_space_ =
      static_cast<std::int32_t>(view.size() - slotted_v4::kHeaderSize - nbtree::kOpaqueSize);
  right_space_ = left_space_ - (page.is_rightmost() ? 0 : SizeOf(1));
  old_total_ = right_space_ - static_cast<std::int32_t>(view.upper() - view.lower());
}

// Bytes of a posting list that the high key made of this item will be without. The server does not
// look at tuples that are too small for the difference to matter.
std::int32_t PostingSize(TupleView item) {
  if (nbtree::KindOf(item) != nbtree::TupleKind::kPosting) return 0;
  return static_cast<std::int32_t>(item.size() - nbtree::PostingOffset(item));
}

void SplitSearch::AddCandidate(std::uint32_t first_right, bool new_item_on_left,
                               std::int32_t old_on_left) {
  constexpr std::int32_t kSmall = 64;
  Candidate candidate;
  candidate.point = {static_cast<OffsetNumber>(first_right), new_item_on_left};
  const bool is_new = NewItemIsFirstRight(candidate.point);
  const std::int32_t first_size = is_new ? new_item_size_ : SizeOf(first_right);
  candidate.left_free = left_space_ - old_on_left;
  candidate.right_free = right_space_ - (old_total_ - old_on_left);
  if (page_.is_leaf()) {
    // The first item on the right makes the high key of the left half, which may need a heap TID.
    std::int32_t high_key = first_size + static_cast<std::int32_t>(MaxAlign(index_tuple::kTidSize));
    if (!is_new && first_size > kSmall) high_key -= PostingSize(FirstRight(candidate.point));
    candidate.left_free -= high_key;
  } else {
    // It moves to the left half, and leaves minus infinity on the right.
    candidate.left_free -= first_size;
    candidate.right_free +=
        first_size - (static_cast<std::int32_t>(index_tuple::kHeaderSize) + kPointerSize);
  }
  (new_item_on_left ? candidate.left_free : candidate.right_free) -= new_item_size_;
  if (candidate.left_free < 0 || candidate.right_free < 0) return;
  least_first_right_ = std::min(least_first_right_, first_size);
  candidates_.push_back(candidate);
}

void SplitSearch::CollectCandidates() {
  const std::uint32_t first = page_.first_data_slot();
  const std::uint32_t count = page_.item_count();
  candidates_.reserve(count + 1);
  std::int32_t on_left = 0;
  for (std::uint32_t slot = first; slot <= count; ++slot) {
    // Something must stay on the left.
    if (slot <= slot_ && slot > first) AddCandidate(slot, false, on_left);
    if (slot >= slot_) AddCandidate(slot, true, on_left);
    on_left += SizeOf(slot);
  }
  if (slot_ > count && slot_ > first) AddCandidate(slot_, false, on_left);
}

// Whether heap rows were probably inserted one after the other.
bool AreAdjacent(ItemPointer low, ItemPointer high) {
  return low.block == high.block || (low.block + 1 == high.block && high.offset == 1);
}

// Whether the new item follows the one before in a group of equal leading columns, and is no
// duplicate of it.
bool SplitSearch::ContinuesGroup(OffsetNumber before) {
  const std::uint32_t keep = images_.KeepAttributes(page_.tuple(before), new_item_);
  return keep > 1 && keep <= schema_.key_count();
}

// Whether rows seem to arrive in order within groups of the leading columns: then the page is best
// split after the new item, or, `by_factor`, at the fill factor. Only on leaves that are not the
// rightmost one.
bool SplitSearch::SplitsAfterNewItem(bool* by_factor) {
  constexpr std::int32_t kWidest =
      MaxAlign(index_tuple::kHeaderSize + 2 * sizeof(std::int64_t)) + kPointerSize;
  const std::int32_t count = page_.item_count();
  if (schema_.key_count() == 1 || slot_ == page_.first_data_slot()) return false;
  // All items have the same size, and a small one: fixed-width columns such as counters.
  if (new_item_size_ != least_first_right_) return false;
  if (new_item_size_ * (count - 1) != old_total_) return false;
  if (new_item_size_ > kWidest) return false;

  const auto before = static_cast<OffsetNumber>(slot_ - 1);
  if (slot_ > count) {
    *by_factor = true;
    return ContinuesGroup(before);
  }
  const TupleView item = page_.tuple(before);
  if (nbtree::KindOf(item) == nbtree::TupleKind::kPosting) return false;
  if (!AreAdjacent(item.tid(), new_item_.tid()) || !ContinuesGroup(before)) return false;
  *by_factor = static_cast<double>(slot_) / (static_cast<double>(count) + 1) > leaf_factor_;
  return true;
}

void SplitSearch::SortByDelta(const Balance& balance) {
  for (Candidate& candidate : candidates_) {
    if (balance.by_factor) {
      // In steps of their own, so that no compiler fuses them into one rounding.
      const double left = balance.factor * candidate.left_free;
      const double right = (1.0 - balance.factor) * candidate.right_free;
      const double delta = left - right;
      candidate.delta = std::abs(static_cast<std::int32_t>(delta));
    } else {
      candidate.delta = std::abs(candidate.left_free - candidate.right_free);
    }
  }
  ServerSort(std::span<Candidate>(candidates_), [](const Candidate& a, const Candidate& b) {
    return (a.delta > b.delta) - (a.delta < b.delta);
  });
}

// How many of the candidates, from the best one on, leave about as much free space as the best.
std::size_t SplitSearch::CandidatesInBalance() const {
  const double share = page_.is_leaf() ? 0.050 : 0.075;
  const auto tolerance = static_cast<std::int32_t>(old_total_ * share);
  const Candidate& best = candidates_.front();
  for (std::size_t index = 1; index < candidates_.size(); ++index) {
    const Candidate& other = candidates_[index];
    if (std::abs(other.left_free - best.left_free) > tolerance ||
        std::abs(other.right_free - best.right_free) > tolerance) {
      return index;
    }
  }
  return candidates_.size();
}

// The leftmost and the rightmost candidate of the interval: those that are farthest from the best
// one are at its end.
void SplitSearch::FindEdges(const Candidate** left, const Candidate** right) const {
  const Candidate& best = candidates_.front();
  const Candidate* leftmost = nullptr;
  const Candidate* rightmost = nullptr;
  for (std::size_t index = interval_; index > 1; --index) {
    const Candidate& other = candidates_[index - 1];
    const bool same_slot = other.point.first_right == best.point.first_right;
    const bool before =
        same_slot ? best.point.new_item_on_left : other.point.first_right < best.point.first_right;
    const Candidate** edge = before ? &leftmost : &rightmost;
    if (*edge == nullptr) *edge = &other;
    if (leftmost != nullptr && rightmost != nullptr) break;
  }
  *left = leftmost == nullptr ? &best : leftmost;
  *right = rightmost == nullptr ? &best : rightmost;
}

// Decides how far to look, and which penalty is good enough to stop looking.
std::uint32_t SplitSearch::ChooseStrategy(const Candidate& leftmost, const Candidate& rightmost,
                                          Strategy* strategy) {
  *strategy = Strategy::kDefault;
  if (!page_.is_leaf()) return static_cast<std::uint32_t>(least_first_right_);
  const Candidate* left;
  const Candidate* right;
  FindEdges(&left, &right);
  std::uint32_t keep = images_.KeepAttributes(LastLeft(left->point), FirstRight(right->point));
  if (keep <= schema_.key_count()) return keep;
  // Equal keys all over the interval; perhaps not all over the page.
  keep = images_.KeepAttributes(LastLeft(leftmost.point), FirstRight(rightmost.point));
  if (keep <= schema_.key_count()) {
    *strategy = Strategy::kManyDuplicates;
    return schema_.key_count();
  }
  if (page_.is_rightmost()) {
    *strategy = Strategy::kSingleValue;
    return keep;
  }
  // Is this the last page of the value? Else rows with greater addresses will not come here.
  keep = images_.KeepAttributes(page_.tuple(1), new_item_);
  if (keep <= schema_.key_count()) {
    *strategy = Strategy::kSingleValue;
  } else {
    MARK("split.leaf.value_goes_on_to_the_right");
  }
  return keep;
}

std::uint32_t SplitSearch::Penalty(const SplitPoint& point) {
  if (page_.is_leaf()) return images_.KeepAttributes(LastLeft(point), FirstRight(point));
  return static_cast<std::uint32_t>(NewItemIsFirstRight(point) ? new_item_size_
                                                               : SizeOf(point.first_right));
}

SplitPoint SplitSearch::Best(std::uint32_t good_enough, Strategy strategy) {
  constexpr std::uint32_t kJustRight = 9;
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  std::size_t best = 0;
  for (std::size_t index = 0; index < interval_; ++index) {
    const std::uint32_t penalty = Penalty(candidates_[index].point);
    if (penalty < least) {
      least = penalty;
      best = index;
    }
    if (penalty <= good_enough) break;
  }
  const SplitPoint& point = candidates_[best].point;
  // Keys that descend towards a large group of duplicates would split the page at the group's end
  // again and again, and leave pages behind that are never filled.
  if (strategy == Strategy::kManyDuplicates && !page_.is_rightmost() && !point.new_item_on_left &&
      point.first_right >= slot_ && point.first_right < slot_ + kJustRight) {
    MARK("split.leaf.many_duplicates_just_left_of_new_item");
    return candidates_.front().point;
  }
  return point;
}

SplitPoint SplitSearch::Find() {
  CollectCandidates();
  if (candidates_.empty()) return {};
  Balance balance;
  if (!page_.is_leaf()) {
    balance = {page_.is_rightmost(), nbtree::kFillFactorInternal / 100.0};
  } else if (page_.is_rightmost()) {
    balance = {true, leaf_factor_};
  } else if (bool by_factor = false; SplitsAfterNewItem(&by_factor)) {
    if (by_factor) {
      MARK("split.leaf.after_new_item_by_fillfactor");
      balance = {true, leaf_factor_};
    } else {
      MARK("split.leaf.after_new_item");
      for (const Candidate& candidate : candidates_) {
        const SplitPoint& point = candidate.point;
        if (point.new_item_on_left && point.first_right == slot_) return point;
      }
    }
  }
  const Candidate leftmost = candidates_.front();
  const Candidate rightmost = candidates_.back();
  SortByDelta(balance);
  interval_ = CandidatesInBalance();
  Strategy strategy;
  const std::uint32_t good_enough = ChooseStrategy(leftmost, rightmost, &strategy);
  if (strategy == Strategy::kManyDuplicates) {
    MARK("split.leaf.many_duplicates");
    interval_ = candidates_.size();
  } else if (strategy == Strategy::kSingleValue) {
    MARK("split.leaf.single_value");
    SortByDelta({true, nbtree::kFillFactorSingleValue / 100.0});
    interval_ = 1;
  }
  return Best(good_enough, strategy);
}

}  // namespace

SplitPoint FindSplitPoint(const Schema& schema, const NbtreePage& page, OffsetNumber new_item_slot,
                          TupleView new_item, std::uint32_t fillfactor) {
  CHECK(IsMaxAligned(new_item.stored_size()));
  CHECK(new_item_slot >= page.first_data_slot());
  CHECK(new_item_slot <= page.item_count() + 1);
  return SplitSearch(schema, page, new_item_slot, new_item, fillfactor).Find();
}

}  // namespace tornleaf
