#include "engine/build/abbreviation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "engine/key/compare.h"

namespace tornleaf {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A column of each kind that has an abbreviation of its own, and of those that have none.
constexpr const char* kColumns[] = {"bool",
                                    "int2",
                                    "int4",
                                    "int8",
                                    "oid",
                                    "float4",
                                    "float8",
                                    "date",
                                    "timestamp",
                                    "timestamptz",
                                    "uuid",
                                    "bytea",
                                    "text",
                                    "varchar",
                                    "name",
                                    "numeric",
                                    "text collate en-US-x-icu",
                                    "text collate C",
                                    "bytea storage plain"};

Attribute ColumnOf(const std::string& text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return schema->attribute(0);
}

template <typename T>
Bytes Stored(T value) {
  Bytes bytes(sizeof value);
  StoreLittleEndian(bytes.data(), value);
  return bytes;
}

template <typename T>
rc::Gen<Bytes> Floats() {
  using Limits = std::numeric_limits<T>;
  return rc::gen::map(
      rc::gen::oneOf(rc::gen::arbitrary<T>(),
                     rc::gen::element<T>(0, -T{0}, Limits::infinity(), -Limits::infinity(),
                                         Limits::quiet_NaN(), -Limits::quiet_NaN(),
                                         Limits::denorm_min(), -Limits::denorm_min())),
      Stored<T>);
}

// Byte strings that share much, differ early or late, and are each other's prefixes.
rc::Gen<Bytes> Strings() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 20),
                    rc::gen::container<Bytes>(rc::gen::element<std::uint8_t>(0, 1, 'a', 127))),
      [](const std::pair<int, Bytes>& parts) {
        Bytes bytes(static_cast<std::size_t>(parts.first), 'p');
        bytes.insert(bytes.end(), parts.second.begin(), parts.second.end());
        return bytes;
      });
}

rc::Gen<Bytes> Texts() {
  return rc::gen::map(
      rc::gen::container<std::string>(rc::gen::element('a', 'A', 'b', 'B', '-', ' ', '1')),
      [](const std::string& text) { return Bytes(text.begin(), text.end()); });
}

// int2-digit numerics in the short form: sign, no weight bits set, any digits.
rc::Gen<Bytes> Numerics() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange(1, 10000)),
      [](const std::pair<bool, int>& parts) {
        Bytes bytes(4);
        StoreLittleEndian<std::uint16_t>(bytes.data(), parts.first ? 0xA000 : 0x8000);
        StoreLittleEndian(bytes.data() + 2, static_cast<std::uint16_t>(parts.second));
        return bytes;
      });
}

rc::Gen<Bytes> ValuesOf(const Attribute& column) {
  switch (column.type) {
    case TypeId::kBool:
      return rc::gen::map(rc::gen::arbitrary<bool>(),
                          [](bool value) { return Stored<std::uint8_t>(value ? 1 : 0); });
    case TypeId::kFloat4:
      return Floats<float>();
    case TypeId::kFloat8:
      return Floats<double>();
    case TypeId::kBytea:
      return Strings();
    case TypeId::kNumeric:
      return Numerics();
    case TypeId::kText:
    case TypeId::kVarchar:
    case TypeId::kName:
      return column.collation == CollationKind::kC ? Strings() : Texts();
    default:
      // Small numbers and extreme ones: few bytes differ, in any place.
      return rc::gen::container<Bytes>(static_cast<std::size_t>(column.length),
                                       rc::gen::element<std::uint8_t>(0, 1, 0x7F, 0x80, 0xFF));
  }
}

RC_GTEST_PROP(AbbreviationProperty, NeverContradictsTheComparator, ()) {
  Attribute column = ColumnOf(
      *rc::gen::elementOf(std::vector<std::string>(std::begin(kColumns), std::end(kColumns))));
  column.descending = *rc::gen::arbitrary<bool>();
  column.nulls_first = *rc::gen::arbitrary<bool>();
  const auto stored = *rc::gen::container<std::vector<Bytes>>(ValuesOf(column));
  std::vector<Value> values;
  for (const Bytes& bytes : stored) values.push_back(Value::Of(bytes));
  if (*rc::gen::inRange(0, 3) == 0) values.emplace_back();

  Abbreviation abbreviation(column);
  for (const Value& value : values) abbreviation.Observe(value);
  for (const Value& a : values) {
    for (const Value& b : values) {
      const int order = CompareAttribute(column, a, b);
      if (order < 0) RC_ASSERT(abbreviation.Of(a) <= abbreviation.Of(b));
      if (order == 0 && abbreviation.exact()) RC_ASSERT(abbreviation.Of(a) == abbreviation.Of(b));
      if (order < 0 && abbreviation.exact()) RC_ASSERT(abbreviation.Of(a) < abbreviation.Of(b));
    }
  }
}

TEST(AbbreviationTest, StringsAreAbbreviatedAfterWhatTheyShare) {
  const Attribute column = ColumnOf("text collate C");
  const std::string texts[] = {"https://www.example.com/products/item0000000001",
                               "https://www.example.com/products/item0000000002",
                               "https://www.example.com/products/item0000000010"};
  Abbreviation abbreviation(column);
  std::vector<Value> values;
  for (const std::string& text : texts) {
    values.push_back(Value::Of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
    abbreviation.Observe(values.back());
  }
  EXPECT_LT(abbreviation.Of(values[0]), abbreviation.Of(values[1]));
  EXPECT_LT(abbreviation.Of(values[1]), abbreviation.Of(values[2]));
}

TEST(AbbreviationTest, IsExactForNumbersWithoutNulls) {
  const Bytes seven = Stored<std::int64_t>(7);
  Abbreviation numbers(ColumnOf("int8"));
  numbers.Observe(Value::Of(seven));
  EXPECT_TRUE(numbers.exact());
  numbers.Observe(Value());
  EXPECT_FALSE(numbers.exact());
  EXPECT_FALSE(Abbreviation(ColumnOf("bytea")).exact());
  EXPECT_FALSE(Abbreviation(ColumnOf("uuid")).exact());
  EXPECT_FALSE(Abbreviation(ColumnOf("numeric")).exact());
}

}  // namespace
}  // namespace tornleaf
