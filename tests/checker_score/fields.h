// Every field of every page of an index, as spans of bytes with a name: what there is to damage.

#ifndef TORNLEAF_TESTS_CHECKER_SCORE_FIELDS_H_
#define TORNLEAF_TESTS_CHECKER_SCORE_FIELDS_H_

#include <cstdint>
#include <vector>

#include "tests/checker_score/index_model.h"

namespace tornleaf {
namespace checker_score {

enum class Region : std::uint8_t {
  kHeader,
  kLinePointers,
  kHole,
  kTuple,
  kSpecial,
  kMetaPage,
  kDeletedPage,
  kNewPage,
};
inline constexpr std::uint32_t kRegionCount = 8;
const char* NameOf(Region region);

struct FieldSpan {
  Region region;
  const char* name;  // the same for the same kind of field on every page
  BlockNumber block;
  OffsetNumber slot;       // 0: not of an item
  std::uint32_t begin;     // of its first byte on the page
  std::uint32_t size;      // bytes
  std::uint8_t shift = 0;  // of a part of an integer: its place in it
  std::uint8_t width = 0;  // and its bits; 0: whole bytes
  std::uint32_t bit_count() const { return width != 0 ? width : 8 * size; }
};

// All fields, page by page, covering each byte of the index once.
std::vector<FieldSpan> FieldsOf(const IndexModel& index);

}  // namespace checker_score
}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_CHECKER_SCORE_FIELDS_H_
