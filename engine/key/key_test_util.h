// What the tests of this layer share.

#ifndef TORNLEAF_ENGINE_KEY_KEY_TEST_UTIL_H_
#define TORNLEAF_ENGINE_KEY_KEY_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/key/schema.h"
#include "engine/key/value_text.h"

namespace tornleaf {

// Bytes from hexadecimal digits; spaces are skipped.
inline std::vector<std::uint8_t> FromHex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits += c;
  }
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

inline std::string ToHex(ByteView bytes) {
  std::string text;
  AppendValueText(TypeId::kBytea, Value::Of(bytes), &text);
  return text.substr(2);
}

// The stored form of a text that must be valid.
inline std::vector<std::uint8_t> Stored(TypeId type, std::string_view text) {
  std::vector<std::uint8_t> bytes;
  const absl::Status status = ParseValue(type, text, &bytes);
  EXPECT_TRUE(status.ok()) << status;
  return bytes;
}

inline std::string TextOf(TypeId type, ByteView stored) {
  std::string text;
  AppendValueText(type, Value::Of(stored), &text);
  return text;
}

inline Schema SchemaOf(std::string_view text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return *std::move(schema);
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_KEY_TEST_UTIL_H_
