#include "engine/key/numeric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "engine/key/key_test_util.h"

namespace tornleaf {
namespace {

struct Example {
  const char* written;
  const char* stored;  // payload bytes that PostgreSQL 15 stored
  const char* printed;
};

// Taken from the pages of a server.
const Example kExamples[] = {
    {"0", "0080", "0"},
    {"0.0", "8080", "0.0"},
    {"-0.00", "0081", "0.00"},
    {"1", "00800100", "1"},
    {"-1", "00a00100", "-1"},
    {"1.50", "008101008813", "1.50"},
    {" 007.0\n", "80800700", "7.0"},
    {"10000", "01800100", "10000"},
    {"100000000", "02800100", "100000000"},
    {"9999.9999", "00820f270f27", "9999.9999"},
    {"0.0001", "7f820100", "0.0001"},
    {"0.00001", "fe82e803", "0.00001"},
    {"-0.00010000", "7fa40100", "-0.00010000"},
    {"1.10e-2", "7f826e00", "0.0110"},
    {"12.34e5", "01807b00a00f", "1234000"},
    {"1e63", "0f80e803", "1000000000000000000000000000000000000000000000000000000000000000"},
    {"1e-63", "f09f0a00", "0.000000000000000000000000000000000000000000000000000000000000001"},
    // One more digit of scale needs the long form.
    {"1e-64", "4000f0ff0100", "0.0000000000000000000000000000000000000000000000000000000000000001"},
    {"0.0000000000000000000000000000000000000000000000000000000000000000", "40000000",
     "0.0000000000000000000000000000000000000000000000000000000000000000"},
    {"-98765432109876543210.123456789", "84a4942638154a04e61d8a0cd2042e162823",
     "-98765432109876543210.123456789"},
    {"NaN", "00c0", "NaN"},
    {"Infinity", "00d0", "Infinity"},
    {"+inf", "00d0", "Infinity"},
    {"-inf", "00f0", "-Infinity"},
};

TEST(NumericTest, StoresAndPrintsAsTheServerDoes) {
  for (const Example& example : kExamples) {
    const std::vector<std::uint8_t> stored = Stored(TypeId::kNumeric, example.written);
    EXPECT_EQ(ToHex(stored), example.stored) << example.written;
    EXPECT_EQ(TextOf(TypeId::kNumeric, stored), example.printed);
    EXPECT_EQ(Stored(TypeId::kNumeric, example.printed), stored);
  }
}

TEST(NumericTest, ChangesToTheLongFormAtItsWeight) {
  EXPECT_EQ(ToHex(Stored(TypeId::kNumeric, "1.5e255")), "3f80dc05");
  EXPECT_EQ(ToHex(Stored(TypeId::kNumeric, "1e256")), "000040000100");
  EXPECT_EQ(ToHex(Stored(TypeId::kNumeric, "1e260")), "000041000100");
  EXPECT_EQ(ToHex(Stored(TypeId::kNumeric, "1e-256")), "0001c0ff0100");
  EXPECT_EQ(ToHex(Stored(TypeId::kNumeric, "1e-257")), "0101bfffe803");
}

TEST(NumericTest, TextIsCutWhereAsked) {
  for (const char* written : {"1e131071", "-1e131071", "1e-16383", "12.5", "123456.0000"}) {
    std::vector<std::uint8_t> bytes;
    ASSERT_TRUE(ParseNumeric(written, &bytes).ok()) << written;
    std::string whole;
    AppendNumericText(bytes, &whole);
    for (const std::size_t size_max : {0U, 1U, 7U, 80U, 131072U}) {
      std::string cut = "before ";
      AppendNumericText(bytes, &cut, size_max);
      const std::string text = cut.substr(7);
      EXPECT_EQ(text, whole.substr(0, text.size())) << written;
      EXPECT_GE(text.size(), std::min(whole.size(), size_max)) << written;
      EXPECT_LE(text.size(), size_max + 5) << written;
    }
  }
}

TEST(NumericTest, HasTheServersLimits) {
  const std::string largest = TextOf(TypeId::kNumeric, Stored(TypeId::kNumeric, "1e131071"));
  EXPECT_EQ(largest.size(), 131072U);
  EXPECT_EQ(TextOf(TypeId::kNumeric, Stored(TypeId::kNumeric, "1e-16383")).size(), 16385U);
  for (const char* text :
       {"1e131072", "1e-16384", "0e-20000", "1e99999999999", "-1e-99999999999"}) {
    std::vector<std::uint8_t> bytes;
    const absl::Status status = ParseNumeric(text, &bytes);
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("beyond")) << text;
    EXPECT_TRUE(bytes.empty());
  }
}

TEST(NumericTest, RefusesWhatTheServerRefuses) {
  for (const char* text : {"", " ", ".", "-", "1..2", "1.2.3", "1e", "e5", "1 2", "1,5", "--1",
                           "+-1", "1e1.5", "0x10", "1_0", "infinit", "+nan", "12a"}) {
    std::vector<std::uint8_t> bytes = {7};
    const absl::Status status = ParseNumeric(text, &bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(bytes.size(), 1U);
  }
}

TEST(NumericTest, OrdersValuesAndNotScales) {
  const char* ascending[] = {"-Infinity", "-1e300", "-10000",  "-9999.5", "-9999",    "-1",
                             "-0.0001",   "0",      "1e-300",  "0.5",     "0.50001",  "1",
                             "9999",      "10000",  "10000.1", "1e300",   "Infinity", "NaN"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t j = 0; j < std::size(ascending); ++j) {
      const int order = CompareNumeric(Stored(TypeId::kNumeric, ascending[i]),
                                       Stored(TypeId::kNumeric, ascending[j]));
      EXPECT_EQ(order < 0, i < j) << ascending[i] << " " << ascending[j];
      EXPECT_EQ(order > 0, i > j) << ascending[i] << " " << ascending[j];
    }
  }
  for (const auto& [a, b] : {std::pair{"1", "1.000"}, {"0", "-0.00"}, {"1e-64", "1.0e-64"}}) {
    EXPECT_EQ(CompareNumeric(Stored(TypeId::kNumeric, a), Stored(TypeId::kNumeric, b)), 0);
  }
}

TEST(NumericTest, IsATotalOrderOnAnyBytes) {
  // Few different bytes, so that long equal parts, zeros at the ends and equal values occur.
  const auto any = rc::gen::container<std::vector<std::uint8_t>>(rc::gen::element<std::uint8_t>(
      0, 0, 0, 1, 0x0F, 0x27, 0x40, 0x7F, 0x80, 0xA0, 0xC0, 0xD0, 0xF0, 0xFF));
  EXPECT_TRUE(rc::check("antisymmetric and transitive", [any] {
    const auto a = *any;
    const auto b = *any;
    const auto c = *any;
    const auto sign = [](int order) { return (order > 0) - (order < 0); };
    RC_ASSERT(CompareNumeric(a, a) == 0);
    RC_ASSERT(sign(CompareNumeric(a, b)) == -sign(CompareNumeric(b, a)));
    if (CompareNumeric(a, b) <= 0 && CompareNumeric(b, c) <= 0) {
      RC_ASSERT(CompareNumeric(a, c) <= 0);
    }
    if (CompareNumeric(a, b) == 0) {
      RC_ASSERT(sign(CompareNumeric(a, c)) == sign(CompareNumeric(b, c)));
    }
    RC_ASSERT(TextOf(TypeId::kNumeric, a).size() <= 5 * 32768 + 16384 + 2);
  }));
}

TEST(NumericTest, RoundTripsAnyDecimal) {
  EXPECT_TRUE(rc::check("text to bytes to text", [] {
    const auto digits = [](int least, int most) {
      std::string text;
      for (int count = *rc::gen::inRange(least, most); count > 0; --count) {
        text += *rc::gen::element('0', '0', '1', '5', '9');
      }
      return text;
    };
    std::string text = digits(1, 40);
    while (text.size() > 1 && text[0] == '0') text.erase(0, 1);
    const std::string fraction = digits(0, 80);
    if (!fraction.empty()) text += "." + fraction;
    if (text.find_first_not_of("0.") != std::string::npos && *rc::gen::arbitrary<bool>()) {
      text = "-" + text;
    }
    const std::vector<std::uint8_t> stored = Stored(TypeId::kNumeric, text);
    RC_ASSERT(TextOf(TypeId::kNumeric, stored) == text);
  }));
}

}  // namespace
}  // namespace tornleaf
