// The edits of nbtree_edit.h that change posting lists.

#include <algorithm>
#include <cstring>

#include "engine/format/edit_checks.h"
#include "engine/format/nbtree_edit.h"

namespace tornleaf {
namespace nbtree {

namespace {

TupleView ItemOf(PageView page, OffsetNumber slot) {
  const LinePointer pointer = page.line_pointer(slot);
  return TupleView(page.bytes().subspan(pointer.offset, pointer.length));
}

// The size of a posting list's tuple, or of the plain tuple that is left with one row address.
std::uint32_t SizeWithTids(std::uint32_t key_size, std::uint32_t count) {
  return count == 1 ? key_size : MaxAlign(key_size + count * index_tuple::kTidSize);
}

void SetSizeAndKind(std::uint8_t* tuple, std::uint32_t size, bool posting) {
  std::uint16_t info = Load(tuple, index_tuple::kInfo);
  info &= static_cast<std::uint16_t>(~(index_tuple::kSizeMask | index_tuple::kAltTidBit));
  info |= static_cast<std::uint16_t>(size | (posting ? index_tuple::kAltTidBit : 0));
  Store(tuple, index_tuple::kInfo, info);
}

bool AscendBelow(std::span<const std::uint16_t> indexes, std::uint32_t count) {
  for (std::size_t at = 0; at < indexes.size(); ++at) {
    if (indexes[at] >= count || (at > 0 && indexes[at] <= indexes[at - 1])) return false;
  }
  return true;
}

// Whether a list may be split at `posting_offset` by a tuple with this row address.
bool FallsInto(TupleView posting, ItemPointer tid, std::uint32_t posting_offset) {
  return posting_offset > 0 && posting_offset < PostingCount(posting) &&
         PostingTid(posting, posting_offset - 1) < tid && tid < PostingTid(posting, posting_offset);
}

bool HasSlot(std::span<const OffsetNumber> slots, OffsetNumber slot) {
  return std::binary_search(slots.begin(), slots.end(), slot);
}

}  // namespace

EditError FormUpdatedPosting(TupleView original, std::span<const std::uint16_t> removed,
                             std::vector<std::uint8_t>* bytes) {
  if (KindOf(original) != TupleKind::kPosting) return EditError::kNotPosting;
  if (!IsSoundPosting(original)) return EditError::kBadPosting;
  const std::uint32_t count = PostingCount(original);
  if (removed.empty() || removed.size() >= count || !AscendBelow(removed, count)) {
    return EditError::kBadPosting;
  }
  const auto left = count - static_cast<std::uint32_t>(removed.size());
  const std::uint32_t key_size = PostingOffset(original);
  const std::uint32_t size = SizeWithTids(key_size, left);
  const std::size_t start = bytes->size();
  bytes->resize(start + size);
  std::uint8_t* tuple = bytes->data() + start;
  std::memcpy(tuple, original.data(), key_size);
  SetSizeAndKind(tuple, size, left > 1);
  std::uint8_t* to = tuple;
  if (left > 1) {
    StoreTid(tuple, {key_size, static_cast<OffsetNumber>(left | kPosting)});
    to += key_size;
  }
  std::size_t next = 0;
  for (std::uint32_t index = 0; index < count; ++index) {
    if (next < removed.size() && removed[next] == index) {
      ++next;
      continue;
    }
    StoreTid(to, PostingTid(original, index));
    to += index_tuple::kTidSize;
  }
  return EditError::kNone;
}

EditError DeleteAndUpdate(PageWriter page, std::span<const OffsetNumber> deleted,
                          std::span<const PostingUpdate> updates) {
  const PageView view = page.view();
  if (!HasItemLayout(view) || !AllReadable(view)) return EditError::kBadLayout;
  if (!AscendWithinPage(view, deleted)) return EditError::kNoSuchSlot;
  // All new tuples are formed before one is placed, so that an error leaves the page alone. None is
  // larger than the one that it replaces.
  std::vector<std::uint8_t> formed;
  std::vector<std::size_t> starts;
  OffsetNumber last = 0;
  for (const PostingUpdate& update : updates) {
    if (update.slot <= last || !HasItem(view, update.slot)) return EditError::kNoSuchSlot;
    if (HasSlot(deleted, update.slot)) return EditError::kNoSuchSlot;
    last = update.slot;
    starts.push_back(formed.size());
    const EditError error = FormUpdatedPosting(ItemOf(view, update.slot), update.removed, &formed);
    if (error != EditError::kNone) return error;
  }
  starts.push_back(formed.size());
  for (std::size_t index = 0; index < updates.size(); ++index) {
    const ByteView tuple =
        ByteView(formed).subspan(starts[index], starts[index + 1] - starts[index]);
    CHECK(OverwriteItem(page, updates[index].slot, tuple) == EditError::kNone);
  }
  CHECK(DeleteItems(page, deleted) == EditError::kNone);
  return EditError::kNone;
}

EditError SwapPosting(TupleView existing, TupleView incoming, std::uint32_t posting_offset,
                      std::vector<std::uint8_t>* new_posting, std::vector<std::uint8_t>* new_item) {
  if (KindOf(existing) != TupleKind::kPosting) return EditError::kNotPosting;
  if (!IsSoundPosting(existing)) return EditError::kBadPosting;
  if (!HasOwnSize(incoming.bytes()) || KindOf(incoming) != TupleKind::kPlain) {
    return EditError::kBadTuple;
  }
  if (!FallsInto(existing, incoming.tid(), posting_offset)) return EditError::kBadPosting;
  const ByteView old = existing.bytes();
  const std::size_t start = new_posting->size();
  new_posting->insert(new_posting->end(), old.begin(), old.end());
  std::uint8_t* gap = new_posting->data() + start + PostingOffset(existing) +
                      posting_offset * index_tuple::kTidSize;
  std::memmove(gap + index_tuple::kTidSize, gap,
               (PostingCount(existing) - posting_offset - 1) * index_tuple::kTidSize);
  StoreTid(gap, incoming.tid());

  const std::size_t item_start = new_item->size();
  new_item->insert(new_item->end(), incoming.bytes().begin(), incoming.bytes().end());
  StoreTid(new_item->data() + item_start, MaxHeapTid(existing));
  return EditError::kNone;
}

EditError InsertIntoPosting(PageWriter page, OffsetNumber slot, TupleView incoming,
                            std::uint32_t posting_offset) {
  const PageView view = page.view();
  if (!HasItemLayout(view)) return EditError::kBadLayout;
  if (slot < 2 || !HasItem(view, static_cast<OffsetNumber>(slot - 1))) {
    return EditError::kNoSuchSlot;
  }
  const auto posting_slot = static_cast<OffsetNumber>(slot - 1);
  const std::uint32_t offset = view.line_pointer(posting_slot).offset;
  std::vector<std::uint8_t> new_posting;
  std::vector<std::uint8_t> new_item;
  EditError error =
      SwapPosting(ItemOf(view, posting_slot), incoming, posting_offset, &new_posting, &new_item);
  if (error != EditError::kNone) return error;
  error = InsertItem(page, slot, new_item);
  if (error != EditError::kNone) return error;
  // The list keeps its size, so that it stays where it is.
  std::memcpy(page.data() + offset, new_posting.data(), new_posting.size());
  return EditError::kNone;
}

namespace {

// Appends the row addresses of a leaf data item. False unless they follow those before.
bool AppendTids(TupleView item, std::vector<ItemPointer>* tids) {
  const TupleKind kind = KindOf(item);
  if (kind == TupleKind::kPivot) return false;
  if (kind == TupleKind::kPosting && !IsSoundPosting(item)) return false;
  if (!tids->empty() && tids->back() >= MinHeapTid(item)) return false;
  if (kind == TupleKind::kPlain) {
    tids->push_back(item.tid());
    return true;
  }
  const std::uint32_t count = PostingCount(item);
  for (std::uint32_t index = 0; index < count; ++index) tids->push_back(PostingTid(item, index));
  return true;
}

// Puts one posting tuple of the interval's items after the last item of `to`.
EditError AppendMerged(PageView from, const DedupInterval& interval, PageWriter to) {
  std::vector<ItemPointer> tids;
  for (std::uint32_t index = 0; index < interval.item_count; ++index) {
    if (!AppendTids(ItemOf(from, static_cast<OffsetNumber>(interval.base + index)), &tids)) {
      return EditError::kBadPosting;
    }
  }
  const TupleView base = ItemOf(from, interval.base);
  const std::size_t size = KeyEnd(base) + tids.size() * index_tuple::kTidSize;
  if (size > Limits{from.size()}.MaxItemSize()) return EditError::kBadPosting;
  std::vector<std::uint8_t> merged;
  FormPosting(base, tids, &merged);
  return InsertItem(to, static_cast<OffsetNumber>(to.view().item_count() + 1), merged);
}

bool IntervalsFit(const NbtreePage& page, std::span<const DedupInterval> intervals) {
  std::uint32_t next = page.first_data_slot();
  for (const DedupInterval& interval : intervals) {
    if (interval.base < next || interval.item_count < 2) return false;
    next = std::uint32_t{interval.base} + interval.item_count;
    if (next > page.item_count() + 1U) return false;
  }
  return true;
}

}  // namespace

EditError ApplyDedup(PageWriter page, std::span<const DedupInterval> intervals) {
  const PageView view = page.view();
  if (!HasItemLayout(view) || !AllReadable(view)) return EditError::kBadLayout;
  const NbtreePage old(view);
  if (!IntervalsFit(old, intervals)) return EditError::kNoSuchSlot;
  std::vector<std::uint8_t> bytes(view.size());
  PageWriter merged{MutableBytes(bytes)};
  merged.Initialize(kOpaqueSize);
  std::size_t next = 0;
  std::uint32_t slot = 1;
  while (slot <= old.item_count()) {
    const auto at = static_cast<OffsetNumber>(slot);
    const bool starts = next < intervals.size() && intervals[next].base == at;
    const EditError error =
        starts ? AppendMerged(view, intervals[next], merged)
               : InsertItem(merged, static_cast<OffsetNumber>(merged.view().item_count() + 1),
                            ItemOf(view, at).bytes());
    if (error != EditError::kNone) return error;
    slot += starts ? intervals[next++].item_count : 1U;
  }
  const std::uint32_t special = view.special();
  std::memcpy(merged.data() + special, view.data() + special, kOpaqueSize);
  SetFlags(merged, static_cast<std::uint16_t>(old.flags() & ~kHasGarbage));
  merged.set_lsn(view.lsn());
  std::memcpy(page.data(), merged.data(), page.size());
  return EditError::kNone;
}

}  // namespace nbtree
}  // namespace tornleaf
