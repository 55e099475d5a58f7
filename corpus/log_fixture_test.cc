#include "corpus/log_fixture.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tornleaf {
namespace {

TEST(LogFixtureTest, IsReadWhole) {
  const absl::StatusOr<LogFixture> fixture = ReadLogFixture("corpus/postgres_wal/random-int4");
  ASSERT_TRUE(fixture.ok()) << fixture.status();
  EXPECT_EQ(fixture->name, "random-int4");
  EXPECT_EQ(fixture->schema, "int4");
  EXPECT_EQ(fixture->relation[0], 1663U);
  EXPECT_EQ(fixture->first_segment.size(), 24U);
  EXPECT_FALSE(fixture->full_page_writes);
  EXPECT_GT(fixture->records.at("INSERT_LEAF"), 1000U);
  EXPECT_EQ(fixture->before.size() % fixture->page_size, 0U);
  EXPECT_GT(fixture->after.size(), fixture->before.size());
  EXPECT_EQ(fixture->log.size() % 8192, 0U);
}

TEST(LogFixtureTest, SaysWhatIsNotOne) {
  EXPECT_EQ(ReadLogFixture("corpus").status().code(), absl::StatusCode::kNotFound);
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "tornleaf_log_fixture";
  std::filesystem::create_directories(folder);
  for (const char* text : {"", "[]", R"({"name": "x"})", R"({"name": 5})"}) {
    std::ofstream(folder / "fixture.json") << text;
    const absl::Status status = ReadLogFixture(folder.string()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tornleaf
