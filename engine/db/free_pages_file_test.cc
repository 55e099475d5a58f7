#include "engine/db/free_pages_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/db/db_test_util.h"

namespace tornleaf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FreePagesFileTest : public DatabaseTest {
 protected:
  std::vector<BlockNumber> Read(BlockNumber block_count) {
    return ReadFreePages(&world_.device, Path("free_pages"), block_count);
  }
};

TEST_F(FreePagesFileTest, WhatIsWrittenIsReadAndNothingElse) {
  Make();
  EXPECT_THAT(Read(100), IsEmpty());
  ASSERT_TRUE(WriteFreePages(&world_.device, Path("free_pages"), {3, 5, 70, 80}).ok());
  EXPECT_THAT(Read(100), ElementsAre(3, 5, 70, 80));
  EXPECT_THAT(Read(75), ElementsAre(3, 5, 70));
  EXPECT_THAT(Read(3), IsEmpty());  // longer than it can be
  ASSERT_TRUE(WriteFreePages(&world_.device, Path("free_pages"), {9}).ok());
  EXPECT_THAT(Read(100), ElementsAre(9));
  auto bytes = *world_.device.Get(Path("free_pages"));
  bytes[0] ^= 1;
  world_.device.Put(Path("free_pages"), bytes);
  EXPECT_THAT(Read(100), IsEmpty());
  bytes.resize(3);
  world_.device.Put(Path("free_pages"), bytes);
  EXPECT_THAT(Read(100), IsEmpty());
}

// Put, delete and VACUUM, each in a process of its own: the index stays as large as it got first.
TEST_F(FreePagesFileTest, PagesAreUsedAgainAfterAnotherStart) {
  Make();
  std::vector<BlockNumber> sizes;
  for (int round = 0; round < 3; ++round) {
    auto database = Open();
    for (std::uint32_t number = 0; number < 800; ++number) {
      ASSERT_TRUE(PutRow(database.get(), {static_cast<std::int32_t>(number), TidOf(number)}).ok());
    }
    ASSERT_EQ(database->Close(), absl::OkStatus());
    database = Open();
    for (std::uint32_t number = 0; number < 800; ++number) {
      ASSERT_TRUE(*DeleteRow(database.get(), {static_cast<std::int32_t>(number), TidOf(number)}));
    }
    const absl::StatusOr<VacuumSummary> summary = database->Vacuum();
    ASSERT_TRUE(summary.ok()) << summary.status();
    ASSERT_EQ(database->Close(), absl::OkStatus());
    sizes.push_back(static_cast<BlockNumber>(world_.device.Get(Path("index"))->size() / 512));
  }
  EXPECT_GT(sizes[0], 20U);
  EXPECT_LE(sizes[2], sizes[0] + 8);  // a few lie where nobody could see them yet
  ExpectCleanCheck(&world_);
}

}  // namespace
}  // namespace tornleaf
