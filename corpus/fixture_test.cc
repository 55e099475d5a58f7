#include "corpus/fixture.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tornleaf {
namespace {

TEST(Fixture, SaysWhatIsNotThere) {
  EXPECT_TRUE(absl::IsNotFound(ListFixtures("corpus/nowhere").status()));
  EXPECT_TRUE(absl::IsNotFound(ListFixtures("docs").status()));
  EXPECT_TRUE(absl::IsNotFound(ReadFixture("corpus/nowhere").status()));
  EXPECT_EQ(ReadCorpusFile("corpus/nowhere").status().message(), "corpus/nowhere: cannot be read");
}

TEST(Fixture, RefusesAHalfOne) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "fixture_test_half";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file("corpus/postgres/int4/fixture.json", folder / "fixture.json",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(absl::IsNotFound(ReadFixture(folder.string()).status()));

  const std::string stored = *ReadCorpusFile("corpus/postgres/int4/meta.csv");
  std::ofstream(folder / "index.zst") << stored;
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFixture(folder.string()).status()));

  std::ofstream(folder / "fixture.json") << "{\"name\": 5}";
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFixture(folder.string()).status()));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tornleaf
