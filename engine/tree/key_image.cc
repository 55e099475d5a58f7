#include "engine/tree/key_image.h"

#include <cstring>

#include "engine/base/mark.h"
#include "engine/tree/key_compare.h"

namespace tornleaf {
namespace {

// Whether the tuples' key bytes are the same: the common case of equal keys, without reading
// columns.
bool SameBytes(TupleView left, TupleView right) {
  const std::uint32_t end = nbtree::KeyEnd(left);
  if (end != nbtree::KeyEnd(right) || left.has_nulls() != right.has_nulls()) return false;
  const std::uint32_t begin = index_tuple::kHeaderSize;
  return std::memcmp(left.data() + begin, right.data() + begin, end - begin) == 0;
}

std::uint32_t StoredAttributes(const Schema& schema, TupleView tuple) {
  return nbtree::KindOf(tuple) == nbtree::TupleKind::kPivot ? nbtree::PivotAttributeCount(tuple)
                                                            : schema.attribute_count();
}

}  // namespace

std::uint32_t KeyImages::KeepAttributes(TupleView left, TupleView right) {
  const std::uint32_t left_count = StoredAttributes(schema_, left);
  const std::uint32_t right_count = StoredAttributes(schema_, right);
  if (left_count == right_count && left_count >= schema_.key_count() && SameBytes(left, right)) {
    return schema_.key_count() + 1;
  }
  // Most neighbours differ in their first column, and no more is read.
  AttributeReader left_reader(schema_, left);
  AttributeReader right_reader(schema_, right);
  for (std::uint32_t index = 0; index < schema_.key_count(); ++index) {
    if (index >= left_count || index >= right_count) return index + 1;
    Value left_value;
    Value right_value;
    if (!left_reader.Next(&left_value) || !right_reader.Next(&right_value)) {
      return KeepDeformed(left, left_count, right, right_count);
    }
    if (!ImageEqual(left_value, right_value)) return index + 1;
  }
  MARK("key.equal_in_other_bytes");
  return schema_.key_count() + 1;
}

// The same where a value is compressed.
std::uint32_t KeyImages::KeepDeformed(TupleView left, std::uint32_t left_count, TupleView right,
                                      std::uint32_t right_count) {
  MARK("key.compressed_image");
  CHECK(left_.Deform(schema_, left, left_count, nbtree::KeyEnd(left)).ok());
  CHECK(right_.Deform(schema_, right, right_count, nbtree::KeyEnd(right)).ok());
  for (std::uint32_t index = 0; index < schema_.key_count(); ++index) {
    if (index >= left_count || index >= right_count) return index + 1;
    if (!ImageEqual(left_.value(index), right_.value(index))) return index + 1;
  }
  MARK("key.equal_in_other_bytes");
  return schema_.key_count() + 1;
}

}  // namespace tornleaf
