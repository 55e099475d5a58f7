// The rules that an nbtree index is held to beyond those of its pages (page/page_check.h).
//
// An id is never reused. The groups go from local to global.

#ifndef TORNLEAF_ENGINE_VERIFY_NBTREE_RULES_H_
#define TORNLEAF_ENGINE_VERIFY_NBTREE_RULES_H_

#include <span>

#include "engine/base/finding.h"

namespace tornleaf {
namespace rules {

// The file.
extern const Invariant kWholePages;  // FILE-001

// Metapage.
extern const Invariant kMetaFlag;        // META-001
extern const Invariant kMetaMagic;       // META-002
extern const Invariant kMetaVersion;     // META-003
extern const Invariant kMetaSize;        // META-004
extern const Invariant kMetaRoots;       // META-005
extern const Invariant kMetaEqualImage;  // META-006
extern const Invariant kMetaUnused;      // META-007
extern const Invariant kMetaSchema;      // META-008

// Page flags and special area.
extern const Invariant kUnsupportedFormat;  // FLAG-001
extern const Invariant kMetaElsewhere;      // FLAG-002
extern const Invariant kLeafLevel;          // FLAG-003
extern const Invariant kHalfDeadLeaf;       // FLAG-004
extern const Invariant kDeletedAlone;       // FLAG-005
extern const Invariant kFullXidDeleted;     // FLAG-006
extern const Invariant kGarbageLeaf;        // FLAG-007
extern const Invariant kCycleIdRange;       // FLAG-008
extern const Invariant kIncompleteRight;    // FLAG-009
extern const Invariant kRootFlag;           // FLAG-010

// How many items, and which.
extern const Invariant kItemCount;        // COUNT-001
extern const Invariant kHighKeyPresent;   // COUNT-002
extern const Invariant kDownlinkPresent;  // COUNT-003
extern const Invariant kHalfDeadItems;    // COUNT-004
extern const Invariant kDeletedContents;  // COUNT-005
extern const Invariant kDeadItems;        // COUNT-006

// Tuples.
extern const Invariant kTupleSize;        // TUPLE-001
extern const Invariant kTupleKind;        // TUPLE-002
extern const Invariant kPivotAttributes;  // TUPLE-003
extern const Invariant kMinusInfinity;    // TUPLE-004
extern const Invariant kPivotTid;         // TUPLE-005
extern const Invariant kTupleTooLarge;    // TUPLE-006
extern const Invariant kHeapTid;          // TUPLE-007
extern const Invariant kDownlinkRange;    // TUPLE-008
extern const Invariant kStatusBits;       // TUPLE-009

// Posting lists.
extern const Invariant kPostingAllowed;  // POST-001
extern const Invariant kPostingOffset;   // POST-002
extern const Invariant kPostingCount;    // POST-003
extern const Invariant kPostingSize;     // POST-004
extern const Invariant kPostingOrder;    // POST-005
extern const Invariant kPostingPadding;  // POST-006

// Attributes; need a schema.
extern const Invariant kKeyHeader;      // KEY-001
extern const Invariant kKeyNullBitmap;  // KEY-002
extern const Invariant kKeyPadding;     // KEY-003
extern const Invariant kKeyPastEnd;     // KEY-004
extern const Invariant kKeyVarlena;     // KEY-005
extern const Invariant kKeyCompressed;  // KEY-006
extern const Invariant kKeyTrailing;    // KEY-007
extern const Invariant kKeyVarWidth;    // KEY-008
extern const Invariant kKeyValue;       // KEY-009

// Order; needs a schema whose collations can be known here.
extern const Invariant kItemOrder;     // ORDER-001
extern const Invariant kHighKeyBound;  // ORDER-002
extern const Invariant kLeftBound;     // ORDER-003

// Links between pages of a level.
extern const Invariant kLinkRange;    // LINK-001
extern const Invariant kLinkBack;     // LINK-002
extern const Invariant kLinkOnce;     // LINK-003
extern const Invariant kLinkDeleted;  // LINK-004
extern const Invariant kLinkEnd;      // LINK-005
extern const Invariant kLinkStart;    // LINK-006
extern const Invariant kLinkNew;      // LINK-007

// Levels and parents.
extern const Invariant kLevel;            // LEVEL-001
extern const Invariant kDownlinkChild;    // PARENT-001
extern const Invariant kSeparator;        // PARENT-002
extern const Invariant kDownlinkMissing;  // PARENT-003
extern const Invariant kDownlinkDead;     // PARENT-004
extern const Invariant kNotIncomplete;    // PARENT-005

// The whole tree.
extern const Invariant kReachable;  // TREE-001
extern const Invariant kFastRoot;   // TREE-002
extern const Invariant kTidOnce;    // TREE-003
extern const Invariant kTopParent;  // TREE-004

}  // namespace rules

std::span<const Invariant* const> NbtreeInvariants();

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_NBTREE_RULES_H_
