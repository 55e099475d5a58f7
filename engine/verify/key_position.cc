#include "engine/verify/key_position.h"

#include <algorithm>
#include <string>

#include "engine/key/compare.h"
#include "engine/key/value_text.h"

namespace tornleaf {

namespace {

// How many attributes a tuple keeps.
std::uint32_t AttributeCount(const VerifyContext& context, TupleView tuple, bool is_pivot) {
  if (!is_pivot) return context.schema->attribute_count();
  // Versions 2 and 3 may hold pivots that were never marked; they keep every key column.
  return tuple.alt_tid() ? nbtree::PivotAttributeCount(tuple) : context.schema->key_count();
}

}  // namespace

DeformResult ReadKeyPosition(const VerifyContext& context, TupleView tuple, bool is_pivot,
                             KeyPosition* position) {
  position->attribute_count = AttributeCount(context, tuple, is_pivot);
  position->has_tid = !is_pivot || nbtree::PivotHasHeapTid(tuple);
  if (!is_pivot) {
    position->tid_min = nbtree::MinHeapTid(tuple);
    position->tid_max = nbtree::MaxHeapTid(tuple);
  } else if (position->has_tid) {
    position->tid_min = position->tid_max = nbtree::PivotHeapTid(tuple);
  }
  const DeformResult result = position->key.Deform(
      *context.schema, tuple, position->attribute_count,
      is_pivot && !tuple.alt_tid() ? tuple.stored_size() : nbtree::KeyEnd(tuple));
  position->readable = result.ok();
  return result;
}

int ComparePositions(const VerifyContext& context, const KeyPosition& a, const KeyPosition& b) {
  const std::uint32_t key_count = context.schema->key_count();
  const std::uint32_t a_count = std::min(a.attribute_count, key_count);
  const std::uint32_t b_count = std::min(b.attribute_count, key_count);
  const int keys =
      CompareKeys(*context.schema, a.key.values(), b.key.values(), std::min(a_count, b_count));
  if (keys != 0) return keys;
  if (a_count != b_count) return a_count < b_count ? -1 : 1;
  if (!context.heap_tid_is_key()) return 0;
  if (!a.has_tid || !b.has_tid) return static_cast<int>(a.has_tid) - static_cast<int>(b.has_tid);
  if (a.tid_max == b.tid_min) return 0;
  return a.tid_max < b.tid_min ? -1 : 1;
}

PositionText TextOf(const VerifyContext& context, const KeyPosition& position) {
  // Ten bytes of numeric make 131,072 digits, and most findings are counted and never shown.
  constexpr std::size_t kValueCharactersMax = 80;
  std::string text;
  for (std::uint32_t index = 0; index < position.key.count(); ++index) {
    if (index > 0) text += ", ";
    const Value& value = position.key.value(index);
    if (value.is_null) {
      text += "NULL";
    } else {
      AppendValueText(context.schema->attribute(index).type, value, &text, kValueCharactersMax);
    }
  }
  if (position.attribute_count < context.schema->key_count()) text += ", -infinity";
  // Text of any bytes must stay on its line.
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = '?';
  }
  if (!position.has_tid) return PositionText::Format("(%s)", text.c_str());
  // Keys next to each other begin alike: enough that most differ within it, and that a FindingText
  // holds it behind the longest words that stand before one.
  constexpr int kKeyCharactersMax = 64;
  const bool cut = text.size() > kKeyCharactersMax;
  return PositionText::Format("(%.*s%s) at (%u,%u)", kKeyCharactersMax, text.c_str(),
                              cut ? "..." : "", position.tid_max.block, position.tid_max.offset);
}

}  // namespace tornleaf
