#include "engine/build/abbreviation.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tornleaf {

namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::uint32_t kSize = sizeof(std::uint64_t);

std::uint64_t LoadUnsigned(const Value& value) {
  std::uint64_t number = 0;
  std::memcpy(&number, value.data, value.size);
  return number;
}

std::int64_t LoadSigned(const Value& value) {
  switch (value.size) {
    case 2:
      return LoadLittleEndian<std::int16_t>(value.data);
    case 4:
      return LoadLittleEndian<std::int32_t>(value.data);
    default:
      return LoadLittleEndian<std::int64_t>(value.data);
  }
}

// Numbers in order become numbers in order: -0 is 0, and every NaN is above everything.
std::uint64_t FloatOrder(double number) {
  if (std::isnan(number)) return ~std::uint64_t{0};
  const auto bits = std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

// Up to eight bytes as a big-endian number, zeros behind: a string sorts before its extensions.
std::uint64_t LoadBytes(const std::uint8_t* from, std::uint32_t size) {
  std::uint64_t number = 0;
  if (size != 0) std::memcpy(&number, from, std::min(size, kSize));
  return __builtin_bswap64(number);
}

}  // namespace

Abbreviation::Abbreviation(const Attribute& attribute)
    : descending_(attribute.descending), nulls_first_(attribute.nulls_first) {
  switch (attribute.type) {
    case TypeId::kBool:
    case TypeId::kOid:
      kind_ = Kind::kUnsigned;
      break;
    case TypeId::kInt2:
    case TypeId::kInt4:
    case TypeId::kInt8:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      kind_ = Kind::kSigned;
      break;
    case TypeId::kFloat4:
    case TypeId::kFloat8:
      kind_ = Kind::kFloat;
      break;
    case TypeId::kUuid:
    case TypeId::kBytea:
      kind_ = Kind::kBytes;
      break;
    case TypeId::kText:
    case TypeId::kVarchar:
    case TypeId::kName:
      kind_ = attribute.collation == CollationKind::kC ? Kind::kBytes : Kind::kNone;
      break;
    case TypeId::kNumeric:
      kind_ = Kind::kNone;
      break;
  }
  exact_ = kind_ == Kind::kUnsigned || kind_ == Kind::kSigned || kind_ == Kind::kFloat;
}

void Abbreviation::Observe(const Value& value) {
  if (value.is_null) {
    any_null_ = true;
    return;
  }
  if (kind_ != Kind::kBytes) return;
  if (!first_.has_value()) {
    first_.emplace(value.data, value.data + value.size);
    prefix_size_ = value.size;
    return;
  }
  const std::uint8_t* first = first_->data();
  const std::uint32_t most = std::min(prefix_size_, value.size);
  if (most == 0 || std::memcmp(first, value.data, most) == 0) {
    prefix_size_ = most;
    return;
  }
  prefix_size_ = 0;
  while (first[prefix_size_] == value.data[prefix_size_]) ++prefix_size_;
}

std::uint64_t Abbreviation::Ascending(const Value& value) const {
  switch (kind_) {
    case Kind::kNone:
      return 0;
    case Kind::kUnsigned:
      return LoadUnsigned(value);
    case Kind::kSigned:
      return static_cast<std::uint64_t>(LoadSigned(value)) ^ kSignBit;
    case Kind::kFloat:
      return FloatOrder(value.size == sizeof(float) ? LoadLittleEndian<float>(value.data)
                                                    : LoadLittleEndian<double>(value.data));
    case Kind::kBytes:
      return LoadBytes(value.data + prefix_size_, value.size - prefix_size_);
  }
  CHECK(!"an unknown kind of abbreviation");
}

// Nulls share the end of the range with the values there: a tie, which contradicts nothing.
std::uint64_t Abbreviation::Of(const Value& value) const {
  if (value.is_null) return nulls_first_ ? 0 : ~std::uint64_t{0};
  return descending_ ? ~Ascending(value) : Ascending(value);
}

}  // namespace tornleaf
