// Checks of the items of one page: each tuple on its own, then attributes and order.

#ifndef TORNLEAF_ENGINE_VERIFY_ITEM_VERIFIER_H_
#define TORNLEAF_ENGINE_VERIFY_ITEM_VERIFIER_H_

#include <cstdint>
#include <vector>

#include "engine/format/nbtree_page.h"
#include "engine/verify/context.h"
#include "engine/verify/key_position.h"
#include "engine/verify/plain_leaf.h"
#include "engine/verify/tid_set.h"
#include "engine/verify/tuple_verifier.h"

namespace tornleaf {

class ItemVerifier {
 public:
  ItemVerifier(VerifyContext* context, TidSet* tids)
      : context_(context),
        tuples_(context, tids),
        plain_leaf_(context->check_order && !context->generic_only ? context->schema : nullptr) {}

  // Checks all items of a live page, neither deleted nor half-dead, whose line pointers may be
  // read (their storage may still be bad, unless `line_pointers_ok`). Returns the number of items
  // that must not be used.
  std::uint32_t CheckItems(nbtree::NbtreePage page, BlockNumber block, bool line_pointers_ok);

  // Whether CheckItems found the tuple of `slot` safe to use. Valid until the next CheckItems.
  bool usable(OffsetNumber slot) const { return slot < usable_.size() && usable_[slot] != 0; }
  // Nothing of the page at hand may be used, unless CheckItems says otherwise later.
  void Forget() { usable_.clear(); }

  // Reads the position of a usable item. False if its attributes cannot be read, it has none, or
  // there is no schema.
  bool ReadPosition(nbtree::NbtreePage page, OffsetNumber slot, KeyPosition* position) const;

 private:
  void TakePlainLeaf(nbtree::NbtreePage page, BlockNumber block);
  void CheckKeys(nbtree::NbtreePage page, BlockNumber block);
  bool CheckAttributes(const Item& item, KeyPosition* position);
  void CheckHighKeyBound(nbtree::NbtreePage page, BlockNumber block, const KeyPosition& last,
                         OffsetNumber last_slot);
  bool IsBehind(const KeyPosition& before, const KeyPosition& after);
  void ReportOrder(const Item& item, const KeyPosition& position, const char* side,
                   OffsetNumber neighbour_slot, const KeyPosition& neighbour);

  VerifyContext* context_;
  TupleVerifier tuples_;
  PlainLeaf plain_leaf_;
  std::vector<std::uint8_t> usable_;  // by slot
  KeyPosition positions_[3];          // the last items read; reused to save allocations
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_ITEM_VERIFIER_H_
