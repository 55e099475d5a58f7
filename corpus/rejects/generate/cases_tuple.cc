#include "corpus/rejects/generate/cases.h"

namespace tornleaf {

namespace {

using namespace index_tuple;

template <Workpiece (*kBase)(), typename Edit>
Workpiece Edited(Edit edit) {
  Workpiece work = kBase();
  edit(work);
  return work;
}

template <Workpiece (*kBase)()>
Workpiece WithByte(BlockNumber block, OffsetNumber slot, std::uint32_t offset, std::uint8_t value) {
  Workpiece work = kBase();
  work.SetTupleByte(block, slot, offset, value);
  return work;
}

template <Workpiece (*kBase)()>
Workpiece WithOffset(BlockNumber block, OffsetNumber slot, std::uint16_t offset) {
  Workpiece work = kBase();
  work.SetTuple(block, slot, kOffset, offset);
  return work;
}

template <Workpiece (*kBase)()>
Workpiece WithInfo(BlockNumber block, OffsetNumber slot, std::uint16_t info) {
  Workpiece work = kBase();
  work.SetTuple(block, slot, kInfo, info);
  return work;
}

// One item of a page in place of another.
template <Workpiece (*kBase)()>
Workpiece WithItem(BlockNumber block, OffsetNumber slot, const TupleBytes& tuple,
                   const char* edit) {
  Workpiece work = kBase();
  std::vector<TupleBytes> items = work.Items(block);
  items[slot - 1U] = tuple;
  work.SetItems(block, items, edit);
  return work;
}

TupleBytes IntTuple(const char* key, std::vector<ItemPointer> tids) {
  return LeafTuple(SchemaOf("int4"), {{key}, std::move(tids)});
}

std::vector<RejectCase> TupleKindCases() {
  return {
      {"TUPLE-001", "size-24", [] { return WithInfo<Ints>(2, 3, 24); }, 2, 3},
      {"TUPLE-001", "size-of-a-downlink", [] { return WithInfo<Ints>(5, 2, 0x2018); }, 5, 2},
      {"TUPLE-001", "size-of-a-high-key", [] { return WithInfo<Ints>(2, 1, 0x2000); }, 2, 1},
      {"TUPLE-002", "pivot-on-a-leaf", [] { return WithInfo<Ints>(2, 3, 0x2010); }, 2, 3},
      {"TUPLE-002", "plain-downlink", [] { return WithInfo<Ints>(5, 2, 0x0010); }, 5, 2},
      {"TUPLE-002", "posting-list-as-high-key", [] { return WithOffset<Ints>(2, 1, 0x2001); }, 2,
       1},
      {"TUPLE-003", "two-attributes-of-one", [] { return WithOffset<Ints>(5, 2, 2); }, 5, 2},
      {"TUPLE-003", "no-attribute", [] { return WithOffset<Ints>(2, 1, 0); }, 2, 1},
      {"TUPLE-004", "an-attribute", [] { return WithOffset<Ints>(5, 1, 1); }, 5, 1},
      {"TUPLE-004", "not-marked", [] { return WithInfo<Ints>(5, 1, 0x0008); }, 5, 1},
      {"TUPLE-005", "bytes-before-it", [] { return WithByte<Duplicates>(1, 1, 17, 1); }, 1, 1},
      {"TUPLE-005", "no-room", [] { return WithOffset<Ints>(2, 1, 0x1001); }, 2, 1},
      {"TUPLE-006", "half-a-page",
       [] {
         const TupleBytes tuple = LeafTuple(SchemaOf("text collate C, int4"),
                                            {{"oak" + std::string(500, 'k'), "11"}, {{9, 9}}});
         return WithItem<Texts>(3, 4, tuple, "item 4 becomes one of 528 bytes");
       },
       3, 4},
      {"TUPLE-007", "offset-0", [] { return WithOffset<Ints>(2, 3, 0); }, 2, 3},
      {"TUPLE-007", "offset-36", [] { return WithOffset<Ints>(2, 3, 36); }, 2, 3},
      {"TUPLE-007", "no-block",
       [] {
         Workpiece work = WithOffset<Ints>(2, 3, 1);
         work.SetTuple(2, 3, kBlockHigh, std::uint16_t{0xFFFF});
         work.SetTuple(2, 3, kBlockLow, std::uint16_t{0xFFFF});
         return work;
       },
       2, 3},
      {"TUPLE-007", "in-a-posting-list", [] { return WithByte<Postings>(2, 2, 26, 0); }, 2, 2},
      {"TUPLE-007", "in-a-pivot", [] { return WithByte<Duplicates>(4, 2, 22, 0); }, 4, 2},
      {"TUPLE-008", "far-outside",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetTuple(5, 3, kBlockHigh, std::uint16_t{1}); });
       },
       5, 3},
      {"TUPLE-008", "metapage",
       [] {
         return Edited<Ints>(
             [](Workpiece& work) { work.SetTuple(5, 3, kBlockLow, std::uint16_t{0}); });
       },
       5, 3},
      {"TUPLE-008", "minus-infinity-outside",
       [] {
         return Edited<ThreeLevels>(
             [](Workpiece& work) { work.SetTuple(11, 2, kBlockLow, std::uint16_t{14}); });
       },
       11, 2},
      {"TUPLE-008", "last-leaves-missing",
       [] {
         Workpiece work = FromFixture("fillfactor-70");
         work.CutPages(3);
         return work;
       },
       3, 9},
      {"TUPLE-009", "pivot-0x4000", [] { return WithOffset<Ints>(5, 2, 0x4001); }, 5, 2},
      {"TUPLE-009", "posting-list-0x1000", [] { return WithOffset<Postings>(2, 2, 0x3003); }, 2, 2},
  };
}

std::vector<RejectCase> PostingCases() {
  return {
      {"POST-001", "not-equal-image",
       [] {
         const Schema schema = SchemaOf("float8");
         TreeShape shape;
         const std::vector<SmallRow> rows = {
             {{"1"}, {{0, 1}}}, {{"2"}, {{0, 2}, {0, 3}}}, {{"3"}, {{0, 4}}}};
         Workpiece work("float8, 1 leaf", "float8", shape.page_size, false,
                        MakeTree(schema, rows, shape));
         work.Note("block 1: item 2 is a posting list, made as if float8 were equal-image");
         return work;
       },
       1, 2},
      {"POST-001", "equal-image-not-set",
       [] {
         return Edited<Postings>([](Workpiece& work) {
           work.SetHeader(0, nbtree::kMetaAllEqualImage, std::uint8_t{0});
         });
       },
       1, 2},
      {"POST-001", "every-list",
       [] {
         Workpiece work = Postings();
         work.SetHeader(0, nbtree::kMetaVersion, 3U);
         work.SetHeader(0, nbtree::kMetaAllEqualImage, std::uint8_t{0});
         return work;
       },
       1, 2},
      {"POST-002", "four-bytes-on",
       [] {
         return Edited<Postings>(
             [](Workpiece& work) { work.SetTuple(2, 2, kBlockLow, std::uint16_t{20}); });
       },
       2, 2},
      {"POST-002", "in-the-header",
       [] {
         return Edited<Postings>(
             [](Workpiece& work) { work.SetTuple(2, 2, kBlockLow, std::uint16_t{0}); });
       },
       2, 2},
      {"POST-002", "behind-the-tuple",
       [] {
         return Edited<Postings>(
             [](Workpiece& work) { work.SetTuple(2, 2, kBlockHigh, std::uint16_t{1}); });
       },
       2, 2},
      {"POST-003", "list-of-one",
       [] {
         // 16 bytes of key, then one address of 6 bytes and 2 of padding.
         const Workpiece base = Postings();
         const ByteView list = base.tuple(2, 2).bytes();
         TupleBytes tuple(list.begin(), list.begin() + 24);
         Store(tuple.data(), kOffset, std::uint16_t{0x2001});
         Store(tuple.data(), kInfo, std::uint16_t{0x2018});
         std::fill(tuple.begin() + 22, tuple.end(), std::uint8_t{0});
         return WithItem<Postings>(2, 2, tuple, "the list of item 2 keeps its first address alone");
       },
       2, 2},
      {"POST-003", "list-of-none", [] { return WithOffset<Postings>(2, 2, 0x2000); }, 2, 2},
  };
}

std::vector<RejectCase> PostingContentCases() {
  return {
      {"POST-004", "an-address-less", [] { return WithOffset<Postings>(2, 2, 0x2002); }, 2, 2},
      {"POST-004", "cut",
       [] {
         const Workpiece base = Postings();
         const ByteView list = base.tuple(2, 2).bytes();
         TupleBytes tuple(list.begin(), list.begin() + 32);
         Store(tuple.data(), kInfo, std::uint16_t{0x2020});
         return WithItem<Postings>(2, 2, tuple, "item 2 is cut to 32 bytes of 40");
       },
       2, 2},
      {"POST-004", "4095-addresses", [] { return WithOffset<Postings>(2, 2, 0x2FFF); }, 2, 2},
      {"POST-005", "two-change-places",
       [] {
         return Edited<Postings>([](Workpiece& work) {
           const std::uint8_t* tuple = work.tuple(2, 2).data();
           const std::uint8_t first = tuple[20];
           const std::uint8_t second = tuple[26];
           work.SetTupleByte(2, 2, 20, second);
           work.SetTupleByte(2, 2, 26, first);
         });
       },
       2, 2},
      {"POST-005", "same-twice",
       [] {
         return Edited<Postings>(
             [](Workpiece& work) { work.SetTupleByte(2, 2, 26, work.tuple(2, 2).data()[20]); });
       },
       2, 2},
      {"POST-006", "last-byte", [] { return WithByte<Postings>(2, 2, 39, 1); }, 2, 2},
  };
}

Workpiece Pglz() { return FromFixture("compressed-pglz"); }
Workpiece Lz4() { return FromFixture("compressed-lz4"); }
Workpiece Bool() { return FromFixture("bool"); }
Workpiece Name() { return FromFixture("name"); }

std::vector<RejectCase> KeyCases() {
  return {
      {"KEY-001", "no-room-for-the-bitmap",
       [] {
         TupleBytes tuple(8);
         StoreTid(tuple.data(), {1, 2});
         Store(tuple.data(), kInfo, std::uint16_t{0x8008});
         return WithItem<Nulls>(2, 3, tuple, "item 3 becomes a header of 8 bytes with nulls");
       },
       2, 3},
      {"KEY-002", "bit-of-a-third-column", [] { return WithByte<Nulls>(2, 2, 8, 0x05); }, 2, 2},
      {"KEY-002", "nothing-is-null", [] { return WithByte<Nulls>(2, 2, 8, 0x03); }, 2, 2},
      {"KEY-003", "between-columns", [] { return WithByte<Texts>(1, 2, 14, 0x01); }, 1, 2},
      {"KEY-004", "text-past-the-end", [] { return WithByte<Texts>(1, 3, 8, 0x7F); }, 1, 3},
      {"KEY-004", "no-room-for-the-column",
       [] {
         TupleBytes tuple(8);
         StoreTid(tuple.data(), {2, 2});
         Store(tuple.data(), kInfo, std::uint16_t{8});
         return WithItem<Ints>(2, 3, tuple, "item 3 becomes a header of 8 bytes");
       },
       2, 3},
      {"KEY-004", "name-without-an-end",
       [] {
         return Edited<Name>([](Workpiece& work) {
           const std::uint32_t size = work.tuple(1, 2).size();
           for (std::uint32_t at = kHeaderSize; at < size; ++at) {
             if (work.tuple(1, 2).data()[at] == 0) work.SetTupleByte(1, 2, at, 'z');
           }
         });
       },
       1, 2},
      {"KEY-005", "stored-elsewhere", [] { return WithByte<Texts>(1, 3, 8, 0x01); }, 1, 3},
      {"KEY-006", "pglz", [] { return WithByte<Pglz>(1, 2, 16, 0xFF); }, 1, 2},
      {"KEY-006", "lz4", [] { return WithByte<Lz4>(1, 2, 16, 0x0F); }, 1, 2},
      {"KEY-007", "behind-an-int4", [] { return WithByte<Ints>(2, 3, 15, 0x01); }, 2, 3},
      {"KEY-003", "text-too-short", [] { return WithByte<Texts>(1, 3, 8, 0x05); }, 1, 3},
      {"KEY-007", "in-the-high-key", [] { return WithByte<Ints>(2, 1, 15, 0x01); }, 2, 1},
      {"KEY-007", "in-a-downlink", [] { return WithByte<Ints>(5, 3, 15, 0x01); }, 5, 3},
      {"KEY-008", "not-set", [] { return WithInfo<Texts>(1, 3, 0x0010); }, 1, 3},
      {"KEY-008", "set-for-an-int4", [] { return WithInfo<Ints>(2, 3, 0x4010); }, 2, 3},
      {"KEY-009", "bool-of-2", [] { return WithByte<Bool>(1, 2, 8, 2); }, 1, 2},
      {"KEY-009", "zero-byte-in-a-text", [] { return WithByte<Texts>(1, 3, 10, 0); }, 1, 3},
  };
}

std::vector<RejectCase> OrderCases() {
  return {
      {"ORDER-001", "two-change-places",
       [] { return Edited<Ints>([](Workpiece& work) { work.SwapLines(2, 3, 4); }); }, 2, 3},
      {"ORDER-001", "key-too-great",
       [] {
         return WithItem<Ints>(2, 3, IntTuple("105", {{2, 2}}), "the key of item 3 becomes 105");
       },
       2, 3},
      {"ORDER-001", "key-too-small",
       [] {
         return WithItem<Ints>(2, 5, IntTuple("75", {{3, 1}}), "the key of item 5 becomes 75");
       },
       2, 5},
      {"ORDER-001", "equal-keys-by-address",
       [] { return Edited<Duplicates>([](Workpiece& work) { work.SwapLines(2, 3, 4); }); }, 2, 3},
      {"ORDER-001", "downlinks-change-places",
       [] { return Edited<Ints>([](Workpiece& work) { work.SwapLines(5, 2, 3); }); }, 5, 3},
      {"ORDER-001", "version-3-descends",
       [] { return Edited<OldInts>([](Workpiece& work) { work.SwapLines(2, 3, 4); }); }, 2, 3},
      {"ORDER-002", "last-item-above",
       [] {
         return WithItem<Ints>(2, 7, IntTuple("135", {{3, 3}}), "the key of item 7 becomes 135");
       },
       2, 7},
      {"ORDER-002", "address-above",
       [] {
         return Edited<Duplicates>(
             [](Workpiece& work) { work.SetTuple(1, 5, kOffset, std::uint16_t{17}); });
       },
       1, 5},
      {"ORDER-003", "first-item-below",
       [] {
         return WithItem<Ints>(2, 2, IntTuple("60", {{2, 1}}), "the key of item 2 becomes 60");
       },
       2, 2},
  };
}

}  // namespace

std::vector<RejectCase> TupleCases() {
  std::vector<RejectCase> all;
  for (const std::vector<RejectCase>& cases :
       {TupleKindCases(), PostingCases(), PostingContentCases(), KeyCases(), OrderCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace tornleaf
