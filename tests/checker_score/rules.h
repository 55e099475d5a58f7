// The rules by which a change counts as harmless or as not to be noticed.

#ifndef TORNLEAF_TESTS_CHECKER_SCORE_RULES_H_
#define TORNLEAF_TESTS_CHECKER_SCORE_RULES_H_

#include "tests/checker_score/oracle.h"

namespace tornleaf {
namespace checker_score {
namespace rules {

extern const Rule kHole;
extern const Rule kDeletedLeftover;
extern const Rule kHighKeyBlock;
extern const Rule kSameValues;
extern const Rule kLsn;
extern const Rule kChecksum;
extern const Rule kDeadItem;
extern const Rule kHintFlags;
extern const Rule kCycleId;
extern const Rule kSafeXid;
extern const Rule kDeletedLink;
extern const Rule kDeletedLevel;
extern const Rule kMetaStatistics;
extern const Rule kMetaOlder;
extern const Rule kMetaEqualImage;
extern const Rule kTidInOrder;
extern const Rule kKeyInGap;
extern const Rule kIncludedValue;
extern const Rule kUnmatchedHighKey;
extern const Rule kOrderUnknown;
extern const Rule kNoSchema;

}  // namespace rules
}  // namespace checker_score
}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_CHECKER_SCORE_RULES_H_
