#include "tests/checker_score/position.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "engine/key/compare.h"
#include "engine/key/numeric.h"
#include "engine/key/value_text.h"

namespace tornleaf {
namespace checker_score {

namespace {

bool HasZeroByte(ByteView bytes) { return std::find(bytes.begin(), bytes.end(), 0) != bytes.end(); }

// A name in full length: characters, then zero bytes to its end.
bool IsPaddedName(ByteView bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), 0);
  return end != bytes.end() && std::all_of(end, bytes.end(), [](auto byte) { return byte == 0; });
}

// Before PostgreSQL 9.1 every numeric had the long header; it stays in a table until its row is
// written again. So a long one is compared with the short one by the digits behind the header.
bool IsOldLongNumeric(ByteView stored, ByteView again) {
  if (stored.size() != again.size() + 2 || stored.size() < 4 || again.size() < 2) return false;
  return (stored[1] & 0x80) == 0 && CompareNumeric(stored, again) == 0 &&
         std::equal(stored.begin() + 4, stored.end(), again.begin() + 2, again.end());
}

}  // namespace

bool IsValueOfType(TypeId type, const Value& value) {
  switch (type) {
    case TypeId::kFloat4:
    case TypeId::kFloat8:
      return true;  // Arithmetic gives NaNs of many bytes.
    case TypeId::kText:
    case TypeId::kVarchar:
      return !HasZeroByte(value.bytes());  // The file does not say which encoding it is in.
    case TypeId::kName:
      if (value.size == static_cast<std::uint32_t>(kNameSize)) return IsPaddedName(value.bytes());
      return value.size < static_cast<std::uint32_t>(kNameSize) && !HasZeroByte(value.bytes());
    default:
      break;
  }
  std::string text;
  std::vector<std::uint8_t> again;
  AppendValueText(type, value, &text);
  if (!ParseValue(type, text, &again).ok()) return false;
  const ByteView stored = value.bytes();
  if (std::equal(again.begin(), again.end(), stored.begin(), stored.end())) return true;
  return type == TypeId::kNumeric && IsOldLongNumeric(stored, again);
}

Position::Position(const Schema& schema, TupleView tuple, bool is_pivot) : schema_(schema) {
  const std::uint32_t count =
      is_pivot ? nbtree::PivotAttributeCount(tuple) : schema.attribute_count();
  key_count_ = std::min(count, schema.key_count());
  if (is_pivot) {
    has_tid_ = nbtree::PivotHasHeapTid(tuple);
    if (has_tid_) tid_min_ = tid_max_ = nbtree::PivotHeapTid(tuple);
  } else {
    tid_min_ = nbtree::MinHeapTid(tuple);
    tid_max_ = nbtree::MaxHeapTid(tuple);
  }
  legal_ = values_.Deform(schema, tuple, count, nbtree::KeyEnd(tuple)).ok();
  for (std::uint32_t index = 0; legal_ && index < count; ++index) {
    const Value& value = values_.value(index);
    legal_ = value.is_null || IsValueOfType(schema.attribute(index).type, value);
  }
}

bool Position::SameValues(const Position& other) const {
  if (values_.count() != other.values_.count()) return false;
  for (std::uint32_t index = 0; index < values_.count(); ++index) {
    if (!ImageEqual(values_.value(index), other.values_.value(index))) return false;
  }
  return true;
}

bool Position::SameKey(const Position& other) const {
  if (key_count_ != other.key_count_) return false;
  for (std::uint32_t index = 0; index < key_count_; ++index) {
    if (!ImageEqual(values_.value(index), other.values_.value(index))) return false;
  }
  return true;
}

int Position::Compare(const Position& other) const {
  const int keys = CompareKeys(schema_, values_.values(), other.values_.values(),
                               std::min(key_count_, other.key_count_));
  if (keys != 0) return keys;
  if (key_count_ != other.key_count_) return key_count_ < other.key_count_ ? -1 : 1;
  if (!has_tid_ || !other.has_tid_) return (has_tid_ ? 1 : 0) - (other.has_tid_ ? 1 : 0);
  if (tid_max_ < other.tid_min_) return -1;
  return tid_max_ == other.tid_min_ ? 0 : 1;
}

}  // namespace checker_score
}  // namespace tornleaf
