#include "docs/generate/markdown.h"

#include <cstdio>

namespace tornleaf {

namespace {

std::string Escaped(const std::string& cell) {
  std::string text;
  for (const char c : cell) {
    if (c == '|') text += '\\';
    text += c;
  }
  return text;
}

std::string Row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + Escaped(cell) + " |";
  return text + "\n";
}

std::string Code(const std::string& text) { return "`" + text + "`"; }

std::string Hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%04x", value);
  return text;
}

const char* KindName(FieldKind kind) {
  switch (kind) {
    case FieldKind::kNumber:
      return "number";
    case FieldKind::kSigned:
      return "signed number";
    case FieldKind::kFlags:
      return "flags";
    case FieldKind::kHex:
      return "hex number";
    case FieldKind::kFloat:
      return "float8";
    case FieldKind::kBool:
      return "bool";
    case FieldKind::kPadding:
      return "padding";
  }
  return "";
}

const char* RedoName(FieldRedo redo) {
  switch (redo) {
    case FieldRedo::kLogged:
      return "logged";
    case FieldRedo::kHint:
      return "hint";
    case FieldRedo::kMasked:
      return "masked";
  }
  return "";
}

}  // namespace

std::string MarkdownTable(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    text += Row(rows[index]);
    if (index == 0) text += Row(std::vector<std::string>(rows[0].size(), "---"));
  }
  return text;
}

std::string FieldsAsMarkdown(std::span<const Field> fields) {
  std::vector<std::vector<std::string>> rows = {
      {"offset", "bytes", "field", "type", "meaning", "legal", "changed by", "redo"}};
  for (const Field& field : fields) {
    rows.push_back({std::to_string(field.offset), std::to_string(field.size), Code(field.name),
                    KindName(field.kind), field.meaning, field.legal, field.changed_by,
                    RedoName(field.redo)});
  }
  return MarkdownTable(rows);
}

std::string FlagsAsMarkdown(std::span<const FlagBit> flags) {
  std::vector<std::vector<std::string>> rows = {{"bit", "flag", "meaning"}};
  for (const FlagBit& flag : flags) {
    rows.push_back({Code(Hex(flag.bit)), Code(flag.name), flag.meaning});
  }
  return MarkdownTable(rows);
}

std::string BitsAsMarkdown(std::span<const BitField> bits) {
  std::vector<std::vector<std::string>> rows = {{"bits", "name", "meaning"}};
  for (const BitField& field : bits) {
    const int last = field.shift + field.width - 1;
    const std::string range = field.width == 1
                                  ? std::to_string(field.shift)
                                  : std::to_string(field.shift) + "-" + std::to_string(last);
    rows.push_back({range, Code(field.name), field.meaning});
  }
  return MarkdownTable(rows);
}

}  // namespace tornleaf
