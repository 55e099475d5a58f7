#include "corpus/rejects/generate/cases.h"

namespace tornleaf {

namespace {

using namespace nbtree;
using namespace slotted_v4;
namespace page = slotted_v4;

// A base with one field changed.
template <Workpiece (*kBase)(), typename Edit>
Workpiece Edited(Edit edit) {
  Workpiece work = kBase();
  edit(work);
  return work;
}

std::vector<RejectCase> FileCases() {
  return {
      {"FILE-001", "half-a-page-behind",
       [] { return Edited<Ints>([](Workpiece& work) { work.AppendBytes(512); }); }, 6},
      {"FILE-001", "last-leaves-cut",
       [] {
         // As the server lays them out, the root is block 3 and the last blocks are leaves.
         Workpiece work = FromFixture("fillfactor-70");
         work.CutPages(3);
         work.AppendBytes(100);
         return work;
       },
       10},
  };
}

std::vector<RejectCase> MetaCases() {
  return {
      {"META-001", "leaf-flag",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetSpecial(0, nbtree::kFlags, std::uint16_t{0x0009}); });
       },
       0},
      {"META-001", "sibling-link",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetSpecial(0, kNext, 1U); }); }, 0},
      {"META-002", "magic",
       [] {
         return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaMagic, 0x00053163U); });
       },
       0},
      {"META-002", "zero-metapage",
       [] { return Edited<Ints>([](Workpiece& work) { work.ZeroPage(0); }); }, 0, 0, 1, 1},
      {"META-003", "version-5",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaVersion, 5U); }); }, 0,
       0, 1, 1},
      {"META-004", "odd-end",
       [] {
         return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kLower, std::uint16_t{56}); });
       },
       0},
      {"META-005", "root-outside",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaRoot, 77U); }); }, 0},
      {"META-005", "fast-root-outside",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaFastRoot, 77U); }); },
       0},
      {"META-005", "fast-level-above",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaFastLevel, 2U); }); },
       0},
      {"META-005", "no-root-but-fast-root",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaRoot, 0U); }); }, 0},
  };
}

std::vector<RejectCase> MetaFieldCases() {
  return {
      {"META-006", "not-a-bool",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(0, kMetaAllEqualImage, std::uint8_t{2}); });
       },
       0},
      {"META-006", "version-3",
       [] {
         return Edited<OldInts>([](Workpiece& work) {
           work.SetHeader(0, kLower, std::uint16_t{kMetaEnd});
           work.SetHeader(0, kMetaAllEqualImage, std::uint8_t{1});
         });
       },
       0},
      {"META-007", "padding",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaPadding, 1U); }); },
       0},
      {"META-007", "half-a-row",
       [] {
         return Edited<Ints>([](Workpiece& work) { work.SetHeader(0, kMetaHeapTuples, 0.5); });
       },
       0},
      {"META-008", "set-for-floats",
       [] {
         const TreeShape shape;
         Workpiece work(
             "float8, 1 leaf", "float8", shape.page_size, false,
             MakeTree(SchemaOf("float8"), {{{"1"}, {{0, 1}}}, {{"2"}, {{0, 2}}}}, shape));
         work.SetHeader(0, kMetaAllEqualImage, std::uint8_t{1});
         return work;
       },
       0},
  };
}

std::vector<RejectCase> HeaderCases() {
  return {
      {"PAGE-001", "header-lost",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           const BlockNumber block = work.AppendZeroPage();
           work.SetHeader(block, kLsnLow, 1U);
         });
       },
       6},
      {"PAGE-001", "upper-zero",
       [] {
         return Edited<Ints>([](Workpiece& work) { work.SetHeader(2, kUpper, std::uint16_t{0}); });
       },
       2},
      {"PAGE-002", "bit-in-the-hole",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           work.FixChecksums();
           work.SetByte(2, 500, 1);
         });
       },
       2},
      {"PAGE-002", "misdirected-write",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           work.FixChecksums();
           work.CopyPage(2, 3);
         });
       },
       3},
      {"PAGE-003", "layout-3",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(2, kPageSizeVersion, std::uint16_t{0x0403}); });
       },
       2},
      {"PAGE-004", "unknown-flag",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(2, page::kFlags, std::uint16_t{0x0010}); });
       },
       2},
  };
}

std::vector<RejectCase> RegionCases() {
  return {
      {"PAGE-005", "lower-past-upper",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(2, kLower, std::uint16_t{912}); });
       },
       2},
      {"PAGE-005", "upper-past-special",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(5, kUpper, std::uint16_t{1016}); });
       },
       5},
      {"PAGE-006", "special-of-8",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(2, kSpecial, std::uint16_t{1016}); });
       },
       2},
      {"PAGE-007", "half-a-line-pointer",
       [] {
         return Edited<Ints>([](Workpiece& work) { work.SetHeader(2, kLower, std::uint16_t{54}); });
       },
       2},
      {"PAGE-008", "upper-odd",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(2, kUpper, std::uint16_t{892}); });
       },
       2},
      {"PAGE-009", "all-visible",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(2, page::kFlags, std::uint16_t{0x0004}); });
       },
       2},
      {"PAGE-010", "prune-xid",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetHeader(2, kPruneXid, 726U); }); }, 2},
  };
}

// Line pointer of block 2, item 3, with one part changed.
template <typename Change>
Workpiece WithLine(Change change) {
  Workpiece work = Ints();
  LinePointer pointer = work.page(2).line_pointer(3);
  change(pointer);
  work.SetLine(2, 3, pointer);
  return work;
}

std::vector<RejectCase> LineCases() {
  return {
      {"ITEM-001", "redirect",
       [] { return WithLine([](LinePointer& line) { line.flags = LineFlags::kRedirect; }); }, 2, 3},
      {"ITEM-001", "unused",
       [] { return WithLine([](LinePointer& line) { line.flags = LineFlags::kUnused; }); }, 2, 3},
      {"ITEM-002", "length-12",
       [] { return WithLine([](LinePointer& line) { line.length = 12; }); }, 2, 3},
      {"ITEM-002", "length-0", [] { return WithLine([](LinePointer& line) { line.length = 0; }); },
       2, 3},
      {"ITEM-003", "four-bytes-on",
       [] { return WithLine([](LinePointer& line) { line.offset += 4; }); }, 2, 3},
      {"ITEM-004", "in-the-hole",
       [] { return WithLine([](LinePointer& line) { line.offset = 512; }); }, 2, 3},
      {"ITEM-004", "in-the-special-area",
       [] { return WithLine([](LinePointer& line) { line.offset = 1008; }); }, 2, 3},
      {"ITEM-004", "past-the-page",
       [] { return WithLine([](LinePointer& line) { line.length = 0x7FF8; }); }, 2, 3},
      {"ITEM-005", "two-for-one-tuple",
       [] { return WithLine([](LinePointer& line) { line.offset += 16; }); }, 2, 3},
      {"ITEM-005", "eight-bytes-on",
       [] { return WithLine([](LinePointer& line) { line.offset += 8; }); }, 2, 3},
      {"ITEM-006", "line-pointer-lost",
       [] {
         return Edited<Ints>([](Workpiece& work) { work.SetHeader(2, kLower, std::uint16_t{48}); });
       },
       2},
  };
}

template <Workpiece (*kBase)()>
Workpiece WithFlags(BlockNumber block, std::uint16_t flags) {
  Workpiece work = kBase();
  work.SetSpecial(block, nbtree::kFlags, flags);
  return work;
}

Workpiece PageDeletion() { return FromFixture("page-deletion"); }
Workpiece HalfDeadLeaf() { return FromFixture("half-dead-leaf"); }

// The dummy high key of a half-dead page, which the walk through the tree reads as well.
Workpiece WithShortDummy() {
  Workpiece work = HalfDeadLeaf();
  LinePointer pointer = work.page(2).line_pointer(1);
  pointer.length = 4;
  work.SetLine(2, 1, pointer);
  return work;
}

std::vector<RejectCase> FlagCases() {
  return {
      {"FLAG-001", "unknown-bit-leaf", [] { return WithFlags<Ints>(2, 0x0201); }, 2},
      {"FLAG-001", "unknown-bit-internal", [] { return WithFlags<ThreeLevels>(11, 0x8000); }, 11},
      {"FLAG-001", "unknown-bit-root", [] { return WithFlags<Ints>(5, 0x0402); }, 5},
      {"FLAG-002", "second-metapage", [] { return WithFlags<Ints>(2, 0x0009); }, 2},
      {"FLAG-003", "leaf-flag-lost", [] { return WithFlags<Ints>(2, 0x0000); }, 2},
      {"FLAG-003", "leaf-flag-above", [] { return WithFlags<ThreeLevels>(11, 0x0001); }, 11},
      {"FLAG-003", "leaf-of-level-3",
       [] { return Edited<Ints>([](Workpiece& work) { work.SetSpecial(2, kLevel, 3U); }); }, 2},
      {"FLAG-004", "half-dead-internal", [] { return WithFlags<ThreeLevels>(11, 0x0010); }, 11},
      {"FLAG-005", "deleted-and-half-dead", [] { return WithFlags<PageDeletion>(4, 0x0115); }, 4},
      {"FLAG-005", "deleted-root", [] { return WithFlags<PageDeletion>(4, 0x0107); }, 4},
      {"FLAG-006", "safexid-on-a-leaf", [] { return WithFlags<Ints>(2, 0x0101); }, 2},
      {"FLAG-007", "garbage-in-an-internal-page", [] { return WithFlags<ThreeLevels>(11, 0x0040); },
       11},
      {"FLAG-008", "cycle-id-of-gist",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetSpecial(2, kCycleId, std::uint16_t{0xFF81}); });
       },
       2},
      {"FLAG-009", "rightmost-incomplete", [] { return WithFlags<Ints>(4, 0x0081); }, 4},
      {"FLAG-010", "root-flag-lost", [] { return WithFlags<Ints>(5, 0x0000); }, 5},
      {"FLAG-010", "second-root", [] { return WithFlags<Ints>(2, 0x0003); }, 2},
  };
}

std::vector<RejectCase> CountCases() {
  return {
      {"COUNT-001", "too-many-items",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetHeader(2, kLower, std::uint16_t{228}); });
       },
       2},
      {"COUNT-001", "too-many-items-internal",
       [] {
         return Edited<ThreeLevels>(
             [](Workpiece& work) { work.SetHeader(11, kLower, std::uint16_t{228}); });
       },
       11},
      {"COUNT-002", "no-high-key",
       [] {
         return Edited<Ints>([](Workpiece& work) { work.SetItems(2, {}, "loses all items"); });
       },
       2},
      {"COUNT-003", "no-downlink",
       [] {
         return Edited<ThreeLevels>([](Workpiece& work) {
           work.SetItems(11, {work.Items(11)[0]}, "keeps only its high key");
         });
       },
       11},
      {"ITEM-002", "length-4-half-dead", WithShortDummy, 2, 1},
      {"COUNT-004", "two-items",
       [] {
         return Edited<HalfDeadLeaf>([](Workpiece& work) {
           const TupleBytes dummy = work.Items(2)[0];
           work.SetItems(2, {dummy, dummy}, "gets a second item");
         });
       },
       2},
      {"COUNT-004", "an-attribute",
       [] {
         return Edited<HalfDeadLeaf>(
             [](Workpiece& work) { work.SetTuple(2, 1, index_tuple::kOffset, std::uint16_t{1}); });
       },
       2, 1},
      {"COUNT-005", "lower-36",
       [] {
         return Edited<PageDeletion>(
             [](Workpiece& work) { work.SetHeader(4, kLower, std::uint16_t{36}); });
       },
       4},
      {"COUNT-006", "dead-downlink",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           LinePointer pointer = work.page(5).line_pointer(2);
           pointer.flags = LineFlags::kDead;
           work.SetLine(5, 2, pointer);
         });
       },
       5, 2},
      {"COUNT-006", "dead-high-key",
       [] {
         return Edited<Ints>([](Workpiece& work) {
           LinePointer pointer = work.page(2).line_pointer(1);
           pointer.flags = LineFlags::kDead;
           work.SetLine(2, 1, pointer);
         });
       },
       2, 1},
  };
}

}  // namespace

std::vector<RejectCase> PageCases() {
  std::vector<RejectCase> all;
  for (const std::vector<RejectCase>& cases :
       {FileCases(), MetaCases(), MetaFieldCases(), HeaderCases(), RegionCases(), LineCases(),
        FlagCases(), CountCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace tornleaf
