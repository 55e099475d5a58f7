#include "engine/key/value_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/key/value_text.h"

namespace tornleaf {
namespace {

bool LegalBytes(TypeId type, std::vector<std::uint8_t> bytes) {
  return IsLegalValue(type, Value::Of(bytes));
}

template <typename T>
bool LegalNumber(TypeId type, T number) {
  std::vector<std::uint8_t> bytes(sizeof number);
  StoreLittleEndian(bytes.data(), number);
  return LegalBytes(type, bytes);
}

bool LegalText(TypeId type, const char* text) {
  std::vector<std::uint8_t> bytes;
  CHECK(ParseValue(type, text, &bytes).ok());
  return LegalBytes(type, bytes);
}

// What the input functions make is legal, to the ends of each type's range.
TEST(ValueCheck, AcceptsWhatInputMakes) {
  EXPECT_TRUE(LegalText(TypeId::kBool, "t"));
  for (const char* date :
       {"4714-11-24 BC", "2000-01-01", "5874897-12-31", "infinity", "-infinity"}) {
    EXPECT_TRUE(LegalText(TypeId::kDate, date)) << date;
  }
  for (const char* time :
       {"4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999", "infinity", "-infinity"}) {
    EXPECT_TRUE(LegalText(TypeId::kTimestamp, time)) << time;
    EXPECT_TRUE(LegalText(TypeId::kTimestampTz, time)) << time;
  }
  for (const char* number : {"0", "0.000", "-0", "1", "-1", "10000", "0.0001", "1e100", "-1e-100",
                             "123456789.123456789", "NaN", "Infinity", "-Infinity"}) {
    EXPECT_TRUE(LegalText(TypeId::kNumeric, number)) << number;
  }
  EXPECT_TRUE(LegalText(TypeId::kText, ""));
  EXPECT_TRUE(LegalBytes(TypeId::kBytea, {0, 0, 0}));
}

TEST(ValueCheck, RefusesWhatNoInputMakes) {
  EXPECT_FALSE(LegalBytes(TypeId::kBool, {2}));
  EXPECT_FALSE(LegalBytes(TypeId::kText, {'a', 0, 'b'}));
  EXPECT_FALSE(LegalBytes(TypeId::kVarchar, {0}));
  // Days and microseconds since 2000: one before the first, and the first after the last.
  EXPECT_FALSE(LegalNumber<std::int32_t>(TypeId::kDate, -2451546));
  EXPECT_FALSE(LegalNumber<std::int32_t>(TypeId::kDate, 2145031949));
  EXPECT_FALSE(LegalNumber<std::int64_t>(TypeId::kTimestamp, -211813488000000001));
  EXPECT_FALSE(LegalNumber<std::int64_t>(TypeId::kTimestamp, 9223371331200000000));
}

TEST(ValueCheck, NumericHeadersAndDigits) {
  EXPECT_FALSE(LegalBytes(TypeId::kNumeric, {}));
  EXPECT_FALSE(LegalBytes(TypeId::kNumeric, {0x00}));
  EXPECT_FALSE(LegalBytes(TypeId::kNumeric, {0x00, 0xE0})) << "no such special value";
  EXPECT_FALSE(LegalBytes(TypeId::kNumeric, {0x00, 0xC0, 1, 0})) << "NaN with digits";
  EXPECT_TRUE(LegalBytes(TypeId::kNumeric, {0x00, 0x80, 0x0F, 0x27})) << "9999";
  EXPECT_FALSE(LegalBytes(TypeId::kNumeric, {0x00, 0x80, 0x10, 0x27})) << "a digit of 10000";
  EXPECT_FALSE(LegalBytes(TypeId::kNumeric, {0x00, 0x80, 0, 0})) << "an outer digit of 0";
  EXPECT_FALSE(LegalBytes(TypeId::kNumeric, {0x00, 0xA0})) << "minus zero";
}

// A key column holds the characters of a name, an included one all 64 bytes.
TEST(ValueCheck, Names) {
  const auto legal = [](std::string text) {
    return LegalBytes(TypeId::kName, std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  EXPECT_TRUE(legal(std::string(63, 'n')));
  EXPECT_FALSE(legal(std::string(64, 'n')));
  EXPECT_TRUE(legal("n" + std::string(63, '\0')));
  EXPECT_FALSE(legal("n" + std::string(62, '\0') + "x"));
  EXPECT_FALSE(legal(std::string(65, 'n')));
}

}  // namespace
}  // namespace tornleaf
