#include "engine/verify/tuple_verifier.h"

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

}  // namespace

ItemRole RoleOf(NbtreePage page, OffsetNumber slot) {
  if (slot < page.first_data_slot()) return ItemRole::kHighKey;
  if (page.is_leaf()) return ItemRole::kLeafData;
  return slot == page.first_data_slot() ? ItemRole::kMinusInfinity : ItemRole::kDownlink;
}

Finding Item::At(const Invariant& rule, ByteRange bytes, FindingText expected,
                 FindingText actual) const {
  const std::uint32_t base = page.page().line_pointer(slot).offset;
  return tornleaf::At(rule, page.page(), block, slot, {base + bytes.begin, base + bytes.end},
                      expected, actual);
}

bool TupleVerifier::Refuse(const Item& item, const Invariant& rule, ByteRange bytes,
                           FindingText expected, FindingText actual) {
  context_->reporter->Add(item.At(rule, bytes, expected, actual));
  return false;
}

void TupleVerifier::AddTid(const Item& item, PackedTid tid, std::uint32_t at) {
  tids_->Add({&tid, 1}, item.block, item.slot,
             [&](OffsetNumber, PackedTid) { ReportSecondTid(item, tid, at); });
}

void TupleVerifier::AddPlainTids(NbtreePage page, BlockNumber block, OffsetNumber first_slot,
                                 std::span<const PackedTid> tids) {
  tids_->Add(tids, block, first_slot, [&](OffsetNumber slot, PackedTid tid) {
    ReportSecondTid(Item(page, block, slot), tid, 0);
  });
  context_->counts().heap_tids += tids.size();
}

// Reported at the end of the whole run, where causes have been found before it.
void TupleVerifier::ReportSecondTid(const Item& item, PackedTid tid, std::uint32_t at) {
  context_->reporter->AddLast(item.At(rules::kTidOnce, {at, at + index_tuple::kTidSize},
                                      Words("a row address that occurs once"),
                                      TidText(UnpackTid(tid))));
}

bool TupleVerifier::Check(const Item& item) {
  const TupleView tuple = item.tuple;
  if (tuple.size() != tuple.stored_size()) {
    return Refuse(item, rules::kTupleSize, {6, 8},
                  FindingText::Format("%u bytes, as the line pointer says", tuple.stored_size()),
                  FindingText::Format("%u", tuple.size()));
  }
  if (item.page.page().line_pointer(item.slot).flags == LineFlags::kDead) {
    ++context_->counts().dead_items;
    if (item.is_pivot()) {
      context_->reporter->Add(item.At(rules::kDeadItems, {0, 0}, Words("NORMAL"), Words("DEAD")));
    }
  }
  switch (item.role) {
    case ItemRole::kLeafData:
      return CheckLeafTuple(item);
    case ItemRole::kMinusInfinity:
      return CheckMinusInfinity(item);
    case ItemRole::kHighKey:
    case ItemRole::kDownlink:
      return CheckPivot(item);
  }
  CHECK(false);
}

bool TupleVerifier::CheckSize(const Item& item) {
  const bool with_tid =
      !context_->heap_tid_is_key() || (item.is_pivot() && nbtree::PivotHasHeapTid(item.tuple));
  const std::uint32_t max =
      with_tid ? context_->limits.MaxItemSizeNoHeapTid() : context_->limits.MaxItemSize();
  if (item.tuple.size() <= max) return true;
  return Refuse(item, rules::kTupleTooLarge, {6, 8}, FindingText::Format("at most %u bytes", max),
                FindingText::Format("%u", item.tuple.size()));
}

bool TupleVerifier::CheckTid(const Item& item, ItemPointer tid, std::uint32_t at) {
  if (IsValidTid(tid, context_->limits)) return true;
  return Refuse(item, rules::kHeapTid, {at, at + index_tuple::kTidSize},
                FindingText::Format("offset 1 to %u, block below 4294967295",
                                    context_->limits.MaxHeapOffset()),
                TidText(tid));
}

bool TupleVerifier::CheckLeafTuple(const Item& item) {
  if (!CheckSize(item)) return false;
  const TupleKind kind = nbtree::KindOf(item.tuple);
  if (kind == TupleKind::kPosting) return CheckPosting(item);
  if (kind == TupleKind::kPivot) {
    return Refuse(item, rules::kTupleKind, {4, 8}, Words("a plain or posting tuple"),
                  Words("a pivot"));
  }
  if (!CheckTid(item, item.tuple.tid(), 0)) return false;
  ++context_->counts().heap_tids;
  AddTid(item, PackTid(item.tuple.tid()), 0);
  return true;
}

bool TupleVerifier::CheckPosting(const Item& item) {
  const bool allowed = context_->meta.all_equal_image && context_->heap_tid_is_key();
  if (!allowed && context_->posting_lists_doubtful) context_->reporter->AddConsequences(1);
  if (!allowed && !context_->posting_lists_doubtful) {
    context_->posting_lists_doubtful = true;
    return Refuse(item, rules::kPostingAllowed, {4, 8},
                  Words("no posting list: btm_allequalimage is 0"), Words("a posting tuple"));
  }
  return CheckPostingGeometry(item) && CheckPostingTids(item);
}

bool TupleVerifier::CheckPostingGeometry(const Item& item) {
  const TupleView tuple = item.tuple;
  const std::uint32_t offset = nbtree::PostingOffset(tuple);
  const std::uint32_t count = nbtree::PostingCount(tuple);
  if ((tuple.tid().offset & nbtree::kStatusBits) != nbtree::kPosting) {
    return Refuse(item, rules::kStatusBits, {4, 6}, Words("status bits 0x2000"),
                  FindingText::Format("0x%04x", tuple.tid().offset));
  }
  if (offset < tuple.data_offset() || offset >= tuple.size() || !IsMaxAligned(offset)) {
    return Refuse(
        item, rules::kPostingOffset, {0, 4},
        FindingText::Format("a multiple of 8 in [%u,%u)", tuple.data_offset(), tuple.size()),
        FindingText::Format("%u", offset));
  }
  if (count < nbtree::kPostingMinTids) {
    return Refuse(item, rules::kPostingCount, {4, 6}, Words("at least 2"),
                  FindingText::Format("%u", count));
  }
  const std::uint32_t end = offset + count * index_tuple::kTidSize;
  if (MaxAlign(end) != tuple.size()) {
    return Refuse(
        item, rules::kPostingSize, {0, 8},
        FindingText::Format("size %u of %u addresses at %u", MaxAlign(end), count, offset),
        FindingText::Format("%u", tuple.size()));
  }
  if (!AllZero(tuple.bytes().subspan(end))) {
    // The addresses can be read all the same.
    context_->reporter->Add(item.At(rules::kPostingPadding, {end, tuple.size()},
                                    Words("zero bytes"),
                                    FindingText::Format("0x%02x...", tuple.data()[end])));
  }
  return true;
}

bool TupleVerifier::CheckPostingTids(const Item& item) {
  const std::uint32_t offset = nbtree::PostingOffset(item.tuple);
  const std::uint32_t count = nbtree::PostingCount(item.tuple);
  ItemPointer previous;
  for (std::uint32_t index = 0; index < count; ++index) {
    const ItemPointer tid = nbtree::PostingTid(item.tuple, index);
    const std::uint32_t at = offset + index * index_tuple::kTidSize;
    if (!CheckTid(item, tid, at)) return false;
    if (index > 0 && !(previous < tid)) {
      return Refuse(item, rules::kPostingOrder, {at, at + index_tuple::kTidSize},
                    FindingText::Format("above (%u,%u), the address before it", previous.block,
                                        previous.offset),
                    TidText(tid));
    }
    AddTid(item, PackTid(tid), at);
    previous = tid;
  }
  context_->counts().heap_tids += count;
  ++context_->counts().posting_lists;
  return true;
}

bool TupleVerifier::CheckDownlink(const Item& item) {
  const BlockNumber child = nbtree::Downlink(item.tuple);
  if (child != nbtree::kMetaBlock && child < context_->block_count) return true;
  context_->ReportOutside(
      item.At(rules::kDownlinkRange, {0, 4},
              FindingText::Format("a block in 1..%u", context_->block_count - 1),
              FindingText::Format("%u", child)),
      child);
  return false;
}

bool TupleVerifier::CheckMinusInfinity(const Item& item) {
  const TupleView tuple = item.tuple;
  const bool truncated = nbtree::KindOf(tuple) == TupleKind::kPivot && tuple.tid().offset == 0 &&
                         tuple.info() == (index_tuple::kAltTidBit | index_tuple::kHeaderSize);
  // Before 11 the item was not marked as a pivot; its offset was 1 and its key, if any, ignored.
  const bool older = !context_->heap_tid_is_key() && !tuple.alt_tid() && tuple.tid().offset == 1;
  if (!truncated && !older) {
    return Refuse(item, rules::kMinusInfinity, {4, 8},
                  Words("8 bytes, no attributes: offset field 0x0000, t_info 0x2008"),
                  FindingText::Format("offset field 0x%04x, t_info 0x%04x", tuple.tid().offset,
                                      tuple.info()));
  }
  return CheckDownlink(item);
}

// Before version 4 nothing but included columns was cut off, and only then is the number told.
bool TupleVerifier::MayKeepBeforeV4(std::uint32_t kept) {
  if (context_->schema != nullptr) {
    return context_->schema->has_include() && kept == context_->schema->key_count();
  }
  if (context_->marked_attributes == 0) context_->marked_attributes = kept;
  return kept == context_->marked_attributes;
}

// Every pivot says it when the metapage's version is what is wrong, so this waits until it is known
// that nothing else is.
void TupleVerifier::NoteTooNew(const Item& item) {
  if (context_->too_new_pivot.invariant != nullptr) return;
  context_->too_new_pivot =
      item.At(rules::kPivotAttributes, {4, 6},
              Words("in versions 2 and 3, all key columns, told only where others are included"),
              FindingText::Format("%u attributes", nbtree::PivotAttributeCount(item.tuple)));
}

bool TupleVerifier::CheckPivot(const Item& item) {
  const TupleKind kind = nbtree::KindOf(item.tuple);
  const bool unmarked = kind == TupleKind::kPlain && !context_->heap_tid_is_key();
  if (kind != TupleKind::kPivot && !unmarked) {
    return Refuse(item, rules::kTupleKind, {4, 8}, Words("a pivot"),
                  Words(kind == TupleKind::kPosting ? "a posting tuple" : "a plain tuple"));
  }
  if (!unmarked && !(CheckPivotAttributes(item) && CheckPivotTid(item))) return false;
  if (!CheckSize(item)) return false;
  return item.role == ItemRole::kHighKey || CheckDownlink(item);
}

std::uint32_t TupleVerifier::MostAttributes() const {
  return context_->schema != nullptr ? context_->schema->key_count() : kMaxAttributes;
}

bool TupleVerifier::CheckPivotAttributes(const Item& item) {
  const OffsetNumber field = item.tuple.tid().offset;
  const std::uint16_t status = field & nbtree::kStatusBits;
  if (status != 0 && status != nbtree::kPivotHeapTid) {
    return Refuse(item, rules::kStatusBits, {4, 6}, Words("status bits 0 or 0x1000"),
                  FindingText::Format("0x%04x", field));
  }
  const std::uint32_t kept = nbtree::PivotAttributeCount(item.tuple);
  if (kept < 1 || kept > MostAttributes()) {
    return Refuse(item, rules::kPivotAttributes, {4, 6},
                  FindingText::Format("1 to %u attributes", MostAttributes()),
                  FindingText::Format("%u", kept));
  }
  if (!context_->heap_tid_is_key() && !MayKeepBeforeV4(kept)) NoteTooNew(item);
  return true;
}

bool TupleVerifier::CheckPivotTid(const Item& item) {
  const TupleView tuple = item.tuple;
  if (!nbtree::PivotHasHeapTid(tuple)) return true;
  const std::uint32_t kept = nbtree::PivotAttributeCount(tuple);
  const std::uint32_t tid_place = tuple.size() - MaxAlign(index_tuple::kTidSize);
  const bool allowed = context_->heap_tid_is_key() &&
                       (context_->schema == nullptr || kept == MostAttributes()) &&
                       tuple.size() >= tuple.data_offset() + MaxAlign(index_tuple::kTidSize);
  if (!allowed || tuple.data()[tid_place] != 0 || tuple.data()[tid_place + 1] != 0) {
    return Refuse(item, rules::kPivotTid, {tid_place, tuple.size()},
                  Words("a heap TID behind all key columns, after two zero bytes"),
                  FindingText::Format("%u attributes, bytes 0x%02x 0x%02x", kept,
                                      tuple.data()[tid_place], tuple.data()[tid_place + 1]));
  }
  return CheckTid(item, nbtree::PivotHeapTid(tuple), tuple.size() - index_tuple::kTidSize);
}

}  // namespace tornleaf
