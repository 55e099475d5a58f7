#include "tests/checker_score/rules.h"

namespace tornleaf {
namespace checker_score {
namespace rules {

constinit const Rule kHole{"hole", true,
                           "Nothing reads the bytes between pd_lower and pd_upper, and pages are "
                           "written with whatever stands there."};
constinit const Rule kDeletedLeftover{
    "deleted-leftover", true,
    "Behind safexid a deleted page keeps whatever it held; nothing reads it."};
constinit const Rule kHighKeyBlock{
    "high-key-block", true,
    "The block number in a high key is left over from the tuple that it was made of."};
constinit const Rule kSameValues{
    "same-values", true,
    "The bytes changed and the values did not: unused bits of a compressed value."};
constinit const Rule kLsn{"lsn", false, "A file does not say where its log ends."};
constinit const Rule kChecksum{"checksum", false,
                               "Checksums are out of play here; with them every change is seen."};
constinit const Rule kDeadItem{
    "dead-item", false,
    "LP_DEAD is a hint that a scan sets on a leaf item without a log record; whether the row is "
    "dead is known to the table alone."};
constinit const Rule kHintFlags{
    "hint-flags", false,
    "BTP_SPLIT_END (on a page with a right sibling) and BTP_HAS_GARBAGE (on a leaf) are hints; "
    "both may be set or not whatever the page holds."};
constinit const Rule kCycleId{"cycle-id", false,
                              "The id of the VACUUM during which a page was split is any number up "
                              "to 0xff7f, and means nothing afterwards."};
constinit const Rule kSafeXid{"safexid", false,
                              "A file does not say which transaction id comes next; any from 3 on "
                              "can be the one at which the page was deleted."};
constinit const Rule kDeletedLink{
    "deleted-link", false,
    "A deleted page keeps the links it had; the pages there have been split, deleted or reused "
    "since. A block of the file other than itself is legal, and 0 on the left."};
constinit const Rule kDeletedLevel{"deleted-level", false,
                                   "Nothing else tells the level that a deleted internal page was "
                                   "on; from 1 to below the root's is legal."};
constinit const Rule kMetaStatistics{
    "meta-statistics", false,
    "btm_last_cleanup_num_delpages (any number: 11 to 13 kept a transaction id there) and "
    "btm_last_cleanup_num_heap_tuples (-1, or a whole number of rows that a table can have) are "
    "notes of the last VACUUM."};
constinit const Rule kMetaOlder{
    "meta-older", false,
    "The metapage is one that an older release writes (pd_lower 64 before 13, version 3 before "
    "12), and nothing in the index shows that a newer one wrote it."};
constinit const Rule kMetaEqualImage{
    "meta-equal-image", false,
    "An index made by 12 keeps btm_allequalimage 0 whatever its types; only a posting list proves "
    "that it must be 1, and only a schema that it must be 0."};
constinit const Rule kTidInOrder{
    "tid-in-order", false,
    "The new row address is a legal one, no other item has it, and it keeps its place among equal "
    "keys: only the table knows that the row is not there."};
constinit const Rule kKeyInGap{"key-in-gap", false,
                               "The new key is a legal value strictly between the neighbouring "
                               "items and within the page's bounds: only the table knows better."};
constinit const Rule kIncludedValue{"included-value", false,
                                    "An included column has no order: any legal value will do."};
constinit const Rule kUnmatchedHighKey{
    "unmatched-high-key", false,
    "The high key of a leaf whose split is incomplete, or of an internal page that is being "
    "deleted, has no separator in the parent to compare with; the new one is legal and "
    "above what is on its left; below the items of the page on the right, too, if it was a split."};
constinit const Rule kOrderUnknown{
    "order-unknown", false,
    "A libc collation: the order of keys depends on the C library that the server ran with. The "
    "new value and row address are legal ones."};
constinit const Rule kNoSchema{
    "no-schema", false,
    "Without a schema the bytes of a key, its null bitmap and the flags that describe them have no "
    "meaning and no order; row addresses must be legal, ascending in a list, and not met twice."};

}  // namespace rules

std::span<const Rule* const> AllRules() {
  using namespace rules;
  static constexpr const Rule* kAll[] = {
      &kHole,        &kDeletedLeftover, &kHighKeyBlock,  &kSameValues,       &kLsn,
      &kChecksum,    &kDeadItem,        &kHintFlags,     &kCycleId,          &kSafeXid,
      &kDeletedLink, &kDeletedLevel,    &kMetaOlder,     &kMetaStatistics,   &kMetaEqualImage,
      &kTidInOrder,  &kKeyInGap,        &kIncludedValue, &kUnmatchedHighKey, &kOrderUnknown,
      &kNoSchema};
  return kAll;
}

}  // namespace checker_score
}  // namespace tornleaf
