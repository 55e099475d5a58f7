// Changes of one nbtree page as pure functions of (page, arguments). The tree applies them to live
// pages and redo to logged ones, so that both give the same bytes: PostgreSQL's, to the byte, as
// its PageAddItem, PageIndexTupleDelete, PageIndexMultiDelete and PageIndexTupleOverwrite lay them
// out.
//
// Arguments may come from a damaged log, over a page with items whose geometry has been checked
// (page_guard.h): a function returns an error and then has not changed the page.

#ifndef TORNLEAF_ENGINE_FORMAT_NBTREE_EDIT_H_
#define TORNLEAF_ENGINE_FORMAT_NBTREE_EDIT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/format/nbtree_page.h"

namespace tornleaf {
namespace nbtree {

enum class EditError : std::uint8_t {
  kNone,
  kNoSuchSlot,
  kNoRoom,
  kBadTuple,    // the tuple's own size or kind is impossible here
  kNotPosting,  // a posting list was to be changed, and the tuple has none
  kBadPosting,  // index outside the posting list, or addresses not ascending
  kBadLayout,   // the page cannot be what the record says
};
const char* EditErrorText(EditError error);

// Inserts `tuple` as item `slot`, 1..item_count() + 1; line pointers from there on move up.
EditError InsertItem(PageWriter page, OffsetNumber slot, ByteView tuple);
// Puts `tuple` in the place of item `slot`, whatever their sizes.
EditError OverwriteItem(PageWriter page, OffsetNumber slot, ByteView tuple);
EditError DeleteItem(PageWriter page, OffsetNumber slot);
// Deletes items; `slots` ascend.
EditError DeleteItems(PageWriter page, std::span<const OffsetNumber> slots);

// One posting list of which some row addresses go: 0-based indexes into it, ascending, not all.
struct PostingUpdate {
  OffsetNumber slot = 0;
  std::vector<std::uint16_t> removed;
};

// Replaces posting lists first, then deletes whole items, as DELETE and VACUUM records demand.
// `updates` and `deleted` ascend by slot and name different slots.
EditError DeleteAndUpdate(PageWriter page, std::span<const OffsetNumber> deleted,
                          std::span<const PostingUpdate> updates);
// `original` less the row addresses at `removed`: a posting tuple, or a plain one if one is left.
EditError FormUpdatedPosting(TupleView original, std::span<const std::uint16_t> removed,
                             std::vector<std::uint8_t>* bytes);

// Posting-list split. `incoming` is a plain tuple whose row address falls between elements
// `posting_offset` - 1 and `posting_offset` of the posting tuple `existing`. Gives the new posting
// tuple, in which the address stands at `posting_offset` and the greatest one is gone, and the
// tuple that is to be inserted right of it: `incoming` with that greatest address.
EditError SwapPosting(TupleView existing, TupleView incoming, std::uint32_t posting_offset,
                      std::vector<std::uint8_t>* new_posting, std::vector<std::uint8_t>* new_item);
// SwapPosting on the page: item `slot` - 1 is the posting tuple, and the new item becomes `slot`.
EditError InsertIntoPosting(PageWriter page, OffsetNumber slot, TupleView incoming,
                            std::uint32_t posting_offset);

// One posting list that a deduplication pass makes: of `item_count` items, at least two, from item
// `base` of the page as it was before the pass.
struct DedupInterval {
  OffsetNumber base = 0;
  std::uint16_t item_count = 0;
};

// Carries out what a pass decided: rewrites the leaf with the intervals merged, HAS_GARBAGE
// cleared. Intervals ascend and are disjoint.
EditError ApplyDedup(PageWriter page, std::span<const DedupInterval> intervals);

// The two halves of a split, as the log describes them.
struct SplitPlan {
  OffsetNumber first_right = 0;    // slot of the original page, or of the page as if the new item
                                   // were in it: see new_item_on_left
  OffsetNumber new_item_slot = 0;  // where the new item would stand on the original page
  bool new_item_on_left = false;
  std::uint16_t posting_offset = 0;  // not 0: the item before the new one is a posting list to swap
};

// Builds the left half in `left`, another buffer of the same size: the original page's items below
// first_right, the new item if it goes there, `high_key` first. Used by the split itself and by its
// redo. `flags`, `next` and the cycle id as given; prev, level and LSN are the original page's.
// `new_item` is the item as it came, before a posting list is swapped; where it is not needed, for
// a right split without posting_offset, it may be empty.
EditError BuildSplitLeft(ByteView original, const SplitPlan& plan, TupleView new_item,
                         TupleView high_key, std::uint16_t flags, BlockNumber next,
                         std::uint16_t cycle_id, MutableBytes left);
// Fills the right half, an initialised and empty page, with the original's high key and the items
// from first_right on. On an internal page the first of them becomes minus infinity.
EditError BuildSplitRight(ByteView original, const SplitPlan& plan, TupleView new_item,
                          PageWriter right);

// Fills an initialised and empty page with tuples as they lie on another one, where they had been
// added in item order: the last item first. So records describe right halves and new roots.
EditError RestoreItems(PageWriter page, ByteView tuples);

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_NBTREE_EDIT_H_
