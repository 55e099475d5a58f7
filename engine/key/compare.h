// The generic comparator: PostgreSQL's order of values and of keys. Every specialised comparator is
// judged by this one, so it is written to be obviously right.

#ifndef TORNLEAF_ENGINE_KEY_COMPARE_H_
#define TORNLEAF_ENGINE_KEY_COMPARE_H_

#include <cstdint>

#include "engine/base/check.h"
#include "engine/key/schema.h"
#include "engine/key/value.h"

namespace tornleaf {

// The comparison that the type's default B-tree operator class makes with this collation, or null
// for a libc collation. Floats: NaN equals NaN and is above everything, -0 equals 0. Numeric:
// display scale is not compared; -Infinity < everything < Infinity < NaN. Text in a deterministic
// ICU collation: ties are broken by bytes.
CompareFunction CompareFunctionFor(TypeId type, CollationKind collation);

// Compares one column of two rows in index order: nulls placed first or last, nulls equal to each
// other, descending columns reversed. The attribute's order must be known.
inline int CompareAttribute(const Attribute& attribute, const Value& a, const Value& b) {
  if (a.is_null || b.is_null) [[unlikely]] {
    if (a.is_null == b.is_null) return 0;
    return a.is_null == attribute.nulls_first ? -1 : 1;
  }
  CHECK(attribute.compare != nullptr);
  const int order = attribute.compare(attribute, a, b);
  // Not -order: a comparison may give the smallest int.
  return attribute.descending ? (order < 0) - (order > 0) : order;
}

// Compares the first `count` columns.
inline int CompareKeys(const Schema& schema, const Value* a, const Value* b, std::uint32_t count) {
  CHECK(count <= schema.attribute_count());
  for (std::uint32_t index = 0; index < count; ++index) {
    const int order = CompareAttribute(schema.attribute(index), a[index], b[index]);
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_COMPARE_H_
