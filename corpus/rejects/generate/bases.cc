#include "corpus/rejects/generate/cases.h"
#include "tests/support/fixtures.h"

namespace tornleaf {

namespace {

Workpiece Small(const char* name, const char* schema, const std::vector<SmallRow>& rows,
                const TreeShape& shape) {
  return Workpiece(name, schema, shape.page_size, false, MakeTree(SchemaOf(schema), rows, shape));
}

TreeShape Shape(std::uint32_t leaf_items, std::uint32_t fanout) {
  TreeShape shape;
  shape.leaf_items = leaf_items;
  shape.fanout = fanout;
  return shape;
}

ItemPointer NthTid(std::uint32_t index) {
  constexpr std::uint32_t kRowsPerBlock = 4;
  return {index / kRowsPerBlock, static_cast<OffsetNumber>(index % kRowsPerBlock + 1)};
}

}  // namespace

Workpiece Ints() { return Small("int4, 4 leaves", "int4", IntRows(24), Shape(6, 4)); }

Workpiece ThreeLevels() {
  return Small("int4, 9 leaves, 3 levels", "int4", IntRows(36), Shape(4, 3));
}

Workpiece Texts() {
  const char* const words[] = {"alder", "ash",      "aspen", "beech",  "birch", "cedar",
                               "elm",   "hornbeam", "larch", "linden", "maple", "oak"};
  std::vector<SmallRow> rows;
  for (std::uint32_t index = 0; index < std::size(words); ++index) {
    rows.push_back({{words[index], std::to_string(index)}, {NthTid(index)}});
  }
  return Small("text and int4, 3 leaves", "text collate C, int4", rows, Shape(4, 3));
}

Workpiece Postings() {
  std::vector<SmallRow> rows;
  std::uint32_t tid = 0;
  for (std::uint32_t index = 0; index < 12; ++index) {
    SmallRow row{{std::to_string(10 * index + 10)}, {}};
    const std::uint32_t count = index % 2 == 0 ? 3 : 1;
    for (std::uint32_t k = 0; k < count; ++k) row.tids.push_back(NthTid(tid++));
    rows.push_back(row);
  }
  return Small("int4 with posting lists, 3 leaves", "int4", rows, Shape(4, 3));
}

Workpiece Duplicates() {
  std::vector<SmallRow> rows;
  for (std::uint32_t index = 0; index < 12; ++index) rows.push_back({{"42"}, {NthTid(index)}});
  return Small("int4, one key, 3 leaves", "int4", rows, Shape(4, 3));
}

Workpiece Nulls() {
  std::vector<SmallRow> rows;
  for (std::uint32_t index = 0; index < 12; ++index) {
    rows.push_back({{std::to_string(index + 1), index % 2 == 0 ? "\\N" : "7"}, {NthTid(index)}});
  }
  return Small("int4 and int2 with nulls, 3 leaves", "int4, int2", rows, Shape(4, 3));
}

Workpiece Included() {
  std::vector<SmallRow> rows;
  for (std::uint32_t index = 0; index < 12; ++index) {
    rows.push_back({{"42", std::to_string(index * 1000)}, {NthTid(index)}});
  }
  return Small("int4 include int8, one key, 3 leaves", "int4; include int8", rows, Shape(4, 3));
}

Workpiece OldInts() {
  TreeShape shape = Shape(6, 4);
  shape.version = 3;
  shape.meta_end = nbtree::kMetaEndV3;
  return Small("int4, version 3, 4 leaves", "int4", IntRows(24), shape);
}

Workpiece FromFixture(const char* name) {
  Fixture fixture = LoadFixture(name);
  return Workpiece(std::string("corpus/postgres/") + name, fixture.schema, fixture.page_size,
                   fixture.checksums, std::move(fixture.index));
}

}  // namespace tornleaf
