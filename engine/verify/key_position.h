// Where a tuple stands in the order of its index.

#ifndef TORNLEAF_ENGINE_VERIFY_KEY_POSITION_H_
#define TORNLEAF_ENGINE_VERIFY_KEY_POSITION_H_

#include <cstdint>

#include "engine/base/fixed_text.h"
#include "engine/format/nbtree_page.h"
#include "engine/verify/context.h"

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

// Reads the position of a tuple whose geometry has been checked; the context has a schema. Says
// what is wrong if the attributes cannot be read; `position` is then not readable.
DeformResult ReadKeyPosition(const VerifyContext& context, TupleView tuple, bool is_pivot,
                             KeyPosition* position);

// Compares `a`, by its greatest row address, with `b`, by its least one.
int ComparePositions(const VerifyContext& context, const KeyPosition& a, const KeyPosition& b);

// A position for people: "(7, abc) at (12,3)", cut to what a finding has room for.
using PositionText = FixedText<96>;
PositionText TextOf(const VerifyContext& context, const KeyPosition& position);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_KEY_POSITION_H_
