#include "corpus/rejects/generate/golden.h"

#include <nlohmann/json.hpp>

#include "corpus/rejects/generate/small_tree.h"

namespace tornleaf {

namespace {

using nbtree::kMetaEnd;
using nbtree::kMetaEndV2;
using nbtree::kMetaEndV3;

Workpiece Tree(const char* schema, const std::vector<SmallRow>& rows, const TreeShape& shape) {
  return Workpiece("made by hand", schema, shape.page_size, false,
                   MakeTree(SchemaOf(schema), rows, shape));
}

TreeShape Shape(std::uint32_t version, std::uint32_t meta_end, std::uint32_t leaf_items = 6,
                std::uint32_t fanout = 3) {
  TreeShape shape;
  shape.version = version;
  shape.meta_end = meta_end;
  shape.leaf_items = leaf_items;
  shape.fanout = fanout;
  return shape;
}

Workpiece Empty(std::uint32_t version, std::uint32_t meta_end) {
  std::vector<std::uint8_t> image(8192);
  PageWriter writer{MutableBytes(image)};
  nbtree::MetaPage meta;
  meta.magic = nbtree::kMagicNumber;
  meta.version = version;
  nbtree::InitializeMetaPage(writer, meta);
  std::memset(writer.data() + meta_end, 0, kMetaEnd - meta_end);
  writer.set_lower(meta_end);
  return Workpiece("made by hand", "int4", 8192, false, std::move(image));
}

// Two keys, six rows each, so that runs of equal keys cross pages and high keys equal last items.
std::vector<SmallRow> DescendingDuplicates() {
  std::vector<SmallRow> rows;
  for (const char* key : {"7", "8"}) {
    for (OffsetNumber row = 0; row < 6; ++row) {
      rows.push_back({{key}, {{static_cast<BlockNumber>(9 - row), OffsetNumber{1}}}});
      if (key[0] == '8') rows.back().tids[0].offset = 2;
    }
  }
  return rows;
}

std::vector<SmallRow> TextRows() {
  std::vector<SmallRow> rows;
  const char* const words[] = {"ant", "bee", "beetle", "bumblebee", "cicada", "cricket", "\\N"};
  for (std::uint32_t index = 0; index < std::size(words); ++index) {
    rows.push_back({{words[index], index % 3 == 0 ? "\\N" : std::to_string(index)},
                    {{index, OffsetNumber{1}}}});
  }
  return rows;
}

std::vector<SmallRow> IncludedRows() {
  std::vector<SmallRow> rows;
  for (std::uint32_t index = 0; index < 18; ++index) {
    rows.push_back(
        {{std::to_string(index), "note " + std::to_string(index)}, {{index, OffsetNumber{1}}}});
  }
  return rows;
}

// The dummy high key of a half-dead page as 10 and earlier wrote it: not marked as a pivot.
TupleBytes OldDummyHighKey(BlockNumber top) {
  TupleBytes tuple(index_tuple::kHeaderSize);
  const bool alone = top == kInvalidBlock;
  StoreTid(tuple.data(), {top, static_cast<OffsetNumber>(alone ? 0 : 1)});
  Store(tuple.data(), index_tuple::kInfo, std::uint16_t{index_tuple::kHeaderSize});
  return tuple;
}

// Behind the tree stands a leaf that 13 or an earlier release deleted: a transaction id in place of
// its level, and the dummy high key that it had when it was half-dead, or nothing after a replay.
void AppendOldDeletedLeaf(Workpiece& work, bool replayed) {
  const BlockNumber block = work.AppendCopy(2);
  work.SetSpecial(block, nbtree::kFlags, std::uint16_t{nbtree::kLeaf | nbtree::kDeleted});
  work.SetSpecial(block, nbtree::kLevel, 734U);
  work.SetItems(block, {OldDummyHighKey(kInvalidBlock)}, "keeps only its dummy high key");
  if (replayed) work.SetItems(block, {}, "holds nothing: its deletion was replayed");
}

// Leaf 2 in the middle of its deletion: no downlink, and its key space is its right sibling's.
void MakeOldHalfDead(Workpiece& work, BlockNumber root) {
  std::vector<TupleBytes> items = work.Items(root);
  nbtree::SetDownlink(items[1].data(), 3);
  items.erase(items.begin() + 2);
  work.SetItems(root, items, "the downlink to block 2 leads to block 3, whose own is gone");
  work.SetSpecial(2, nbtree::kFlags, std::uint16_t{nbtree::kLeaf | nbtree::kHalfDead});
  work.SetItems(2, {OldDummyHighKey(kInvalidBlock)}, "keeps only its dummy high key");
}

template <std::uint32_t kPageSize>
Workpiece OfPageSize() {
  TreeShape shape = Shape(4, kMetaEnd, 5, 3);
  shape.page_size = kPageSize;
  return Tree("int4", IntRows(60), shape);
}

std::vector<GoldenCase> OldVersions() {
  return {
      {"version-2", "as 10 wrote it: pivots not marked, minus infinity items of offset 1",
       [] { return Tree("int4", IntRows(24), Shape(2, kMetaEndV2, 6, 4)); }},
      {"version-2-three-levels", "the same with a level more",
       [] { return Tree("int4", IntRows(60), Shape(2, kMetaEndV2)); }},
      {"version-2-empty", "no root; the metapage ends with btm_fastlevel",
       [] { return Empty(2, kMetaEndV2); }},
      {"version-2-duplicates", "equal keys in descending order of row addresses, across pages",
       [] { return Tree("int4", DescendingDuplicates(), Shape(2, kMetaEndV2, 4)); }},
      {"version-2-text", "text and nulls in pivots that keep every column",
       [] { return Tree("text collate C, int4", TextRows(), Shape(2, kMetaEndV2, 3)); }},
      {"version-2-half-dead", "a leaf in the middle of its deletion, as 10 left it",
       [] {
         Workpiece work = Tree("int4", IntRows(24), Shape(2, kMetaEndV2, 6, 4));
         MakeOldHalfDead(work, 5);
         return work;
       }},
      {"version-3", "as 11 and 12 upgraded it from 2: the metapage ends with the cleanup fields",
       [] { return Tree("int4", IntRows(24), Shape(3, kMetaEndV3, 6, 4)); }},
      {"version-3-upgraded-by-13", "as 13 and later upgraded it: btm_allequalimage is there, and 0",
       [] { return Tree("int4", IntRows(24), Shape(3, kMetaEnd, 6, 4)); }},
      {"version-3-include", "as 11 wrote it with included columns: pivots marked",
       [] {
         TreeShape shape = Shape(3, kMetaEndV3);
         shape.marks_pivots = true;
         return Tree("int4; include text", IncludedRows(), shape);
       }},
      {"version-3-largest", "a tuple of a third of a page, 8 bytes more than version 4 allows",
       [] {
         TreeShape shape = Shape(3, kMetaEndV3);
         shape.page_size = 8192;
         const std::string value(2712 - 8 - 4, 'x');
         return Tree("text collate C storage plain", {{{"a"}, {{0, 1}}}, {{value}, {{0, 2}}}},
                     shape);
       }},
      {"version-4-of-12", "as 12 wrote it: heap TIDs are keys, no btm_allequalimage",
       [] { return Tree("int4", IntRows(60), Shape(4, kMetaEndV3)); }},
  };
}

std::vector<GoldenCase> OldDeletions() {
  return {
      {"version-3-deleted", "pages deleted before 14, one as deleted, one as replayed",
       [] {
         Workpiece work = Tree("int4", IntRows(24), Shape(3, kMetaEndV3, 6, 4));
         AppendOldDeletedLeaf(work, false);
         AppendOldDeletedLeaf(work, true);
         return work;
       }},
      {"version-4-deleted-by-13", "the same in version 4",
       [] {
         Workpiece work = Tree("int4", IntRows(24), Shape(4, kMetaEnd, 6, 4));
         AppendOldDeletedLeaf(work, false);
         AppendOldDeletedLeaf(work, true);
         return work;
       }},
  };
}

std::vector<GoldenCase> PageSizes() {
  return {
      {"page-size-512", "the simulator's smallest pages", OfPageSize<512>},
      {"page-size-1024", "the server's smallest pages", OfPageSize<1024>},
      {"page-size-4096", "pages of 4 KiB", OfPageSize<4096>},
      {"page-size-16384", "pages of 16 KiB", OfPageSize<16384>},
      {"page-size-32768", "the largest pages", OfPageSize<32768>},
  };
}

}  // namespace

std::vector<GoldenCase> AllGoldenCases() {
  std::vector<GoldenCase> all;
  for (const std::vector<GoldenCase>& cases : {OldVersions(), OldDeletions(), PageSizes()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

std::string PathOf(const GoldenCase& golden) { return std::string("corpus/golden/") + golden.name; }

std::string DescriptionOf(const GoldenCase& golden, const Workpiece& work) {
  const nlohmann::ordered_json json = {
      {"name", golden.name},     {"story", golden.story},         {"edits", work.edits()},
      {"schema", work.schema()}, {"page_size", work.page_size()}, {"checksums", work.checksums()},
  };
  return json.dump(2) + "\n";
}

}  // namespace tornleaf
