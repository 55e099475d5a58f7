// Checks of one tuple by what it is for: kind, size, geometry, row addresses, downlink. What its
// attributes hold and how they are ordered is ItemVerifier's part.

#ifndef TORNLEAF_ENGINE_VERIFY_TUPLE_VERIFIER_H_
#define TORNLEAF_ENGINE_VERIFY_TUPLE_VERIFIER_H_

#include <cstdint>
#include <span>

#include "engine/format/nbtree_page.h"
#include "engine/verify/context.h"
#include "engine/verify/tid_set.h"

namespace tornleaf {

// What an item is for, by its page and slot.
enum class ItemRole : std::uint8_t { kHighKey, kMinusInfinity, kDownlink, kLeafData };
ItemRole RoleOf(nbtree::NbtreePage page, OffsetNumber slot);

// One item of a page, its tuple's storage checked.
struct Item {
  nbtree::NbtreePage page;
  BlockNumber block = 0;
  OffsetNumber slot = 0;
  ItemRole role = ItemRole::kLeafData;
  TupleView tuple;

  Item(nbtree::NbtreePage item_page, BlockNumber item_block, OffsetNumber item_slot)
      : page(item_page),
        block(item_block),
        slot(item_slot),
        role(RoleOf(item_page, item_slot)),
        tuple(item_page.tuple(item_slot)) {}

  bool is_pivot() const { return role != ItemRole::kLeafData; }
  // A finding about the bytes [begin, end) of the tuple.
  Finding At(const Invariant& rule, ByteRange bytes, FindingText expected,
             FindingText actual) const;
};

class TupleVerifier {
 public:
  TupleVerifier(VerifyContext* context, TidSet* tids) : context_(context), tids_(tids) {}

  // Whether the tuple may be used: its key bytes, row addresses and downlink are where they should
  // be. Its row addresses go to the set.
  bool Check(const Item& item);

  // Adds the row addresses of plain tuples in consecutive slots, which have been found valid.
  void AddPlainTids(nbtree::NbtreePage page, BlockNumber block, OffsetNumber first_slot,
                    std::span<const PackedTid> tids);

 private:
  bool CheckLeafTuple(const Item& item);
  bool CheckPosting(const Item& item);
  bool CheckPostingGeometry(const Item& item);
  bool CheckPostingTids(const Item& item);
  bool CheckMinusInfinity(const Item& item);
  bool CheckPivot(const Item& item);
  bool CheckPivotAttributes(const Item& item);
  bool CheckPivotTid(const Item& item);
  bool CheckDownlink(const Item& item);
  bool CheckSize(const Item& item);
  void AddTid(const Item& item, PackedTid tid, std::uint32_t at);
  void ReportSecondTid(const Item& item, PackedTid tid, std::uint32_t at);
  bool CheckTid(const Item& item, ItemPointer tid, std::uint32_t at);
  bool MayKeepBeforeV4(std::uint32_t kept);
  void NoteTooNew(const Item& item);
  // Reports, and says that the tuple must not be used.
  bool Refuse(const Item& item, const Invariant& rule, ByteRange bytes, FindingText expected,
              FindingText actual);
  std::uint32_t MostAttributes() const;

  VerifyContext* context_;
  TidSet* tids_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_TUPLE_VERIFIER_H_
