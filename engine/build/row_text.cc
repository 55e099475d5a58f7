#include "engine/build/row_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "engine/key/value_text.h"

namespace tornleaf {

namespace {

// Abseil's string functions know its own view type only.
absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

constexpr std::size_t kReadAhead = std::size_t{256} << 10;
constexpr std::string_view kNull = "\\N";
constexpr std::string_view kEndMarker = "\\.";

const char* Find(const char* begin, const char* end, char wanted) {
  return static_cast<const char*>(
      std::memchr(begin, wanted, static_cast<std::size_t>(end - begin)));
}

// The newline that ends the line: the first one without an odd run of backslashes before it.
const char* FindLineEnd(const char* begin, const char* end) {
  const char* from = begin;
  while (from != end) {
    const char* newline = Find(from, end, '\n');
    if (newline == nullptr) return nullptr;
    const char* before = newline;
    while (before != begin && before[-1] == '\\') --before;
    if ((newline - before) % 2 == 0) return newline;
    from = newline + 1;
  }
  return nullptr;
}

int DigitOf(char c, int base) {
  int digit = base;
  if (c >= '0' && c <= '9') digit = c - '0';
  if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
  return digit < base ? digit : -1;
}

// Reads up to `most` digits; without any, `*at` stays and the result is -1.
int ReadDigits(const char** at, const char* end, int base, int most) {
  int number = -1;
  for (int count = 0; count < most && *at != end; ++count) {
    const int digit = DigitOf(**at, base);
    if (digit < 0) break;
    number = (number < 0 ? 0 : number) * base + digit;
    ++*at;
  }
  return number;
}

// The character that an escape stands for; `*at` is just past the backslash, and not at the end.
char Unescape(const char** at, const char* end) {
  const int octal = ReadDigits(at, end, 8, 3);
  if (octal >= 0) return static_cast<char>(octal);
  const char c = *(*at)++;
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case 'x': {
      const int hex = ReadDigits(at, end, 16, 2);
      return hex >= 0 ? static_cast<char>(hex) : 'x';
    }
    default:
      return c;
  }
}

}  // namespace

absl::StatusOr<std::size_t> StringSource::Read(char* to, std::size_t size) {
  const std::size_t count = std::min(size, text_.size());
  std::memcpy(to, text_.data(), count);
  text_.remove_prefix(count);
  return count;
}

RowReader::RowReader(const Schema& schema, TextSource* source, PlainHeaders plain_headers)
    : schema_(schema),
      source_(source),
      plain_headers_(plain_headers),
      buffer_(kReadAhead),
      fields_(schema.attribute_count() + 1) {}

absl::Status RowReader::ErrorAtLine(std::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat("line ", line_number_, ": ", ToAbsl(what)));
}

absl::Status RowReader::ErrorAtField(std::size_t field, std::string_view what) const {
  const char* type = field < schema_.attribute_count()
                         ? InfoOf(schema_.attribute(static_cast<std::uint32_t>(field)).type).name
                         : "row address";
  return ErrorAtLine(absl::StrCat("field ", field + 1, " (", type, "): ", ToAbsl(what)));
}

// Reads more text behind what is there; false when there is none left.
absl::StatusOr<bool> RowReader::Fill() {
  if (source_ended_) return false;
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (end_ >= kMaxLineSize) {
      return ErrorAtLine(absl::StrCat("longer than ", kMaxLineSize, " bytes"));
    }
    buffer_.resize(buffer_.size() * 2);
  }
  absl::StatusOr<std::size_t> count = source_->Read(buffer_.data() + end_, buffer_.size() - end_);
  if (!count.ok()) return count.status();
  CHECK(*count <= buffer_.size() - end_);
  end_ += *count;
  source_ended_ = *count == 0;
  return !source_ended_;
}

// Takes the carriage return off the line, if lines of this text have one.
absl::Status RowReader::EndLine(std::string_view* line) {
  const bool has_return = line->ends_with('\r');
  if (line_end_ == LineEnd::kUnknown) {
    line_end_ = has_return ? LineEnd::kReturnNewline : LineEnd::kNewline;
  }
  if (line_end_ == LineEnd::kReturnNewline) {
    if (!has_return) {
      return ErrorAtLine("ends in a newline alone, earlier lines in carriage return and newline");
    }
    line->remove_suffix(1);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RowReader::NextLine(std::string_view* line) {
  ++line_number_;
  std::size_t searched = 0;
  for (;;) {
    const char* begin = buffer_.data() + begin_;
    const char* end = buffer_.data() + end_;
    // A second search starts at the last backslashes: they may escape the newline that follows.
    const char* newline = FindLineEnd(begin + searched, end);
    if (newline != nullptr) {
      *line = std::string_view(begin, static_cast<std::size_t>(newline - begin));
      begin_ += line->size() + 1;
      const absl::Status ended = EndLine(line);
      if (!ended.ok()) return ended;
      return true;
    }
    searched = end_ - begin_;
    while (searched != 0 && begin[searched - 1] == '\\') --searched;
    absl::StatusOr<bool> more = Fill();
    if (!more.ok()) return more.status();
    if (!*more) break;
  }
  if (begin_ == end_) return false;
  // The last line needs no newline.
  *line = std::string_view(buffer_.data() + begin_, end_ - begin_);
  begin_ = end_;
  if (line_end_ == LineEnd::kReturnNewline && line->ends_with('\r')) line->remove_suffix(1);
  return true;
}

absl::Status RowReader::AddField(std::string_view text, bool is_null) {
  if (field_count_ == fields_.size()) {
    return ErrorAtLine(absl::StrCat("more than ", fields_.size(), " fields: the schema has ",
                                    schema_.attribute_count(),
                                    " columns, and the row's address comes after them"));
  }
  fields_[field_count_++] = {text, is_null};
  return absl::OkStatus();
}

absl::Status RowReader::SplitPlain(std::string_view line) {
  const char* from = line.data();
  const char* end = from + line.size();
  for (;;) {
    const char* tab = Find(from, end, '\t');
    const char* field_end = tab == nullptr ? end : tab;
    const absl::Status added =
        AddField({from, static_cast<std::size_t>(field_end - from)}, /*is_null=*/false);
    if (!added.ok() || tab == nullptr) return added;
    from = tab + 1;
  }
}

absl::Status RowReader::SplitEscaped(std::string_view line) {
  // Unescaping never makes text longer, so the buffer does not move while fields point into it.
  unescaped_.resize(line.size());
  char* to = unescaped_.data();
  const char* from = line.data();
  const char* end = from + line.size();
  for (;;) {
    const char* field_begin = from;
    char* text_begin = to;
    while (from != end && *from != '\t') {
      const char c = *from++;
      if (c != '\\') {
        *to++ = c;
      } else if (from != end) {
        *to++ = Unescape(&from, end);
      } else {
        return ErrorAtField(field_count_, "ends in a backslash");
      }
    }
    const std::string_view raw(field_begin, static_cast<std::size_t>(from - field_begin));
    const absl::Status added =
        AddField({text_begin, static_cast<std::size_t>(to - text_begin)}, raw == kNull);
    if (!added.ok() || from == end) return added;
    ++from;
  }
}

absl::Status RowReader::ReadValues() {
  stored_.clear();
  const std::uint32_t count = schema_.attribute_count();
  for (std::uint32_t index = 0; index < count; ++index) {
    values_[index] = Value();
    if (fields_[index].is_null) continue;
    const std::size_t start = stored_.size();
    const Attribute& attribute = schema_.attribute(index);
    const absl::Status parsed = ParseValue(attribute.type, fields_[index].text, &stored_);
    if (!parsed.ok()) return ErrorAtField(index, std::string(parsed.message()));
    values_[index].is_null = false;
    values_[index].short_header = plain_headers_ == PlainHeaders::kShort;
    values_[index].size = static_cast<std::uint32_t>(stored_.size() - start);
  }
  // Only now does the memory stay where it is.
  const std::uint8_t* at = stored_.data();
  for (std::uint32_t index = 0; index < count; ++index) {
    if (values_[index].is_null) continue;
    values_[index].data = at;
    at += values_[index].size;
  }
  return absl::OkStatus();
}

absl::Status RowReader::ReadTid(const Field& field) {
  const std::string_view text = field.text;
  const char* end = text.data() + text.size();
  bool good = !field.is_null && text.size() >= 5 && text.front() == '(' && text.back() == ')';
  if (good) {
    const auto block = std::from_chars(text.data() + 1, end, tid_.block);
    good = block.ec == std::errc() && *block.ptr == ',';
    if (good) {
      const auto offset = std::from_chars(block.ptr + 1, end, tid_.offset);
      good = offset.ec == std::errc() && offset.ptr == end - 1;
    }
  }
  if (!good || tid_.block == kInvalidBlock || tid_.offset == 0) {
    return ErrorAtField(schema_.attribute_count(),
                        absl::StrCat("expected (block,offset) with block 0 to 4294967294 and "
                                     "offset 1 to 65535, found \"",
                                     ToAbsl(text), "\""));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RowReader::Next() {
  std::string_view line;
  absl::StatusOr<bool> read = NextLine(&line);
  if (!read.ok() || !*read || line == kEndMarker) {
    if (read.ok()) read = false;
    return read;
  }
  const char* end = line.data() + line.size();
  if (Find(line.data(), end, '\r') != nullptr) {
    return ErrorAtLine("holds a carriage return; write \\r");
  }
  field_count_ = 0;
  const bool escaped = Find(line.data(), end, '\\') != nullptr;
  absl::Status status = escaped ? SplitEscaped(line) : SplitPlain(line);
  if (!status.ok()) return status;
  if (field_count_ != fields_.size()) {
    return ErrorAtLine(absl::StrCat(field_count_, " of ", fields_.size(),
                                    " fields: expected every column of the schema and then the "
                                    "row's address as (block,offset), separated by tabs"));
  }
  status = ReadValues();
  if (!status.ok()) return status;
  status = ReadTid(fields_.back());
  if (!status.ok()) return status;
  return true;
}

namespace {

void AppendEscaped(std::string_view text, std::string* to) {
  for (const char c : text) {
    switch (c) {
      case '\\':
        to->append("\\\\");
        break;
      case '\b':
        to->append("\\b");
        break;
      case '\f':
        to->append("\\f");
        break;
      case '\n':
        to->append("\\n");
        break;
      case '\r':
        to->append("\\r");
        break;
      case '\t':
        to->append("\\t");
        break;
      case '\v':
        to->append("\\v");
        break;
      default:
        to->push_back(c);
    }
  }
}

}  // namespace

void AppendTidText(ItemPointer tid, std::string* text) {
  absl::StrAppend(text, "(", tid.block, ",", tid.offset, ")");
}

void AppendRowText(const Schema& schema, const Value* values, ItemPointer tid, std::string* text) {
  std::string field;
  for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
    if (values[index].is_null) {
      text->append(kNull);
    } else {
      field.clear();
      AppendValueText(schema.attribute(index).type, values[index], &field);
      AppendEscaped(field, text);
    }
    text->push_back('\t');
  }
  AppendTidText(tid, text);
  text->push_back('\n');
}

}  // namespace tornleaf
