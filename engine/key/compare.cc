#include "engine/key/compare.h"

#include <cmath>

#include "engine/key/collation.h"
#include "engine/key/numeric.h"

namespace tornleaf {

namespace {

template <typename T>
int CompareNumbers(const Attribute& /*attribute*/, const Value& a, const Value& b) {
  const auto left = LoadLittleEndian<T>(a.data);
  const auto right = LoadLittleEndian<T>(b.data);
  return left < right ? -1 : left > right ? 1 : 0;
}

template <typename T>
int CompareFloats(const Attribute& /*attribute*/, const Value& a, const Value& b) {
  const auto left = LoadLittleEndian<T>(a.data);
  const auto right = LoadLittleEndian<T>(b.data);
  const int left_nan = std::isnan(left) ? 1 : 0;
  const int right_nan = std::isnan(right) ? 1 : 0;
  if ((left_nan | right_nan) != 0) return left_nan - right_nan;
  return left < right ? -1 : left > right ? 1 : 0;
}

int CompareByBytes(const Attribute& /*attribute*/, const Value& a, const Value& b) {
  return CompareBytes(a.bytes(), b.bytes());
}

int CompareByIcu(const Attribute& attribute, const Value& a, const Value& b) {
  return attribute.icu->Compare(a.bytes(), b.bytes());
}

int CompareNumerics(const Attribute& /*attribute*/, const Value& a, const Value& b) {
  return CompareNumeric(a.bytes(), b.bytes());
}

}  // namespace

CompareFunction CompareFunctionFor(TypeId type, CollationKind collation) {
  switch (type) {
    case TypeId::kBool:
      return CompareNumbers<std::uint8_t>;
    case TypeId::kInt2:
      return CompareNumbers<std::int16_t>;
    case TypeId::kInt4:
    case TypeId::kDate:
      return CompareNumbers<std::int32_t>;
    case TypeId::kInt8:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return CompareNumbers<std::int64_t>;
    case TypeId::kOid:
      return CompareNumbers<std::uint32_t>;
    case TypeId::kFloat4:
      return CompareFloats<float>;
    case TypeId::kFloat8:
      return CompareFloats<double>;
    case TypeId::kUuid:
    case TypeId::kBytea:
      return CompareByBytes;
    case TypeId::kText:
    case TypeId::kVarchar:
    case TypeId::kName:
      switch (collation) {
        case CollationKind::kC:
          return CompareByBytes;
        case CollationKind::kIcu:
          return CompareByIcu;
        case CollationKind::kLibc:
          return nullptr;
      }
      break;
    case TypeId::kNumeric:
      return CompareNumerics;
  }
  CHECK(!"a type or collation kind without a comparison");
}

}  // namespace tornleaf
