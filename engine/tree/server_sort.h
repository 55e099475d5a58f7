// PostgreSQL's sort, down to the order in which it leaves equal elements.
//
// Where candidates for a split point are equally good, the server takes the one that its qsort
// happens to put first; the same bytes need the same order. The algorithm is Bentley and McIlroy's
// ("Engineering a Sort Function", 1993) with the parameters of src/include/lib/sort_template.h:
// insertion sort below 7 elements, a look whether the elements are sorted already, median of three,
// and of nine above 40 elements.

#ifndef TORNLEAF_ENGINE_TREE_SERVER_SORT_H_
#define TORNLEAF_ENGINE_TREE_SERVER_SORT_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tornleaf {
namespace server_sort_internal {

inline constexpr std::size_t kInsertionBelow = 7;
inline constexpr std::size_t kNineAbove = 40;

template <typename T, typename Compare>
void InsertionSort(std::span<T> all, Compare compare) {
  for (std::size_t next = 1; next < all.size(); ++next) {
    for (std::size_t at = next; at > 0 && compare(all[at - 1], all[at]) > 0; --at) {
      std::swap(all[at - 1], all[at]);
    }
  }
}

template <typename T, typename Compare>
bool IsSorted(std::span<T> all, Compare compare) {
  for (std::size_t at = 1; at < all.size(); ++at) {
    if (compare(all[at - 1], all[at]) > 0) return false;
  }
  return true;
}

template <typename T, typename Compare>
std::size_t MedianOfThree(std::span<T> all, std::size_t a, std::size_t b, std::size_t c,
                          Compare compare) {
  if (compare(all[a], all[b]) < 0) {
    if (compare(all[b], all[c]) < 0) return b;
    return compare(all[a], all[c]) < 0 ? c : a;
  }
  if (compare(all[b], all[c]) > 0) return b;
  return compare(all[a], all[c]) < 0 ? a : c;
}

template <typename T, typename Compare>
std::size_t ChoosePivot(std::span<T> all, Compare compare) {
  const std::size_t size = all.size();
  std::size_t middle = size / 2;
  if (size <= kInsertionBelow) return middle;
  std::size_t low = 0;
  std::size_t high = size - 1;
  if (size > kNineAbove) {
    const std::size_t step = size / 8;
    low = MedianOfThree(all, low, low + step, low + 2 * step, compare);
    middle = MedianOfThree(all, middle - step, middle, middle + step, compare);
    high = MedianOfThree(all, high - 2 * step, high - step, high, compare);
  }
  return MedianOfThree(all, low, middle, high, compare);
}

template <typename T>
void SwapRanges(std::span<T> all, std::size_t a, std::size_t b, std::size_t count) {
  std::swap_ranges(all.begin() + static_cast<std::ptrdiff_t>(a),
                   all.begin() + static_cast<std::ptrdiff_t>(a + count),
                   all.begin() + static_cast<std::ptrdiff_t>(b));
}

// Splits into less than, equal to and greater than the pivot; returns how many are less and how
// many greater. Equal elements gather at both ends first and are then swapped to the middle.
template <typename T, typename Compare>
std::pair<std::size_t, std::size_t> Partition(std::span<T> all, Compare compare) {
  std::swap(all[0], all[ChoosePivot(all, compare)]);
  // Positions one past what they name at the upper end, so that none falls below zero.
  std::size_t equal_low = 1;
  std::size_t low = 1;
  std::size_t high = all.size();
  std::size_t equal_high = all.size();
  for (;;) {
    while (low < high) {
      const int order = compare(all[low], all[0]);
      if (order > 0) break;
      if (order == 0) std::swap(all[equal_low++], all[low]);
      ++low;
    }
    while (low < high) {
      const int order = compare(all[high - 1], all[0]);
      if (order < 0) break;
      if (order == 0) std::swap(all[high - 1], all[--equal_high]);
      --high;
    }
    if (low >= high) break;
    std::swap(all[low++], all[--high]);
  }
  const std::size_t less = low - equal_low;
  const std::size_t greater = equal_high - high;
  const std::size_t from_low = std::min(equal_low, less);
  SwapRanges(all, 0, low - from_low, from_low);
  const std::size_t from_high = std::min(greater, all.size() - equal_high);
  SwapRanges(all, low, all.size() - from_high, from_high);
  return {less, greater};
}

}  // namespace server_sort_internal

// `compare` gives <0, 0, >0.
template <typename T, typename Compare>
void ServerSort(std::span<T> elements, Compare compare) {
  // Parts wait here instead of on the stack; the order in which they are sorted shows nowhere.
  std::vector<std::span<T>> parts = {elements};
  while (!parts.empty()) {
    const std::span<T> part = parts.back();
    parts.pop_back();
    if (part.size() < server_sort_internal::kInsertionBelow) {
      server_sort_internal::InsertionSort(part, compare);
      continue;
    }
    if (server_sort_internal::IsSorted(part, compare)) continue;
    const auto [less, greater] = server_sort_internal::Partition(part, compare);
    if (less > 1) parts.push_back(part.first(less));
    if (greater > 1) parts.push_back(part.last(greater));
  }
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_SERVER_SORT_H_
