#include "engine/build/row_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tornleaf {
namespace {

Schema MakeSchema(std::string_view text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return *std::move(schema);
}

// Gives the text a few bytes at a time, so that lines and escapes are cut everywhere.
class Dripping : public TextSource {
 public:
  Dripping(std::string_view text, std::size_t piece) : rest_(text), piece_(piece) {}
  absl::StatusOr<std::size_t> Read(char* to, std::size_t size) override {
    StringSource source(rest_);
    const absl::StatusOr<std::size_t> count = source.Read(to, std::min(size, piece_));
    rest_.remove_prefix(*count);
    return count;
  }

 private:
  std::string_view rest_;
  std::size_t piece_;
};

class Failing : public TextSource {
 public:
  absl::StatusOr<std::size_t> Read(char*, std::size_t) override {
    return absl::UnavailableError("the disk is gone");
  }
};

std::string TextOf(const Value& value) {
  return value.is_null ? "NULL" : std::string(value.data, value.data + value.size);
}

// Reads all rows of one text column as "value@block.offset", or the error at the end.
std::vector<std::string> ReadText(TextSource* source) {
  const Schema schema = MakeSchema("text collate C");
  RowReader reader(schema, source);
  std::vector<std::string> rows;
  for (;;) {
    const absl::StatusOr<bool> read = reader.Next();
    if (!read.ok()) {
      rows.push_back(read.status().ToString());
      return rows;
    }
    if (!*read) return rows;
    rows.push_back(TextOf(reader.values()[0]) + "@" + std::to_string(reader.tid().block) + "." +
                   std::to_string(reader.tid().offset));
  }
}

std::vector<std::string> ReadText(std::string_view text) {
  StringSource source(text);
  return ReadText(&source);
}

using Rows = std::vector<std::string>;

TEST(RowReaderTest, ReadsPlainLines) {
  EXPECT_EQ(ReadText("a\t(0,1)\nbc\t(4294967294,65535)\n\t(7,2)\n"),
            (Rows{"a@0.1", "bc@4294967294.65535", "@7.2"}));
  EXPECT_EQ(ReadText("last line without newline\t(0,1)"), Rows{"last line without newline@0.1"});
  EXPECT_EQ(ReadText(""), Rows{});
}

TEST(RowReaderTest, ReadsNullAndEscapes) {
  EXPECT_EQ(ReadText("\\N\t(0,1)\n\\\\N\t(0,2)\nx\\N\t(0,3)\n"),
            (Rows{"NULL@0.1", "\\N@0.2", "xN@0.3"}));
  EXPECT_EQ(ReadText("\\b\\f\\n\\r\\t\\v\\q\t(0,1)\n"), Rows{"\b\f\n\r\t\vq@0.1"});
  EXPECT_EQ(ReadText("\\101\\1018\\7z\\x41\\x4g\\xg\\X\t(0,1)\n"), Rows{"AA8\az"
                                                                        "A\x04gxgX@0.1"});
  EXPECT_EQ(ReadText("a\\\tb\\\nc\t(0,1)\nd\t(0,2)\n"), (Rows{"a\tb\nc@0.1", "d@0.2"}));
  EXPECT_EQ(ReadText("even\\\\\t(0,1)\nodd\\\\\\\n\t(0,2)\n"), (Rows{"even\\@0.1", "odd\\\n@0.2"}));
}

TEST(RowReaderTest, EndsAtTheEndMarker) {
  EXPECT_EQ(ReadText("a\t(0,1)\n\\.\nnot read\n"), Rows{"a@0.1"});
}

TEST(RowReaderTest, TakesReturnAndNewlineAsCopyDoes) {
  EXPECT_EQ(ReadText("a\t(0,1)\r\nb\t(0,2)\r\n\\.\r\n"), (Rows{"a@0.1", "b@0.2"}));
  EXPECT_EQ(ReadText("a\t(0,1)\r\nb\t(0,2)"), (Rows{"a@0.1", "b@0.2"}));
  EXPECT_NE(ReadText("a\t(0,1)\r\nb\t(0,2)\n").back().find("line 2: ends in a newline alone"),
            std::string::npos);
  EXPECT_NE(ReadText("a\t(0,1)\nb\t(0,2)\r\n").back().find("line 2: holds a carriage return"),
            std::string::npos);
  EXPECT_NE(ReadText("a\rb\t(0,1)\n").back().find("line 1: holds a carriage return"),
            std::string::npos);
}

TEST(RowReaderTest, DoesNotMindWhereReadsEnd) {
  const std::string text =
      "a\\\\\t(0,1)\nb\\\nc\t(0,2)\n\\N\t(0,3)\nlong " + std::string(300, 'x') + "\t(0,4)\n\\.\n";
  const Rows whole = ReadText(text);
  ASSERT_EQ(whole.size(), 4U);
  for (std::size_t piece = 1; piece < 40; ++piece) {
    Dripping source(text, piece);
    EXPECT_EQ(ReadText(&source), whole) << piece;
  }
}

TEST(RowReaderTest, GrowsForALongLineAndRefusesAnEndlessOne) {
  const std::string value(1 << 20, 'y');
  EXPECT_EQ(ReadText(value + "\t(0,1)\n"), Rows{value + "@0.1"});
  const std::string endless(RowReader::kMaxLineSize + 1, 'y');
  EXPECT_EQ(ReadText(endless).back(), "INVALID_ARGUMENT: line 1: longer than 16777216 bytes");
}

TEST(RowReaderTest, ErrorsNameLineFieldAndWhatIsWrong) {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"a\n", "line 1: 1 of 2 fields"},
      {"a\t(0,1)\n\n", "line 2: 1 of 2 fields"},
      {"a\tb\t(0,1)\n", "line 1: more than 2 fields"},
      {"a\t0,1\n", "line 1: field 2 (row address): expected (block,offset)"},
      {"a\t(0,1\n", "(row address)"},
      {"a\t(,1)\n", "(row address)"},
      {"a\t(0,)\n", "(row address)"},
      {"a\t(0 1)\n", "(row address)"},
      {"a\t(0,1)x\n", "(row address)"},
      {"a\t(-1,1)\n", "(row address)"},
      {"a\t\\N\n", "(row address)"},
      {"a\t(4294967295,1)\n", "found \"(4294967295,1)\""},
      {"a\t(4294967296,1)\n", "(row address)"},
      {"a\t(0,0)\n", "(row address)"},
      {"a\t(0,65536)\n", "(row address)"},
      {"a\t(0,1)\\", "line 1: field 2 (row address): ends in a backslash"},
  };
  for (const Case& wrong : cases) {
    EXPECT_NE(ReadText(wrong.text).back().find(wrong.error), std::string::npos)
        << wrong.text << " gave " << ReadText(wrong.text).back();
  }
}

TEST(RowReaderTest, ErrorsOfValuesNameTheirType) {
  const Schema schema = MakeSchema("int4, bool");
  StringSource source("1\tt\t(0,1)\n2\tmaybe\t(0,2)\n");
  RowReader reader(schema, &source);
  ASSERT_TRUE(reader.Next().ok());
  EXPECT_EQ(reader.line_number(), 1U);
  const absl::Status status = reader.Next().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message().substr(0, 24), "line 2: field 2 (bool): ");
}

TEST(RowReaderTest, PassesErrorsOfTheSourceOn) {
  Failing source;
  EXPECT_EQ(ReadText(&source), Rows{"UNAVAILABLE: the disk is gone"});
}

// What AppendRowText writes, the reader takes back, whatever the bytes.
RC_GTEST_PROP(RowTextProperty, TextOfARowGivesTheRow, ()) {
  const Schema schema = MakeSchema("text collate C, bytea, int8");
  const auto text = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::inRange<char>(1, 127), rc::gen::element('\\', '\t', '\n', '\r', 'N', '.')));
  const auto bytes = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
  const auto number = *rc::gen::arbitrary<std::int64_t>();
  std::uint8_t stored[sizeof number];
  StoreLittleEndian(stored, number);
  Value values[3] = {Value::Of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}),
                     Value::Of(bytes), Value::Of(stored)};
  const auto null = *rc::gen::inRange(0, 4);
  if (null < 3) values[null] = Value();
  const ItemPointer tid{*rc::gen::inRange(0U, 0xFFFFFFFEU),
                        *rc::gen::inRange<OffsetNumber>(1, 0xFFFF)};
  std::string line;
  AppendRowText(schema, values, tid, &line);

  StringSource source(line);
  RowReader reader(schema, &source);
  const absl::StatusOr<bool> read = reader.Next();
  RC_ASSERT(read.ok());
  RC_ASSERT(*read);
  RC_ASSERT(reader.tid() == tid);
  for (std::size_t index = 0; index < 3; ++index) {
    RC_ASSERT(ImageEqual(reader.values()[index], values[index]));
  }
  RC_ASSERT(!*reader.Next());
}

}  // namespace
}  // namespace tornleaf
