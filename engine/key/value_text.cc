#include "engine/key/value_text.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/key/numeric.h"
#include "engine/key/value_text_family.h"

namespace tornleaf {

namespace {

absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

// A prefix that tells the word from the others is enough, as in the server.
absl::Status ParseBool(std::string_view text, std::vector<std::uint8_t>* bytes) {
  const std::string word = absl::AsciiStrToLower(ToAbsl(Trimmed(text)));
  const auto begins = [&word](absl::string_view full) {
    return !word.empty() && absl::StartsWith(full, word);
  };
  if (begins("true") || begins("yes") || word == "on" || word == "1") {
    bytes->push_back(1);
  } else if (begins("false") || begins("no") || word == "of" || word == "off" || word == "0") {
    bytes->push_back(0);
  } else {
    return BadText(TypeId::kBool, text, "expected t or f");
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status ParseInteger(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes) {
  std::string_view digits = Trimmed(text);
  if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  T value = 0;
  const char* end = digits.data() + digits.size();
  const std::from_chars_result result = std::from_chars(digits.data(), end, value);
  if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
    return BadText(type, text,
                   absl::StrCat("out of range ", std::numeric_limits<T>::min(), " to ",
                                std::numeric_limits<T>::max()));
  }
  if (result.ec != std::errc() || result.ptr != end) {
    return BadText(type, text, "expected a decimal number");
  }
  AppendLittleEndian(value, bytes);
  return absl::OkStatus();
}

// The server takes -1 for 4294967295, and so on down to the smallest int4.
absl::Status ParseOid(std::string_view text, std::vector<std::uint8_t>* bytes) {
  std::vector<std::uint8_t> wide;
  const absl::Status status = ParseInteger<std::int64_t>(TypeId::kOid, text, &wide);
  if (!status.ok()) return status;
  const auto value = LoadLittleEndian<std::int64_t>(wide.data());
  if (value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::uint32_t>::max()) {
    return BadText(TypeId::kOid, text, "out of range 0 to 4294967295");
  }
  AppendLittleEndian(static_cast<std::uint32_t>(value), bytes);
  return absl::OkStatus();
}

// The value of a hexadecimal digit, or -1.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendHex(ByteView bytes, std::string* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const std::uint8_t byte : bytes) {
    text->push_back(kDigits[byte >> 4]);
    text->push_back(kDigits[byte & 15]);
  }
}

// 32 hexadecimal digits, in braces or not, with or without a hyphen after every fourth.
absl::Status ParseUuid(std::string_view text, std::vector<std::uint8_t>* bytes) {
  constexpr std::size_t kUuidSize = 16;
  std::string_view rest = text;
  if (rest.starts_with('{') && rest.ends_with('}')) rest = rest.substr(1, rest.size() - 2);
  std::uint8_t uuid[kUuidSize];
  for (std::size_t index = 0; index < kUuidSize; ++index) {
    if (rest.size() < 2 || HexDigit(rest[0]) < 0 || HexDigit(rest[1]) < 0) {
      return BadText(TypeId::kUuid, text, "expected 32 hexadecimal digits");
    }
    uuid[index] = static_cast<std::uint8_t>(HexDigit(rest[0]) << 4 | HexDigit(rest[1]));
    rest.remove_prefix(2);
    if (index % 2 == 1 && index < kUuidSize - 1 && rest.starts_with('-')) rest.remove_prefix(1);
  }
  if (!rest.empty()) return BadText(TypeId::kUuid, text, "expected 32 hexadecimal digits");
  bytes->insert(bytes->end(), uuid, uuid + kUuidSize);
  return absl::OkStatus();
}

void AppendUuid(const Value& value, std::string* text) {
  const ByteView bytes = value.bytes();
  AppendHex(bytes.subspan(0, 4), text);
  for (const std::size_t from : {4, 6, 8}) {
    text->push_back('-');
    AppendHex(bytes.subspan(from, 2), text);
  }
  text->push_back('-');
  AppendHex(bytes.subspan(10), text);
}

absl::Status ParseHexBytea(std::string_view text, std::vector<std::uint8_t>* bytes) {
  std::vector<std::uint8_t> parsed;
  for (std::size_t at = 2; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
      ++at;
      continue;
    }
    if (at + 1 == text.size()) {
      return BadText(TypeId::kBytea, text, "an odd number of hexadecimal digits");
    }
    if (HexDigit(text[at]) < 0 || HexDigit(text[at + 1]) < 0) {
      return BadText(TypeId::kBytea, text,
                     absl::StrCat("no hexadecimal digit near character ", at + 1));
    }
    parsed.push_back(static_cast<std::uint8_t>(HexDigit(text[at]) << 4 | HexDigit(text[at + 1])));
    at += 2;
  }
  bytes->insert(bytes->end(), parsed.begin(), parsed.end());
  return absl::OkStatus();
}

// Either "\x" and hexadecimal digits, or characters among which "\\" is a backslash and "\ooo" a
// byte in octal.
absl::Status ParseBytea(std::string_view text, std::vector<std::uint8_t>* bytes) {
  if (text.starts_with("\\x")) return ParseHexBytea(text, bytes);
  std::vector<std::uint8_t> parsed;
  const auto is_octal = [text](std::size_t at, char most) {
    return at < text.size() && text[at] >= '0' && text[at] <= most;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      parsed.push_back(static_cast<std::uint8_t>(text[at++]));
    } else if (is_octal(at + 1, '3') && is_octal(at + 2, '7') && is_octal(at + 3, '7')) {
      parsed.push_back(static_cast<std::uint8_t>((text[at + 1] - '0') << 6 |
                                                 (text[at + 2] - '0') << 3 | (text[at + 3] - '0')));
      at += 4;
    } else if (at + 1 < text.size() && text[at + 1] == '\\') {
      parsed.push_back('\\');
      at += 2;
    } else {
      return BadText(TypeId::kBytea, text,
                     absl::StrCat("neither \\\\ nor three octal digits at character ", at + 1));
    }
  }
  bytes->insert(bytes->end(), parsed.begin(), parsed.end());
  return absl::OkStatus();
}

absl::Status ParseCharacters(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes) {
  if (text.find('\0') != std::string_view::npos) {
    return BadText(type, text, "the byte 0 cannot be stored in it");
  }
  if (type == TypeId::kName && text.size() >= kNameSize) {
    return BadText(type, text, absl::StrCat("longer than ", kNameSize - 1, " bytes"));
  }
  bytes->insert(bytes->end(), text.begin(), text.end());
  return absl::OkStatus();
}

template <typename T>
T Load(const Value& value) {
  return LoadLittleEndian<T>(value.data);
}

}  // namespace

absl::Status BadText(TypeId type, std::string_view text, std::string_view because) {
  constexpr std::size_t kShown = 60;
  return absl::InvalidArgumentError(absl::StrCat("'", ToAbsl(text.substr(0, kShown)),
                                                 text.size() > kShown ? "..." : "", "' is no ",
                                                 InfoOf(type).name, ": ", ToAbsl(because)));
}

std::string_view Trimmed(std::string_view text) {
  const auto is_space = [](char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b));
}

absl::Status ParseValue(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes) {
  switch (type) {
    case TypeId::kBool:
      return ParseBool(text, bytes);
    case TypeId::kInt2:
      return ParseInteger<std::int16_t>(type, text, bytes);
    case TypeId::kInt4:
      return ParseInteger<std::int32_t>(type, text, bytes);
    case TypeId::kInt8:
      return ParseInteger<std::int64_t>(type, text, bytes);
    case TypeId::kOid:
      return ParseOid(text, bytes);
    case TypeId::kFloat4:
    case TypeId::kFloat8:
      return ParseFloat(type, text, bytes);
    case TypeId::kDate:
      return ParseDate(text, bytes);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return ParseTimestamp(type, text, bytes);
    case TypeId::kUuid:
      return ParseUuid(text, bytes);
    case TypeId::kBytea:
      return ParseBytea(text, bytes);
    case TypeId::kText:
    case TypeId::kVarchar:
    case TypeId::kName:
      return ParseCharacters(type, text, bytes);
    case TypeId::kNumeric:
      return ParseNumeric(text, bytes);
  }
  CHECK(!"a type without an input form");
}

void AppendValueText(TypeId type, const Value& value, std::string* text, std::size_t size_max) {
  CHECK(!value.is_null);
  const std::int16_t length = InfoOf(type).length;
  CHECK(length < 0 || value.size == static_cast<std::uint32_t>(length));
  switch (type) {
    case TypeId::kBool:
      text->push_back(value.data[0] != 0 ? 't' : 'f');
      return;
    case TypeId::kInt2:
      absl::StrAppend(text, Load<std::int16_t>(value));
      return;
    case TypeId::kInt4:
      absl::StrAppend(text, Load<std::int32_t>(value));
      return;
    case TypeId::kInt8:
      absl::StrAppend(text, Load<std::int64_t>(value));
      return;
    case TypeId::kOid:
      absl::StrAppend(text, Load<std::uint32_t>(value));
      return;
    case TypeId::kFloat4:
      AppendFloat4(Load<float>(value), text);
      return;
    case TypeId::kFloat8:
      AppendFloat8(Load<double>(value), text);
      return;
    case TypeId::kDate:
      AppendDate(Load<std::int32_t>(value), text);
      return;
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      AppendTimestamp(type, Load<std::int64_t>(value), text);
      return;
    case TypeId::kUuid:
      AppendUuid(value, text);
      return;
    case TypeId::kBytea:
      text->append("\\x");
      AppendHex(value.bytes().first(std::min<std::size_t>(value.size, size_max)), text);
      return;
    case TypeId::kText:
    case TypeId::kVarchar:
    case TypeId::kName:
      if (value.size != 0) {
        text->append(reinterpret_cast<const char*>(value.data),
                     std::min<std::size_t>(value.size, size_max));
      }
      return;
    case TypeId::kNumeric:
      AppendNumericText(value.bytes(), text, size_max);
      return;
  }
  CHECK(!"a type without an output form");
}

}  // namespace tornleaf
