#include "engine/key/index_tuple.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>
#include <optional>
#include <utility>

#include "engine/key/compare.h"
#include "engine/key/key_test_util.h"

namespace tornleaf {
namespace {

using Bytes = std::vector<std::uint8_t>;

// One row: the texts of its columns, null where there is none.
using Row = std::vector<const char*>;

Bytes Form(const Schema& schema, const Row& row, ItemPointer tid) {
  std::vector<Bytes> stored(row.size());
  std::vector<Value> values(row.size());
  for (std::size_t index = 0; index < row.size(); ++index) {
    if (row[index] == nullptr) continue;
    stored[index] = Stored(schema.attribute(static_cast<std::uint32_t>(index)).type, row[index]);
    values[index] = Value::Of(stored[index]);
  }
  Bytes tuple;
  FormTuple(schema, values.data(), static_cast<std::uint32_t>(row.size()), tid, &tuple);
  return tuple;
}

DeformResult DeformAll(const Schema& schema, const Bytes& tuple, DeformedTuple* deformed) {
  return deformed->Deform(schema, TupleView(tuple), schema.attribute_count(),
                          static_cast<std::uint32_t>(tuple.size()));
}

struct ServerTuple {
  const char* schema;
  ItemPointer tid;
  Row row;
  const char* bytes;  // on a leaf page of PostgreSQL 15
};

const ServerTuple kServerTuples[] = {
    {"text", {0, 90}, {""}, "000000005a00104003 00000000000000"},
    {"text storage plain", {0, 1}, {"abc"}, "0000000001001040 1c000000616263 00"},
    {"text storage plain",
     {3, 77},
     {"2zxkJM9axleUEm+c4xGCOeb7lsraLKu2hq"},
     "000003004d003040"
     "98000000327a786b4a4d3961786c6555456d2b63347847434f6562376c7372614c4b753268710000"},
    {"bool, int2, text, int8, name, uuid, numeric",
     {0, 10},
     {"f", "10", "BiE2QnaEpn", nullptr, "HOc2qQ44bK", "d3d94468-02a4-4259-755d-38e6d163e820",
      "1.4285714285714286"},
     "000000000a0048c0 7700000000000000 0000 0a00 1742694532516e6145706e 484f6332715134"
     "34624b00 d3d9446802a44259755d38e6d163e820 1b00880100bd10e61b7b21be1000"},
    {"bool, int2, text, int8, name, uuid, numeric",
     {0, 49},
     {"f", "49", "NqziZ3GByQPuaFL37JS", "4000000000000",
      "lcDH+X/De2aLa7EM6upBNp2QzejnhzrpWDIC7Wo36NJagNdGW", "f457c545-a9de-d88f-18ec-ee47145a72c0",
      "7.0000000000000000"},
     "0000000031007040 0000 3100 294e717a695a3347427951507561464c33374a53 00409452a3030000"
     "6c6344482b582f446532614c6137454d367570424e7032517a656a6e687a72705744494337576f33364e"
     "4a61674e64475700 f457c545a9ded88f18ecee47145a72c0 0b0088070000"},
    // An included name takes 64 bytes.
    {"name, float4, bytea, date, timestamp; include name, text, float8, bool",
     {0, 3},
     {"8DF", "1", "\\x4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce",
      "2000-01-04", "2000-01-01 00:00:03", "fPA", "S+m", "0.3333333333333333", nullptr},
     "00000000030098c0 ff00000000000000 38444600 0000803f"
     "434e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce 000000 03000000"
     "c0c62d0000000000 6650410000000000000000000000000000000000000000000000000000000000"
     "0000000000000000000000000000000000000000000000000000000000000000"
     "09532b6d 00000000 555555555555d53f"},
};

TEST(IndexTupleTest, FormsTheServersBytes) {
  for (const ServerTuple& example : kServerTuples) {
    const Schema schema = SchemaOf(example.schema);
    EXPECT_EQ(ToHex(Form(schema, example.row, example.tid)), ToHex(FromHex(example.bytes)));
  }
}

TEST(IndexTupleTest, ReadsTheServersBytes) {
  for (const ServerTuple& example : kServerTuples) {
    const Schema schema = SchemaOf(example.schema);
    const Bytes tuple = FromHex(example.bytes);
    DeformedTuple deformed;
    ASSERT_TRUE(DeformAll(schema, tuple, &deformed).ok());
    EXPECT_EQ(TupleView(tuple).tid(), example.tid);
    EXPECT_EQ(TupleView(tuple).size(), tuple.size());
    for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
      if (example.row[index] == nullptr) {
        EXPECT_TRUE(deformed.value(index).is_null);
      } else {
        EXPECT_EQ(TextOf(schema.attribute(index).type, deformed.value(index).bytes()),
                  example.row[index]);
      }
    }
  }
}

TEST(IndexTupleTest, ReadsWhatTheServerCompressed) {
  DeformedTuple deformed;
  const Schema text = SchemaOf("text");
  const Bytes pglz = FromHex(
      "0000000001002840 7e000000 84030000"
      "00746f726e6c6561661e200f09ff0f09ff0f09ff0f0936 00");
  ASSERT_TRUE(DeformAll(text, pglz, &deformed).ok());
  std::string expected;
  for (int count = 0; count < 100; ++count) expected += "tornleaf ";
  EXPECT_EQ(TextOf(TypeId::kText, deformed.value(0).bytes()), expected);

  const Schema three = SchemaOf("text, bytea, int2");
  const Bytes lz4 = FromHex(
      "0000360004003840 a2000000 d00c0040 2f61620200ffffffffffffffffffffffff774f63343030"
      "0400345030633430300300900100000000");
  ASSERT_TRUE(DeformAll(three, lz4, &deformed).ok());
  expected.clear();
  for (int count = 0; count < 1600; ++count) expected += "ab";
  for (int count = 0; count < 20; ++count) expected += "c400";
  EXPECT_EQ(TextOf(TypeId::kText, deformed.value(0).bytes()), expected);
  EXPECT_EQ(deformed.value(1).size, 0U);
  EXPECT_FALSE(deformed.value(1).is_null);
  EXPECT_EQ(TextOf(TypeId::kInt2, deformed.value(2).bytes()), "400");

  Bytes damaged = pglz;
  damaged[16] = 0xFF;  // a match at the very start
  EXPECT_EQ(DeformAll(text, damaged, &deformed).error, DeformError::kCompressedValue);
}

TEST(IndexTupleTest, TidsTakeSixBytes) {
  Bytes bytes(index_tuple::kTidSize);
  StoreTid(bytes.data(), {0x12345678, 0x9ABC});
  EXPECT_EQ(ToHex(bytes), "34127856bc9a");
  EXPECT_EQ(LoadTid(bytes.data()), (ItemPointer{0x12345678, 0x9ABC}));
}

TEST(IndexTupleTest, ShortHeadersReach126Bytes) {
  for (const auto& [payload, size] : {std::pair{125U, 136U}, {126U, 136U}, {127U, 144U}}) {
    const std::string text(payload, 'x');
    EXPECT_EQ(Form(SchemaOf("text"), {text.c_str()}, {}).size(), size) << payload;
  }
}

TEST(IndexTupleTest, StoragePlainKeepsAShortHeaderThatIsThereAlready) {
  const Schema schema = SchemaOf("text storage plain");
  // From a table that INSERT filled.
  const Bytes from_server = FromHex("0000000001001040 0961626300000000");
  DeformedTuple deformed;
  ASSERT_TRUE(DeformAll(schema, from_server, &deformed).ok());
  Bytes tuple;
  FormTuple(schema, deformed.values(), 1, {0, 1}, &tuple);
  EXPECT_EQ(ToHex(tuple), ToHex(from_server));
}

TEST(IndexTupleTest, RefusesToFormWhatTheSizeFieldCannotHold) {
  const std::string fits(8180 - 8 - 4, 'x');
  const std::string too_long(8192 - 8 - 4, 'x');
  EXPECT_EQ(Form(SchemaOf("text"), {fits.c_str()}, {}).size(), 8184U);
  EXPECT_TRUE(Form(SchemaOf("text"), {too_long.c_str()}, {}).empty());
  const std::string huge(100000, 'x');
  EXPECT_TRUE(Form(SchemaOf("text"), {huge.c_str()}, {}).empty());
}

struct Damage {
  const char* schema;
  const char* bytes;
  DeformError error;
  std::uint32_t attribute;
  std::uint32_t offset;
};

TEST(IndexTupleTest, SaysWhatIsDamagedAndWhere) {
  const Damage damages[] = {
      {"int4", "0000000000000880", DeformError::kShortHeader, 0, 0},
      {"int4", "0000000001001080 03000000 00000000", DeformError::kNullBitmap, 1, 8},
      {"int4", "0000000001001880 00000001 00000000 0000000000000000", DeformError::kNullBitmap, 24,
       11},
      {"int4", "0000000001001880 01000000 00000000 0500000000000000", DeformError::kNullBitmap, 0,
       8},
      {"int4", "0000000001001080 00000000 00000100", DeformError::kPadding, 0, 12},
      {"bool, int4", "0000000001001000 01000100 02000000", DeformError::kPadding, 1, 10},
      {"int8, int4", "0000000001001000 0100000000000000", DeformError::kPastEnd, 1, 16},
      {"bool, int8", "0000000001001000 0100000000000000", DeformError::kPastEnd, 1, 16},
      {"text", "0000000001001040 1361626364656600", DeformError::kPastEnd, 0, 8},
      {"text", "0000000001001040 2400000061626364", DeformError::kPastEnd, 0, 8},
      {"text", "0000000001001040 0112000000000000", DeformError::kVarlenaHeader, 0, 8},
      {"text", "0000000001001040 0000000000000000", DeformError::kVarlenaHeader, 0, 8},
      {"text", "0000000001001040 1200000000000000", DeformError::kVarlenaHeader, 0, 8},
      {"text", "0000000001001040 22000000040000c0", DeformError::kVarlenaHeader, 0, 8},
      {"text", "0000000001001040 22000000ffffff3f", DeformError::kVarlenaHeader, 0, 8},
      {"text", "0000000001001040 2200000004000000", DeformError::kCompressedValue, 0, 8},
      {"bool, text", "0000000001001040 0118000000616200", DeformError::kVarlenaHeader, 1, 9},
      {"name", "0000000001001040 6161616161616161", DeformError::kPastEnd, 0, 8},
      {"int4", "0000000001001000 0500000001000000", DeformError::kTrailingBytes, 1, 12},
      {"int4", "0000000001001800 05000000000000000000000000000000", DeformError::kTrailingBytes, 1,
       12},
      {"int4", "0000000001001040 0500000000000000", DeformError::kVarWidthFlag, 1, 6},
      {"text", "0000000001001000 0361000000000000", DeformError::kTrailingBytes, 1, 9},
      {"text", "0000000001001000 0561000000000000", DeformError::kVarWidthFlag, 1, 6},
  };
  for (const Damage& damage : damages) {
    const Schema schema = SchemaOf(damage.schema);
    DeformedTuple deformed;
    const DeformResult result = DeformAll(schema, FromHex(damage.bytes), &deformed);
    EXPECT_EQ(result.error, damage.error) << damage.schema << " " << damage.bytes;
    EXPECT_EQ(result.attribute, damage.attribute) << damage.bytes;
    EXPECT_EQ(result.offset, damage.offset) << damage.bytes;
    if (damage.error < DeformError::kTrailingBytes && damage.error > DeformError::kNullBitmap) {
      EXPECT_EQ(deformed.count(), damage.attribute);
    }
  }
}

TEST(IndexTupleTest, AnIncludedNameEndsInNuls) {
  const Schema schema = SchemaOf("bool; include name");
  Bytes tuple = Form(schema, {"t", "abc"}, {});
  ASSERT_EQ(tuple.size(), 80U);
  DeformedTuple deformed;
  EXPECT_TRUE(DeformAll(schema, tuple, &deformed).ok());
  EXPECT_EQ(TextOf(TypeId::kName, deformed.value(1).bytes()), "abc");
  tuple[30] = 'x';
  const DeformResult result = DeformAll(schema, tuple, &deformed);
  EXPECT_EQ(result.error, DeformError::kPadding);
  EXPECT_EQ(result.offset, 12U);
  std::memset(tuple.data() + 9, 'x', 64);
  EXPECT_EQ(DeformAll(schema, tuple, &deformed).error, DeformError::kPastEnd);
}

// Any schema; with the columns' storage and place, everything that the form depends on.
Schema AnySchema() {
  std::vector<Attribute> columns(*rc::gen::inRange<std::size_t>(1, 9));
  // Sometimes as many as there may be.
  if (*rc::gen::inRange(0, 10) == 0) columns.resize(kMaxAttributes);
  for (Attribute& column : columns) {
    column.type = static_cast<TypeId>(*rc::gen::inRange<std::size_t>(0, AllTypes().size()));
    column.storage = InfoOf(column.type).default_storage;
    if (InfoOf(column.type).length == kVarlena && *rc::gen::arbitrary<bool>()) {
      column.storage = Storage::kPlain;
    }
  }
  const auto keys =
      static_cast<std::uint32_t>(*rc::gen::inRange<std::size_t>(1, columns.size() + 1));
  return *Schema::Make(std::move(columns), keys, false, false);
}

// The payloads of any row; nothing where the value is null.
std::vector<std::optional<Bytes>> AnyRow(const Schema& schema) {
  std::vector<std::optional<Bytes>> row;
  for (const Attribute& column : schema.attributes()) {
    if (*rc::gen::inRange(0, 4) == 0) {
      row.emplace_back();
      continue;
    }
    const bool is_name = column.type == TypeId::kName;
    const std::size_t size =
        is_name             ? *rc::gen::inRange<std::size_t>(0, 64)
        : column.length > 0 ? static_cast<std::size_t>(column.length)
                            : *rc::gen::element<std::size_t>(0, 1, 2, 3, 17, 125, 126, 127, 200);
    const auto byte = is_name ? rc::gen::inRange<std::uint8_t>(1, 128)
                              : rc::gen::element<std::uint8_t>(0, 1, 0x80, 0xFF);
    row.emplace_back(*rc::gen::container<Bytes>(size, byte));
  }
  return row;
}

std::vector<Value> ValuesOf(const std::vector<std::optional<Bytes>>& row) {
  std::vector<Value> values;
  for (const std::optional<Bytes>& column : row) {
    values.push_back(column.has_value() ? Value::Of(*column) : Value());
  }
  return values;
}

TEST(IndexTupleTest, WhatIsFormedIsReadBack) {
  EXPECT_TRUE(rc::check("form, then deform", [] {
    const Schema schema = AnySchema();
    const auto row = AnyRow(schema);
    const std::vector<Value> values = ValuesOf(row);
    const auto count = *rc::gen::inRange<std::uint32_t>(0, schema.attribute_count() + 1);
    Bytes tuple;
    const std::uint32_t size = FormTuple(schema, values.data(), count, {7, 8}, &tuple);
    RC_ASSERT(size == tuple.size());
    RC_ASSERT(IsMaxAligned(size));
    const TupleView view(tuple);
    RC_ASSERT(view.size() == size);
    RC_ASSERT(!view.alt_tid());
    RC_ASSERT((view.tid() == ItemPointer{7, 8}));
    DeformedTuple deformed;
    RC_ASSERT(deformed.Deform(schema, view, count, size).ok());
    RC_ASSERT(deformed.count() == count);
    for (std::uint32_t index = 0; index < count; ++index) {
      RC_ASSERT(ImageEqual(deformed.value(index), values[index]));
    }
    // The same again, behind what is there already.
    Bytes twice = tuple;
    FormTuple(schema, deformed.values(), count, {7, 8}, &twice);
    RC_ASSERT(Bytes(twice.begin() + size, twice.end()) == tuple);
  }));
}

TEST(IndexTupleTest, ReadsAnyBytesWithoutHarm) {
  EXPECT_TRUE(rc::check("damaged tuples: an error, or values inside the tuple", [] {
    const Schema schema = AnySchema();
    const auto row = AnyRow(schema);
    Bytes tuple;
    FormTuple(schema, ValuesOf(row).data(), schema.attribute_count(), {7, 8}, &tuple);
    for (int change = *rc::gen::inRange(1, 4); change > 0; --change) {
      tuple[*rc::gen::inRange<std::size_t>(6, tuple.size())] = *rc::gen::arbitrary<std::uint8_t>();
    }
    // A copy of exact size, for the sanitizer to see any read beyond it.
    const auto kept = *rc::gen::inRange<std::size_t>(index_tuple::kHeaderSize, tuple.size() + 1);
    const Bytes cut(tuple.begin(), tuple.begin() + static_cast<std::ptrdiff_t>(kept));
    DeformedTuple deformed;
    const DeformResult result = DeformAll(schema, cut, &deformed);
    RC_ASSERT(result.offset <= cut.size());
    RC_ASSERT(deformed.count() <= schema.attribute_count());
    if (result.ok()) RC_ASSERT(deformed.count() == schema.attribute_count());
    for (std::uint32_t index = 0; index < deformed.count(); ++index) {
      if (deformed.value(index).is_null) continue;
      std::string text;
      AppendValueText(schema.attribute(index).type, deformed.value(index), &text);
      RC_ASSERT(CompareAttribute(schema.attribute(index), deformed.value(index),
                                 deformed.value(index)) == 0);
    }
  }));
}

}  // namespace
}  // namespace tornleaf
