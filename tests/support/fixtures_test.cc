#include "tests/support/fixtures.h"

#include <gtest/gtest.h>

namespace tornleaf {
namespace {

TEST(FixturesTest, EveryFixtureLoadsWithItsCompanions) {
  const std::vector<std::string> names = FixtureNames();
  EXPECT_GE(names.size(), 40U);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Fixture fixture = LoadFixture(name);
    EXPECT_GE(fixture.page_count(), 1U);
    EXPECT_FALSE(fixture.schema.empty());
    EXPECT_FALSE(fixture.bt_index_check.empty());
    EXPECT_TRUE(FixtureText(name, "items.csv.zst").starts_with("blkno,"));
    EXPECT_TRUE(FixtureText(name, "stats.csv.zst").starts_with("blkno,"));
    EXPECT_TRUE(FixtureText(name, "meta.csv").starts_with("magic,"));
    if (fixture.rebuildable && fixture.page_count() > 1) {
      EXPECT_TRUE(FixtureText(name, "rows.tsv.zst").ends_with(")\n"));
    }
  }
}

TEST(FixturesTest, PagesAreThoseOfTheFile) {
  const Fixture fixture = LoadFixture("int4");
  EXPECT_EQ(fixture.page(0).size(), fixture.page_size);
  EXPECT_EQ(fixture.page(1).data(), fixture.index.data() + fixture.page_size);
}

}  // namespace
}  // namespace tornleaf
