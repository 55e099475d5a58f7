// The kinds of nbtree tuples, and making one from another.
//
//   kind     t_info 0x2000  ip_posid                     t_tid block
//   plain    clear          heap offset                  heap block
//   posting  set            0x2000 | number of TIDs      offset of the TIDs in the tuple
//   pivot    set            0x1000? | attributes kept    downlink (internal); leftover (leaf)
//
// A posting tuple ends in its TIDs, six bytes each, ascending. A pivot with 0x1000 ends in one TID.

#ifndef TORNLEAF_ENGINE_FORMAT_NBTREE_TUPLE_H_
#define TORNLEAF_ENGINE_FORMAT_NBTREE_TUPLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/format/nbtree_v4.h"
#include "engine/key/index_tuple.h"
#include "engine/key/schema.h"

namespace tornleaf {
namespace nbtree {

inline constexpr std::uint16_t kOffsetMask = 0x0FFF;
inline constexpr std::uint16_t kPivotHeapTid = 0x1000;  // BT_PIVOT_HEAP_TID_ATTR
inline constexpr std::uint16_t kPosting = 0x2000;       // BT_IS_POSTING
inline constexpr std::uint16_t kStatusBits = 0xF000;
inline constexpr std::uint32_t kPostingMinTids = 2;

enum class TupleKind : std::uint8_t { kPlain, kPosting, kPivot };

inline TupleKind KindOf(TupleView tuple) {
  if (!tuple.alt_tid()) return TupleKind::kPlain;
  return (tuple.tid().offset & kPosting) != 0 ? TupleKind::kPosting : TupleKind::kPivot;
}

// Posting tuples. The offset and the count are untrusted until IsSoundPosting() has looked.
inline std::uint32_t PostingOffset(TupleView tuple) { return tuple.tid().block; }
inline std::uint32_t PostingCount(TupleView tuple) { return tuple.tid().offset & kOffsetMask; }
inline ItemPointer PostingTid(TupleView tuple, std::uint32_t index) {
  return LoadTid(tuple.data() + PostingOffset(tuple) + index * index_tuple::kTidSize);
}
// Whether a posting tuple's list has two row addresses or more, lies inside the tuple and ascends.
bool IsSoundPosting(TupleView tuple);

// Pivot tuples.
inline BlockNumber Downlink(TupleView tuple) { return tuple.tid().block; }
inline std::uint32_t PivotAttributeCount(TupleView tuple) {
  return tuple.tid().offset & kOffsetMask;
}
inline bool PivotHasHeapTid(TupleView tuple) { return (tuple.tid().offset & kPivotHeapTid) != 0; }
// The tuple has at least 16 bytes.
inline ItemPointer PivotHeapTid(TupleView tuple) {
  return LoadTid(tuple.data() + tuple.stored_size() - index_tuple::kTidSize);
}

// The least and the greatest row address of a leaf data item whose geometry has been checked.
ItemPointer MinHeapTid(TupleView tuple);
ItemPointer MaxHeapTid(TupleView tuple);

// Where the attribute bytes of a tuple with checked geometry end: before the posting list, or
// before the MAXALIGNed place of a pivot's heap TID.
std::uint32_t KeyEnd(TupleView tuple);

// Makes the posting tuple of `base`, a plain or posting tuple whose key it takes over, and `tids`,
// at least two and ascending. Appends it to `bytes` and returns its size.
std::uint32_t FormPosting(TupleView base, std::span<const ItemPointer> tids,
                          std::vector<std::uint8_t>* bytes);

// Number of leading key columns that a pivot between `left` and `right` must keep so that it
// separates them: the first one that differs in the operator classes' order, 1-based; key_count()
// + 1 if none does, when the heap TID must separate them (PostgreSQL's _bt_keep_natts).
std::uint32_t KeepAttributes(const Schema& schema, const DeformedTuple& left,
                             const DeformedTuple& right);

// Forms the high key that separates two neighbouring leaf items, as PostgreSQL's _bt_truncate does:
// `right` without its posting list, its included columns and the key columns that are not needed;
// with the greatest heap TID of `left` if no column differs. t_tid's block is right's, as it
// stands. Appends it to `bytes` and returns its size.
std::uint32_t TruncateForHighKey(const Schema& schema, TupleView left, TupleView right,
                                 std::vector<std::uint8_t>* bytes);

// The 8-byte "minus infinity" item of an internal page.
std::uint32_t FormMinusInfinity(BlockNumber downlink, std::vector<std::uint8_t>* bytes);

// Marks a tuple of ours as a pivot that keeps `count` attributes; `bytes` begins at the tuple.
void SetPivotAttributes(std::uint8_t* tuple, std::uint32_t count, bool heap_tid);
void SetDownlink(std::uint8_t* tuple, BlockNumber block);

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_NBTREE_TUPLE_H_
