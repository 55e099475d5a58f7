#include "tools/nearest.h"

#include <algorithm>

namespace tornleaf {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) table[i * width] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = table[(i - 1) * width + j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      const std::size_t removed = table[(i - 1) * width + j] + 1;
      const std::size_t inserted = table[i * width + j - 1] + 1;
      std::size_t least = std::min({replaced, removed, inserted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        least = std::min(least, table[(i - 2) * width + j - 2] + 1);
      }
      table[i * width + j] = least;
    }
  }
  return table.back();
}

std::string Nearest(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(typed, candidate);
    if (best == nullptr || distance < least) {
      best = &candidate;
      least = distance;
    }
  }
  if (best == nullptr || least * 2 > best->size()) return "";
  return *best;
}

}  // namespace tornleaf
