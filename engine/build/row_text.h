// Rows in the text format of PostgreSQL's COPY: one line for a row, the columns of a schema in
// their order and then the row's address, separated by tabs:
//
//   https://example.com/a<tab>17<tab>(4711,3)
//
// `\N` is null. Backslash escapes are COPY's: \b \f \n \r \t \v, up to three octal digits, x and up
// to two hex digits, and any other character for itself, tab and newline included. Lines end in a
// newline, or all of them in carriage return and newline. A line `\.` ends the data.

#ifndef TORNLEAF_ENGINE_BUILD_ROW_TEXT_H_
#define TORNLEAF_ENGINE_BUILD_ROW_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/finding.h"
#include "engine/key/schema.h"
#include "engine/key/value.h"

namespace tornleaf {

// Where text comes from: a file, standard input, memory.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // Writes up to `size` bytes, at least one unless the text has ended; returns how many.
  virtual absl::StatusOr<std::size_t> Read(char* to, std::size_t size) = 0;
};

class StringSource : public TextSource {
 public:
  explicit StringSource(std::string_view text) : text_(text) {}
  absl::StatusOr<std::size_t> Read(char* to, std::size_t size) override;

 private:
  std::string_view text_;
};

// How the table that rows come from stores short values of columns with storage plain, and with it
// the index: INSERT gives them one-byte headers as everywhere, COPY leaves them with four bytes.
enum class PlainHeaders : std::uint8_t { kShort, kLong };

// Reads rows one after the other into memory that the next row uses again. Takes memory for the
// longest line and a read-ahead of 256 KiB.
class RowReader {
 public:
  // A line above this is refused: no index tuple comes near it.
  static constexpr std::size_t kMaxLineSize = std::size_t{16} << 20;

  // `schema` and `source` outlive the reader.
  RowReader(const Schema& schema, TextSource* source,
            PlainHeaders plain_headers = PlainHeaders::kShort);

  // Reads the next row; false at the end of the text. Errors of the text are InvalidArgument and
  // name line and field; errors of the source are passed on.
  absl::StatusOr<bool> Next();

  // The row that Next() read: its columns, valid until the next call, and its address.
  const Value* values() const { return values_; }
  ItemPointer tid() const { return tid_; }
  // The row's number, which is its line's: COPY counts an escaped newline as part of the line.
  std::uint64_t line_number() const { return line_number_; }

 private:
  struct Field {
    std::string_view text;
    bool is_null = false;
  };

  absl::StatusOr<bool> NextLine(std::string_view* line);
  absl::StatusOr<bool> Fill();
  absl::Status EndLine(std::string_view* line);
  absl::Status SplitPlain(std::string_view line);
  absl::Status SplitEscaped(std::string_view line);
  absl::Status AddField(std::string_view text, bool is_null);
  absl::Status ReadValues();
  absl::Status ReadTid(const Field& field);
  absl::Status ErrorAtLine(std::string_view what) const;
  absl::Status ErrorAtField(std::size_t field, std::string_view what) const;

  enum class LineEnd : std::uint8_t { kUnknown, kNewline, kReturnNewline };

  const Schema& schema_;
  TextSource* source_;
  const PlainHeaders plain_headers_;
  std::vector<char> buffer_;  // text read ahead: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool source_ended_ = false;
  LineEnd line_end_ = LineEnd::kUnknown;

  std::uint64_t line_number_ = 0;
  std::vector<Field> fields_;         // always one for each column and one for the address
  std::size_t field_count_ = 0;       // of the line at hand
  std::vector<char> unescaped_;       // fields of a line that has escapes
  std::vector<std::uint8_t> stored_;  // values in their stored form, one after the other
  Value values_[kMaxAttributes];
  ItemPointer tid_;
};

// Appends a row as the reader takes it, with the newline.
void AppendRowText(const Schema& schema, const Value* values, ItemPointer tid, std::string* text);

// Appends "(block,offset)".
void AppendTidText(ItemPointer tid, std::string* text);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BUILD_ROW_TEXT_H_
