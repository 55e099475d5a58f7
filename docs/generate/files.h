// Whole text files, for generated pages.

#ifndef TORNLEAF_DOCS_GENERATE_FILES_H_
#define TORNLEAF_DOCS_GENERATE_FILES_H_

#include <string>

namespace tornleaf {

// Empty if there is no such file.
std::string ReadTextFile(const std::string& path);

}  // namespace tornleaf

#endif  // TORNLEAF_DOCS_GENERATE_FILES_H_
