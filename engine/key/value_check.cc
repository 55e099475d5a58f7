#include "engine/key/value_check.h"

#include <cstring>

namespace tornleaf {

namespace {

// Days and microseconds count from 2000-01-01. The calendar begins on 4714-11-24 BC; a date ends
// with 5874897-12-31, a timestamp before 294277-01-01.
constexpr std::int32_t kFirstDay = -2451545;
constexpr std::int32_t kEndOfDays = 2147483494 - 2451545;
constexpr std::int64_t kMicrosecondsPerDay = 86400000000;
constexpr std::int64_t kFirstTimestamp = kFirstDay * kMicrosecondsPerDay;
constexpr std::int64_t kEndOfTimestamps = 9223371331200000000;

bool IsLegalDate(std::int32_t day) {
  return day == INT32_MIN || day == INT32_MAX || (day >= kFirstDay && day < kEndOfDays);
}

bool IsLegalTimestamp(std::int64_t time) {
  return time == INT64_MIN || time == INT64_MAX ||
         (time >= kFirstTimestamp && time < kEndOfTimestamps);
}

// A numeric begins with a 16-bit header; its two highest bits tell the form.
//   0x0000, 0x4000  long form: sign and display scale (14 bits), then a 16-bit weight
//   0x8000          short form: sign 0x2000, scale 6 bits, weight 7 bits with its sign
//   0xc000          NaN; 0xd000 Infinity; 0xf000 -Infinity; nothing follows
constexpr std::uint16_t kNumericFormMask = 0xC000;
constexpr std::uint16_t kNumericShort = 0x8000;
constexpr std::uint16_t kNumericSpecial = 0xC000;

// Decimal zeros at the end of the last digit of base 10000, which is not 0 itself.
std::int32_t TrailingZeros(const Value& value) {
  std::uint32_t digit = LoadLittleEndian<std::uint16_t>(value.data + value.size - 2);
  std::int32_t zeros = 0;
  for (; digit % 10 == 0; digit /= 10) ++zeros;
  return zeros;
}

bool IsLegalNumeric(const Value& value) {
  if (value.size < 2 || value.size % 2 != 0) return false;
  const auto header = LoadLittleEndian<std::uint16_t>(value.data);
  const std::uint16_t form = header & kNumericFormMask;
  if (form == kNumericSpecial) {
    return value.size == 2 && (header == 0xC000 || header == 0xD000 || header == 0xF000);
  }
  std::uint32_t digits_at = 2;
  bool negative = (header & 0x2000) != 0;
  std::int32_t scale = header >> 7 & 0x3F;
  std::int32_t weight = (header & 0x3F) - (header & 0x40);
  if (form != kNumericShort) {
    if (value.size < 4) return false;
    digits_at = 4;
    negative = form == 0x4000;
    scale = header & 0x3FFF;
    weight = static_cast<std::int16_t>(LoadLittleEndian<std::uint16_t>(value.data + 2));
  }
  // Zero has no digits, no sign and weight 0.
  if (value.size == digits_at) return !negative && weight == 0;
  for (std::uint32_t at = digits_at; at < value.size; at += 2) {
    const auto digit = LoadLittleEndian<std::uint16_t>(value.data + at);
    if (digit > 9999) return false;
    const bool outermost = at == digits_at || at + 2 == value.size;
    if (outermost && digit == 0) return false;
  }
  // The scale hides no digit.
  const std::int32_t groups = static_cast<std::int32_t>(value.size - digits_at) / 2 - 1 - weight;
  return groups <= 0 || 4 * groups - TrailingZeros(value) <= scale;
}

// A key column holds the characters alone, an included column all 64 bytes, padded with zeroes.
bool IsLegalName(const Value& value) {
  if (value.size < kNameSize) return true;
  const void* end = std::memchr(value.data, 0, value.size);
  if (value.size > kNameSize || end == nullptr) return false;
  return AllZero(value.bytes().subspan(
      static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - value.data)));
}

}  // namespace

bool IsLegalValue(TypeId type, const Value& value) {
  switch (type) {
    case TypeId::kBool:
      return value.data[0] <= 1;
    case TypeId::kDate:
      return IsLegalDate(LoadLittleEndian<std::int32_t>(value.data));
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return IsLegalTimestamp(LoadLittleEndian<std::int64_t>(value.data));
    case TypeId::kText:
    case TypeId::kVarchar:
      return value.size == 0 || std::memchr(value.data, 0, value.size) == nullptr;
    case TypeId::kName:
      return IsLegalName(value);
    case TypeId::kNumeric:
      return IsLegalNumeric(value);
    case TypeId::kInt2:
    case TypeId::kInt4:
    case TypeId::kInt8:
    case TypeId::kOid:
    case TypeId::kFloat4:
    case TypeId::kFloat8:
    case TypeId::kUuid:
    case TypeId::kBytea:
      return true;
  }
  return false;
}

}  // namespace tornleaf
