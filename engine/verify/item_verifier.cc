#include "engine/verify/item_verifier.h"

#include <algorithm>
#include <string>

#include "engine/key/compare.h"
#include "engine/key/value_check.h"
#include "engine/key/value_text.h"
#include "engine/page/page_check.h"
#include "engine/verify/nbtree_rules.h"

namespace tornleaf {

using nbtree::NbtreePage;
using nbtree::TupleKind;

namespace {

FindingText TidText(ItemPointer tid) {
  return FindingText::Format("(%u,%u)", tid.block, tid.offset);
}

bool IsValidTid(ItemPointer tid, const nbtree::Limits& limits) {
  return tid.block != kInvalidBlock && tid.offset >= 1 && tid.offset <= limits.MaxHeapOffset();
}

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

// How many attributes a tuple keeps.
std::uint32_t AttributeCount(const VerifyContext& context, TupleView tuple, bool is_pivot) {
  if (!is_pivot) return context.schema->attribute_count();
  // Versions 2 and 3 may hold pivots that were never marked; they keep every key column.
  return tuple.alt_tid() ? nbtree::PivotAttributeCount(tuple) : context.schema->key_count();
}

}  // namespace

int ComparePositions(const VerifyContext& context, const KeyPosition& a, const KeyPosition& b) {
  const std::uint32_t key_count = context.schema->key_count();
  const std::uint32_t a_count = std::min(a.attribute_count, key_count);
  const std::uint32_t b_count = std::min(b.attribute_count, key_count);
  const int keys =
      CompareKeys(*context.schema, a.key.values(), b.key.values(), std::min(a_count, b_count));
  if (keys != 0) return keys;
  if (a_count != b_count) return a_count < b_count ? -1 : 1;
  if (!context.heap_tid_is_key()) return 0;
  if (!a.has_tid || !b.has_tid) return static_cast<int>(a.has_tid) - static_cast<int>(b.has_tid);
  if (a.tid_max == b.tid_min) return 0;
  return a.tid_max < b.tid_min ? -1 : 1;
}

PositionText TextOf(const VerifyContext& context, const KeyPosition& position) {
  std::string text;
  for (std::uint32_t index = 0; index < position.key.count(); ++index) {
    if (index > 0) text += ", ";
    const Value& value = position.key.value(index);
    if (value.is_null) {
      text += "NULL";
    } else {
      AppendValueText(context.schema->attribute(index).type, value, &text);
    }
  }
  if (position.attribute_count < context.schema->key_count()) text += ", -infinity";
  // Text of any bytes must stay on its line.
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = '?';
  }
  if (!position.has_tid) return PositionText::Format("(%s)", text.c_str());
  constexpr int kKeyCharactersMax = 32;
  const bool cut = text.size() > kKeyCharactersMax;
  return PositionText::Format("(%.*s%s) at (%u,%u)", kKeyCharactersMax, text.c_str(),
                              cut ? "..." : "", position.tid_max.block, position.tid_max.offset);
}

ItemVerifier::Role ItemVerifier::RoleOf(NbtreePage page, OffsetNumber slot) {
  if (slot < page.first_data_slot()) return Role::kHighKey;
  if (page.is_leaf()) return Role::kLeafData;
  return slot == page.first_data_slot() ? Role::kMinusInfinity : Role::kDownlink;
}

void ItemVerifier::Report(const Invariant& rule, NbtreePage page, BlockNumber block,
                          OffsetNumber slot, ByteRange bytes_in_tuple, FindingText expected,
                          FindingText actual) {
  const std::uint32_t base = page.page().line_pointer(slot).offset;
  context_->reporter->Add(At(rule, page.page(), block, slot,
                             {base + bytes_in_tuple.begin, base + bytes_in_tuple.end}, expected,
                             actual));
}

void ItemVerifier::ReportLast(const Invariant& rule, NbtreePage page, BlockNumber block,
                              OffsetNumber slot, ByteRange bytes_in_tuple, FindingText expected,
                              FindingText actual) {
  const std::uint32_t base = page.page().line_pointer(slot).offset;
  context_->reporter->AddLast(At(rule, page.page(), block, slot,
                                 {base + bytes_in_tuple.begin, base + bytes_in_tuple.end}, expected,
                                 actual));
}

bool ItemVerifier::ReportDownlinkRange(NbtreePage page, BlockNumber block, OffsetNumber slot,
                                       BlockNumber child) {
  const std::uint32_t base = page.page().line_pointer(slot).offset;
  context_->ReportOutside(At(rules::kDownlinkRange, page.page(), block, slot, {base, base + 4},
                             FindingText::Format("a block in 1..%u", context_->block_count - 1),
                             FindingText::Format("%u", child)),
                          child);
  return false;
}

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
    usable_[slot] = readable && CheckItem(page, block, slot, RoleOf(page, slot));
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
  OffsetNumber slot = page.first_data_slot();
  for (const PackedTid tid : tids) {
    if (!tids_->Add(tid, block, slot)) {
      ReportLast(rules::kTidOnce, page, block, slot, {0, index_tuple::kTidSize},
                 Words("a row address that occurs once"), TidText(UnpackTid(tid)));
    }
    ++slot;
  }
  context_->counts().heap_tids += tids.size();
  context_->counts().key_comparisons += tids.size() - 1;
  context_->compared_pairs += tids.size() - 1;
  context_->deformed_tuples += tids.size();
  if (page.is_rightmost() || usable_[1] == 0) return;
  if (!CheckAttributes(page, block, 1, &positions_[0])) {
    usable_[1] = 0;
    return;
  }
  const OffsetNumber last = page.item_count();
  if (ReadPosition(page, last, &positions_[1])) {
    CheckHighKeyBound(page, block, positions_[1], last);
  }
}

bool ItemVerifier::CheckItem(NbtreePage page, BlockNumber block, OffsetNumber slot, Role role) {
  const TupleView tuple = page.tuple(slot);
  if (tuple.size() != tuple.stored_size()) {
    Report(rules::kTupleSize, page, block, slot, {6, 8},
           FindingText::Format("%u bytes, as the line pointer says", tuple.stored_size()),
           FindingText::Format("%u", tuple.size()));
    return false;
  }
  if (page.page().line_pointer(slot).flags == LineFlags::kDead) {
    ++context_->counts().dead_items;
    if (role != Role::kLeafData) {
      Report(rules::kDeadItems, page, block, slot, {0, 0}, Words("NORMAL"), Words("DEAD"));
    }
  }
  switch (role) {
    case Role::kLeafData:
      return CheckLeafTuple(page, block, slot, tuple);
    case Role::kMinusInfinity:
      return CheckMinusInfinity(page, block, slot, tuple);
    case Role::kHighKey:
    case Role::kDownlink:
      return CheckPivot(page, block, slot, tuple, role);
  }
  CHECK(false);
}

bool ItemVerifier::CheckSize(NbtreePage page, BlockNumber block, OffsetNumber slot, TupleView tuple,
                             Role role) {
  const bool with_tid =
      !context_->heap_tid_is_key() || (role != Role::kLeafData && nbtree::PivotHasHeapTid(tuple));
  const std::uint32_t max =
      with_tid ? context_->limits.MaxItemSizeNoHeapTid() : context_->limits.MaxItemSize();
  if (tuple.size() <= max) return true;
  Report(rules::kTupleTooLarge, page, block, slot, {6, 8},
         FindingText::Format("at most %u bytes", max), FindingText::Format("%u", tuple.size()));
  return false;
}

bool ItemVerifier::CheckTid(NbtreePage page, BlockNumber block, OffsetNumber slot, ItemPointer tid,
                            std::uint32_t at) {
  if (IsValidTid(tid, context_->limits)) return true;
  Report(rules::kHeapTid, page, block, slot, {at, at + index_tuple::kTidSize},
         FindingText::Format("offset 1 to %u, block below 4294967295",
                             context_->limits.MaxHeapOffset()),
         TidText(tid));
  return false;
}

bool ItemVerifier::CheckLeafTuple(NbtreePage page, BlockNumber block, OffsetNumber slot,
                                  TupleView tuple) {
  if (!CheckSize(page, block, slot, tuple, Role::kLeafData)) return false;
  const TupleKind kind = nbtree::KindOf(tuple);
  if (kind == TupleKind::kPosting) return CheckPosting(page, block, slot, tuple);
  if (kind == TupleKind::kPivot) {
    Report(rules::kTupleKind, page, block, slot, {4, 8}, Words("a plain or posting tuple"),
           Words("a pivot"));
    return false;
  }
  if (!CheckTid(page, block, slot, tuple.tid(), 0)) return false;
  ++context_->counts().heap_tids;
  if (!tids_->Add(PackTid(tuple.tid()), block, slot)) {
    ReportLast(rules::kTidOnce, page, block, slot, {0, index_tuple::kTidSize},
               Words("a row address that occurs once"), TidText(tuple.tid()));
  }
  return true;
}

bool ItemVerifier::CheckPosting(NbtreePage page, BlockNumber block, OffsetNumber slot,
                                TupleView tuple) {
  const std::uint32_t offset = nbtree::PostingOffset(tuple);
  const std::uint32_t count = nbtree::PostingCount(tuple);
  const bool allowed = context_->meta.all_equal_image && context_->heap_tid_is_key();
  if (!allowed && context_->posting_lists_doubtful) context_->reporter->AddConsequences(1);
  if (!allowed && !context_->posting_lists_doubtful) {
    context_->posting_lists_doubtful = true;
    Report(rules::kPostingAllowed, page, block, slot, {4, 8},
           Words("no posting list: btm_allequalimage is 0"), Words("a posting tuple"));
    return false;
  }
  if ((tuple.tid().offset & nbtree::kStatusBits) != nbtree::kPosting) {
    Report(rules::kStatusBits, page, block, slot, {4, 6}, Words("status bits 0x2000"),
           FindingText::Format("0x%04x", tuple.tid().offset));
    return false;
  }
  if (offset < tuple.data_offset() || offset >= tuple.size() || !IsMaxAligned(offset)) {
    Report(rules::kPostingOffset, page, block, slot, {0, 4},
           FindingText::Format("a multiple of 8 in [%u,%u)", tuple.data_offset(), tuple.size()),
           FindingText::Format("%u", offset));
    return false;
  }
  if (count < nbtree::kPostingMinTids) {
    Report(rules::kPostingCount, page, block, slot, {4, 6}, Words("at least 2"),
           FindingText::Format("%u", count));
    return false;
  }
  const std::uint32_t end = offset + count * index_tuple::kTidSize;
  if (MaxAlign(end) != tuple.size()) {
    Report(rules::kPostingSize, page, block, slot, {0, 8},
           FindingText::Format("size %u of %u addresses at %u", MaxAlign(end), count, offset),
           FindingText::Format("%u", tuple.size()));
    return false;
  }
  if (!AllZero(tuple.bytes().subspan(end))) {
    Report(rules::kPostingPadding, page, block, slot, {end, tuple.size()}, Words("zero bytes"),
           FindingText::Format("0x%02x...", tuple.data()[end]));
  }
  ItemPointer previous;
  for (std::uint32_t index = 0; index < count; ++index) {
    const ItemPointer tid = nbtree::PostingTid(tuple, index);
    const std::uint32_t at = offset + index * index_tuple::kTidSize;
    if (!CheckTid(page, block, slot, tid, at)) return false;
    if (index > 0 && !(previous < tid)) {
      Report(rules::kPostingOrder, page, block, slot, {at, at + index_tuple::kTidSize},
             FindingText::Format("above (%u,%u), the address before it", previous.block,
                                 previous.offset),
             TidText(tid));
      return false;
    }
    if (!tids_->Add(PackTid(tid), block, slot)) {
      ReportLast(rules::kTidOnce, page, block, slot, {at, at + index_tuple::kTidSize},
                 Words("a row address that occurs once"), TidText(tid));
    }
    previous = tid;
  }
  context_->counts().heap_tids += count;
  ++context_->counts().posting_lists;
  return true;
}

bool ItemVerifier::CheckMinusInfinity(NbtreePage page, BlockNumber block, OffsetNumber slot,
                                      TupleView tuple) {
  const bool truncated = nbtree::KindOf(tuple) == TupleKind::kPivot && tuple.tid().offset == 0 &&
                         tuple.info() == (index_tuple::kAltTidBit | index_tuple::kHeaderSize);
  // Before 11 the item was not marked as a pivot; its offset was 1 and its key, if any, ignored.
  const bool older = !context_->heap_tid_is_key() && !tuple.alt_tid() && tuple.tid().offset == 1;
  if (!truncated && !older) {
    Report(rules::kMinusInfinity, page, block, slot, {4, 8},
           Words("8 bytes, no attributes: offset field 0x0000, t_info 0x2008"),
           FindingText::Format("offset field 0x%04x, t_info 0x%04x", tuple.tid().offset,
                               tuple.info()));
    return false;
  }
  const BlockNumber child = nbtree::Downlink(tuple);
  if (child != nbtree::kMetaBlock && child < context_->block_count) return true;
  return ReportDownlinkRange(page, block, slot, child);
}

// Before version 4 nothing but included columns was cut off, and only then is the number told.
bool ItemVerifier::MayKeepBeforeV4(std::uint32_t kept) {
  if (context_->schema != nullptr) {
    return context_->schema->has_include() && kept == context_->schema->key_count();
  }
  if (context_->marked_attributes == 0) context_->marked_attributes = kept;
  return kept == context_->marked_attributes;
}

// Every pivot says it when the metapage's version is what is wrong, so this waits until it is known
// that nothing else is.
void ItemVerifier::NoteTooNew(NbtreePage page, BlockNumber block, OffsetNumber slot) {
  if (context_->too_new_pivot.invariant != nullptr) return;
  const std::uint32_t base = page.page().line_pointer(slot).offset;
  context_->too_new_pivot =
      At(rules::kPivotAttributes, page.page(), block, slot, {base + 4, base + 6},
         Words("in versions 2 and 3, all key columns, told only where others are included"),
         FindingText::Format("%u attributes", nbtree::PivotAttributeCount(page.tuple(slot))));
}

bool ItemVerifier::CheckPivot(NbtreePage page, BlockNumber block, OffsetNumber slot,
                              TupleView tuple, Role role) {
  const TupleKind kind = nbtree::KindOf(tuple);
  const bool unmarked = kind == TupleKind::kPlain && !context_->heap_tid_is_key();
  if (kind != TupleKind::kPivot && !unmarked) {
    Report(rules::kTupleKind, page, block, slot, {4, 8}, Words("a pivot"),
           Words(kind == TupleKind::kPosting ? "a posting tuple" : "a plain tuple"));
    return false;
  }
  if (kind == TupleKind::kPivot) {
    const std::uint16_t status = tuple.tid().offset & nbtree::kStatusBits;
    if (status != 0 && status != nbtree::kPivotHeapTid) {
      Report(rules::kStatusBits, page, block, slot, {4, 6}, Words("status bits 0 or 0x1000"),
             FindingText::Format("0x%04x", tuple.tid().offset));
      return false;
    }
    const std::uint32_t kept = nbtree::PivotAttributeCount(tuple);
    const std::uint32_t max =
        context_->schema != nullptr ? context_->schema->key_count() : kMaxAttributes;
    if (kept < 1 || kept > max) {
      Report(rules::kPivotAttributes, page, block, slot, {4, 6},
             FindingText::Format("1 to %u attributes", max), FindingText::Format("%u", kept));
      return false;
    }
    if (!context_->heap_tid_is_key() && !MayKeepBeforeV4(kept)) NoteTooNew(page, block, slot);
    if (nbtree::PivotHasHeapTid(tuple)) {
      const std::uint32_t tid_place = tuple.size() - MaxAlign(index_tuple::kTidSize);
      const bool allowed = context_->heap_tid_is_key() &&
                           (context_->schema == nullptr || kept == max) &&
                           tuple.size() >= tuple.data_offset() + MaxAlign(index_tuple::kTidSize);
      if (!allowed || tuple.data()[tid_place] != 0 || tuple.data()[tid_place + 1] != 0) {
        Report(rules::kPivotTid, page, block, slot, {tid_place, tuple.size()},
               Words("a heap TID behind all key columns, after two zero bytes"),
               FindingText::Format("%u attributes, bytes 0x%02x 0x%02x", kept,
                                   tuple.data()[tid_place], tuple.data()[tid_place + 1]));
        return false;
      }
      const std::uint32_t at = tuple.size() - index_tuple::kTidSize;
      if (!CheckTid(page, block, slot, nbtree::PivotHeapTid(tuple), at)) return false;
    }
  }
  if (!CheckSize(page, block, slot, tuple, role)) return false;
  if (role == Role::kHighKey) return true;
  const BlockNumber child = nbtree::Downlink(tuple);
  if (child != nbtree::kMetaBlock && child < context_->block_count) return true;
  return ReportDownlinkRange(page, block, slot, child);
}

bool ItemVerifier::ReadPosition(const VerifyContext& context, TupleView tuple, bool is_pivot,
                                KeyPosition* position, DeformResult* result) {
  position->attribute_count = AttributeCount(context, tuple, is_pivot);
  position->has_tid = !is_pivot || nbtree::PivotHasHeapTid(tuple);
  if (!is_pivot) {
    position->tid_min = nbtree::MinHeapTid(tuple);
    position->tid_max = nbtree::MaxHeapTid(tuple);
  } else if (position->has_tid) {
    position->tid_min = position->tid_max = nbtree::PivotHeapTid(tuple);
  }
  *result = position->key.Deform(
      *context.schema, tuple, position->attribute_count,
      is_pivot && !tuple.alt_tid() ? tuple.stored_size() : nbtree::KeyEnd(tuple));
  position->readable = result->ok();
  return position->readable;
}

bool ItemVerifier::ReadPosition(NbtreePage page, OffsetNumber slot, KeyPosition* position) const {
  DeformResult ignored;
  position->readable = false;
  if (context_->schema == nullptr || !usable(slot)) return false;
  const Role role = RoleOf(page, slot);
  if (role == Role::kMinusInfinity) return false;
  return ReadPosition(*context_, page.tuple(slot), role != Role::kLeafData, position, &ignored);
}

bool ItemVerifier::CheckAttributes(NbtreePage page, BlockNumber block, OffsetNumber slot,
                                   KeyPosition* position) {
  const TupleView tuple = page.tuple(slot);
  DeformResult result;
  ++context_->deformed_tuples;
  if (!ReadPosition(*context_, tuple, RoleOf(page, slot) != Role::kLeafData, position, &result)) {
    ++context_->misfit_tuples;
    Report(RuleOf(result.error), page, block, slot, {result.offset, tuple.size()},
           FindingText::Format("column %u as the schema says", result.attribute + 1),
           FindingText::Format("byte 0x%02x at %u of the tuple",
                               tuple.data()[std::min(result.offset, tuple.size() - 1)],
                               result.offset));
    return false;
  }
  for (std::uint32_t index = 0; index < position->key.count(); ++index) {
    const Value& value = position->key.value(index);
    if (value.is_null || IsLegalValue(context_->schema->attribute(index).type, value)) continue;
    Report(rules::kKeyValue, page, block, slot, {0, tuple.size()},
           FindingText::Format("column %u: a value that %s can hold", index + 1,
                               InfoOf(context_->schema->attribute(index).type).name),
           Words("bytes that no input gives"));
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
    const Role role = RoleOf(page, slot);
    if (usable_[slot] == 0 || role == Role::kMinusInfinity) continue;
    if (!CheckAttributes(page, block, slot, current)) {
      usable_[slot] = 0;
      continue;
    }
    if (role == Role::kHighKey) continue;  // Compared last, with the greatest item.
    if (context_->check_order && previous->readable) {
      ++context_->compared_pairs;
      if (!IsBehind(*previous, *current)) {
        // One of the two is out of place: the previous one, if the current one fits behind the item
        // before both.
        const bool previous_is_odd = earlier->readable && IsBehind(*earlier, *current);
        if (!previous_is_odd) {
          ReportOrder(page, block, slot, *current, "above", previous_slot, *previous);
          continue;
        }
        ReportOrder(page, block, previous_slot, *previous, "below", slot, *current);
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

void ItemVerifier::ReportOrder(NbtreePage page, BlockNumber block, OffsetNumber slot,
                               const KeyPosition& position, const char* side,
                               OffsetNumber neighbour_slot, const KeyPosition& neighbour) {
  ++context_->pairs_out_of_order;
  usable_[slot] = 0;
  Report(rules::kItemOrder, page, block, slot, {0, page.tuple(slot).size()},
         FindingText::Format("%s slot %u, %s", side, neighbour_slot,
                             TextOf(*context_, neighbour).c_str()),
         FindingText::Format("%s", TextOf(*context_, position).c_str()));
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
  Report(rules::kHighKeyBound, page, block, last_slot, {0, page.tuple(last_slot).size()},
         FindingText::Format("%s the high key, %s", page.is_leaf() ? "not above" : "below",
                             TextOf(*context_, high_key).c_str()),
         FindingText::Format("%s", TextOf(*context_, last).c_str()));
}

}  // namespace tornleaf
