#include "tools/level_survey.h"

#include <gtest/gtest.h>

#include "engine/format/nbtree_page.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

absl::StatusOr<std::vector<LevelSurvey>> Survey(const std::vector<std::uint8_t>& index,
                                                const char* schema,
                                                std::uint32_t page_size = 8192) {
  MemoryPages pages(index, page_size);
  const Schema parsed = *Schema::Parse(schema);
  return SurveyLevels(&pages, parsed, [](std::uint64_t) {});
}

TEST(LevelSurvey, CountsDuplicates) {
  // 2000 rows, n / 2 each: 0 once, 1..999 twice, 1000 once.
  const auto levels = Survey(LoadFixture("pairs").index, "int8");
  ASSERT_TRUE(levels.ok()) << levels.status();
  ASSERT_EQ(levels->size(), 2u);
  EXPECT_EQ((*levels)[0].level, 1u);
  EXPECT_EQ((*levels)[0].items, (*levels)[1].pages);
  const LevelSurvey& leaves = (*levels)[1];
  EXPECT_EQ(leaves.level, 0u);
  EXPECT_EQ(leaves.pages, 5u);
  EXPECT_EQ(leaves.rows, 2000u);
  EXPECT_EQ(leaves.keys, 1001u);
  EXPECT_EQ(leaves.items, 1001u);
  EXPECT_EQ(leaves.column_bytes, 8 * leaves.columns);
  EXPECT_LE(leaves.used_bytes, leaves.room_bytes);
  // Most significant byte first, neighbours differ in the last byte, seldom in the one before.
  EXPECT_GE(leaves.neighbour_prefix_bytes, 7 * leaves.neighbours - 4);
  EXPECT_EQ(leaves.unreadable, 0u);
}

TEST(LevelSurvey, EqualKeysShareAllTheirBytes) {
  const auto levels = Survey(LoadFixture("all-equal").index, "int4");
  ASSERT_TRUE(levels.ok());
  const LevelSurvey& leaves = levels->back();
  EXPECT_EQ(leaves.keys, 1u);
  EXPECT_EQ(leaves.neighbour_prefix_bytes, 4 * leaves.neighbours);
  EXPECT_EQ(leaves.page_prefix_bytes, 4 * leaves.columns);
}

TEST(LevelSurvey, WalksEveryFixture) {
  for (const std::string& name : FixtureNames()) {
    const Fixture fixture = LoadFixture(name);
    const auto levels = Survey(fixture.index, fixture.schema.c_str(), fixture.page_size);
    ASSERT_TRUE(levels.ok()) << name << levels.status();
    for (const LevelSurvey& level : *levels) {
      EXPECT_EQ(level.unreadable, 0u) << name;
      EXPECT_LE(level.used_bytes, level.room_bytes) << name;
      EXPECT_LE(level.page_prefix_bytes, level.column_bytes) << name;
      EXPECT_GE(level.rows, level.keys) << name;
    }
  }
}

TEST(LevelSurvey, AnEmptyIndexHasNoLevels) {
  EXPECT_TRUE(Survey(LoadFixture("empty").index, "int4")->empty());
}

TEST(LevelSurvey, EndsOnACircleAndOnALinkOutOfTheFile) {
  std::vector<std::uint8_t> index = LoadFixture("int4").index;
  const auto set_next = [&](BlockNumber block, BlockNumber next) {
    nbtree::SetNext(PageWriter(MutableBytes(index).subspan(block * 8192, 8192)), next);
  };
  set_next(1, 1);
  EXPECT_TRUE(absl::IsDataLoss(Survey(index, "int4").status()));
  set_next(1, 4000);
  EXPECT_TRUE(absl::IsDataLoss(Survey(index, "int4").status()));
}

TEST(LevelSurvey, CountsWhatDoesNotFitTheSchema) {
  const auto levels = Survey(LoadFixture("int4").index, "numeric, bool");
  ASSERT_TRUE(levels.ok());
  EXPECT_GT(levels->back().unreadable * 2, levels->back().items);
}

}  // namespace
}  // namespace tornleaf
