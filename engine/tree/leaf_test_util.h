// Pages for the tests of splits and deduplication.

#ifndef TORNLEAF_ENGINE_TREE_LEAF_TEST_UTIL_H_
#define TORNLEAF_ENGINE_TREE_LEAF_TEST_UTIL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/format/nbtree_edit.h"
#include "engine/key/schema.h"

namespace tornleaf {

using TupleBytes = std::vector<std::uint8_t>;

inline Schema SchemaFor(std::string_view text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return *std::move(schema);
}

// A leaf item of int4 columns.
inline TupleBytes Int4Tuple(const Schema& schema, const std::vector<std::int32_t>& columns,
                            ItemPointer tid) {
  std::vector<Value> values;
  for (const std::int32_t& column : columns) {
    Value value;
    value.data = reinterpret_cast<const std::uint8_t*>(&column);
    value.size = sizeof(column);
    value.is_null = false;
    values.push_back(value);
  }
  TupleBytes bytes;
  FormTuple(schema, values.data(), static_cast<std::uint32_t>(values.size()), tid, &bytes);
  return bytes;
}

inline TupleBytes TextTuple(const Schema& schema, std::string_view text, ItemPointer tid) {
  const Value value = Value::Of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  TupleBytes bytes;
  FormTuple(schema, &value, 1, tid, &bytes);
  return bytes;
}

inline TupleBytes WithPostings(const TupleBytes& base, ItemPointer first, std::uint32_t count) {
  std::vector<ItemPointer> tids;
  for (std::uint32_t index = 0; index < count; ++index) {
    tids.push_back({first.block + index, first.offset});
  }
  TupleBytes bytes;
  nbtree::FormPosting(TupleView(base), tids, &bytes);
  return bytes;
}

// Makes a pivot of a leaf item, as an internal page or a high key has it.
inline TupleBytes AsPivot(TupleBytes tuple, std::uint32_t count, BlockNumber downlink) {
  nbtree::SetPivotAttributes(tuple.data(), count, false);
  nbtree::SetDownlink(tuple.data(), downlink);
  return tuple;
}

class PageUnderTest {
 public:
  explicit PageUnderTest(std::uint32_t level = 0, std::uint32_t size = 8192) : bytes_(size) {
    nbtree::InitializePage(PageWriter(bytes_), level, level == 0 ? nbtree::kLeaf : 0);
  }

  // Makes it a page with a right sibling; before any item.
  void AddHighKey(const TupleBytes& pivot) {
    nbtree::SetNext(PageWriter(bytes_), 99);
    Add(pivot);
  }
  bool Add(const TupleBytes& tuple) {
    const auto slot = static_cast<OffsetNumber>(page().item_count() + 1);
    return nbtree::InsertItem(PageWriter(bytes_), slot, tuple) == nbtree::EditError::kNone;
  }
  nbtree::NbtreePage page() const { return nbtree::NbtreePage(PageView(bytes_)); }
  PageWriter writer() { return PageWriter(bytes_); }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  OffsetNumber end() const { return static_cast<OffsetNumber>(page().item_count() + 1); }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_LEAF_TEST_UTIL_H_
