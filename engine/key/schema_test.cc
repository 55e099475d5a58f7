#include "engine/key/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tornleaf {
namespace {

using testing::HasSubstr;

std::string Canonical(std::string_view text) {
  const absl::StatusOr<Schema> schema = Schema::Parse(text);
  return schema.ok() ? schema->ToString() : std::string(schema.status().message());
}

TEST(SchemaTest, ReadsAllClauses) {
  const absl::StatusOr<Schema> schema =
      Schema::Parse("text collate C storage plain, int4 desc nulls last; include text; unique");
  ASSERT_TRUE(schema.ok()) << schema.status();
  ASSERT_EQ(schema->attribute_count(), 3U);
  EXPECT_EQ(schema->key_count(), 2U);
  EXPECT_TRUE(schema->has_include());
  EXPECT_TRUE(schema->unique());
  EXPECT_FALSE(schema->nulls_not_distinct());
  EXPECT_FALSE(schema->all_equal_image());
  EXPECT_TRUE(schema->order_known());
  EXPECT_EQ(schema->attribute(0).type, TypeId::kText);
  EXPECT_EQ(schema->attribute(0).storage, Storage::kPlain);
  EXPECT_EQ(schema->attribute(0).length, kVarlena);
  EXPECT_FALSE(schema->attribute(0).nulls_first);
  EXPECT_TRUE(schema->attribute(1).descending);
  EXPECT_FALSE(schema->attribute(1).nulls_first);
  EXPECT_EQ(schema->attribute(2).storage, Storage::kExtended);
}

TEST(SchemaTest, PrintsCanonicalTextThatReadsBackTheSame) {
  struct Case {
    const char* written;
    const char* canonical;
  };
  const Case cases[] = {
      {"int4", "int4"},
      {"  INTEGER asc nulls last ", "int4"},
      {"int4 desc", "int4 desc"},
      {"int4 desc nulls first", "int4 desc"},
      {"int4 nulls first", "int4 nulls first"},
      {"int4 nulls last desc", "int4 desc nulls last"},
      {"double precision, real, bigint,smallint,boolean", "float8, float4, int8, int2, bool"},
      {"timestamp(3) with time zone", "timestamptz"},
      {"timestamp with time zone desc", "timestamptz desc"},
      {"timestamp (0) without time zone", "timestamp"},
      {"timestamp", "timestamp"},
      {"timestamp(6)", "timestamp"},
      {"character varying(20) collate \"C\"", "varchar"},
      {"varchar(20) collate posix", "varchar collate POSIX"},
      {"numeric(10,2) storage main", "numeric"},
      {"decimal(3,-2) storage extended", "numeric storage extended"},
      {"text collate en-US-x-icu", "text collate en-US-x-icu"},
      {"text collate ucs_basic", "text collate ucs_basic"},
      {"text collate \"und-x-icu\"", "text collate und-x-icu"},
      {"text collate de-u-co-phonebk-x-icu", "text collate de-u-co-phonebk-x-icu"},
      {"name collate en_US.UTF-8", "name collate en_US.UTF-8"},
      {"text collate \"my \"\"own\"\"\"", "text collate \"my \"\"own\"\"\""},
      {"bytea; unique nulls not distinct; include uuid, bytea storage external, name",
       "bytea; include uuid, bytea storage external, name; unique nulls not distinct"},
  };
  for (const Case& example : cases) {
    EXPECT_EQ(Canonical(example.written), example.canonical) << example.written;
    EXPECT_EQ(Canonical(example.canonical), example.canonical);
  }
}

TEST(SchemaTest, SaysWhereAndWhatIsWrong) {
  struct Case {
    const char* written;
    const char* position;
    const char* message;
  };
  const Case cases[] = {
      {"", "character 1:", "expected a type (bool, int2"},
      {"tetx", "character 1:", "found 'tetx'; did you mean 'text'?"},
      {"int4, json", "character 7:", "found 'json'"},
      {"price numeric", "character 1:", "found 'price'; columns are written without their names"},
      {"text kollate C", "character 6:", "did you mean 'collate'?"},
      {"text collate", "character 13:", "expected the name of a collation, found the end"},
      {"text collate \"C", "character 14:", "has no end"},
      {"int4 collate C", "character 6:", "type int4 has no collation"},
      {"int4 storage main", "character 6:", "storage is plain"},
      {"text storage toast", "character 14:", "expected 'plain', 'main'"},
      {"text storage exernal", "character 14:", "did you mean 'external'?"},
      {"int4 desc asc", "character 11:", "said twice"},
      {"text collate C collate C", "character 16:", "said twice"},
      {"int4 nulls frist", "character 12:", "did you mean 'first'?"},
      {"int4(3)", "character 5:", "takes no modifier"},
      {"varchar(x)", "character 9:", "expected a number"},
      {"varchar(1", "character 10:", "expected ',' or ')'"},
      {"int4; uniq", "character 7:", "did you mean 'unique'?"},
      {"int4; unique; unique", "character 15:", "said twice"},
      {"int4; include int4; include int4", "character 21:", "said twice"},
      {"int4; unique nulls distinct", "character 20:", "expected 'not distinct'"},
      {"int4; include int4 desc", "character 20:", "an included column has no order"},
      {"int4 ! int4", "character 6:", "found '!'"},
      {"int4,", "character 6:", "expected a type"},
      {"text collate xx-YY-x-icu", "character 6:", "knows no locale \"xx-YY\""},
      {"text collate en-UX-x-icu", "character 6:", "did you mean en-"},
  };
  for (const Case& example : cases) {
    const absl::StatusOr<Schema> schema = Schema::Parse(example.written);
    ASSERT_FALSE(schema.ok()) << example.written;
    EXPECT_EQ(schema.status().code(), absl::StatusCode::kInvalidArgument);
    const std::string message(schema.status().message());
    EXPECT_THAT(message, HasSubstr(example.position)) << example.written;
    EXPECT_THAT(message, HasSubstr(example.message)) << example.written;
  }
}

TEST(SchemaTest, HasAtMost32Columns) {
  std::string text = "int4";
  for (std::uint32_t count = 1; count < kMaxAttributes; ++count) text += ", int4";
  EXPECT_TRUE(Schema::Parse(text).ok());
  EXPECT_THAT(Canonical(text + "; include bool"), HasSubstr("character 201: an index has at most"));
}

TEST(SchemaTest, MakeRefusesWhatParseRefuses) {
  EXPECT_FALSE(Schema::Make({}, 0, false, false).ok());
  EXPECT_FALSE(Schema::Make({Attribute{}}, 2, false, false).ok());
  EXPECT_FALSE(Schema::Make({Attribute{}}, 1, false, true).ok());
  Attribute column;
  column.storage = Storage::kMain;
  EXPECT_FALSE(Schema::Make({column}, 1, false, false).ok());
  column.type = TypeId::kText;
  EXPECT_TRUE(Schema::Make({column}, 1, false, false).ok());
  column.collation_name = "xx-x-icu";
  EXPECT_FALSE(Schema::Make({column}, 1, false, false).ok());
}

TEST(SchemaTest, KnowsWhichIndexesMayHavePostingLists) {
  // Any deterministic collation will do: what it finds equal has the same bytes.
  for (const char* text : {"int4, uuid", "text collate en_US.UTF-8", "name", "bytea, bool, oid",
                           "text collate en-US-x-icu", "date, timestamp, timestamptz"}) {
    EXPECT_TRUE(Schema::Parse(text)->all_equal_image()) << text;
  }
  for (const char* text : {"float4", "float8", "numeric", "int4, numeric", "int4; include int4"}) {
    EXPECT_FALSE(Schema::Parse(text)->all_equal_image()) << text;
  }
}

TEST(SchemaTest, OrderIsUnknownWithLibcCollationsOfKeyColumns) {
  EXPECT_TRUE(Schema::Parse("text collate C, name collate und-x-icu")->order_known());
  EXPECT_FALSE(Schema::Parse("int4, text collate default")->order_known());
  EXPECT_FALSE(Schema::Parse("text collate C.UTF-8")->order_known());
  EXPECT_TRUE(Schema::Parse("int4; include text")->order_known());
}

TEST(SchemaTest, AnIncludedNameIsStoredAtFullLength) {
  const absl::StatusOr<Schema> schema = Schema::Parse("name; include name");
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema->attribute(0).length, kCString);
  EXPECT_EQ(schema->attribute(1).length, kNameSize);
}

}  // namespace
}  // namespace tornleaf
