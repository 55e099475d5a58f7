// What a check says about bytes that break a rule.
//
// A rule has a name for ever (`Invariant::id`); a finding is one place where bytes break it. The
// layer that knows a rule declares it; `verify/invariants.h` lists all of them.

#ifndef TORNLEAF_ENGINE_BASE_FINDING_H_
#define TORNLEAF_ENGINE_BASE_FINDING_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "engine/base/fixed_text.h"

namespace tornleaf {

// Relation-absolute page number, and 1-based number of a line pointer on its page.
using BlockNumber = std::uint32_t;
using OffsetNumber = std::uint16_t;
inline constexpr BlockNumber kInvalidBlock = 0xFFFFFFFF;

// Position in the log; printed as PostgreSQL does, high and low word in hex.
using Lsn = std::uint64_t;

// Address of a table row: what a leaf item points to.
struct ItemPointer {
  BlockNumber block = 0;
  OffsetNumber offset = 0;

  friend auto operator<=>(const ItemPointer&, const ItemPointer&) = default;
};

struct Invariant {
  const char* id;      // Stable and never reused, such as "ITEM-004".
  const char* title;   // A few words for lists.
  const char* rule;    // What must hold, in whole sentences.
  const char* damage;  // What goes wrong for a reader when it does not hold.
  const char* source;  // Where the rule comes from.
};

// Half-open range of byte offsets within a page.
struct ByteRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

using FindingText = FixedText<120>;

struct Finding {
  const Invariant* invariant = nullptr;
  BlockNumber block = 0;
  OffsetNumber slot = 0;  // 0: the page as a whole.
  ByteRange bytes;
  Lsn lsn = 0;
  FindingText expected;
  FindingText actual;
  // Checks that were left out, or failed too, because of this one. Counted, not listed.
  std::uint32_t consequences = 0;
};

using Findings = std::vector<Finding>;

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BASE_FINDING_H_
