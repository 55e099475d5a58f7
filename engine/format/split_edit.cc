// The edits of nbtree_edit.h that fill whole pages: the halves of a split, and pages that a record
// holds.

#include <cstring>

#include "engine/format/edit_checks.h"
#include "engine/format/nbtree_edit.h"

namespace tornleaf {
namespace nbtree {

namespace {

// The original page as if the new item were in it already, item after item.
class WholePage {
 public:
  WholePage(const NbtreePage& original, const SplitPlan& plan) : original_(original), plan_(plan) {}

  // Forms the swapped posting list if there is one. An error: the plan does not suit the page.
  EditError Prepare(TupleView new_item) {
    const std::uint32_t count = original_.item_count();
    const OffsetNumber first = original_.first_data_slot();
    const std::uint32_t last_right = plan_.new_item_on_left ? count : count + 1;
    if (plan_.first_right < first || plan_.first_right > last_right) return EditError::kNoSuchSlot;
    if (plan_.new_item_slot < first || plan_.new_item_slot > count + 1) {
      return EditError::kNoSuchSlot;
    }
    const bool side_fits = plan_.new_item_on_left ? plan_.new_item_slot <= plan_.first_right
                                                  : plan_.new_item_slot >= plan_.first_right;
    if (!side_fits) return EditError::kNoSuchSlot;
    if (plan_.posting_offset == 0) {
      new_item_ = new_item;
      return EditError::kNone;
    }
    if (!original_.is_leaf() || plan_.new_item_slot <= first) return EditError::kBadLayout;
    posting_slot_ = static_cast<OffsetNumber>(plan_.new_item_slot - 1);
    const EditError error = SwapPosting(original_.tuple(posting_slot_), new_item,
                                        plan_.posting_offset, &posting_bytes_, &item_bytes_);
    if (error == EditError::kNone) new_item_ = TupleView(item_bytes_);
    return error;
  }

  TupleView new_item() const { return new_item_; }
  TupleView item(OffsetNumber slot) const {
    return slot == posting_slot_ ? TupleView(posting_bytes_) : original_.tuple(slot);
  }

 private:
  const NbtreePage& original_;
  const SplitPlan& plan_;
  OffsetNumber posting_slot_ = 0;
  std::vector<std::uint8_t> posting_bytes_;
  std::vector<std::uint8_t> item_bytes_;
  TupleView new_item_;
};

EditError Append(PageWriter page, TupleView tuple) {
  return InsertItem(page, static_cast<OffsetNumber>(page.view().item_count() + 1), tuple.bytes());
}

// Appends data items to the right half. The first one of an internal page loses its key: what is
// left of it is minus infinity.
EditError AppendRight(PageWriter page, bool is_leaf, bool* first, TupleView tuple) {
  const bool cut = *first && !is_leaf;
  *first = false;
  if (!cut) return Append(page, tuple);
  if (!HasOwnSize(tuple.bytes())) return EditError::kBadTuple;
  std::vector<std::uint8_t> minus_infinity;
  FormMinusInfinity(Downlink(tuple), &minus_infinity);
  return Append(page, TupleView(minus_infinity));
}

bool IsSplittable(PageView page) {
  return HasItemLayout(page) && AllReadable(page) &&
         (!NbtreePage(page).is_ignorable() && !NbtreePage(page).is_meta()) &&
         page.item_count() >= NbtreePage(page).first_data_slot();
}

}  // namespace

EditError BuildSplitLeft(ByteView original, const SplitPlan& plan, TupleView new_item,
                         TupleView high_key, std::uint16_t flags, BlockNumber next,
                         std::uint16_t cycle_id, MutableBytes left) {
  CHECK(left.size() == original.size());
  CHECK(left.data() != original.data());
  if (!IsSplittable(PageView(original))) return EditError::kBadLayout;
  const NbtreePage page{PageView(original)};
  WholePage whole(page, plan);
  EditError error = whole.Prepare(new_item);
  if (error != EditError::kNone) return error;

  PageWriter writer(left);
  InitializePage(writer, page.level(), flags);
  error = Append(writer, high_key);
  for (std::uint32_t slot = page.first_data_slot();
       slot < plan.first_right && error == EditError::kNone; ++slot) {
    if (plan.new_item_on_left && slot == plan.new_item_slot) {
      error = Append(writer, whole.new_item());
      if (error != EditError::kNone) return error;
    }
    error = Append(writer, whole.item(static_cast<OffsetNumber>(slot)));
  }
  if (error == EditError::kNone && plan.new_item_on_left &&
      plan.new_item_slot == plan.first_right) {
    error = Append(writer, whole.new_item());
  }
  if (error != EditError::kNone) return error;
  SetPrev(writer, page.prev());
  SetNext(writer, next);
  SetCycleId(writer, cycle_id);
  writer.set_lsn(page.page().lsn());
  return EditError::kNone;
}

EditError BuildSplitRight(ByteView original, const SplitPlan& plan, TupleView new_item,
                          PageWriter right) {
  CHECK(right.size() == original.size());
  if (!IsSplittable(PageView(original))) return EditError::kBadLayout;
  const NbtreePage page{PageView(original)};
  WholePage whole(page, plan);
  EditError error = whole.Prepare(new_item);
  if (error != EditError::kNone) return error;

  if (!page.is_rightmost()) error = Append(right, page.tuple(1));
  bool first = true;
  const std::uint32_t count = page.item_count();
  for (std::uint32_t slot = plan.first_right; slot <= count + 1 && error == EditError::kNone;
       ++slot) {
    if (!plan.new_item_on_left && slot == plan.new_item_slot) {
      error = AppendRight(right, page.is_leaf(), &first, whole.new_item());
    }
    if (slot <= count && error == EditError::kNone) {
      error =
          AppendRight(right, page.is_leaf(), &first, whole.item(static_cast<OffsetNumber>(slot)));
    }
  }
  return error;
}

EditError RestoreItems(PageWriter page, ByteView tuples) {
  if (!HasItemLayout(page.view()) || page.view().item_count() != 0) return EditError::kBadLayout;
  std::vector<ByteView> last_first;
  std::size_t total = 0;
  while (!tuples.empty()) {
    if (tuples.size() < index_tuple::kHeaderSize) return EditError::kBadTuple;
    const std::uint32_t size = TupleView(tuples).size();
    if (size < index_tuple::kHeaderSize || size > tuples.size()) return EditError::kBadTuple;
    if (!HasOwnSize(tuples.first(size))) return EditError::kBadTuple;
    last_first.push_back(tuples.first(size));
    total += size + slotted_v4::kLinePointerSize;
    tuples = tuples.subspan(size);
    if (total > page.view().upper() - page.view().lower()) return EditError::kNoRoom;
  }
  for (std::size_t index = last_first.size(); index > 0; --index) {
    CHECK(Append(page, TupleView(last_first[index - 1])) == EditError::kNone);
  }
  return EditError::kNone;
}

}  // namespace nbtree
}  // namespace tornleaf
