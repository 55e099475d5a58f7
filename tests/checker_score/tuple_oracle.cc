// The oracle's rules for the bytes of tuples.

#include <algorithm>

#include "tests/checker_score/oracle.h"
#include "tests/checker_score/position.h"
#include "tests/checker_score/rules.h"

namespace tornleaf {
namespace checker_score {

using nbtree::TupleKind;

const Rule* Oracle::ExcuseTuple(const Mutation& mutation) const {
  const BlockNumber block = mutation.field.block;
  const OffsetNumber slot = mutation.field.slot;
  const PageView page = index_.page(block).page.page();
  const TupleView before = index_.Tuple(block, slot);
  std::vector<std::uint8_t> bytes(before.bytes().begin(), before.bytes().end());
  const std::uint32_t at = mutation.field.begin - page.line_pointer(slot).offset;
  std::copy(mutation.new_bytes.begin(), mutation.new_bytes.end(), bytes.begin() + at);
  const TupleView after(bytes);
  switch (index_.RoleOf(block, slot)) {
    case ItemRole::kLeafData:
      return ExcuseLeafItem(block, slot, before, after);
    case ItemRole::kHighKey:
      return at < 4 ? &rules::kHighKeyBlock : ExcuseHighKey(block, before, after);
    case ItemRole::kMinusInfinity:
    case ItemRole::kDownlink:
    case ItemRole::kDummy:
      // The downlink leads to a child that is known by its links, and the key is the high key of
      // the page before that child, byte for byte. A half-dead page's dummy is one fixed tuple.
      return nullptr;
  }
  CHECK(false);
}

const Rule* Oracle::ExcuseLeafItem(BlockNumber block, OffsetNumber slot, TupleView before,
                                   TupleView after) const {
  if (!LeafGeometryHolds(after) || !TidsAreFree(before, after)) return nullptr;
  if (!with_schema_) return &rules::kNoSchema;
  const Position from(index_.schema(), before, false);
  const Position to(index_.schema(), after, false);
  CHECK(from.legal());
  if (!to.legal()) return nullptr;
  const bool same_tids = TidsOf(before) == TidsOf(after);
  if (to.SameValues(from) && same_tids) return &rules::kSameValues;
  if (!index_.schema().order_known()) return &rules::kOrderUnknown;
  if (!LeafItemFits(block, slot, after)) return nullptr;
  if (!same_tids) return &rules::kTidInOrder;
  return to.SameKey(from) ? &rules::kIncludedValue : &rules::kKeyInGap;
}

bool Oracle::IsValidTid(ItemPointer tid) const {
  const nbtree::Limits limits{index_.page_size()};
  return tid.block != kInvalidBlock && tid.offset >= 1 && tid.offset <= limits.MaxHeapOffset();
}

// Whether the header and the posting list are those of a leaf data item.
bool Oracle::LeafGeometryHolds(TupleView tuple) const {
  if (tuple.size() != tuple.stored_size() || tuple.data_offset() > tuple.size()) return false;
  if (nbtree::KindOf(tuple) == TupleKind::kPlain) return true;
  if (nbtree::KindOf(tuple) == TupleKind::kPivot || !index_.meta().all_equal_image) return false;
  if ((tuple.tid().offset & nbtree::kStatusBits) != nbtree::kPosting) return false;
  const std::uint32_t offset = nbtree::PostingOffset(tuple);
  const std::uint32_t count = nbtree::PostingCount(tuple);
  if (offset < tuple.data_offset() || offset > tuple.size() || !IsMaxAligned(offset)) return false;
  const std::uint32_t end = offset + count * index_tuple::kTidSize;
  return count >= 2 && MaxAlign(end) == tuple.size() && AllZero(tuple.bytes().subspan(end));
}

// Whether the row addresses are legal, ascend, and those that are new occur nowhere else.
bool Oracle::TidsAreFree(TupleView before, TupleView after) const {
  const std::vector<ItemPointer> old_tids = TidsOf(before);
  const std::vector<ItemPointer> new_tids = TidsOf(after);
  for (std::size_t index = 0; index < new_tids.size(); ++index) {
    const ItemPointer tid = new_tids[index];
    if (!IsValidTid(tid)) return false;
    if (index > 0 && !(new_tids[index - 1] < tid)) return false;
    const bool is_new = std::find(old_tids.begin(), old_tids.end(), tid) == old_tids.end();
    if (is_new && index_.HasTid(tid)) return false;
  }
  return true;
}

// Whether the item stands strictly between its neighbours, or the page's bounds where it has none.
bool Oracle::LeafItemFits(BlockNumber block, OffsetNumber slot, TupleView after) const {
  const Schema& schema = index_.schema();
  const PageModel& model = index_.page(block);
  const Position item(schema, after, false);
  if (slot > model.page.first_data_slot()) {
    if (!Position(schema, index_.Tuple(block, slot - 1), false).Before(item)) return false;
  } else if (model.left_bound != 0) {
    if (!Position(schema, index_.Tuple(model.left_bound, 1), true).Before(item)) return false;
  }
  if (slot < model.page.item_count()) {
    return item.Before(Position(schema, index_.Tuple(block, slot + 1), false));
  }
  if (model.page.is_rightmost()) return true;
  return item.NotBehind(Position(schema, index_.Tuple(block, 1), true));
}

const Rule* Oracle::ExcuseHighKey(BlockNumber block, TupleView before, TupleView after) const {
  const PageModel& model = index_.page(block);
  // The parent holds the same bytes, unless the split or the deletion is under way. The high key of
  // an internal page is also that of its last child.
  const bool split_leaf = model.page.is_incomplete_split() && model.page.is_leaf();
  if (!split_leaf && !model.doomed) return nullptr;
  if (!PivotGeometryHolds(after)) return nullptr;
  if (!with_schema_) return &rules::kNoSchema;
  if (nbtree::PivotAttributeCount(after) > index_.schema().key_count()) return nullptr;
  const Position to(index_.schema(), after, true);
  if (!to.legal()) return nullptr;
  if (to.SameValues(Position(index_.schema(), before, true)) &&
      before.tid().offset == after.tid().offset) {
    return &rules::kSameValues;
  }
  if (!index_.schema().order_known()) return &rules::kOrderUnknown;
  return HighKeyFits(block, after) ? &rules::kUnmatchedHighKey : nullptr;
}

bool Oracle::PivotGeometryHolds(TupleView tuple) const {
  if (tuple.size() != tuple.stored_size() || tuple.data_offset() > tuple.size()) return false;
  if (nbtree::KindOf(tuple) != TupleKind::kPivot) return false;
  const std::uint16_t status = tuple.tid().offset & nbtree::kStatusBits;
  const std::uint32_t count = nbtree::PivotAttributeCount(tuple);
  const std::uint32_t count_max = with_schema_ ? index_.schema().key_count() : kMaxAttributes;
  if (count < 1 || count > count_max) return false;
  if (status == 0) return true;
  const std::uint32_t at = tuple.size() - MaxAlign(index_tuple::kTidSize);
  return status == nbtree::kPivotHeapTid && (!with_schema_ || count == count_max) &&
         at >= tuple.data_offset() && tuple.data()[at] == 0 && tuple.data()[at + 1] == 0 &&
         IsValidTid(nbtree::PivotHeapTid(tuple));
}

// Whether the high key bounds the items of its page and lies below those on the right.
bool Oracle::HighKeyFits(BlockNumber block, TupleView after) const {
  const Schema& schema = index_.schema();
  const PageModel& model = index_.page(block);
  const Position high_key(schema, after, true);
  // Above a leaf, the first data item has no key.
  const auto first_key = [](nbtree::NbtreePage page) {
    return static_cast<OffsetNumber>(page.first_data_slot() + (page.is_leaf() ? 0 : 1));
  };
  if (model.page.item_count() >= first_key(model.page)) {
    const Position last(schema, index_.Tuple(block, model.page.item_count()),
                        !model.page.is_leaf());
    if (!(model.page.is_leaf() ? last.NotBehind(high_key) : last.Before(high_key))) return false;
  } else if (model.left_bound != 0) {
    if (!Position(schema, index_.Tuple(model.left_bound, 1), true).Before(high_key)) return false;
  }
  // The key space of a page that is being deleted belongs to the right: rows below its high key may
  // have come there since.
  if (model.doomed) return true;
  const PageModel& right = index_.page(model.right);
  const OffsetNumber first = first_key(right.page);
  if (right.page.item_count() >= first) {
    return high_key.Before(
        Position(schema, index_.Tuple(model.right, first), !right.page.is_leaf()));
  }
  if (right.page.is_rightmost()) return true;
  return high_key.Before(Position(schema, index_.Tuple(model.right, 1), true));
}

}  // namespace checker_score
}  // namespace tornleaf
