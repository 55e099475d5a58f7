// Markdown tables of what the code knows: field tables, flags, bit fields, limits by page size.

#ifndef TORNLEAF_DOCS_GENERATE_MARKDOWN_H_
#define TORNLEAF_DOCS_GENERATE_MARKDOWN_H_

#include <span>
#include <string>
#include <vector>

#include "engine/page/field_table.h"

namespace tornleaf {

// The first row is the heading. Bars in cells are escaped.
std::string MarkdownTable(const std::vector<std::vector<std::string>>& rows);

std::string FieldsAsMarkdown(std::span<const Field> fields);
std::string FlagsAsMarkdown(std::span<const FlagBit> flags);
std::string BitsAsMarkdown(std::span<const BitField> bits);

}  // namespace tornleaf

#endif  // TORNLEAF_DOCS_GENERATE_MARKDOWN_H_
