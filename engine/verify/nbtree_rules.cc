#include "engine/verify/nbtree_rules.h"

namespace tornleaf {
namespace rules {

constexpr char kCheckPage[] = "PostgreSQL nbtpage.c, _bt_checkpage";
constexpr char kAmcheck[] = "PostgreSQL verify_nbtree.c";
constexpr char kNbtreeHeader[] = "PostgreSQL nbtree.h";
constexpr char kReadme[] = "PostgreSQL nbtree/README";
constexpr char kBeyond[] = "follows from the format; amcheck does not look";

constinit const Invariant kWholePages{
    "FILE-001", "whole pages",
    "The file is a whole number of pages, and every segment but the "
    "last is full.",
    "The last page was cut: its items are gone, and links to it lead nowhere.", kBeyond};

constinit const Invariant kMetaFlag{
    "META-001", "metapage flags",
    "Block 0 has the flag BTP_META alone, and its sibling links, level and cycle id are 0.",
    "The server does not take the file for a B-tree index.", kCheckPage};
constinit const Invariant kMetaMagic{"META-002", "metapage magic", "btm_magic is 0x00053162.",
                                     "The server does not take the file for a B-tree index.",
                                     "PostgreSQL nbtpage.c, _bt_getmeta"};
constinit const Invariant kMetaVersion{"META-003", "metapage version", "btm_version is 2, 3 or 4.",
                                       "The server refuses the index.",
                                       "PostgreSQL nbtpage.c, _bt_getmeta"};
constinit const Invariant kMetaSize{
    "META-004", "metapage size",
    "pd_lower of the metapage ends its fields: 48 in version 2, 64 or 72 (since 13) in versions 3 "
    "and 4; pd_upper is pd_special, and btm_allequalimage is not set past pd_lower.",
    "A full-page image leaves out fields past pd_lower; after a crash they are gone.",
    "PostgreSQL nbtpage.c, _bt_initmetapage"};
constinit const Invariant kMetaRoots{
    "META-005", "root and fast root",
    "btm_root and btm_fastroot are both 0, or both blocks of the file; the fast root's level is "
    "not above the root's.",
    "Searches start at a page that is no root.", kReadme};
constinit const Invariant kMetaEqualImage{"META-006", "allequalimage needs version 4",
                                          "btm_allequalimage is 0 or 1, and 1 only in version 4.",
                                          "Deduplication in an older format loses entries.",
                                          kAmcheck};
constinit const Invariant kMetaUnused{
    "META-007", "unused metapage fields",
    "Padding is 0, and btm_last_cleanup_num_heap_tuples is -1 or a whole number of rows "
    "that a table can have.",
    "Another program changed the metapage.", kBeyond};
constinit const Invariant kMetaSchema{
    "META-008", "allequalimage fits the schema",
    "btm_allequalimage is 1 only if every key type of the schema is equal-image and nothing is "
    "included. (It may be 0 all the same: an index made by 12 keeps 0 after pg_upgrade.)",
    "Equal keys of different bytes are merged and their bytes lost. Or the schema given is not the "
    "index's.",
    kAmcheck};

constinit const Invariant kUnsupportedFormat{
    "FLAG-001", "unsupported page format", "btpo_flags has no bit outside 0x01ff.",
    "The page is of a format that is not known here, or its flags are damaged. Its items are not "
    "decoded; its header, line pointers and links are checked.",
    kNbtreeHeader};
constinit const Invariant kMetaElsewhere{
    "FLAG-002", "one metapage", "Only block 0 has the flag BTP_META.",
    "The page is taken for a metapage and not read.", kAmcheck};
constinit const Invariant kLeafLevel{
    "FLAG-003", "leaves are level 0",
    "BTP_LEAF is set exactly on pages of level 0 (not on pages deleted before 14).",
    "Downlinks are read as rows, or rows as downlinks.", kAmcheck};
constinit const Invariant kHalfDeadLeaf{"FLAG-004", "only leaves are half-dead",
                                        "BTP_HALF_DEAD is set only on leaves.",
                                        "Left over from before 9.4, or damaged flags.", kAmcheck};
constinit const Invariant kDeletedAlone{
    "FLAG-005", "one stage of deletion",
    "A page is deleted or half-dead, not both, and then neither root nor in an incomplete split.",
    "VACUUM cannot tell what is left to do.", kAmcheck};
constinit const Invariant kFullXidDeleted{
    "FLAG-006", "safexid only on deleted pages", "BTP_HAS_FULLXID is set only with BTP_DELETED.",
    "The first two line pointers are read as a transaction id.", kAmcheck};
constinit const Invariant kGarbageLeaf{"FLAG-007", "garbage hint only on leaves",
                                       "BTP_HAS_GARBAGE is set only on leaves.",
                                       "Another program changed the flags.", kAmcheck};
constinit const Invariant kCycleIdRange{
    "FLAG-008", "cycle id range",
    "btpo_cycleid is at most 0xff7f: higher values tell other index types by a page's last bytes.",
    "Tools take the page for another index type.", kNbtreeHeader};
constinit const Invariant kIncompleteRight{
    "FLAG-009", "split flags need a right sibling",
    "A page with BTP_INCOMPLETE_SPLIT or BTP_SPLIT_END has a right sibling.",
    "An insertion tries to finish a split that has no right half.", kReadme};
constinit const Invariant kRootFlag{
    "FLAG-010", "the root says so",
    "BTP_ROOT is set on the page that btm_root names and on no other; not on that one either while "
    "its own split is incomplete.",
    "An insertion that splits the page does not know that it splits the root.", kAmcheck};

constinit const Invariant kItemCount{
    "COUNT-001", "number of items",
    "A page has no more items than tuples of the smallest size would fit.",
    "pd_lower is wrong, and tuple bytes are read as line pointers.", kAmcheck};
constinit const Invariant kHighKeyPresent{
    "COUNT-002", "high key present",
    "A page with a right sibling has a high key, unless it is deleted.",
    "A search cannot tell when to move right.", kAmcheck};
constinit const Invariant kDownlinkPresent{"COUNT-003", "downlink present",
                                           "An internal page that is not deleted has a data item.",
                                           "A search has nowhere to go down.", kAmcheck};
constinit const Invariant kHalfDeadItems{
    "COUNT-004", "half-dead page is empty",
    "A half-dead page holds one item: a dummy high key of 8 bytes with no attributes.",
    "The page was not empty when its deletion began: rows are lost.", kReadme};
constinit const Invariant kDeletedContents{
    "COUNT-005", "deleted page is empty",
    "A page deleted by 14 or later has pd_lower 32, pd_upper at pd_special, and as safexid a "
    "transaction id from 3 on.",
    "The page holds items that no search reaches.", "PostgreSQL nbtree.h, BTPageSetDeleted"};
constinit const Invariant kDeadItems{"COUNT-006", "only leaf data is DEAD",
                                     "Only data items of leaves have line pointers marked DEAD.",
                                     "A pivot marked DEAD would be removed, and its child lost.",
                                     "PostgreSQL nbtutils.c, _bt_killitems"};

constinit const Invariant kTupleSize{
    "TUPLE-001", "tuple size", "A tuple's own size equals its line pointer's length.",
    "The tuple, or its line pointer, is another one's: a torn page looks like this.", kAmcheck};
constinit const Invariant kTupleKind{
    "TUPLE-002", "tuple kind",
    "Leaf data items are plain or posting tuples; high keys and internal items are pivots "
    "(in versions 2 and 3 they may be plain).",
    "A row address is read as a block to descend to, or the other way round.", kAmcheck};
constinit const Invariant kPivotAttributes{
    "TUPLE-003", "pivot attributes",
    "A pivot keeps at least one attribute and no more than the index has key columns; before "
    "version 4 all of them, and it says so only in an index with included columns.",
    "A search compares attributes that are not there.", kAmcheck};
constinit const Invariant kMinusInfinity{
    "TUPLE-004", "minus infinity item",
    "The first data item of an internal page is 8 bytes long and keeps no attribute "
    "(versions 2 and 3: or is an older minus infinity item, with offset 1).",
    "Keys below the stored one are not found.", kAmcheck};
constinit const Invariant kPivotTid{
    "TUPLE-005", "pivot heap TID",
    "A pivot has a heap TID only in version 4 and only with all key columns; the two bytes before "
    "it are zero.",
    "Key bytes are read as a row address.", kAmcheck};
constinit const Invariant kTupleTooLarge{
    "TUPLE-006", "three tuples a page",
    "A tuple is at most a third of a page; a pivot's heap TID may come on top.",
    "The page cannot be split.", kAmcheck};
constinit const Invariant kHeapTid{
    "TUPLE-007", "valid heap TID",
    "A row address names a block other than 0xffffffff and an offset between 1 and the most rows "
    "a table page can hold.",
    "The index points to a row that cannot exist.", kAmcheck};
constinit const Invariant kDownlinkRange{"TUPLE-008", "downlink inside the file",
                                         "A downlink is a block of the file other than 0.",
                                         "A search leaves the file.", kBeyond};
constinit const Invariant kStatusBits{
    "TUPLE-009", "known status bits",
    "The upper bits of the offset field are ones that this version gives a meaning to.",
    "The tuple is of a format that is not known here.", kNbtreeHeader};

constinit const Invariant kPostingAllowed{
    "POST-001", "posting lists allowed",
    "Posting lists occur only in version 4 with btm_allequalimage and without included columns.",
    "The server does not look for posting lists here and loses rows.", kAmcheck};
constinit const Invariant kPostingOffset{
    "POST-002", "posting list offset",
    "The posting list begins MAXALIGNed inside the tuple, behind its header.",
    "Key bytes are read as row addresses.", kBeyond};
constinit const Invariant kPostingCount{
    "POST-003", "posting list count", "A posting list has at least two row addresses.",
    "A list of one must be a plain tuple; nothing else reads it.", kBeyond};
constinit const Invariant kPostingSize{
    "POST-004", "posting list size",
    "The tuple ends with its posting list: its size is the list's end, MAXALIGNed.",
    "Row addresses are lost or invented.", kBeyond};
constinit const Invariant kPostingOrder{"POST-005", "posting list order",
                                        "Row addresses of a posting list ascend strictly.",
                                        "Binary search in the list misses rows.", kAmcheck};
constinit const Invariant kPostingPadding{"POST-006", "posting list padding",
                                          "Bytes behind the last row address are zero.",
                                          "Redo does not give the same bytes.", kBeyond};

constinit const Invariant kKeyHeader{"KEY-001", "null bitmap fits",
                                     "A tuple with nulls has room for its null bitmap.",
                                     "Attributes are read from the next tuple.", kBeyond};
constinit const Invariant kKeyNullBitmap{
    "KEY-002", "null bitmap",
    "The null bitmap has no bit beyond the attributes, and some attribute is null.",
    "A value is taken for null, or null for a value.", kBeyond};
constinit const Invariant kKeyPadding{"KEY-003", "attribute padding",
                                      "Padding between attributes is zero.",
                                      "The padding is read as a short varlena header.", kBeyond};
constinit const Invariant kKeyPastEnd{"KEY-004", "attributes inside the tuple",
                                      "Every attribute ends inside the tuple's key bytes.",
                                      "The server reads past the tuple; it may crash.", kBeyond};
constinit const Invariant kKeyVarlena{
    "KEY-005", "varlena header",
    "A varlena header gives a possible size, is not an out-of-line pointer, and stands aligned if "
    "it has four bytes.",
    "The server reads a value that is not there; it may crash.", kBeyond};
constinit const Invariant kKeyCompressed{
    "KEY-006", "compressed value", "A compressed value decompresses to its stated size.",
    "The server reports corruption when it reads the key.", kBeyond};
constinit const Invariant kKeyTrailing{
    "KEY-007", "nothing behind the attributes",
    "Behind the last attribute come fewer than 8 bytes, all zero.",
    "Some attribute is shorter than it was, or the schema given is not the index's.", kBeyond};
constinit const Invariant kKeyVarWidth{
    "KEY-008", "variable width flag",
    "INDEX_VAR_MASK is set exactly when some stored attribute has no fixed length.",
    "The server takes its fast path for fixed offsets, or not, wrongly.",
    "PostgreSQL indextuple.c"};
constinit const Invariant kKeyValue{
    "KEY-009", "value of its type",
    "A value is one that its type can hold: a bool is 0 or 1, text has no zero byte, a numeric's "
    "digits are below 10000, and so on.",
    "The value cannot have come from the type's input function.", kBeyond};

constinit const Invariant kItemOrder{
    "ORDER-001", "item order",
    "Items of a page ascend strictly by key columns, then heap TID (versions 2 and 3: they do not "
    "descend, by key columns alone).",
    "Binary search on the page misses rows.", kAmcheck};
constinit const Invariant kHighKeyBound{
    "ORDER-002", "high key bound",
    "Leaf items are not above their page's high key; internal items are below it.",
    "A search moves right past a row that is here.", kAmcheck};
constinit const Invariant kLeftBound{
    "ORDER-003", "left bound",
    "Items of a page, and its high key, are above the high key of its left neighbour, which is "
    "also the key of the "
    "downlink that leads to the page.",
    "A search ends at the left neighbour and misses rows that are here.", kAmcheck};

constinit const Invariant kLinkRange{
    "LINK-001", "sibling links inside the file",
    "A sibling link is 0 or another block of the file; the right link of "
    "a deleted page is not 0.",
    "A scan leaves the file.", kBeyond};
constinit const Invariant kLinkBack{"LINK-002", "siblings agree",
                                    "The right sibling's left link leads back.",
                                    "Backward scans skip or repeat pages.", kAmcheck};
constinit const Invariant kLinkOnce{
    "LINK-003", "each page once",
    "Following right links, and from level to level, meets every page once.",
    "A scan never ends, or a page belongs to two places.", kBeyond};
constinit const Invariant kLinkDeleted{
    "LINK-004", "no link to a deleted page", "No sibling link leads to a deleted page.",
    "The page may be recycled while scans still come to it.", kAmcheck};
constinit const Invariant kLinkEnd{"LINK-005", "rightmost page lives",
                                   "The rightmost page of a level is not half-dead.",
                                   "A search falls off the end of the level.", kAmcheck};
constinit const Invariant kLinkStart{"LINK-006", "level begins leftmost",
                                     "The first page of a level has no left sibling.",
                                     "Pages to the left are not reached.", kAmcheck};
constinit const Invariant kLinkNew{
    "LINK-007", "no link to a new page", "No sibling link or downlink leads to a page of zeroes.",
    "The page was never written, or its write was lost.", kCheckPage};

constinit const Invariant kLevel{"LEVEL-001", "level of a page",
                                 "A page's level is that of its siblings, one less than its "
                                 "parent's; the root's is btm_level. A "
                                 "deleted page was below the root.",
                                 "A search comes out at the wrong depth.", kAmcheck};
constinit const Invariant kDownlinkChild{
    "PARENT-001", "downlinks follow sibling order",
    "The downlinks of a level, from left to right, lead to its children in sibling order.",
    "A search from the root comes to the wrong page.", kAmcheck};
constinit const Invariant kSeparator{
    "PARENT-002", "separator is the left high key",
    "A downlink's key is byte for byte the high key of the page before its child (block number "
    "apart; the first downlink of a page stands for its left neighbour's high key).",
    "Parent and child disagree about where keys belong.", kAmcheck};
constinit const Invariant kDownlinkMissing{
    "PARENT-003", "every page has a downlink",
    "A page without a downlink is the right half of an incomplete split, half-dead, or the top of "
    "a branch whose deletion was interrupted.",
    "Searches reach the page only through its left neighbour; a split was lost.", kAmcheck};
constinit const Invariant kDownlinkDead{
    "PARENT-004", "no downlink to a half-dead page",
    "A downlink to a half-dead page comes only from a branch that is being deleted with it.",
    "Searches start on an empty page.", kAmcheck};
constinit const Invariant kNotIncomplete{"PARENT-005", "incomplete split lacks a downlink",
                                         "The right sibling of a page with BTP_INCOMPLETE_SPLIT "
                                         "has no downlink, and the deletion of such "
                                         "a page does not begin.",
                                         "The next insertion adds a second downlink to it.",
                                         kReadme};

constinit const Invariant kReachable{"TREE-001", "every page is reachable",
                                     "A page that the tree does not reach is deleted or new.",
                                     "Its rows are lost, or its space is leaked.", kBeyond};
constinit const Invariant kFastRoot{
    "TREE-002", "fast root",
    "The fast root is alone on its level, and every level above it has one page with one downlink.",
    "Searches that start there miss the rest of the level.", kReadme};
constinit const Invariant kTidOnce{"TREE-003", "each row once",
                                   "No row address occurs twice in the index.",
                                   "A row is returned twice, and one is missing.", kBeyond};
constinit const Invariant kTopParent{
    "TREE-004", "top parent of a half-dead page",
    "A half-dead page's dummy high key names the top page of its branch, or nothing.",
    "VACUUM unlinks the wrong page.", kReadme};

}  // namespace rules

std::span<const Invariant* const> NbtreeInvariants() {
  using namespace rules;
  static constexpr const Invariant* kAll[] = {
      &kWholePages,     &kMetaFlag,          &kMetaMagic,       &kMetaVersion,
      &kMetaSize,       &kMetaRoots,         &kMetaEqualImage,  &kMetaUnused,
      &kMetaSchema,     &kUnsupportedFormat, &kMetaElsewhere,   &kLeafLevel,
      &kHalfDeadLeaf,   &kDeletedAlone,      &kFullXidDeleted,  &kGarbageLeaf,
      &kCycleIdRange,   &kIncompleteRight,   &kRootFlag,        &kItemCount,
      &kHighKeyPresent, &kDownlinkPresent,   &kHalfDeadItems,   &kDeletedContents,
      &kDeadItems,      &kTupleSize,         &kTupleKind,       &kPivotAttributes,
      &kMinusInfinity,  &kPivotTid,          &kTupleTooLarge,   &kHeapTid,
      &kDownlinkRange,  &kStatusBits,        &kPostingAllowed,  &kPostingOffset,
      &kPostingCount,   &kPostingSize,       &kPostingOrder,    &kPostingPadding,
      &kKeyHeader,      &kKeyNullBitmap,     &kKeyPadding,      &kKeyPastEnd,
      &kKeyVarlena,     &kKeyCompressed,     &kKeyTrailing,     &kKeyVarWidth,
      &kKeyValue,       &kItemOrder,         &kHighKeyBound,    &kLeftBound,
      &kLinkRange,      &kLinkBack,          &kLinkOnce,        &kLinkDeleted,
      &kLinkEnd,        &kLinkStart,         &kLinkNew,         &kLevel,
      &kDownlinkChild,  &kSeparator,         &kDownlinkMissing, &kDownlinkDead,
      &kNotIncomplete,  &kReachable,         &kFastRoot,        &kTidOnce,
      &kTopParent};
  return kAll;
}

}  // namespace tornleaf
