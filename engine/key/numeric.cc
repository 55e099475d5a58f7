#include "engine/key/numeric.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "absl/strings/str_cat.h"
#include "engine/key/value_text_family.h"

namespace tornleaf {

namespace {

constexpr std::uint16_t kFormMask = 0xC000;
constexpr std::uint16_t kNegative = 0x4000;
constexpr std::uint16_t kShort = 0x8000;
constexpr std::uint16_t kSpecial = 0xC000;
constexpr std::uint16_t kSpecialMask = 0xF000;
constexpr std::uint16_t kNaN = 0xC000;
constexpr std::uint16_t kPlusInfinity = 0xD000;
constexpr std::uint16_t kMinusInfinity = 0xF000;

constexpr std::uint16_t kShortNegative = 0x2000;
constexpr std::uint16_t kShortScaleMask = 0x1F80;
constexpr std::uint32_t kShortScaleShift = 7;
constexpr std::uint16_t kShortWeightSign = 0x0040;
constexpr std::uint16_t kShortWeightMask = 0x003F;
constexpr std::uint16_t kLongScaleMask = 0x3FFF;

constexpr std::int64_t kDigitWidth = 4;  // decimal digits in a digit of base 10000

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

namespace {

// The header of a special value, or 0 if the word is none.
std::uint16_t SpecialHeader(std::string_view word) {
  if (EqualIgnoringCase(word, "NaN")) return kNaN;
  for (const std::string_view name : {"Infinity", "inf"}) {
    if (EqualIgnoringCase(word, name)) return kPlusInfinity;
    if (!word.empty() && EqualIgnoringCase(word.substr(1), name)) {
      if (word[0] == '+') return kPlusInfinity;
      if (word[0] == '-') return kMinusInfinity;
    }
  }
  return 0;
}

// A decimal number as written: 0.<digits> * 10^before_point.
struct WrittenNumber {
  bool negative = false;
  std::string digits;
  std::int64_t before_point = 0;
  std::int64_t scale = 0;
};

// False if the text is no number. An exponent beyond all bounds becomes one that is merely huge.
bool ReadNumber(std::string_view text, WrittenNumber* number) {
  const auto is_digit = [&text] { return !text.empty() && text[0] >= '0' && text[0] <= '9'; };
  if (text.starts_with('-') || text.starts_with('+')) {
    number->negative = text[0] == '-';
    text.remove_prefix(1);
  }
  for (; is_digit(); text.remove_prefix(1)) number->digits += text[0];
  number->before_point = static_cast<std::int64_t>(number->digits.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    for (; is_digit(); text.remove_prefix(1)) number->digits += text[0];
    number->scale = static_cast<std::int64_t>(number->digits.size()) - number->before_point;
  }
  if (number->digits.empty()) return false;
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  if (!is_digit()) return false;
  constexpr std::int64_t kHuge = 1 << 30;
  std::int64_t exponent = 0;
  for (; is_digit(); text.remove_prefix(1)) {
    exponent = exponent >= kHuge ? kHuge : exponent * 10 + (text[0] - '0');
  }
  if (minus) exponent = -exponent;
  number->before_point += exponent;
  number->scale = number->scale > exponent ? number->scale - exponent : 0;
  return text.empty();
}

// Digits of base 10000 without zeros at either end; `weight` is that of the first.
std::vector<std::uint16_t> ToBase10000(const WrittenNumber& number, std::int64_t* weight) {
  // Zeros in front make the point fall between two digits of base 10000.
  const std::int64_t before = number.before_point;
  const std::int64_t groups_before =
      before > 0 ? (before + kDigitWidth - 1) / kDigitWidth : -(-before / kDigitWidth);
  const std::int64_t padding = groups_before * kDigitWidth - before;
  std::string decimal(static_cast<std::size_t>(padding), '0');
  decimal += number.digits;
  while (decimal.size() % kDigitWidth != 0) decimal += '0';

  std::vector<std::uint16_t> digits;
  *weight = groups_before - 1;
  for (std::size_t at = 0; at < decimal.size(); at += kDigitWidth) {
    std::uint16_t digit = 0;
    std::from_chars(decimal.data() + at, decimal.data() + at + kDigitWidth, digit);
    if (digits.empty() && digit == 0) {
      --*weight;
    } else {
      digits.push_back(digit);
    }
  }
  while (!digits.empty() && digits.back() == 0) digits.pop_back();
  if (digits.empty()) *weight = 0;
  return digits;
}

}  // namespace

absl::Status ParseNumeric(std::string_view text, std::vector<std::uint8_t>* bytes) {
  const std::string_view trimmed = Trimmed(text);
  if (const std::uint16_t special = SpecialHeader(trimmed); special != 0) {
    AppendLittleEndian(special, bytes);
    return absl::OkStatus();
  }
  WrittenNumber number;
  if (!ReadNumber(trimmed, &number)) {
    return BadText(TypeId::kNumeric, text, "expected a number, NaN, Infinity or -Infinity");
  }
  std::int64_t weight = 0;
  const std::vector<std::uint16_t> digits = ToBase10000(number, &weight);
  if (number.scale > kLongScaleMask || weight > std::numeric_limits<std::int16_t>::max() ||
      weight < std::numeric_limits<std::int16_t>::min()) {
    return BadText(TypeId::kNumeric, text,
                   "beyond 131072 digits before the point or 16383 behind it");
  }
  const bool negative = number.negative && !digits.empty();
  const auto scale = static_cast<std::uint16_t>(number.scale);
  const bool is_short = scale <= kShortScaleMask >> kShortScaleShift &&
                        weight <= kShortWeightMask && weight >= -kShortWeightMask - 1;
  if (is_short) {
    // The weight in two's complement of seven bits: its sign, then the rest.
    const auto weight_bits =
        static_cast<std::uint16_t>(weight & (kShortWeightSign | kShortWeightMask));
    AppendLittleEndian(static_cast<std::uint16_t>(kShort | (negative ? kShortNegative : 0) |
                                                  scale << kShortScaleShift | weight_bits),
                       bytes);
  } else {
    AppendLittleEndian(static_cast<std::uint16_t>((negative ? kNegative : 0) | scale), bytes);
    AppendLittleEndian(static_cast<std::int16_t>(weight), bytes);
  }
  for (const std::uint16_t digit : digits) AppendLittleEndian(digit, bytes);
  return absl::OkStatus();
}

void AppendNumericText(ByteView stored, std::string* text, std::size_t size_max) {
  const Parts parts = TakeApart(stored);
  switch (parts.kind) {
    case Kind::kNaN:
      text->append("NaN");
      return;
    case Kind::kInfinity:
      text->append("Infinity");
      return;
    case Kind::kMinusInfinity:
      text->append("-Infinity");
      return;
    case Kind::kNumber:
      break;
  }
  // The digit that stands for 10000^power; zero where none is stored.
  const auto digit_at = [&parts](std::int32_t power) -> std::uint32_t {
    const std::int64_t index = std::int64_t{parts.weight} - power;
    if (index < 0 || index >= parts.count) return 0;
    return parts.digit(static_cast<std::uint32_t>(index));
  };
  const std::size_t enough = text->size() + std::min(size_max, text->max_size() - text->size());
  if (parts.negative) text->push_back('-');
  if (parts.weight < 0) {
    text->push_back('0');
  } else {
    absl::StrAppend(text, digit_at(parts.weight));
    for (std::int32_t power = parts.weight - 1; power >= 0; --power) {
      if (text->size() >= enough) return;
      absl::StrAppend(text, absl::Dec(digit_at(power), absl::kZeroPad4));
    }
  }
  if (parts.scale == 0) return;
  text->push_back('.');
  const std::size_t end = std::min(text->size() + parts.scale, std::max(enough, text->size()));
  for (std::int32_t power = -1; text->size() < end; --power) {
    absl::StrAppend(text, absl::Dec(digit_at(power), absl::kZeroPad4));
  }
  text->resize(end);
}

}  // namespace tornleaf
