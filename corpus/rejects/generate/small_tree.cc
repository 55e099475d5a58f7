#include "corpus/rejects/generate/small_tree.h"

#include <utility>

#include "engine/base/check.h"
#include "engine/key/value_text.h"

namespace tornleaf {

namespace {

struct Page {
  std::uint32_t level = 0;
  std::vector<TupleBytes> items;
  TupleBytes high_key;  // empty on the rightmost page
};

// Makes one tree; a level at a time, left to right, bottom up.
class TreeMaker {
 public:
  TreeMaker(const Schema& schema, const TreeShape& shape) : schema_(schema), shape_(shape) {}

  std::vector<std::uint8_t> Make(const std::vector<SmallRow>& rows) {
    std::vector<Page> level = Leaves(rows);
    BlockNumber first = 1;
    std::uint32_t height = 0;
    while (true) {
      const bool is_root = level.size() == 1;
      for (std::uint32_t index = 0; index < level.size(); ++index) {
        WritePage(level[index], first, index, static_cast<std::uint32_t>(level.size()), is_root);
      }
      if (is_root) break;
      std::vector<Page> above = Parents(level, first, ++height);
      first += static_cast<BlockNumber>(level.size());
      level = std::move(above);
    }
    WriteMetaPage(first, height);
    return std::move(image_);
  }

 private:
  std::vector<Page> Leaves(const std::vector<SmallRow>& rows) {
    std::vector<Page> pages(1);
    for (const SmallRow& row : rows) {
      TupleBytes tuple = LeafTuple(schema_, row);
      if (pages.back().items.size() == shape_.leaf_items) {
        pages.back().high_key = HighKey(pages.back().items.back(), tuple);
        pages.emplace_back();
      }
      pages.back().items.push_back(std::move(tuple));
    }
    return pages;
  }

  // Before version 4 the high key was the first item on the right, as it stands or without its
  // included columns.
  TupleBytes HighKey(const TupleBytes& left, const TupleBytes& right) {
    TupleBytes key;
    if (shape_.version >= nbtree::kVersionHeapTidIsKey) {
      nbtree::TruncateForHighKey(schema_, TupleView(left), TupleView(right), &key);
      return key;
    }
    if (!shape_.marks_pivots) return right;
    DeformedTuple values;
    const TupleView view(right);
    CHECK(values.Deform(schema_, view, schema_.attribute_count(), view.stored_size()).ok());
    FormTuple(schema_, values.values(), schema_.key_count(), view.tid(), &key);
    nbtree::SetPivotAttributes(key.data(), schema_.key_count(), false);
    return key;
  }

  TupleBytes MinusInfinity(BlockNumber child) {
    TupleBytes tuple;
    if (shape_.version >= nbtree::kVersionHeapTidIsKey || shape_.marks_pivots) {
      nbtree::FormMinusInfinity(child, &tuple);
      return tuple;
    }
    tuple.resize(index_tuple::kHeaderSize);
    StoreTid(tuple.data(), {child, 1});
    Store(tuple.data(), index_tuple::kInfo, std::uint16_t{index_tuple::kHeaderSize});
    return tuple;
  }

  std::vector<Page> Parents(const std::vector<Page>& children, BlockNumber first,
                            std::uint32_t level) {
    std::vector<Page> pages(1);
    for (std::uint32_t index = 0; index < children.size(); ++index) {
      const BlockNumber child = first + index;
      if (pages.back().items.size() == shape_.fanout) {
        pages.back().high_key = children[index - 1].high_key;
        pages.emplace_back();
      }
      Page& page = pages.back();
      page.level = level;
      if (page.items.empty()) {
        page.items.push_back(MinusInfinity(child));
        continue;
      }
      TupleBytes downlink = children[index - 1].high_key;
      nbtree::SetDownlink(downlink.data(), child);
      page.items.push_back(std::move(downlink));
    }
    return pages;
  }

  PageWriter AddPage() {
    image_.resize(image_.size() + shape_.page_size);
    return PageWriter(MutableBytes(image_).last(shape_.page_size));
  }

  void WritePage(const Page& page, BlockNumber first, std::uint32_t index, std::uint32_t count,
                 bool is_root) {
    if (image_.empty()) AddPage();  // The metapage, written last.
    PageWriter writer = AddPage();
    const std::uint16_t flags =
        (page.level == 0 ? nbtree::kLeaf : 0) | (is_root ? nbtree::kRoot : 0);
    nbtree::InitializePage(writer, page.level, flags);
    writer.set_lsn(kLsn);
    if (index > 0) nbtree::SetPrev(writer, first + index - 1);
    if (index + 1 < count) nbtree::SetNext(writer, first + index + 1);
    if (!page.high_key.empty()) writer.AppendItem(page.high_key);
    for (const TupleBytes& item : page.items) writer.AppendItem(item);
  }

  void WriteMetaPage(BlockNumber root, std::uint32_t level) {
    PageWriter writer(MutableBytes(image_).first(shape_.page_size));
    nbtree::MetaPage meta;
    meta.magic = nbtree::kMagicNumber;
    meta.version = shape_.version;
    meta.root = meta.fast_root = root;
    meta.level = meta.fast_level = level;
    meta.all_equal_image =
        shape_.version >= nbtree::kVersionHeapTidIsKey && schema_.all_equal_image();
    nbtree::InitializeMetaPage(writer, meta);
    writer.set_lsn(kLsn);
    std::memset(writer.data() + shape_.meta_end, 0, nbtree::kMetaEnd - shape_.meta_end);
    writer.set_lower(shape_.meta_end);
  }

  static constexpr Lsn kLsn = 0x1'02000000;

  const Schema& schema_;
  const TreeShape& shape_;
  std::vector<std::uint8_t> image_;
};

}  // namespace

Schema SchemaOf(const std::string& schema) {
  absl::StatusOr<Schema> parsed = Schema::Parse(schema);
  CHECK(parsed.ok());
  return *std::move(parsed);
}

TupleBytes LeafTuple(const Schema& schema, const SmallRow& row) {
  CHECK(row.columns.size() == schema.attribute_count());
  CHECK(!row.tids.empty());
  std::vector<std::vector<std::uint8_t>> stored(row.columns.size());
  Value values[kMaxAttributes];
  for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
    if (row.columns[index] == "\\N") continue;
    CHECK(ParseValue(schema.attribute(index).type, row.columns[index], &stored[index]).ok());
    values[index] = Value::Of(stored[index]);
  }
  TupleBytes plain;
  CHECK(FormTuple(schema, values, schema.attribute_count(), row.tids[0], &plain) != 0);
  if (row.tids.size() == 1) return plain;
  TupleBytes posting;
  nbtree::FormPosting(TupleView(plain), row.tids, &posting);
  return posting;
}

std::vector<std::uint8_t> MakeTree(const Schema& schema, const std::vector<SmallRow>& rows,
                                   const TreeShape& shape) {
  return TreeMaker(schema, shape).Make(rows);
}

std::vector<SmallRow> IntRows(std::uint32_t count, int first, int step) {
  constexpr std::uint32_t kRowsPerBlock = 3;
  std::vector<SmallRow> rows;
  for (std::uint32_t index = 0; index < count; ++index) {
    const int key = first + static_cast<int>(index) * step;
    const auto offset = static_cast<OffsetNumber>(index % kRowsPerBlock + 1);
    rows.push_back({{std::to_string(key)}, {{index / kRowsPerBlock, offset}}});
  }
  return rows;
}

}  // namespace tornleaf
