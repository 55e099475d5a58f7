// "Did you mean": the name that was most likely meant by a mistyped one.

#ifndef TORNLEAF_TOOLS_NEAREST_H_
#define TORNLEAF_TOOLS_NEAREST_H_

#include <string>
#include <string_view>
#include <vector>

namespace tornleaf {

// Insertions, deletions, replacements and swaps of neighbours that turn one into the other
// (Damerau's distance, optimal string alignment).
std::size_t EditDistance(std::string_view a, std::string_view b);

// The candidate with the least distance to `typed`, the first of them if several; empty if even
// that one differs in more than half of its letters.
std::string Nearest(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_NEAREST_H_
