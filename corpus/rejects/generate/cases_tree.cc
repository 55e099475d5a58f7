#include "corpus/rejects/generate/cases.h"

namespace tornleaf {

namespace {

using namespace nbtree;

template <Workpiece (*kBase)(), typename Edit>
Workpiece Edited(Edit edit) {
  Workpiece work = kBase();
  edit(work);
  return work;
}

template <Workpiece (*kBase)()>
Workpiece WithPrev(BlockNumber block, BlockNumber prev) {
  Workpiece work = kBase();
  work.SetSpecial(block, kPrev, prev);
  return work;
}

template <Workpiece (*kBase)()>
Workpiece WithNext(BlockNumber block, BlockNumber next) {
  Workpiece work = kBase();
  work.SetSpecial(block, kNext, next);
  return work;
}

template <Workpiece (*kBase)()>
Workpiece WithDownlink(BlockNumber block, OffsetNumber slot, std::uint16_t child) {
  Workpiece work = kBase();
  work.SetTuple(block, slot, index_tuple::kBlockLow, child);
  return work;
}

// The dummy high key of a half-dead page that is to be deleted alone, or with the branch `top`.
TupleBytes DummyHighKey(BlockNumber top = kInvalidBlock) {
  TupleBytes tuple;
  FormMinusInfinity(top, &tuple);
  return tuple;
}

void MakeHalfDead(Workpiece& work, BlockNumber block, BlockNumber top = kInvalidBlock) {
  work.SetSpecial(block, nbtree::kFlags,
                  static_cast<std::uint16_t>(work.page(block).data()[work.page_size() - 4] |
                                             nbtree::kHalfDead));
  work.SetItems(block, {DummyHighKey(top)}, "keeps only a dummy high key");
}

void RemoveItem(Workpiece& work, BlockNumber block, OffsetNumber slot) {
  std::vector<TupleBytes> items = work.Items(block);
  items.erase(items.begin() + slot - 1);
  work.SetItems(block, items, "item " + std::to_string(slot) + " is gone");
}

Workpiece UnlinkedLeaf() { return FromFixture("unlinked-leaf"); }
Workpiece HalfDeadLeaf() { return FromFixture("half-dead-leaf"); }
Workpiece HalfDeadBranch() { return FromFixture("half-dead-branch"); }

Workpiece Dense() { return FromFixture("fillfactor-100"); }

void CopyTid(Workpiece& work, BlockNumber from, OffsetNumber from_slot, BlockNumber to,
             OffsetNumber to_slot) {
  const ItemPointer tid = work.tuple(from, from_slot).tid();
  work.SetTuple(to, to_slot, index_tuple::kBlockLow, static_cast<std::uint16_t>(tid.block));
  work.SetTuple(to, to_slot, index_tuple::kOffset, tid.offset);
}

std::vector<RejectCase> LinkCases() {
  return {
      {"LINK-001", "next-outside", [] { return WithNext<Ints>(2, 99); }, 2},
      {"LINK-001", "prev-outside", [] { return WithPrev<Ints>(2, 0xFFFFFFFF); }, 2},
      {"LINK-001", "cycle-of-one", [] { return WithNext<Ints>(2, 2); }, 2},
      {"LINK-002", "prev-skips", [] { return WithPrev<Ints>(3, 1); }, 3},
      {"LINK-002", "prev-lost", [] { return WithPrev<Ints>(3, 0); }, 3},
      {"LINK-002", "next-skips", [] { return WithNext<Ints>(1, 3); }, 3},
      {"LINK-002", "stale-sibling",
       [] {
         // Block 2 as it was before block 3 was split off to its right.
         return Edited<Ints>([](Workpiece& work) { work.SetSpecial(2, kNext, 4U); });
       },
       4},
      {"LINK-003", "cycle-of-two", [] { return WithNext<Ints>(2, 1); }, 2},
      {"LINK-003", "cycle-of-three", [] { return WithNext<Ints>(3, 1); }, 3},
      {"LINK-003", "cycle-of-eight", [] { return WithNext<ThreeLevels>(8, 1); }, 8},
      {"LINK-003", "cycle-in-the-middle", [] { return WithNext<ThreeLevels>(7, 5); }, 7},
      {"LINK-003", "to-the-level-above", [] { return WithNext<ThreeLevels>(5, 11); }, 5},
      {"LINK-004", "deleted-page-linked",
       [] { return Edited<UnlinkedLeaf>([](Workpiece& work) { work.SetSpecial(1, kNext, 2U); }); },
       2},
      {"LINK-004", "live-page-deleted",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           work.SetSpecial(2, nbtree::kFlags, std::uint16_t{0x0105});
           work.SetItems(2, {}, "loses all items");
           work.SetHeader(2, slotted_v4::kLower, std::uint16_t{32});
           work.SetHeader(2, kSafeXid, std::uint64_t{700});
         });
       },
       2},
      {"LINK-005", "half-dead-rightmost",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           RemoveItem(work, 5, 4);
           MakeHalfDead(work, 4);
         });
       },
       4},
      {"LINK-006", "leftmost-has-a-left", [] { return WithPrev<Ints>(1, 3); }, 1},
      {"LINK-007", "lost-write",
       [] { return Edited<Ints>([](Workpiece& work) { work.ZeroPage(2); }); }, 2},
      {"LINK-007", "lost-write-internal",
       [] { return Edited<ThreeLevels>([](Workpiece& work) { work.ZeroPage(11); }); }, 11},
      {"LINK-007", "lost-write-root",
       [] { return Edited<Ints>([](Workpiece& work) { work.ZeroPage(5); }); }, 5},
  };
}

std::vector<RejectCase> ParentCases() {
  return {
      {"LEVEL-001", "level-2-among-level-1",
       [] { return Edited<ThreeLevels>([](Workpiece& work) { work.SetSpecial(11, kLevel, 2U); }); },
       11},
      {"LEVEL-001", "metapage-level",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaLevel, 2U); }); }, 5},
      {"PARENT-001", "children-change-places",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           work.SetTuple(5, 2, index_tuple::kBlockLow, std::uint16_t{3});
           work.SetTuple(5, 3, index_tuple::kBlockLow, std::uint16_t{2});
         });
       },
       5, 2},
      {"PARENT-001", "first-downlink-lost",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           std::vector<TupleBytes> items = work.Items(5);
           items.erase(items.begin());
           items[0] = DummyHighKey(2);
           work.SetItems(5, items, "item 1 is gone and item 2 takes its place");
         });
       },
       5, 1},
      {"PARENT-001", "page-owned-twice", [] { return WithDownlink<Ints>(5, 3, 2); }, 5, 3},
      {"PARENT-001", "page-of-two-parents", [] { return WithDownlink<ThreeLevels>(11, 3, 2); }, 11,
       3},
      {"PARENT-001", "downlink-to-the-root", [] { return WithDownlink<Ints>(5, 3, 5); }, 5, 3},
      {"PARENT-001", "downlink-to-a-parent", [] { return WithDownlink<ThreeLevels>(11, 3, 12); },
       11, 3},
      {"PARENT-002", "separator-lower",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetTupleByte(5, 3, 8, 125); }); }, 5, 3},
      {"PARENT-002", "separator-of-the-left-page",
       [] {
         return Edited<ThreeLevels>([](Workpiece& work) { work.SetTupleByte(10, 1, 8, 125); });
       },
       13, 2},
      {"PARENT-003", "downlink-lost",
       [] { return Edited<Ints>([](Workpiece& work) { RemoveItem(work, 5, 3); }); }, 3},
      {"PARENT-003", "downlinks-lost",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           RemoveItem(work, 5, 3);
           RemoveItem(work, 5, 2);
         });
       },
       2},
      {"PARENT-003", "last-downlink-lost",
       [] { return Edited<Ints>([](Workpiece& work) { RemoveItem(work, 5, 4); }); }, 4},
      {"PARENT-004", "half-dead-child",
       [] { return Edited<Ints>([](Workpiece& work) { MakeHalfDead(work, 2); }); }, 2},
      {"PARENT-005", "split-was-complete",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetSpecial(2, nbtree::kFlags, std::uint16_t{0x0081}); });
       },
       2},
  };
}

std::vector<RejectCase> WholeTreeCases() {
  return {
      {"TREE-001", "copy-behind-the-end",
       [] { return Edited<Ints>([](Workpiece& work) { work.AppendCopy(2); }); }, 6},
      {"TREE-001", "metapage-of-an-empty-index",
       [] {
         return Edited<ThreeLevels>([](Workpiece& work) {
           work.SetHeader(0, kMetaRoot, 0U);
           work.SetHeader(0, kMetaLevel, 0U);
           work.SetHeader(0, kMetaFastRoot, 0U);
           work.SetHeader(0, kMetaFastLevel, 0U);
         });
       },
       1},
      {"TREE-001", "deleted-flag-lost",
       [] {
         return Edited<UnlinkedLeaf>(
             [](Workpiece& work) { work.SetSpecial(2, nbtree::kFlags, std::uint16_t{0x0001}); });
       },
       2},
      {"TREE-002", "fast-root-is-a-leaf",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           work.SetHeader(0, kMetaFastRoot, 2U);
           work.SetHeader(0, kMetaFastLevel, 0U);
         });
       },
       0},
      {"TREE-002", "fast-root-not-on-its-level",
       [] {
         return Edited<ThreeLevels>([](Workpiece& work) { work.SetHeader(0, kMetaFastRoot, 11U); });
       },
       0},
  };
}

std::vector<RejectCase> DuplicateCases() {
  return {
      {"TREE-003", "on-one-page",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetTuple(2, 4, index_tuple::kOffset, std::uint16_t{2}); });
       },
       2, 4},
      {"TREE-003", "on-two-pages",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           work.SetTuple(4, 4, index_tuple::kBlockLow, std::uint16_t{0});
         });
       },
       4, 4},
      {"TREE-003", "far-away",
       [] {
         // Far behind the table: no bitmap reaches there, the addresses wait in the list.
         return Edited<Ints>([](Workpiece& work) {
           work.SetTuple(1, 3, index_tuple::kBlockHigh, std::uint16_t{0x1000});
           work.SetTuple(3, 3, index_tuple::kBlockHigh, std::uint16_t{0x1000});
           work.SetTuple(3, 3, index_tuple::kBlockLow, std::uint16_t{0});
         });
       },
       3, 3},
      {"TREE-003", "in-a-posting-list",
       [] {
         return Edited<Postings>([](Workpiece& work) {
           work.SetTuple(2, 3, index_tuple::kBlockLow, std::uint16_t{0});
           work.SetTuple(2, 3, index_tuple::kOffset, std::uint16_t{2});
         });
       },
       2, 3},
      {"TREE-003", "among-many",
       [] { return Edited<Dense>([](Workpiece& work) { CopyTid(work, 6, 3, 8, 9); }); }, 8, 9},
      {"TREE-003", "among-many-of-the-first",
       [] {
         // The first addresses wait in the list, as no bitmap has been earned yet.
         return Edited<Dense>([](Workpiece& work) { CopyTid(work, 1, 3, 8, 9); });
       },
       1, 3},
  };
}

std::vector<RejectCase> TopParentCases() {
  return {
      {"TREE-004", "leaf-alone-names-a-page",
       [] {
         return Edited<HalfDeadLeaf>([](Workpiece& work) {
           work.SetTuple(2, 1, index_tuple::kBlockHigh, std::uint16_t{0});
           work.SetTuple(2, 1, index_tuple::kBlockLow, std::uint16_t{4});
         });
       },
       2, 1},
      {"TREE-004", "branch-names-another-page",
       [] {
         return Edited<HalfDeadBranch>([](Workpiece& work) {
           work.SetTuple(17, 1, index_tuple::kBlockLow, std::uint16_t{3});
         });
       },
       17, 1},
      {"TREE-004", "outside",
       [] {
         return Edited<HalfDeadLeaf>([](Workpiece& work) {
           work.SetTuple(2, 1, index_tuple::kBlockHigh, std::uint16_t{0x00FF});
         });
       },
       2, 1},
  };
}

// A page where another belongs: what it breaks first depends on what it is.
std::vector<RejectCase> MisplacedPageCases() {
  return {
      {"LINK-001", "misdirected-write-next-door",
       [] { return Edited<Ints>([](Workpiece& work) { work.CopyPage(2, 3); }); }, 3},
      {"LINK-002", "misdirected-write",
       [] { return Edited<ThreeLevels>([](Workpiece& work) { work.CopyPage(2, 7); }); }, 7},
      {"LEVEL-001", "misdirected-internal-page",
       [] { return Edited<ThreeLevels>([](Workpiece& work) { work.CopyPage(10, 5); }); }, 5},
      {"LINK-004", "deleted-page-in-place-of-a-leaf",
       [] {
         Workpiece work = FromFixture("page-deletion");
         work.CopyPage(4, 1);
         return work;
       },
       1},
      {"FLAG-002", "metapage-in-place-of-a-leaf",
       [] { return Edited<Ints>([](Workpiece& work) { work.CopyPage(0, 2); }); }, 2},
      {"META-001", "leaf-in-place-of-the-metapage",
       [] { return Edited<Ints>([](Workpiece& work) { work.CopyPage(2, 0); }); }, 0, 0, 1, 1},
  };
}

}  // namespace

std::vector<RejectCase> TreeCases() {
  std::vector<RejectCase> all;
  for (const std::vector<RejectCase>& cases :
       {LinkCases(), ParentCases(), WholeTreeCases(), DuplicateCases(), TopParentCases(),
        MisplacedPageCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace tornleaf
