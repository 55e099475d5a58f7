#include "engine/build/tuple_sort.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/build/row_text.h"
#include "engine/key/compare.h"

namespace tornleaf {
namespace {

Schema MakeSchema(std::string_view text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return *std::move(schema);
}

// Adds the rows of a text; see row_text.h.
void AddAll(const Schema& schema, std::string_view text, TupleSort* sort) {
  StringSource source(text);
  RowReader reader(schema, &source);
  std::vector<std::uint8_t> tuple;
  for (;;) {
    const absl::StatusOr<bool> read = reader.Next();
    CHECK(read.ok());
    if (!*read) return;
    tuple.clear();
    CHECK(FormTuple(schema, reader.values(), schema.attribute_count(), reader.tid(), &tuple) != 0);
    sort->Add(TupleView(tuple), reader.values());
  }
}

std::string RowTextOf(const Schema& schema, TupleView tuple) {
  DeformedTuple values;
  CHECK(values.Deform(schema, tuple, schema.attribute_count(), tuple.size()).ok());
  std::string text;
  AppendRowText(schema, values.values(), tuple.tid(), &text);
  return text;
}

std::string SortedText(const Schema& schema, std::string_view text) {
  TupleSort sort(schema);
  AddAll(schema, text, &sort);
  const absl::Status status = sort.Sort();
  if (!status.ok()) return std::string(status.message());
  std::string sorted;
  for (std::size_t index = 0; index < sort.size(); ++index) {
    sorted += RowTextOf(schema, sort.tuple(index));
  }
  return sorted;
}

TEST(TupleSortTest, SortsByKeyAndThenByAddress) {
  const Schema schema = MakeSchema("int4");
  EXPECT_EQ(SortedText(schema, "5\t(0,2)\n-1\t(3,1)\n5\t(0,1)\n-1\t(2,9)\n2147483647\t(0,3)\n"),
            "-1\t(2,9)\n-1\t(3,1)\n5\t(0,1)\n5\t(0,2)\n2147483647\t(0,3)\n");
  EXPECT_EQ(SortedText(schema, ""), "");
  EXPECT_EQ(SortedText(schema, "1\t(0,1)\n"), "1\t(0,1)\n");
}

TEST(TupleSortTest, PlacesNullsAndReversesDescendingColumns) {
  const char* const rows =
      "2\t(0,1)\n\\N\t(0,2)\n1\t(0,3)\n-2147483648\t(0,4)\n2147483647\t(0,5)\n";
  EXPECT_EQ(SortedText(MakeSchema("int4"), rows),
            "-2147483648\t(0,4)\n1\t(0,3)\n2\t(0,1)\n2147483647\t(0,5)\n\\N\t(0,2)\n");
  EXPECT_EQ(SortedText(MakeSchema("int4 nulls first"), rows),
            "\\N\t(0,2)\n-2147483648\t(0,4)\n1\t(0,3)\n2\t(0,1)\n2147483647\t(0,5)\n");
  EXPECT_EQ(SortedText(MakeSchema("int4 desc"), rows),
            "\\N\t(0,2)\n2147483647\t(0,5)\n2\t(0,1)\n1\t(0,3)\n-2147483648\t(0,4)\n");
  EXPECT_EQ(SortedText(MakeSchema("int4 desc nulls last"), rows),
            "2147483647\t(0,5)\n2\t(0,1)\n1\t(0,3)\n-2147483648\t(0,4)\n\\N\t(0,2)\n");
}

TEST(TupleSortTest, IncludedColumnsDoNotSort) {
  EXPECT_EQ(SortedText(MakeSchema("int4; include int4"), "1\t9\t(0,1)\n1\t8\t(0,2)\n0\t7\t(0,3)\n"),
            "0\t7\t(0,3)\n1\t9\t(0,1)\n1\t8\t(0,2)\n");
}

TEST(TupleSortTest, RefusesTheSameRowTwice) {
  EXPECT_EQ(SortedText(MakeSchema("int4"), "7\t(0,1)\n8\t(0,2)\n7\t(0,1)\n"),
            "rows 1 and 3 are one row: equal keys, both at (0,1)");
  EXPECT_EQ(SortedText(MakeSchema("text"), "a\t(0,1)\nb\t(0,1)\nb\t(0,1)\n"),
            "rows 2 and 3 are one row: equal keys, both at (0,1)");
}

TEST(TupleSortTest, UniqueKeysMayOnlyRepeatNulls) {
  const char* const twice = "1\ta\t(0,1)\n2\tb\t(0,2)\n1\ta\t(0,3)\n";
  const char* const nulls = "1\t\\N\t(0,1)\n2\tb\t(0,2)\n1\t\\N\t(0,3)\n";
  const char* const error = "rows 1 and 3 have the same key; the index is unique";
  EXPECT_EQ(SortedText(MakeSchema("int4, text; unique"), twice), error);
  EXPECT_EQ(SortedText(MakeSchema("int4, text; unique"), nulls),
            "1\t\\N\t(0,1)\n1\t\\N\t(0,3)\n2\tb\t(0,2)\n");
  EXPECT_EQ(SortedText(MakeSchema("int4, text; unique nulls not distinct"), nulls), error);
  EXPECT_EQ(SortedText(MakeSchema("int4; unique"), "1\t(0,1)\n2\t(0,2)\n1\t(0,3)\n"), error);
  // Included columns make no key different, nor does their null make an exception.
  EXPECT_EQ(SortedText(MakeSchema("int4; include text; unique"), twice), error);
  EXPECT_EQ(SortedText(MakeSchema("int4; include text; unique"), nulls), error);
  // 1.0 and 1.00 are equal, though their bytes are not.
  EXPECT_EQ(SortedText(MakeSchema("numeric; unique"), "1.0\t(0,1)\n2\t(0,2)\n1.00\t(0,3)\n"),
            error);
}

TEST(TupleSortTest, NumbersRowsAcrossPieces) {
  const Schema schema = MakeSchema("text collate C; unique");
  std::string rows;
  const std::string filler(4000, 'x');
  for (int row = 0; row < 3000; ++row) {
    absl::StrAppend(&rows, filler, row == 2500 ? 17 : row, "\t(", row, ",1)\n");
  }
  EXPECT_EQ(SortedText(schema, rows), "rows 18 and 2501 have the same key; the index is unique");
}

// Against the generic comparator alone, over rows with many ties in every column.
RC_GTEST_PROP(TupleSortProperty, AgreesWithTheGenericComparator, ()) {
  const Schema schema = MakeSchema(*rc::gen::elementOf(std::vector<std::string>{
      "int4", "int8 desc", "text collate C", "text collate C desc, int4", "numeric, int2 desc",
      "float8 nulls first", "text collate en-US-x-icu", "uuid", "bool, text; include int4",
      "date desc nulls last, bytea"}));
  const auto row_count = *rc::gen::inRange<std::uint32_t>(0, 60);
  const std::uint32_t columns = schema.attribute_count();
  std::string rows;
  for (std::uint32_t row = 0; row < row_count; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      const int number = *rc::gen::inRange(0, 6);
      std::string text = std::to_string(number);
      switch (schema.attribute(column).type) {
        case TypeId::kBool:
          text = number % 2 == 0 ? "t" : "f";
          break;
        case TypeId::kUuid:
          text = "00000000-0000-0000-0000-00000000000" + text;
          break;
        case TypeId::kDate:
          text = "2000-01-0" + std::to_string(number + 1);
          break;
        case TypeId::kBytea:
          text = "\\\\x0" + text;
          break;
        default:
          break;
      }
      rows += number == 5 ? "\\N" : text;
      rows += '\t';
    }
    absl::StrAppend(&rows, "(", *rc::gen::inRange(0, 3), ",", row + 1, ")\n");
  }
  TupleSort sort(schema);
  AddAll(schema, rows, &sort);
  RC_ASSERT(sort.size() == row_count);
  RC_ASSERT(sort.Sort().ok());
  for (std::uint32_t index = 0; index < row_count; ++index) {
    if (index == 0) continue;
    DeformedTuple left;
    DeformedTuple right;
    const TupleView before = sort.tuple(index - 1);
    const TupleView after = sort.tuple(index);
    RC_ASSERT(left.Deform(schema, before, columns, before.size()).ok());
    RC_ASSERT(right.Deform(schema, after, columns, after.size()).ok());
    const int order = CompareKeys(schema, left.values(), right.values(), schema.key_count());
    RC_ASSERT(order < 0 || (order == 0 && before.tid() < after.tid()));
  }
  // Nothing is lost and nothing is made up: every address is there once.
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t index = 0; index < row_count; ++index) {
    offsets.push_back(sort.tuple(index).tid().offset);
  }
  std::sort(offsets.begin(), offsets.end());
  for (std::uint32_t index = 0; index < row_count; ++index) RC_ASSERT(offsets[index] == index + 1);
}

}  // namespace
}  // namespace tornleaf
