#include "engine/key/numeric.h"

namespace tornleaf {

namespace {

constexpr std::uint16_t kFormMask = 0xC000;
constexpr std::uint16_t kNegative = 0x4000;
constexpr std::uint16_t kShort = 0x8000;
constexpr std::uint16_t kSpecial = 0xC000;
constexpr std::uint16_t kSpecialMask = 0xF000;
constexpr std::uint16_t kPlusInfinity = 0xD000;
constexpr std::uint16_t kMinusInfinity = 0xF000;

constexpr std::uint16_t kShortNegative = 0x2000;
constexpr std::uint16_t kShortScaleMask = 0x1F80;
constexpr std::uint32_t kShortScaleShift = 7;
constexpr std::uint16_t kShortWeightSign = 0x0040;
constexpr std::uint16_t kShortWeightMask = 0x003F;
constexpr std::uint16_t kLongScaleMask = 0x3FFF;

enum class Kind : std::uint8_t { kMinusInfinity, kNumber, kInfinity, kNaN };

// A stored value taken apart, with zeros at both ends of the digits left out.
struct Parts {
  Kind kind = Kind::kNumber;
  bool negative = false;
  std::uint32_t scale = 0;
  std::int32_t weight = 0;
  const std::uint8_t* digits = nullptr;
  std::uint32_t count = 0;

  std::uint16_t digit(std::uint32_t index) const {
    return LoadLittleEndian<std::uint16_t>(digits + std::size_t{2} * index);
  }
};

Parts TakeApart(ByteView stored) {
  Parts parts;
  if (stored.size() < sizeof(std::uint16_t)) return parts;
  const auto header = LoadLittleEndian<std::uint16_t>(stored.data());
  std::uint32_t digits_from = 2;
  if ((header & kFormMask) == kSpecial) {
    const std::uint16_t special = header & kSpecialMask;
    parts.kind = special == kPlusInfinity    ? Kind::kInfinity
                 : special == kMinusInfinity ? Kind::kMinusInfinity
                                             : Kind::kNaN;
    return parts;
  }
  if ((header & kFormMask) == kShort) {
    parts.negative = (header & kShortNegative) != 0;
    parts.scale = (header & kShortScaleMask) >> kShortScaleShift;
    parts.weight = header & kShortWeightMask;
    if ((header & kShortWeightSign) != 0) parts.weight -= kShortWeightMask + 1;
  } else {
    if (stored.size() < 4) return parts;
    parts.negative = (header & kNegative) != 0;
    parts.scale = header & kLongScaleMask;
    parts.weight = LoadLittleEndian<std::int16_t>(stored.data() + 2);
    digits_from = 4;
  }
  parts.digits = stored.data() + digits_from;
  parts.count = static_cast<std::uint32_t>(stored.size() - digits_from) / 2;
  while (parts.count > 0 && parts.digit(parts.count - 1) == 0) --parts.count;
  while (parts.count > 0 && parts.digit(0) == 0) {
    parts.digits += 2;
    --parts.count;
    --parts.weight;
  }
  if (parts.count == 0) {
    parts.negative = false;
    parts.weight = 0;
  }
  return parts;
}

// Compares two numbers without their signs; neither is zero.
int CompareMagnitude(const Parts& a, const Parts& b) {
  if (a.weight != b.weight) return a.weight < b.weight ? -1 : 1;
  const std::uint32_t common = a.count < b.count ? a.count : b.count;
  for (std::uint32_t index = 0; index < common; ++index) {
    if (a.digit(index) != b.digit(index)) return a.digit(index) < b.digit(index) ? -1 : 1;
  }
  return a.count < b.count ? -1 : a.count > b.count ? 1 : 0;
}

int SignOf(const Parts& parts) { return parts.count == 0 ? 0 : parts.negative ? -1 : 1; }

}  // namespace

int CompareNumeric(ByteView a, ByteView b) {
  const Parts left = TakeApart(a);
  const Parts right = TakeApart(b);
  if (left.kind != right.kind) return left.kind < right.kind ? -1 : 1;
  if (left.kind != Kind::kNumber) return 0;
  const int left_sign = SignOf(left);
  const int right_sign = SignOf(right);
  if (left_sign != right_sign) return left_sign < right_sign ? -1 : 1;
  if (left_sign == 0) return 0;
  return left_sign * CompareMagnitude(left, right);
}

}  // namespace tornleaf
