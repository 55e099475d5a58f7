// Checks of the items of one page: tuple geometry, posting lists, attributes, order.

#ifndef TORNLEAF_ENGINE_VERIFY_ITEM_VERIFIER_H_
#define TORNLEAF_ENGINE_VERIFY_ITEM_VERIFIER_H_

#include <cstdint>
#include <vector>

#include "engine/format/nbtree_page.h"
#include "engine/verify/context.h"
#include "engine/verify/plain_leaf.h"
#include "engine/verify/tid_set.h"

namespace tornleaf {

// A tuple's place in the order of the index: its key, cut off where a pivot was truncated, and its
// row addresses. A missing attribute or row address stands below every value.
struct KeyPosition {
  DeformedTuple key;
  std::uint32_t attribute_count = 0;
  bool has_tid = false;
  ItemPointer tid_min;
  ItemPointer tid_max;
  bool readable = false;  // the attributes could be read
};

// Compares `a`, by its greatest row address, with `b`, by its least one.
int ComparePositions(const VerifyContext& context, const KeyPosition& a, const KeyPosition& b);

// A position for people: "(7, abc) at (12,3)", cut to what a finding has room for.
using PositionText = FixedText<72>;
PositionText TextOf(const VerifyContext& context, const KeyPosition& position);

class ItemVerifier {
 public:
  ItemVerifier(VerifyContext* context, TidSet* tids)
      : context_(context),
        tids_(tids),
        plain_leaf_(context->check_order && !context->generic_only ? context->schema : nullptr) {}

  // What an item is for, by its page and slot.
  enum class Role : std::uint8_t { kHighKey, kMinusInfinity, kDownlink, kLeafData };
  static Role RoleOf(nbtree::NbtreePage page, OffsetNumber slot);

  // Checks all items of a live page, neither deleted nor half-dead, whose line pointers may be
  // read (their storage may still be bad, unless `line_pointers_ok`). Returns the number of items
  // that must not be used.
  std::uint32_t CheckItems(nbtree::NbtreePage page, BlockNumber block, bool line_pointers_ok);

  // Whether CheckItems found the tuple of `slot` safe to use. Valid until the next CheckItems.
  bool usable(OffsetNumber slot) const { return slot < usable_.size() && usable_[slot] != 0; }
  // Nothing of the page at hand may be used, unless CheckItems says otherwise later.
  void Forget() { usable_.clear(); }

  // Reads the position of a usable item. False if its attributes cannot be read, or there is no
  // schema.
  bool ReadPosition(nbtree::NbtreePage page, OffsetNumber slot, KeyPosition* position) const;
  static bool ReadPosition(const VerifyContext& context, TupleView tuple, bool is_pivot,
                           KeyPosition* position, DeformResult* result);

 private:
  void TakePlainLeaf(nbtree::NbtreePage page, BlockNumber block);
  bool CheckItem(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot, Role role);
  bool CheckLeafTuple(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot,
                      TupleView tuple);
  bool CheckPosting(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot, TupleView tuple);
  bool MayKeepBeforeV4(std::uint32_t kept);
  void NoteTooNew(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot);
  bool CheckPivot(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot, TupleView tuple,
                  Role role);
  bool CheckMinusInfinity(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot,
                          TupleView tuple);
  bool CheckSize(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot, TupleView tuple,
                 Role role);
  bool CheckTid(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot, ItemPointer tid,
                std::uint32_t at);
  void CheckKeys(nbtree::NbtreePage page, BlockNumber block);
  bool CheckAttributes(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot,
                       KeyPosition* position);
  void CheckHighKeyBound(nbtree::NbtreePage page, BlockNumber block, const KeyPosition& last,
                         OffsetNumber last_slot);
  bool IsBehind(const KeyPosition& before, const KeyPosition& after);
  void ReportOrder(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot,
                   const KeyPosition& position, const char* side, OffsetNumber neighbour_slot,
                   const KeyPosition& neighbour);
  bool ReportDownlinkRange(nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot,
                           BlockNumber child);
  // Reports at the end of the whole run.
  void ReportLast(const Invariant& rule, nbtree::NbtreePage page, BlockNumber block,
                  OffsetNumber slot, ByteRange bytes_in_tuple, FindingText expected,
                  FindingText actual);
  void Report(const Invariant& rule, nbtree::NbtreePage page, BlockNumber block, OffsetNumber slot,
              ByteRange bytes_in_tuple, FindingText expected, FindingText actual);

  VerifyContext* context_;
  TidSet* tids_;
  PlainLeaf plain_leaf_;
  std::vector<std::uint8_t> usable_;  // by slot
  KeyPosition positions_[3];          // the last items read; reused to save allocations
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_ITEM_VERIFIER_H_
