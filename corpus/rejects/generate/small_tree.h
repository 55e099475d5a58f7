// Small B-trees made by hand: a few items on each page, so that a page is easy to read and a file
// compresses to a few hundred bytes. In all three versions of the format.

#ifndef TORNLEAF_CORPUS_REJECTS_GENERATE_SMALL_TREE_H_
#define TORNLEAF_CORPUS_REJECTS_GENERATE_SMALL_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"

namespace tornleaf {

using TupleBytes = std::vector<std::uint8_t>;

// One row: columns as text, NULL as `\N`, and where it lies; several addresses make a posting list.
struct SmallRow {
  std::vector<std::string> columns;
  std::vector<ItemPointer> tids;
};

struct TreeShape {
  std::uint32_t page_size = 1024;
  std::uint32_t version = 4;
  // Where the metapage ends: 72, 64 or 48; nbtree::kMetaEnd and its older siblings.
  std::uint32_t meta_end = 72;
  std::uint32_t leaf_items = 6;
  std::uint32_t fanout = 3;  // downlinks on an internal page
  // Version 3 as 11 wrote it with included columns: pivots marked, minus infinity without offset 1.
  bool marks_pivots = false;
};

// `schema` in the schema language; CHECKs that it parses.
Schema SchemaOf(const std::string& schema);

// The leaf tuple of one row.
TupleBytes LeafTuple(const Schema& schema, const SmallRow& row);

// The pages of an index with these rows, in this order: leaves from block 1, then each level above,
// the root last.
std::vector<std::uint8_t> MakeTree(const Schema& schema, const std::vector<SmallRow>& rows,
                                   const TreeShape& shape);

// `count` rows of one int4 column: first, first + step, ...; table rows three to a block.
std::vector<SmallRow> IntRows(std::uint32_t count, int first = 10, int step = 10);

}  // namespace tornleaf

#endif  // TORNLEAF_CORPUS_REJECTS_GENERATE_SMALL_TREE_H_
