// What somebody who mistyped a word may have meant.

#ifndef TORNLEAF_ENGINE_KEY_NEAREST_WORD_H_
#define TORNLEAF_ENGINE_KEY_NEAREST_WORD_H_

#include <string>
#include <string_view>
#include <vector>

namespace tornleaf {

// The candidate with the fewest insertions, deletions and replacements of letters from `word`, the
// first of equals; case does not count. Empty if none is near: at most a third of the letters, and
// one more, may differ.
std::string NearestWord(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_NEAREST_WORD_H_
