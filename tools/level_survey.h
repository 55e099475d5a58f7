// What the levels of an index hold: the numbers by which page formats are compared.

#ifndef TORNLEAF_TOOLS_LEVEL_SURVEY_H_
#define TORNLEAF_TOOLS_LEVEL_SURVEY_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/key/schema.h"
#include "engine/page/page_source.h"

namespace tornleaf {

struct LevelSurvey {
  std::uint32_t level = 0;
  std::uint64_t pages = 0;
  std::uint64_t items = 0;       // data items: high keys are not counted
  std::uint64_t rows = 0;        // heap TIDs; 0 above the leaves
  std::uint64_t keys = 0;        // different keys, by image; 0 above the leaves
  std::uint64_t used_bytes = 0;  // line pointers and tuples, high keys included
  std::uint64_t room_bytes = 0;  // what the pages have for them
  std::uint64_t item_bytes = 0;  // tuples and line pointers of data items
  std::uint64_t unreadable = 0;  // items whose first column does not fit the schema

  // The first key column, as bytes that sort as the values do where that is possible: integers,
  // dates and floats with their most significant byte first; text, bytea, name and uuid as they
  // are; numeric as stored. Null and truncated columns are left out.
  std::uint64_t columns = 0;                 // items that have the column
  std::uint64_t column_bytes = 0;            // their bytes
  std::uint64_t neighbours = 0;              // pairs of such items side by side on a page
  std::uint64_t neighbour_prefix_bytes = 0;  // bytes that such pairs have in common at the start
  std::uint64_t page_prefix_bytes = 0;       // bytes in common to a whole page, times its items
};

// Surveys every level, from the root down, along the right links. InvalidArgument if block 0 is no
// metapage that leads to a root; DataLoss if a link leads astray; Unavailable if the source fails.
absl::StatusOr<std::vector<LevelSurvey>> SurveyLevels(
    PageSource* pages, const Schema& schema, const std::function<void(std::uint64_t)>& progress);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_LEVEL_SURVEY_H_
