// Changes of one nbtree page as pure functions of (page, arguments). The tree applies them to live
// pages and redo to logged ones, so that both give the same bytes: PostgreSQL's, to the byte, as
// its PageAddItem, PageIndexTupleDelete, PageIndexMultiDelete and PageIndexTupleOverwrite lay them
// out.
//
// Arguments may come from a damaged log, over a page whose geometry has been checked
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
  kBadTuple,    // the tuple's own size, kind or geometry is impossible here
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

// One posting list that a deduplication pass made: of `item_count` items from `base` on, where base
// counts in the page as the pass writes it (each finished item before it is one item).
struct DedupInterval {
  OffsetNumber base = 0;
  std::uint16_t item_count = 0;
};

// Carries out what a pass decided: rewrites the page with the intervals merged, HAS_GARBAGE
// cleared.
EditError ApplyDedup(PageWriter page, std::span<const DedupInterval> intervals);

// The two halves of a split, as the log describes them.
struct SplitPlan {
  OffsetNumber first_right = 0;    // slot of the original page, or of the page as if the new item
                                   // were in it: see new_item_on_left
  OffsetNumber new_item_slot = 0;  // where the new item would stand on the original page
  bool new_item_on_left = false;
  std::uint16_t posting_offset = 0;  // not 0: the item before the new one is a posting list to swap
};

// Rebuilds the left half from the original page: its items below first_right, the new item if it
// goes there, `high_key`. Used by the split itself and by its redo. `flags` and `next` are set,
// prev and level stay, cycle id as given; the LSN is the original page's.
EditError BuildSplitLeft(ByteView original, const SplitPlan& plan, TupleView new_item,
                         TupleView high_key, std::uint16_t flags, BlockNumber next,
                         std::uint16_t cycle_id, MutableBytes left);
// Builds the right half: an initialised page that gets the original's high key and the items from
// first_right on.
EditError BuildSplitRight(ByteView original, const SplitPlan& plan, TupleView new_item,
                          PageWriter right);

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_NBTREE_EDIT_H_
