#include "engine/verify/item_verifier.h"

#include <algorithm>

#include "engine/key/value_check.h"
#include "engine/page/page_check.h"
#include "engine/verify/nbtree_rules.h"

namespace tornleaf {

using nbtree::NbtreePage;

namespace {

const Invariant& RuleOf(DeformError error) {
  switch (error) {
    case DeformError::kShortHeader:
      return rules::kKeyHeader;
    case DeformError::kNullBitmap:
      return rules::kKeyNullBitmap;
    case DeformError::kPadding:
      return rules::kKeyPadding;
    case DeformError::kPastEnd:
      return rules::kKeyPastEnd;
    case DeformError::kVarlenaHeader:
      return rules::kKeyVarlena;
    case DeformError::kCompressedValue:
      return rules::kKeyCompressed;
    case DeformError::kTrailingBytes:
      return rules::kKeyTrailing;
    case DeformError::kVarWidthFlag:
      return rules::kKeyVarWidth;
    case DeformError::kNone:
      break;
  }
  CHECK(false);
}

}  // namespace

std::uint32_t ItemVerifier::CheckItems(NbtreePage page, BlockNumber block, bool line_pointers_ok) {
  const OffsetNumber count = page.item_count();
  context_->counts().items += count;
  const bool plain = line_pointers_ok && page.is_leaf() && context_->heap_tid_is_key() &&
                     plain_leaf_.Accepts(page, context_->limits);
  usable_.assign(count + 1U, plain ? 1 : 0);
  std::uint32_t unusable = 0;
  const OffsetNumber end = plain ? page.first_data_slot() : static_cast<OffsetNumber>(count + 1);
  for (OffsetNumber slot = 1; slot < end; ++slot) {
    const LinePointer pointer = page.page().line_pointer(slot);
    const bool readable =
        pointer.length >= index_tuple::kHeaderSize && IsReadable(page.page(), pointer);
    usable_[slot] = readable && tuples_.Check(Item(page, block, slot));
    if (usable_[slot] == 0) ++unusable;
  }
  if (unusable != 0) context_->reporter->AddConsequences(unusable);
  if (plain) {
    TakePlainLeaf(page, block);
  } else if (context_->schema != nullptr) {
    CheckKeys(page, block);
  }
  return unusable;
}

// The data items are known to be fine. What is left is what needs more than the page: row addresses
// seen elsewhere, and the high key with the last item's place below it.
void ItemVerifier::TakePlainLeaf(NbtreePage page, BlockNumber block) {
  const std::span<const PackedTid> tids = plain_leaf_.tids();
  tuples_.AddPlainTids(page, block, page.first_data_slot(), tids);
  context_->counts().key_comparisons += tids.size() - 1;
  context_->compared_pairs += tids.size() - 1;
  context_->deformed_tuples += tids.size();
  if (page.is_rightmost() || usable_[1] == 0) return;
  if (!CheckAttributes(Item(page, block, 1), &positions_[0])) {
    usable_[1] = 0;
    return;
  }
  const OffsetNumber last = page.item_count();
  if (ReadPosition(page, last, &positions_[1])) {
    CheckHighKeyBound(page, block, positions_[1], last);
  }
}

bool ItemVerifier::ReadPosition(NbtreePage page, OffsetNumber slot, KeyPosition* position) const {
  position->readable = false;
  if (context_->schema == nullptr || !usable(slot)) return false;
  const ItemRole role = RoleOf(page, slot);
  if (role == ItemRole::kMinusInfinity) return false;
  return ReadKeyPosition(*context_, page.tuple(slot), role != ItemRole::kLeafData, position).ok();
}

bool ItemVerifier::CheckAttributes(const Item& item, KeyPosition* position) {
  const std::uint32_t size = item.tuple.size();
  ++context_->deformed_tuples;
  const DeformResult result = ReadKeyPosition(*context_, item.tuple, item.is_pivot(), position);
  if (!result.ok()) {
    ++context_->misfit_tuples;
    context_->reporter->Add(item.At(
        RuleOf(result.error), {result.offset, size},
        FindingText::Format("column %u as the schema says", result.attribute + 1),
        FindingText::Format("byte 0x%02x at %u of the tuple",
                            item.tuple.data()[std::min(result.offset, size - 1)], result.offset)));
    return false;
  }
  for (std::uint32_t index = 0; index < position->key.count(); ++index) {
    const Value& value = position->key.value(index);
    const TypeId type = context_->schema->attribute(index).type;
    if (value.is_null || IsLegalValue(type, value)) continue;
    context_->reporter->Add(item.At(
        rules::kKeyValue, {0, size},
        FindingText::Format("column %u: a value that %s can hold", index + 1, InfoOf(type).name),
        Words("bytes that no input gives")));
    position->readable = false;
    return false;
  }
  return true;
}

bool ItemVerifier::IsBehind(const KeyPosition& before, const KeyPosition& after) {
  ++context_->counts().key_comparisons;
  const int order = ComparePositions(*context_, before, after);
  return order < 0 || (order == 0 && !context_->heap_tid_is_key());
}

// One pass over the items: attributes of each, and its place behind the one before it. Pairs with a
// tuple that cannot be read are left out: that tuple has a finding already.
void ItemVerifier::CheckKeys(NbtreePage page, BlockNumber block) {
  const OffsetNumber count = page.item_count();
  KeyPosition* earlier = &positions_[0];
  KeyPosition* previous = &positions_[1];
  KeyPosition* current = &positions_[2];
  earlier->readable = previous->readable = false;
  OffsetNumber previous_slot = 0;
  for (OffsetNumber slot = 1; slot <= count; ++slot) {
    const ItemRole role = RoleOf(page, slot);
    if (usable_[slot] == 0 || role == ItemRole::kMinusInfinity) continue;
    if (!CheckAttributes(Item(page, block, slot), current)) {
      usable_[slot] = 0;
      continue;
    }
    if (role == ItemRole::kHighKey) continue;  // Compared last, with the greatest item.
    if (context_->check_order && previous->readable) {
      ++context_->compared_pairs;
      if (!IsBehind(*previous, *current)) {
        // One of the two is out of place: the previous one, if the current one fits behind the item
        // before both.
        const bool previous_is_odd = earlier->readable && IsBehind(*earlier, *current);
        if (!previous_is_odd) {
          ReportOrder(Item(page, block, slot), *current, "above", previous_slot, *previous);
          continue;
        }
        ReportOrder(Item(page, block, previous_slot), *previous, "below", slot, *current);
        std::swap(previous, current);
        previous_slot = slot;
        continue;
      }
    }
    std::swap(earlier, previous);
    std::swap(previous, current);
    previous_slot = slot;
  }
  if (context_->check_order && previous->readable) {
    CheckHighKeyBound(page, block, *previous, previous_slot);
  }
}

void ItemVerifier::ReportOrder(const Item& item, const KeyPosition& position, const char* side,
                               OffsetNumber neighbour_slot, const KeyPosition& neighbour) {
  ++context_->pairs_out_of_order;
  usable_[item.slot] = 0;
  context_->reporter->Add(item.At(rules::kItemOrder, {0, item.tuple.size()},
                                  FindingText::Format("%s slot %u, %s", side, neighbour_slot,
                                                      TextOf(*context_, neighbour).c_str()),
                                  FindingText::Format("%s", TextOf(*context_, position).c_str())));
}

void ItemVerifier::CheckHighKeyBound(NbtreePage page, BlockNumber block, const KeyPosition& last,
                                     OffsetNumber last_slot) {
  if (page.is_rightmost() || usable_[1] == 0) return;
  KeyPosition high_key;
  if (!ReadPosition(page, 1, &high_key)) return;
  ++context_->counts().key_comparisons;
  const int order = ComparePositions(*context_, last, high_key);
  // A leaf's last item may equal its high key; versions 2 and 3 allow it above, too.
  const bool equal_allowed = page.is_leaf() || !context_->heap_tid_is_key();
  if (order < 0 || (order == 0 && equal_allowed)) return;
  const Item item(page, block, last_slot);
  context_->reporter->Add(
      item.At(rules::kHighKeyBound, {0, item.tuple.size()},
              FindingText::Format("%s the high key, %s", page.is_leaf() ? "not above" : "below",
                                  TextOf(*context_, high_key).c_str()),
              FindingText::Format("%s", TextOf(*context_, last).c_str())));
}

}  // namespace tornleaf
