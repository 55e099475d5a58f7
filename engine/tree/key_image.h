// Whether neighbouring tuples have the same key, byte for byte: what splits and deduplication ask,
// where the operator classes' order would be slower and say no more.

#ifndef TORNLEAF_ENGINE_TREE_KEY_IMAGE_H_
#define TORNLEAF_ENGINE_TREE_KEY_IMAGE_H_

#include <cstdint>

#include "engine/format/nbtree_tuple.h"
#include "engine/key/index_tuple.h"
#include "engine/key/schema.h"

namespace tornleaf {

// Keeps what it read of tuples from one question to the next, so that nothing is allocated.
class KeyImages {
 public:
  explicit KeyImages(const Schema& schema) : schema_(schema) {}

  // The number of leading key columns that a pivot between the two must keep, 1-based, by the
  // values' bytes; key_count() + 1 if all are equal (PostgreSQL's _bt_keep_natts_fast). Compressed
  // and plain forms of a value are equal. A column that a pivot has lost differs from any value.
  std::uint32_t KeepAttributes(TupleView left, TupleView right);
  bool Equal(TupleView left, TupleView right) {
    return KeepAttributes(left, right) > schema_.key_count();
  }

 private:
  std::uint32_t KeepDeformed(TupleView left, std::uint32_t left_count, TupleView right,
                             std::uint32_t right_count);

  const Schema& schema_;
  DeformedTuple left_;
  DeformedTuple right_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_KEY_IMAGE_H_
