// A tight loop for the pages that make up most of most indexes: leaves of one key column, every
// item a plain tuple with nothing unusual about it.
//
// It only ever says "this is fine" or "I cannot tell"; every doubt is left to ItemVerifier, which
// checks the page again, slowly, and finds the words. So it may never accept what ItemVerifier
// would not: tests hold the two against each other over damaged pages.

#ifndef TORNLEAF_ENGINE_VERIFY_PLAIN_LEAF_H_
#define TORNLEAF_ENGINE_VERIFY_PLAIN_LEAF_H_

#include <cstdint>
#include <span>
#include <vector>

#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"

namespace tornleaf {

class PlainLeaf {
 public:
  // Chooses the loop for the schema's only key column; none if there are more columns, or if its
  // type, direction or collation has no loop. `schema` may be null.
  explicit PlainLeaf(const Schema* schema);

  // True if all data items of the leaf are plain tuples with readable attributes, legal row
  // addresses and legal values, in strict order by (key, heap TID). The line pointers have been
  // checked (CheckLinePointers). On success tids() are the row addresses in item order.
  bool Accepts(nbtree::NbtreePage page, const nbtree::Limits& limits);
  std::span<const PackedTid> tids() const { return tids_; }

 private:
  enum class Shape : std::uint8_t { kNone, kInt2, kInt4, kInt8, kOid, kBytes, kText };

  template <typename KeyReader>
  bool AcceptsAs(nbtree::NbtreePage page, const nbtree::Limits& limits);

  Shape shape_ = Shape::kNone;
  std::vector<PackedTid> tids_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_PLAIN_LEAF_H_
