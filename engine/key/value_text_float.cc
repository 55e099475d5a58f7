#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "absl/strings/str_cat.h"
#include "engine/key/value_text_family.h"

namespace tornleaf {

namespace {

// digits * 10^exponent; 17 digits at most.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

// Reads "d.ddde-dd", which is what std::to_chars() writes.
Decimal FromScientific(std::string_view text) {
  const std::size_t e = text.find('e');
  Decimal decimal;
  const std::size_t exponent_at = text[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(text.data() + exponent_at, text.data() + text.size(), decimal.exponent);
  for (std::size_t at = 0; at < e; ++at) {
    if (text[at] == '.') continue;
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
    if (at != 0) --decimal.exponent;
  }
  return decimal;
}

// Whether digits * 10^exponent is exactly number * 2^power. The odd factors of both must be the
// same, and 5^27 is the largest power of five that may be among those of a 64-bit number.
bool Equal(const Decimal& decimal, std::uint64_t number, int power) {
  constexpr int kMostFives = 27;
  unsigned __int128 left = decimal.digits;
  unsigned __int128 right = number;
  if (std::abs(decimal.exponent) > kMostFives) return false;
  unsigned __int128& product = decimal.exponent > 0 ? left : right;
  for (int five = std::abs(decimal.exponent); five > 0; --five) product *= 5;
  int left_power = decimal.exponent;
  for (; (left & 1) == 0; left >>= 1) ++left_power;
  for (; (right & 1) == 0; right >>= 1) ++power;
  return left == right && left_power == power;
}

// Whether the decimal lies exactly half way between the finite `value` > 0 and a neighbour.
template <typename T>
bool IsHalfWay(const Decimal& decimal, T value) {
  constexpr int kBits = std::numeric_limits<T>::digits;
  int power;
  const T fraction = std::frexp(value, &power);
  std::uint64_t number = static_cast<std::uint64_t>(std::ldexp(fraction, kBits));
  power -= kBits;
  const int excess = std::numeric_limits<T>::min_exponent - kBits - power;
  if (excess > 0) {  // subnormal: fewer bits
    number >>= excess;
    power += excess;
  }
  if (Equal(decimal, 2 * number + 1, power - 1)) return true;
  // Below a power of two, neighbours are twice as close.
  const bool closer = number == std::uint64_t{1} << (kBits - 1) &&
                      power > std::numeric_limits<T>::min_exponent - kBits;
  return closer ? Equal(decimal, 4 * number - 1, power - 2)
                : Equal(decimal, 2 * number - 1, power - 1);
}

template <typename T>
T ToFloat(const char* text, char** end) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return std::strtof(text, end);
  } else {
    return std::strtod(text, end);
  }
}

template <typename T>
bool ReadsBackAs(const Decimal& decimal, T value) {
  const std::string text = absl::StrCat(decimal.digits, "e", decimal.exponent);
  return ToFloat<T>(text.c_str(), nullptr) == value && !IsHalfWay(decimal, value);
}

// The shortest decimal strictly between the half-way points around `value`, and of those the
// nearest. Ryu as the standard library has it also takes a half-way point that reads back as
// `value`; the server's does not, since other programs may round it the other way: 1e23 is
// 9.999999999999999e+22.
template <typename T>
Decimal Shortest(T value) {
  char buffer[64];
  std::to_chars_result result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  Decimal shortest = FromScientific({buffer, static_cast<std::size_t>(result.ptr - buffer)});
  if (!IsHalfWay(shortest, value)) return shortest;
  int precision = 0;
  for (std::uint64_t left = shortest.digits; left >= 10; left /= 10) ++precision;
  for (; precision < std::numeric_limits<T>::max_digits10; ++precision) {
    result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific,
                           precision);
    const Decimal near = FromScientific({buffer, static_cast<std::size_t>(result.ptr - buffer)});
    // Around a power of two, the nearest may be outside and the next one above inside.
    for (const Decimal& candidate :
         {near, Decimal{near.digits + 1, near.exponent}, Decimal{near.digits - 1, near.exponent}}) {
      if (candidate.digits != 0 && ReadsBackAs(candidate, value)) return candidate;
    }
  }
  return shortest;
}

// `fixed_below`: the first power of ten that is written with an exponent.
template <typename T>
void AppendFloat(T value, int fixed_below, std::string* text) {
  if (std::isnan(value)) {
    text->append("NaN");
    return;
  }
  if (std::signbit(value)) text->push_back('-');
  value = std::abs(value);
  if (std::isinf(value)) {
    text->append("Infinity");
    return;
  }
  if (value == 0) {
    text->push_back('0');
    return;
  }
  Decimal decimal = Shortest(value);
  for (; decimal.digits % 10 == 0; decimal.digits /= 10) ++decimal.exponent;
  const std::string digits = absl::StrCat(decimal.digits);
  const int count = static_cast<int>(digits.size());
  const int first = decimal.exponent + count - 1;  // the power of ten of the first digit
  if (first < -4 || first >= fixed_below) {
    text->push_back(digits[0]);
    if (count > 1) absl::StrAppend(text, ".", digits.substr(1));
    absl::StrAppend(text, first < 0 ? "e-" : "e+", absl::Dec(std::abs(first), absl::kZeroPad2));
  } else if (decimal.exponent >= 0) {
    text->append(digits);
    text->append(static_cast<std::size_t>(decimal.exponent), '0');
  } else if (first >= 0) {
    const std::size_t before_point = static_cast<std::size_t>(first) + 1;
    absl::StrAppend(text, digits.substr(0, before_point), ".", digits.substr(before_point));
  } else {
    text->append("0.");
    text->append(static_cast<std::size_t>(-first - 1), '0');
    text->append(digits);
  }
}

template <typename T>
absl::Status ParseAs(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes) {
  const std::string number(Trimmed(text));
  char* end = nullptr;
  errno = 0;
  T value = ToFloat<T>(number.c_str(), &end);
  if (number.empty() || end != number.c_str() + number.size()) {
    return BadText(type, text, "expected a number, NaN, Infinity or -Infinity");
  }
  // A subnormal number is an ERANGE too, and welcome.
  if (errno == ERANGE && (value == 0 || std::isinf(value))) {
    return BadText(type, text, "out of range");
  }
  AppendLittleEndian(value, bytes);
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseFloat(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes) {
  // Rounded to float at once: by way of double, some numbers would be rounded twice.
  return type == TypeId::kFloat4 ? ParseAs<float>(type, text, bytes)
                                 : ParseAs<double>(type, text, bytes);
}

void AppendFloat4(float value, std::string* text) { AppendFloat(value, 6, text); }

void AppendFloat8(double value, std::string* text) { AppendFloat(value, 15, text); }

}  // namespace tornleaf
