// The schema language: text -> Schema. The rest of Schema is in schema.cc.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "engine/key/nearest_word.h"
#include "engine/key/schema.h"

namespace tornleaf {

namespace {

struct Token {
  enum class Kind : std::uint8_t { kWord, kQuoted, kMark, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  // as written; of a quoted name, what it stands for
  std::string word;  // text in lower case, if it is a word
  std::size_t position = 0;
};

bool IsWordCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || byte >= 0x80 || c == '_' || c == '-' || c == '.' ||
         c == '@' || c == '+';
}

absl::Status ErrorAt(std::size_t position, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("schema, character ", position + 1, ": ", what));
}

absl::StatusOr<std::vector<Token>> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    if (absl::ascii_isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    Token token;
    token.position = at;
    if (text[at] == '"') {
      token.kind = Token::Kind::kQuoted;
      for (++at;; ++at) {
        if (at == text.size()) return ErrorAt(token.position, "the quoted name has no end");
        if (text[at] == '"' && (at + 1 == text.size() || text[at + 1] != '"')) break;
        if (text[at] == '"') ++at;
        token.text += text[at];
      }
      ++at;
    } else if (IsWordCharacter(text[at])) {
      token.kind = Token::Kind::kWord;
      while (at < text.size() && IsWordCharacter(text[at])) token.text += text[at++];
      token.word = absl::AsciiStrToLower(token.text);
    } else {
      token.kind = Token::Kind::kMark;
      token.text = text[at++];
    }
    tokens.push_back(std::move(token));
  }
  tokens.emplace_back().position = text.size();
  return tokens;
}

std::string Quoted(absl::string_view text) { return absl::StrCat("'", text, "'"); }

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  absl::StatusOr<Schema> Parse() {
    absl::Status status = ParseColumns(/*included=*/false);
    if (!status.ok()) return status;
    while (TakeMark(';')) {
      status = ParseClause();
      if (!status.ok()) return status;
    }
    if (Next().kind != Token::Kind::kEnd) return Unexpected("',', ';' or the end", {});
    return Schema::Make(std::move(columns_), key_count_, unique_, nulls_not_distinct_);
  }

 private:
  const Token& Next() const { return tokens_[next_]; }

  bool TakeMark(char mark) {
    if (Next().kind != Token::Kind::kMark || Next().text[0] != mark) return false;
    ++next_;
    return true;
  }

  bool TakeWord(std::string_view word) {
    if (Next().kind != Token::Kind::kWord || Next().word != word) return false;
    ++next_;
    return true;
  }

  // The error that the next token is not what is wanted; `words` are those it may be a slip of.
  absl::Status Unexpected(absl::string_view wanted, const std::vector<std::string>& words) const {
    const Token& token = Next();
    const std::string nearest =
        token.kind == Token::Kind::kWord ? NearestWord(token.word, words) : "";
    return ErrorAt(
        token.position,
        absl::StrCat("expected ", wanted, ", found ",
                     token.kind == Token::Kind::kEnd ? "the end" : Quoted(token.text),
                     nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?")));
  }

  absl::Status ParseColumns(bool included) {
    do {
      Attribute column;
      const std::size_t position = Next().position;
      absl::Status status = ParseType(&column);
      if (!status.ok()) return status;
      status = ParseOptions(included, &column);
      if (!status.ok()) return status;
      if (columns_.size() == kMaxAttributes) {
        return ErrorAt(position, absl::StrCat("an index has at most ", kMaxAttributes, " columns"));
      }
      columns_.push_back(std::move(column));
      if (!included) ++key_count_;
    } while (TakeMark(','));
    return absl::OkStatus();
  }

  absl::Status ParseType(Attribute* column) {
    // The longest run of words that is a type: 'timestamp' begins 'timestamp with time zone'. A
    // modifier may follow any word, as in 'timestamp(3) with time zone'.
    constexpr std::size_t kMostWords = 4;
    const std::size_t start = next_;
    std::size_t end = start;
    std::size_t modifier = 0;
    std::size_t modifier_of_type = 0;
    std::string name;
    for (std::size_t words = 0; words < kMostWords && Next().kind == Token::Kind::kWord; ++words) {
      absl::StrAppend(&name, words == 0 ? "" : " ", Next().word);
      ++next_;
      if (modifier == 0 && Next().kind == Token::Kind::kMark && Next().text == "(") {
        modifier = next_;
        const absl::Status status = SkipModifier();
        if (!status.ok()) return status;
      }
      if (const std::optional<TypeId> type = FindType(name)) {
        column->type = *type;
        modifier_of_type = modifier;
        end = next_;
      }
    }
    next_ = end;
    if (end == start) {
      std::vector<std::string> names;
      std::string list;
      for (const TypeInfo& type : AllTypes()) {
        names.emplace_back(type.name);
        absl::StrAppend(&list, list.empty() ? "" : ", ", type.name);
      }
      for (const char* alias : {"integer", "smallint", "bigint", "boolean", "real", "decimal"}) {
        names.emplace_back(alias);
      }
      absl::Status status = Unexpected(absl::StrCat("a type (", list, ")"), names);
      if (!TypeFollows()) return status;
      return absl::InvalidArgumentError(
          absl::StrCat(status.message(), "; columns are written without their names"));
    }
    const bool takes_modifier =
        column->type == TypeId::kVarchar || column->type == TypeId::kNumeric ||
        column->type == TypeId::kTimestamp || column->type == TypeId::kTimestampTz;
    if (modifier_of_type != 0 && !takes_modifier) {
      return ErrorAt(tokens_[modifier_of_type].position,
                     absl::StrCat("type ", InfoOf(column->type).name, " takes no modifier"));
    }
    column->storage = InfoOf(column->type).default_storage;
    return absl::OkStatus();
  }

  // Whether the word after the next one is a type, as in 'price numeric'.
  bool TypeFollows() const {
    return Next().kind != Token::Kind::kEnd && tokens_[next_ + 1].kind == Token::Kind::kWord &&
           FindType(tokens_[next_ + 1].word).has_value();
  }

  // A modifier limits what may be inserted and changes nothing about the stored form: it is read
  // and forgotten.
  absl::Status SkipModifier() {
    ++next_;
    do {
      bool number = Next().kind == Token::Kind::kWord;
      const std::string& digits = Next().text;
      const std::size_t sign = number && digits[0] == '-' ? 1 : 0;
      number = number && digits.size() > sign;
      for (std::size_t index = sign; number && index < digits.size(); ++index) {
        number = absl::ascii_isdigit(static_cast<unsigned char>(digits[index]));
      }
      if (!number) return Unexpected("a number", {});
      ++next_;
    } while (TakeMark(','));
    if (!TakeMark(')')) return Unexpected("',' or ')'", {});
    return absl::OkStatus();
  }

  absl::Status ParseOptions(bool included, Attribute* column) {
    bool collate = false;
    bool storage = false;
    bool direction = false;
    bool nulls = false;
    const std::vector<std::string> words =
        included ? std::vector<std::string>{"storage"}
                 : std::vector<std::string>{"collate", "storage", "asc", "desc", "nulls"};
    while (Next().kind == Token::Kind::kWord || Next().kind == Token::Kind::kQuoted) {
      const std::size_t position = Next().position;
      bool* seen = nullptr;
      absl::Status status;
      if (TakeWord("storage")) {
        seen = &storage;
        status = ParseStorage(column, position);
      } else if (included) {
        return Unexpected("'storage', ',' or ';' (an included column has no order)", words);
      } else if (TakeWord("collate")) {
        seen = &collate;
        status = ParseCollation(column, position);
      } else if (TakeWord("asc") || TakeWord("desc")) {
        seen = &direction;
        column->descending = tokens_[next_ - 1].word == "desc";
      } else if (TakeWord("nulls")) {
        seen = &nulls;
        column->nulls_first = Next().word == "first";
        if (!TakeWord("first") && !TakeWord("last")) {
          return Unexpected("'first' or 'last'", {"first", "last"});
        }
      } else {
        return Unexpected("'collate', 'storage', 'asc', 'desc', 'nulls', ',' or ';'", words);
      }
      if (*seen) return ErrorAt(position, "said twice for this column");
      if (!status.ok()) return status;
      *seen = true;
    }
    if (!nulls) column->nulls_first = column->descending;
    return absl::OkStatus();
  }

  absl::Status ParseStorage(Attribute* column, std::size_t position) {
    for (const Storage storage :
         {Storage::kPlain, Storage::kMain, Storage::kExtended, Storage::kExternal}) {
      if (!TakeWord(StorageName(storage))) continue;
      column->storage = storage;
      const std::string problem = ProblemOf(*column);
      return problem.empty() ? absl::OkStatus() : ErrorAt(position, problem);
    }
    return Unexpected("'plain', 'main', 'extended' or 'external'",
                      {"plain", "main", "extended", "external"});
  }

  absl::Status ParseCollation(Attribute* column, std::size_t position) {
    if (Next().kind != Token::Kind::kWord && Next().kind != Token::Kind::kQuoted) {
      return Unexpected("the name of a collation", {});
    }
    column->collation_name = Next().text;
    if (Next().word == "c" || Next().word == "posix") {
      column->collation_name = absl::AsciiStrToUpper(Next().text);
    }
    ++next_;
    if (!InfoOf(column->type).collatable) {
      return ErrorAt(position,
                     absl::StrCat("type ", InfoOf(column->type).name, " has no collation"));
    }
    const std::string problem = ProblemOf(*column);
    return problem.empty() ? absl::OkStatus() : ErrorAt(position, problem);
  }

  absl::Status ParseClause() {
    const std::size_t position = Next().position;
    if (TakeWord("include")) {
      if (columns_.size() != key_count_) return ErrorAt(position, "'include' is said twice");
      return ParseColumns(/*included=*/true);
    }
    if (!TakeWord("unique")) return Unexpected("'include' or 'unique'", {"include", "unique"});
    if (unique_) return ErrorAt(position, "'unique' is said twice");
    unique_ = true;
    if (!TakeWord("nulls")) return absl::OkStatus();
    if (!TakeWord("not")) return Unexpected("'not distinct'", {"not"});
    if (!TakeWord("distinct")) return Unexpected("'distinct'", {"distinct"});
    nulls_not_distinct_ = true;
    return absl::OkStatus();
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::vector<Attribute> columns_;
  std::uint32_t key_count_ = 0;
  bool unique_ = false;
  bool nulls_not_distinct_ = false;
};

}  // namespace

absl::StatusOr<Schema> Schema::Parse(std::string_view text) {
  absl::StatusOr<std::vector<Token>> tokens = Tokenize(text);
  if (!tokens.ok()) return tokens.status();
  return Parser(*std::move(tokens)).Parse();
}

}  // namespace tornleaf
