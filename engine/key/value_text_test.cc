#include "engine/key/value_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <utility>

#include "engine/key/key_test_util.h"

namespace tornleaf {
namespace {

// What PostgreSQL 15 printed for each text, with TimeZone UTC.
const std::pair<TypeId, std::vector<std::pair<std::string, std::string>>> kPrinted[] = {
    {TypeId::kBool,
     {{"t", "t"},
      {"f", "f"},
      {"true", "t"},
      {"TRUE", "t"},
      {" yes ", "t"},
      {"y", "t"},
      {"n", "f"},
      {"no", "f"},
      {"on", "t"},
      {"off", "f"},
      {"of", "f"},
      {"1", "t"},
      {"0", "f"},
      {"tr", "t"},
      {"fal", "f"}}},
    {TypeId::kInt2,
     {{"1", "1"}, {" 12 ", "12"}, {"+5", "5"}, {"-5", "-5"}, {"00012", "12"}, {"\t7\n", "7"}}},
    {TypeId::kInt4,
     {{"1", "1"},
      {" 12 ", "12"},
      {"+5", "5"},
      {"-5", "-5"},
      {"32768", "32768"},
      {"-32769", "-32769"},
      {"00012", "12"},
      {"\t7\n", "7"}}},
    {TypeId::kInt8,
     {{"1", "1"},
      {" 12 ", "12"},
      {"+5", "5"},
      {"-5", "-5"},
      {"32768", "32768"},
      {"-32769", "-32769"},
      {"2147483648", "2147483648"},
      {"-2147483649", "-2147483649"},
      {"4294967295", "4294967295"},
      {"4294967296", "4294967296"},
      {"00012", "12"},
      {"\t7\n", "7"}}},
    {TypeId::kOid,
     {{"1", "1"},
      {" 12 ", "12"},
      {"+5", "5"},
      {"-5", "4294967291"},
      {"32768", "32768"},
      {"-32769", "4294934527"},
      {"2147483648", "2147483648"},
      {"4294967295", "4294967295"},
      {"00012", "12"},
      {"\t7\n", "7"}}},
    {TypeId::kFloat4,
     {{"1", "1"},
      {" 1.5 ", "1.5"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1e5", "100000"},
      {"1E5", "100000"},
      {"nan", "NaN"},
      {"NAN", "NaN"},
      {"+nan", "NaN"},
      {"-nan", "NaN"},
      {"inf", "Infinity"},
      {"+inf", "Infinity"},
      {"-INF", "-Infinity"},
      {"infinity", "Infinity"},
      {"+Infinity", "Infinity"},
      {"-infinity", "-Infinity"},
      {"0x10", "16"},
      {"0x1p3", "8"},
      {"1e-45", "1e-45"},
      {"3.4028235677973366e38", "3.4028235e+38"},
      {"1.00000017881393432617187499", "1.0000001"},
      {"1.00000017881393432617187500", "1.0000002"},
      {"1.00000017881393432617187501", "1.0000002"},
      {"-0", "-0"},
      {"1e23", "1e+23"},
      {"9007199254740993", "9.007199e+15"},
      {"8.5899e9", "8.5899e+09"},
      {"nan(1)", "NaN"},
      {"1e+05", "100000"},
      {"1e-05", "1e-05"}}},
    {TypeId::kFloat8,
     {{"1", "1"},
      {" 1.5 ", "1.5"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1e5", "100000"},
      {"1E5", "100000"},
      {"nan", "NaN"},
      {"NAN", "NaN"},
      {"+nan", "NaN"},
      {"-nan", "NaN"},
      {"inf", "Infinity"},
      {"+inf", "Infinity"},
      {"-INF", "-Infinity"},
      {"infinity", "Infinity"},
      {"+Infinity", "Infinity"},
      {"-infinity", "-Infinity"},
      {"0x10", "16"},
      {"0x1p3", "8"},
      {"1e39", "1e+39"},
      {"1e-46", "1e-46"},
      {"4e-324", "5e-324"},
      {"1e-45", "1e-45"},
      {"3.4028236e38", "3.4028236e+38"},
      {"3.4028235677973366e38", "3.4028235677973366e+38"},
      {"1.00000017881393432617187499", "1.0000001788139343"},
      {"1.00000017881393432617187500", "1.0000001788139343"},
      {"1.00000017881393432617187501", "1.0000001788139343"},
      {"-0", "-0"},
      {"1e23", "9.999999999999999e+22"},
      {"9007199254740993", "9.007199254740992e+15"},
      {"8.5899e9", "8589900000"},
      {"nan(1)", "NaN"},
      {"1e+05", "100000"},
      {"1e-05", "1e-05"}}},
    {TypeId::kDate,
     {{"2000-01-01", "2000-01-01"},
      {" 2000-1-2 ", "2000-01-02"},
      {"0001-01-01", "0001-01-01"},
      {"0001-01-01 BC", "0001-01-01 BC"},
      {"0001-01-01 bc", "0001-01-01 BC"},
      {"0005-02-29 BC", "0005-02-29 BC"},
      {"0001-01-01BC", "0001-01-01 BC"},
      {"2000-01-01 AD", "2000-01-01"},
      {"10000-01-01", "10000-01-01"},
      {"99999-12-31", "99999-12-31"},
      {"5874897-12-31", "5874897-12-31"},
      {"4714-11-24 BC", "4714-11-24 BC"},
      {"infinity", "infinity"},
      {"INFINITY", "infinity"},
      {"-infinity", "-infinity"}}},
    {TypeId::kTimestamp,
     {{"2000-01-01", "2000-01-01 00:00:00"},
      {"2000-01-01 00:00:00", "2000-01-01 00:00:00"},
      {"2000-01-01T12:34:56", "2000-01-01 12:34:56"},
      {"2000-01-01t12:34:56Z", "2000-01-01 12:34:56"},
      {"2000-01-01 12:34", "2000-01-01 12:34:00"},
      {"2000-01-01 12:34:56.1", "2000-01-01 12:34:56.1"},
      {"2000-01-01 12:34:56.", "2000-01-01 12:34:56"},
      {"2000-01-01 12:34:56.1234567", "2000-01-01 12:34:56.123457"},
      {"2000-01-01 12:34:56.1234565", "2000-01-01 12:34:56.123456"},
      {"2000-01-01 12:34:56.9999999", "2000-01-01 12:34:57"},
      {"2000-01-01 23:59:59.9999999", "2000-01-02 00:00:00"},
      {"2000-01-01 24:00:00", "2000-01-02 00:00:00"},
      {"2000-01-01 23:59:60", "2000-01-02 00:00:00"},
      {"2000-01-01 12:00:00+05:30", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00+0530", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00-08", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00+5", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00+530", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00 +05:30:15", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00+15:59", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00Z", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00 UTC", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00 BC", "2000-01-01 12:00:00 BC"},
      {"2000-01-01 12:00:00+00 BC", "2000-01-01 12:00:00 BC"},
      {"0044-03-15 10:00:00+01 BC", "0044-03-15 10:00:00 BC"},
      {"0001-01-01 00:00:00+01", "0001-01-01 00:00:00"},
      {"0001-12-31 23:00:00-01 BC", "0001-12-31 23:00:00 BC"},
      {"294276-12-31 23:59:59.999999", "294276-12-31 23:59:59.999999"},
      {"4714-11-24 00:00:00 BC", "4714-11-24 00:00:00 BC"},
      {"4714-11-24 00:00:00+01 BC", "4714-11-24 00:00:00 BC"},
      {"294276-12-31 23:30:00-01", "294276-12-31 23:30:00"},
      {"infinity", "infinity"},
      {"-infinity", "-infinity"},
      {"2000-1-1 1:2:3", "2000-01-01 01:02:03"},
      {"99999-01-01 00:00:00", "99999-01-01 00:00:00"},
      {"2000-01-01 12:00:00.5-00:30", "2000-01-01 12:00:00.5"},
      {"2000-01-01 12:00:60.5", "2000-01-01 12:01:00.5"},
      {"2000-01-01  12:00:00", "2000-01-01 12:00:00"},
      {"2000-01-01 12:00:00 +01", "2000-01-01 12:00:00"}}},
    {TypeId::kTimestampTz,
     {{"2000-01-01", "2000-01-01 00:00:00+00"},
      {"2000-01-01 00:00:00", "2000-01-01 00:00:00+00"},
      {"2000-01-01T12:34:56", "2000-01-01 12:34:56+00"},
      {"2000-01-01t12:34:56Z", "2000-01-01 12:34:56+00"},
      {"2000-01-01 12:34", "2000-01-01 12:34:00+00"},
      {"2000-01-01 12:34:56.1", "2000-01-01 12:34:56.1+00"},
      {"2000-01-01 12:34:56.", "2000-01-01 12:34:56+00"},
      {"2000-01-01 12:34:56.1234567", "2000-01-01 12:34:56.123457+00"},
      {"2000-01-01 12:34:56.1234565", "2000-01-01 12:34:56.123456+00"},
      {"2000-01-01 12:34:56.9999999", "2000-01-01 12:34:57+00"},
      {"2000-01-01 23:59:59.9999999", "2000-01-02 00:00:00+00"},
      {"2000-01-01 24:00:00", "2000-01-02 00:00:00+00"},
      {"2000-01-01 23:59:60", "2000-01-02 00:00:00+00"},
      {"2000-01-01 12:00:00+05:30", "2000-01-01 06:30:00+00"},
      {"2000-01-01 12:00:00+0530", "2000-01-01 06:30:00+00"},
      {"2000-01-01 12:00:00-08", "2000-01-01 20:00:00+00"},
      {"2000-01-01 12:00:00+5", "2000-01-01 07:00:00+00"},
      {"2000-01-01 12:00:00+530", "2000-01-01 06:30:00+00"},
      {"2000-01-01 12:00:00 +05:30:15", "2000-01-01 06:29:45+00"},
      {"2000-01-01 12:00:00+15:59", "1999-12-31 20:01:00+00"},
      {"2000-01-01 12:00:00Z", "2000-01-01 12:00:00+00"},
      {"2000-01-01 12:00:00 UTC", "2000-01-01 12:00:00+00"},
      {"2000-01-01 12:00:00 BC", "2000-01-01 12:00:00+00 BC"},
      {"2000-01-01 12:00:00+00 BC", "2000-01-01 12:00:00+00 BC"},
      {"0044-03-15 10:00:00+01 BC", "0044-03-15 09:00:00+00 BC"},
      {"0001-01-01 00:00:00+01", "0001-12-31 23:00:00+00 BC"},
      {"0001-12-31 23:00:00-01 BC", "0001-01-01 00:00:00+00"},
      {"294276-12-31 23:59:59.999999", "294276-12-31 23:59:59.999999+00"},
      {"4714-11-24 00:00:00 BC", "4714-11-24 00:00:00+00 BC"},
      {"4714-11-23 23:00:00-02 BC", "4714-11-24 01:00:00+00 BC"},
      {"294277-01-01 00:30:00+01", "294276-12-31 23:30:00+00"},
      {"infinity", "infinity"},
      {"-infinity", "-infinity"},
      {"2000-1-1 1:2:3", "2000-01-01 01:02:03+00"},
      {"99999-01-01 00:00:00", "99999-01-01 00:00:00+00"},
      {"2000-01-01 12:00:00.5-00:30", "2000-01-01 12:30:00.5+00"},
      {"2000-01-01 12:00:60.5", "2000-01-01 12:01:00.5+00"},
      {"2000-01-01  12:00:00", "2000-01-01 12:00:00+00"},
      {"2000-01-01 12:00:00 +01", "2000-01-01 11:00:00+00"}}},
    {TypeId::kUuid,
     {{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
      {"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
      {"{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
      {"a0eebc999c0b4ef8bb6d6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
      {"a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}}},
    {TypeId::kBytea,
     {{"abc", "\\x616263"},
      {"\\x", "\\x"},
      {"\\xDEADbeef", "\\xdeadbeef"},
      {"\\xDE AD", "\\xdead"},
      {"\\\\", "\\x5c"},
      {"\\001\\377\\\\x", "\\x01ff5c78"},
      {"", "\\x"},
      {"\303\251", "\\xc3a9"}}},
};

// What it refused.
const std::pair<TypeId, std::vector<std::string>> kRefused[] = {
    {TypeId::kBool, {"o", "10", "", "truex"}},
    {TypeId::kInt2,
     {"- 5", "", "-", "+", "+-5", "12a", "0x10", "1e2", "1.0", "32768", "-32769", "2147483648",
      "-2147483649", "9223372036854775808", "-9223372036854775809", "4294967295", "4294967296",
      "1_000", "99999999999999999999"}},
    {TypeId::kInt4,
     {"- 5", "", "-", "+", "+-5", "12a", "0x10", "1e2", "1.0", "2147483648", "-2147483649",
      "9223372036854775808", "-9223372036854775809", "4294967295", "4294967296", "1_000",
      "99999999999999999999"}},
    {TypeId::kInt8,
     {"- 5", "", "-", "+", "+-5", "12a", "0x10", "1e2", "1.0", "9223372036854775808",
      "-9223372036854775809", "1_000", "99999999999999999999"}},
    {TypeId::kOid,
     {"- 5", "", "-", "+", "+-5", "12a", "0x10", "1e2", "1.0", "-2147483649", "9223372036854775808",
      "-9223372036854775809", "4294967296", "1_000", "99999999999999999999"}},
    {TypeId::kFloat4,
     {".", "1e", "e5", "infinit", "1e400", "1e-400", "1e39", "1e-46", "4e-324", "2e-324",
      "3.4028236e38", "1 2", "1,5", ""}},
    {TypeId::kFloat8, {".", "1e", "e5", "infinit", "1e400", "1e-400", "2e-324", "1 2", "1,5", ""}},
    {TypeId::kDate,
     {"2000-02-30", "2001-02-29", "1900-02-29", "0000-01-01", "0004-02-29 BC", "5874898-01-01",
      "4714-11-23 BC", "+infinity", "2000-13-01", "2000-00-01", "2000-01-00", "2000-01-32", "",
      "2000", "2000-01", "x", "2000-01-01x"}},
    {TypeId::kTimestamp,
     {"2000-01-01 24:00:01", "2000-01-01 23:60:00", "2000-01-01 25:00:00", "2000-01-01 23:59:61",
      "2000-01-01 12:00:00+16", "2000-01-01 12:00:00+05:60", "294277-01-01 00:00:00",
      "294276-12-31 23:59:59.9999999", "4714-11-23 23:59:59 BC", "4714-11-23 23:00:00-02 BC",
      "294277-01-01 00:30:00+01", "0000-01-01 00:00:00", "2000-02-30 00:00:00", "2000-01-01 12"}},
    {TypeId::kTimestampTz,
     {"2000-01-01 24:00:01", "2000-01-01 23:60:00", "2000-01-01 25:00:00", "2000-01-01 23:59:61",
      "2000-01-01 12:00:00+16", "2000-01-01 12:00:00+05:60", "294277-01-01 00:00:00",
      "294276-12-31 23:59:59.9999999", "4714-11-23 23:59:59 BC", "4714-11-24 00:00:00+01 BC",
      "294276-12-31 23:30:00-01", "0000-01-01 00:00:00", "2000-02-30 00:00:00", "2000-01-01 12"}},
    {TypeId::kUuid,
     {"{a0eebc999c0b4ef8bb6d6bb9bd380a11", "a0eebc999c0b4ef8bb6d6bb9bd380a1",
      "a0eebc999c0b4ef8bb6d6bb9bd380a112", " a0eebc999c0b4ef8bb6d6bb9bd380a11",
      "a0eebc99--9c0b4ef8bb6d6bb9bd380a11", "a0eebc999c0b4ef8bb6d6bb9bd380a11-",
      "a0e-ebc999c0b4ef8bb6d6bb9bd380a11", ""}},
    {TypeId::kBytea, {"\\xD", "\\xD E", "\\xzz", "\\400", "\\38", "\\", "a\\", "\\X00"}},
};

TEST(ValueTextTest, ReadsAndPrintsAsTheServerDoes) {
  for (const auto& [type, examples] : kPrinted) {
    for (const auto& [written, printed] : examples) {
      const std::vector<std::uint8_t> stored = Stored(type, written);
      EXPECT_EQ(TextOf(type, stored), printed) << InfoOf(type).name << " " << written;
      // A NaN's sign is not printed.
      if (printed != "NaN") {
        EXPECT_EQ(Stored(type, printed), stored) << InfoOf(type).name << " " << written;
      }
    }
  }
}

TEST(ValueTextTest, RefusesWhatTheServerRefuses) {
  for (const auto& [type, texts] : kRefused) {
    for (const std::string& text : texts) {
      std::vector<std::uint8_t> bytes = {7};
      const absl::Status status = ParseValue(type, text, &bytes);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument)
          << InfoOf(type).name << " '" << text << "'";
      EXPECT_EQ(bytes, std::vector<std::uint8_t>{7});
    }
  }
}

TEST(ValueTextTest, StoresTheServersBytes) {
  struct Example {
    TypeId type;
    const char* text;
    const char* stored;
  };
  const Example examples[] = {
      {TypeId::kBool, "t", "01"},
      {TypeId::kInt2, "-2", "feff"},
      {TypeId::kInt4, "65536", "00000100"},
      {TypeId::kInt8, "-1", "ffffffffffffffff"},
      {TypeId::kOid, "4294967295", "ffffffff"},
      {TypeId::kFloat8, "-0", "0000000000000080"},
      {TypeId::kFloat8, "-1.5", "000000000000f8bf"},
      {TypeId::kFloat8, "0.0001", "2d431cebe2361a3f"},
      {TypeId::kFloat8, "1e-05", "f168e388b5f8e43e"},
      {TypeId::kFloat8, "999999999999999", "f8ff3326f56b0c43"},
      {TypeId::kFloat8, "1e+15", "00003426f56b0c43"},
      {TypeId::kFloat8, "1.234567890123456e+15", "00eb2af2548b1143"},
      {TypeId::kFloat8, "5e-324", "0100000000000000"},
      {TypeId::kFloat8, "1.7976931348623157e+308", "ffffffffffffef7f"},
      {TypeId::kFloat8, "NaN", "000000000000f87f"},
      // A shorter text lies half way to the next number.
      {TypeId::kFloat8, "9.999999999999999e+22", "f64ae1c7022db544"},
      {TypeId::kFloat8, "7.0000000000000004e+22", "c035084b6aa5ad44"},
      {TypeId::kFloat8, "2.7553104900168712e+16", "022782c9d9785843"},
      {TypeId::kFloat4, "-0", "00000080"},
      {TypeId::kFloat4, "0.1", "cdcccc3d"},
      {TypeId::kFloat4, "0.0001", "17b7d138"},
      {TypeId::kFloat4, "1e-05", "acc52737"},
      {TypeId::kFloat4, "999999", "f0237449"},
      {TypeId::kFloat4, "1e+06", "00247449"},
      {TypeId::kFloat4, "1.234567e+06", "38b49649"},
      {TypeId::kFloat4, "1.6777216e+07", "0000804b"},
      {TypeId::kFloat4, "8.388608e+06", "0000004b"},
      {TypeId::kFloat4, "1e-45", "01000000"},
      {TypeId::kFloat4, "3.4028235e+38", "ffff7f7f"},
      {TypeId::kFloat4, "NaN", "0000c07f"},
      {TypeId::kDate, "1999-12-31", "ffffffff"},
      {TypeId::kDate, "infinity", "ffffff7f"},
      {TypeId::kDate, "-infinity", "00000080"},
      {TypeId::kTimestamp, "2000-01-01 00:00:00.000001", "0100000000000000"},
      {TypeId::kTimestamp, "infinity", "ffffffffffffff7f"},
      {TypeId::kTimestampTz, "-infinity", "0000000000000080"},
      {TypeId::kUuid, "00112233-4455-6677-8899-aabbccddeeff", "00112233445566778899aabbccddeeff"},
      {TypeId::kBytea, "\\x00ff", "00ff"},
      {TypeId::kText, "\\x00", "5c783030"},
      {TypeId::kVarchar, "", ""},
      {TypeId::kName, "pg", "7067"},
  };
  for (const Example& example : examples) {
    const std::vector<std::uint8_t> stored = Stored(example.type, example.text);
    EXPECT_EQ(ToHex(stored), example.stored) << example.text;
    EXPECT_EQ(TextOf(example.type, stored), example.text);
  }
}

TEST(ValueTextTest, ErrorsSayTypeTextAndReason) {
  std::vector<std::uint8_t> bytes;
  EXPECT_EQ(ParseValue(TypeId::kInt2, "40000", &bytes).message(),
            "'40000' is no int2: out of range -32768 to 32767");
  EXPECT_EQ(ParseValue(TypeId::kDate, "2001-02-29", &bytes).message(),
            "'2001-02-29' is no date: the month has no such day");
  EXPECT_THAT(std::string(ParseValue(TypeId::kUuid, std::string(100, 'x'), &bytes).message()),
              testing::HasSubstr("xxx...' is no uuid"));
}

TEST(ValueTextTest, TextHoldsAnythingButNul) {
  EXPECT_EQ(ToHex(Stored(TypeId::kText, "\xff\x01")), "ff01");  // not UTF-8
  std::vector<std::uint8_t> bytes;
  EXPECT_FALSE(ParseValue(TypeId::kText, std::string_view("a\0b", 3), &bytes).ok());
  EXPECT_TRUE(ParseValue(TypeId::kName, std::string(63, 'n'), &bytes).ok());
  EXPECT_FALSE(ParseValue(TypeId::kName, std::string(64, 'n'), &bytes).ok());
}

TEST(ValueTextTest, EveryFloatReadsBack) {
  EXPECT_TRUE(rc::check("float8", [] {
    const auto value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
    RC_PRE(!std::isnan(value));
    std::vector<std::uint8_t> stored(sizeof value);
    StoreLittleEndian(stored.data(), value);
    RC_ASSERT(Stored(TypeId::kFloat8, TextOf(TypeId::kFloat8, stored)) == stored);
  }));
  EXPECT_TRUE(rc::check("float4", [] {
    const auto value = std::bit_cast<float>(*rc::gen::arbitrary<std::uint32_t>());
    RC_PRE(!std::isnan(value));
    std::vector<std::uint8_t> stored(sizeof value);
    StoreLittleEndian(stored.data(), value);
    RC_ASSERT(Stored(TypeId::kFloat4, TextOf(TypeId::kFloat4, stored)) == stored);
  }));
}

TEST(ValueTextTest, EveryValidDateAndTimeReadsBack) {
  EXPECT_TRUE(rc::check("date", [] {
    std::vector<std::uint8_t> stored(4);
    StoreLittleEndian(stored.data(), *rc::gen::inRange(-2451545, 2145031949));
    RC_ASSERT(Stored(TypeId::kDate, TextOf(TypeId::kDate, stored)) == stored);
  }));
  EXPECT_TRUE(rc::check("timestamptz", [] {
    std::vector<std::uint8_t> stored(8);
    StoreLittleEndian(stored.data(),
                      *rc::gen::inRange<std::int64_t>(-211813488000000000, 9223371331200000000));
    RC_ASSERT(Stored(TypeId::kTimestampTz, TextOf(TypeId::kTimestampTz, stored)) == stored);
  }));
}

TEST(ValueTextTest, PrintsBytesThatNoServerWrites) {
  EXPECT_EQ(TextOf(TypeId::kBool, FromHex("07")), "t");
  EXPECT_EQ(TextOf(TypeId::kDate, FromHex("feffff7f")), "5881610-07-10");
  EXPECT_EQ(TextOf(TypeId::kTimestamp, FromHex("0100000000000080")),
            "290279-12-22 19:59:05.224193 BC");
  EXPECT_EQ(TextOf(TypeId::kNumeric, FromHex("0080e02e")), "12000");
  EXPECT_EQ(TextOf(TypeId::kNumeric, {}), "0");
  EXPECT_EQ(TextOf(TypeId::kText, {}), "");
  for (const TypeInfo& type : AllTypes()) {
    EXPECT_TRUE(rc::check(std::string("any bytes as ") + type.name, [&type] {
      const std::size_t size = type.length > 0 ? static_cast<std::size_t>(type.length)
                                               : *rc::gen::inRange<std::size_t>(0, 40);
      const auto stored = *rc::gen::container<std::vector<std::uint8_t>>(
          size, rc::gen::element<std::uint8_t>(0, 1, 0x7F, 0x80, 0xC0, 0xFF));
      const std::string text = TextOf(type.id, stored);
      RC_ASSERT(size == 0 || !text.empty());
    }));
  }
}

TEST(ValueTextTest, AnyTextIsReadOrRefused) {
  for (const TypeInfo& type : AllTypes()) {
    EXPECT_TRUE(rc::check(std::string("any text as ") + type.name, [&type] {
      const auto text = *rc::gen::container<std::string>(
          rc::gen::elementOf(std::string("0123456789+-.:eEBCTZx\\{} infnay\t\xff")));
      std::vector<std::uint8_t> bytes;
      const absl::Status status = ParseValue(type.id, text, &bytes);
      RC_ASSERT(status.ok() || bytes.empty());
      if (status.ok() && type.length > 0) {
        RC_ASSERT(bytes.size() == static_cast<std::size_t>(type.length));
      }
    }));
  }
}

}  // namespace
}  // namespace tornleaf
