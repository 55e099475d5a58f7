#include "engine/key/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "engine/key/collation.h"
#include "engine/key/key_test_util.h"

namespace tornleaf {
namespace {

int Sign(int order) { return (order > 0) - (order < 0); }

// Checks that texts of the schema's first column are in order, each below the next.
void ExpectAscending(std::string_view schema_text, const std::vector<std::string>& texts) {
  const Schema schema = SchemaOf(schema_text);
  std::vector<std::vector<std::uint8_t>> stored;
  for (const std::string& text : texts) stored.push_back(Stored(schema.attribute(0).type, text));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      const int order =
          CompareAttribute(schema.attribute(0), Value::Of(stored[i]), Value::Of(stored[j]));
      EXPECT_EQ(Sign(order), (i > j) - (i < j))
          << schema_text << ": " << texts[i] << ", " << texts[j];
    }
  }
}

TEST(CompareTest, OrdersEachType) {
  ExpectAscending("bool", {"f", "t"});
  ExpectAscending("int2", {"-32768", "-256", "-1", "0", "1", "255", "256", "32767"});
  ExpectAscending("int4", {"-2147483648", "-1", "0", "1", "65536", "2147483647"});
  ExpectAscending("int8", {"-9223372036854775808", "-1", "0", "4294967296", "9223372036854775807"});
  ExpectAscending("oid", {"0", "1", "2147483648", "4294967295"});
  ExpectAscending("float4", {"-Infinity", "-1e10", "-1e-45", "0", "1e-45", "1", "Infinity", "NaN"});
  ExpectAscending("float8", {"-Infinity", "-1", "-5e-324", "0", "5e-324", "1", "Infinity", "NaN"});
  ExpectAscending("date", {"-infinity", "4714-11-24 BC", "1999-12-31", "2000-01-01", "infinity"});
  ExpectAscending("timestamp",
                  {"-infinity", "1999-12-31 23:59:59.999999", "2000-01-01", "infinity"});
  ExpectAscending("timestamptz", {"-infinity", "2000-01-01 00:00:00+01", "2000-01-01 00:00:00Z"});
  ExpectAscending("uuid",
                  {"00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000100",
                   "7fffffff-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000"});
  ExpectAscending("bytea", {"\\x", "\\x00", "\\x0000", "\\x01", "\\x7f", "\\x80", "\\xff"});
  ExpectAscending("text", {"", "A", "B", "a", "aa", "ab", "b", "ä"});
  ExpectAscending("varchar", {"", "A", "B", "a", "aa", "ab", "b", "ä"});
  ExpectAscending("name", {"", "A", "B", "a", "aa", "ab", "b"});
  ExpectAscending("numeric", {"-Infinity", "-1.5", "0", "0.001", "100", "Infinity", "NaN"});
}

TEST(CompareTest, OrdersTextAsItsLanguageDoes) {
  // As a PostgreSQL 15 server with ICU sorted them.
  ExpectAscending("text collate en-US-x-icu", {"", "a", "A", "ä", "aa", "b", "B", "z"});
  ExpectAscending("name collate sv-x-icu", {"a", "z", "å", "ä", "ö"});
  ExpectAscending("text collate und-x-icu", {"coop", "Coop", "d"});
}

TEST(CompareTest, FloatsThatAreEqualMayHaveDifferentBytes) {
  const Schema schema = SchemaOf("float8, float4");
  const auto compare8 = [&schema](std::string_view a, std::string_view b) {
    const std::vector<std::uint8_t> left = FromHex(a);
    const std::vector<std::uint8_t> right = FromHex(b);
    return CompareAttribute(schema.attribute(0), Value::Of(left), Value::Of(right));
  };
  EXPECT_EQ(compare8("0000000000000080", "0000000000000000"), 0);  // -0 and 0
  EXPECT_EQ(compare8("000000000000f87f", "010000000000f8ff"), 0);  // two NaNs
  EXPECT_GT(compare8("010000000000f8ff", "000000000000f07f"), 0);  // -NaN and Infinity
}

TEST(CompareTest, PlacesNullsAndReversesDescendingColumns) {
  const std::vector<std::uint8_t> one = Stored(TypeId::kInt4, "1");
  const std::vector<std::uint8_t> two = Stored(TypeId::kInt4, "2");
  const Value null;
  struct Case {
    const char* schema;
    int one_to_two;
    int one_to_null;
  };
  for (const Case& example : {Case{"int4", -1, -1},
                              {"int4 nulls first", -1, 1},
                              {"int4 desc", 1, 1},
                              {"int4 desc nulls last", 1, -1}}) {
    const Schema schema = SchemaOf(example.schema);
    const Attribute& column = schema.attribute(0);
    EXPECT_EQ(Sign(CompareAttribute(column, Value::Of(one), Value::Of(two))), example.one_to_two);
    EXPECT_EQ(Sign(CompareAttribute(column, Value::Of(two), Value::Of(one))), -example.one_to_two);
    EXPECT_EQ(Sign(CompareAttribute(column, Value::Of(one), null)), example.one_to_null);
    EXPECT_EQ(Sign(CompareAttribute(column, null, Value::Of(one))), -example.one_to_null);
    EXPECT_EQ(CompareAttribute(column, null, null), 0);
  }
}

TEST(CompareTest, ComparesColumnsFromTheLeft) {
  const Schema schema = SchemaOf("int4, text desc");
  const std::vector<std::uint8_t> one = Stored(TypeId::kInt4, "1");
  const std::vector<std::uint8_t> two = Stored(TypeId::kInt4, "2");
  const std::vector<std::uint8_t> a = Stored(TypeId::kText, "a");
  const std::vector<std::uint8_t> b = Stored(TypeId::kText, "b");
  const Value one_a[] = {Value::Of(one), Value::Of(a)};
  const Value one_b[] = {Value::Of(one), Value::Of(b)};
  const Value two_a[] = {Value::Of(two), Value::Of(a)};
  EXPECT_GT(CompareKeys(schema, one_a, one_b, 2), 0);
  EXPECT_EQ(CompareKeys(schema, one_a, one_b, 1), 0);
  EXPECT_LT(CompareKeys(schema, one_a, two_a, 2), 0);
  EXPECT_EQ(CompareKeys(schema, one_a, two_a, 0), 0);
}

TEST(CompareTest, LibcCollationsHaveNoComparison) {
  EXPECT_EQ(CompareFunctionFor(TypeId::kText, CollationKind::kLibc), nullptr);
  EXPECT_EQ(CompareFunctionFor(TypeId::kName, CollationKind::kLibc), nullptr);
  EXPECT_NE(CompareFunctionFor(TypeId::kBytea, CollationKind::kLibc), nullptr);
}

TEST(CollationTest, MalformedTextIsComparedToo) {
  const Schema schema = SchemaOf("text collate en-US-x-icu");
  EXPECT_TRUE(rc::check("antisymmetric, and equal only if the bytes are", [&schema] {
    const auto a = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
    const auto b = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
    const Attribute& column = schema.attribute(0);
    const int order = CompareAttribute(column, Value::Of(a), Value::Of(b));
    RC_ASSERT(Sign(order) == -Sign(CompareAttribute(column, Value::Of(b), Value::Of(a))));
    RC_ASSERT((order == 0) == (a == b));
  }));
}

TEST(CollationTest, TiesAreBrokenByBytes) {
  const auto icu = IcuCollator::Open("und-x-icu");
  ASSERT_TRUE(icu.ok()) << icu.status();
  // An a with an umlaut, as one character and as two: the same to ICU.
  const std::vector<std::uint8_t> composed = FromHex("c3a4");
  const std::vector<std::uint8_t> decomposed = FromHex("61cc88");
  EXPECT_GT((*icu)->Compare(composed, decomposed), 0);
  EXPECT_LT((*icu)->Compare(decomposed, composed), 0);
  EXPECT_FALSE((*icu)->Version().empty());
}

TEST(CollationTest, SaysWhatIsWrongWithAName) {
  EXPECT_THAT(std::string(IcuCollator::Open("en_US").status().message()),
              testing::HasSubstr("must end in \"-x-icu\""));
  EXPECT_THAT(std::string(IcuCollator::Open("de-DF-x-icu").status().message()),
              testing::HasSubstr("did you mean de-"));
}

}  // namespace
}  // namespace tornleaf
