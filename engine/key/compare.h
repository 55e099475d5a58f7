// The generic comparator: PostgreSQL's order of values and of keys. Every specialised comparator is
// judged by this one, so it is written to be obviously right.

#ifndef TORNLEAF_ENGINE_KEY_COMPARE_H_
#define TORNLEAF_ENGINE_KEY_COMPARE_H_

#include <cstdint>

#include "engine/base/finding.h"
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
int CompareAttribute(const Attribute& attribute, const Value& a, const Value& b);

// Compares the first `count` columns.
int CompareKeys(const Schema& schema, const Value* a, const Value* b, std::uint32_t count);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_COMPARE_H_
