// The generated pages of docs/: each a template with its markers filled in from the code's tables.

#ifndef TORNLEAF_DOCS_GENERATE_PAGES_H_
#define TORNLEAF_DOCS_GENERATE_PAGES_H_

#include <string>
#include <vector>

namespace tornleaf {

struct GeneratedPage {
  std::string path;  // from the repository root
  std::string text;
};

// All pages, made from the templates in docs/generate/templates and from corpus/rejects. The
// working folder is the repository root. CHECKs that every marker has a table.
std::vector<GeneratedPage> GenerateAllPages();

// The text with every line `<!-- table: NAME -->` replaced by that table.
std::string FillTemplate(const std::string& text);

std::string InvariantsPage();

}  // namespace tornleaf

#endif  // TORNLEAF_DOCS_GENERATE_PAGES_H_
