#include "engine/store/relation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/pool_test_util.h"

namespace tornleaf {
namespace {

class RelationTest : public testing::Test {
 protected:
  RelationTest() {
    CHECK(device_.MakeDirectory("db").ok());
    CHECK(device_.SyncDirectory(".").ok());
  }

  absl::StatusOr<std::unique_ptr<Relation>> Open(bool create) {
    return Relation::Open(test_environment_.environment(),
                          {.id = {}, .path = kTestPath, .page_size = 512, .segment_bytes = 2048},
                          create);
  }
  // Four pages in each file.
  std::unique_ptr<Relation> MustOpen(bool create = true) {
    absl::StatusOr<std::unique_ptr<Relation>> relation = Open(create);
    CHECK(relation.ok());
    return *std::move(relation);
  }
  std::size_t SizeOf(const std::string& path) {
    return device_.Get(path).value_or(std::vector<std::uint8_t>()).size();
  }
  static std::vector<std::uint8_t> Page(std::uint8_t byte) {
    return std::vector<std::uint8_t>(512, byte);
  }
  static std::uint8_t FirstByte(Relation* relation, BlockNumber block) {
    std::vector<std::uint8_t> page(512);
    CHECK(relation->Read(block, page).ok());
    return page[0];
  }

  TestEnvironment test_environment_;
  MemoryDevice& device_ = test_environment_.device;
};

TEST_F(RelationTest, IsMadeOnlyOnDemand) {
  EXPECT_TRUE(absl::IsNotFound(Open(/*create=*/false).status()));
  EXPECT_EQ(MustOpen()->block_count(), 0U);
  EXPECT_EQ(MustOpen(/*create=*/false)->block_count(), 0U);
}

TEST_F(RelationTest, PagesGoOnFromFileToFile) {
  {
    const std::unique_ptr<Relation> relation = MustOpen();
    ASSERT_TRUE(relation->Extend(11).ok());
    for (BlockNumber block = 0; block < 11; ++block) {
      ASSERT_TRUE(relation->Write(block, Page(static_cast<std::uint8_t>(block + 1))).ok());
    }
    ASSERT_TRUE(relation->Extend(5).ok());  // nothing to do
    EXPECT_EQ(relation->block_count(), 11U);
    ASSERT_TRUE(relation->Sync().ok());
  }
  device_.Crash(Survival::kNothing);
  EXPECT_EQ(SizeOf("db/index"), 2048U);
  EXPECT_EQ(SizeOf("db/index.1"), 2048U);
  EXPECT_EQ(SizeOf("db/index.2"), 1536U);
  const std::unique_ptr<Relation> relation = MustOpen(/*create=*/false);
  ASSERT_EQ(relation->block_count(), 11U);
  for (BlockNumber block = 0; block < 11; ++block) {
    EXPECT_EQ(FirstByte(relation.get(), block), block + 1);
  }
}

TEST_F(RelationTest, AnExtensionThatACrashCutIsWrittenOver) {
  std::vector<std::uint8_t> bytes = Page(7);
  bytes.resize(900, 8);
  device_.Put(kTestPath, bytes);
  const std::unique_ptr<Relation> relation = MustOpen();
  EXPECT_EQ(relation->block_count(), 1U);
  ASSERT_TRUE(relation->Extend(2).ok());
  EXPECT_EQ(FirstByte(relation.get(), 0), 7);
  EXPECT_EQ(FirstByte(relation.get(), 1), 0);
}

TEST_F(RelationTest, AFileLeftByACrashIsEmptied) {
  device_.Put("db/index", Page(1));
  device_.Put("db/index.1", Page(2));
  const std::unique_ptr<Relation> relation = MustOpen();
  EXPECT_EQ(relation->block_count(), 1U);
  const std::uint64_t passes = PassesOf("relation.segment.left_by_crash");
  ASSERT_TRUE(relation->Extend(5).ok());
  EXPECT_EQ(PassesOf("relation.segment.left_by_crash"), passes + 1);
  EXPECT_EQ(FirstByte(relation.get(), 4), 0);
}

TEST_F(RelationTest, AFileLongerThanASegmentIsDamage) {
  device_.Put(kTestPath, std::vector<std::uint8_t>(2560));
  EXPECT_TRUE(absl::IsDataLoss(Open(true).status()));
}

TEST_F(RelationTest, AFileThatHasBecomeShorterIsDamage) {
  const std::unique_ptr<Relation> relation = MustOpen();
  ASSERT_TRUE(relation->Extend(2).ok());
  {
    const absl::StatusOr<std::unique_ptr<File>> file =
        device_.Open(kTestPath, OpenMode::kReadWrite);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Resize(700).ok());
  }
  std::vector<std::uint8_t> page(512);
  EXPECT_TRUE(relation->Read(0, page).ok());
  EXPECT_EQ(relation->Read(1, page),
            absl::DataLossError("db/index: block 1: the file has become shorter"));
}

TEST_F(RelationTest, AFullDiskShowsWhenItGrows) {
  const std::unique_ptr<Relation> relation = MustOpen();
  ASSERT_TRUE(relation->Extend(3).ok());
  device_.set_capacity(4096);
  EXPECT_TRUE(absl::IsResourceExhausted(relation->Extend(9)));
  EXPECT_EQ(relation->block_count(), 3U);
  EXPECT_TRUE(relation->Write(2, Page(3)).ok());
  device_.set_capacity(std::nullopt);
  ASSERT_TRUE(relation->Extend(9).ok());
  EXPECT_EQ(relation->block_count(), 9U);
  EXPECT_EQ(FirstByte(relation.get(), 8), 0);
  EXPECT_EQ(FirstByte(relation.get(), 2), 3);
}

TEST_F(RelationTest, WhichCallEverFailsItOpensOrSaysWhy) {
  device_.Put("db/index", std::vector<std::uint8_t>(2048));
  device_.Put("db/index.1", Page(1));
  for (const DeviceCall call : {DeviceCall::kOpen, DeviceCall::kCreate}) {
    device_.Inject({.call = call, .for_ever = true, .path_part = "index"});
    EXPECT_EQ(Open(true).ok(), call == DeviceCall::kCreate);
    device_.ClearFaults();
  }
  device_.Inject({.call = DeviceCall::kOpen, .nth = 2, .path_part = "index"});
  EXPECT_FALSE(Open(true).ok());
}

TEST_F(RelationTest, AfterAFailedSyncNothingIsDurableAnyMore) {
  const std::unique_ptr<Relation> relation = MustOpen();
  ASSERT_TRUE(relation->Extend(6).ok());
  ASSERT_TRUE(relation->Sync().ok());
  ASSERT_TRUE(relation->Write(5, Page(1)).ok());
  device_.Inject({.call = DeviceCall::kSync, .path_part = "index.1"});
  const absl::Status status = relation->Sync();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(relation->Sync(), status);
  ASSERT_TRUE(relation->Write(5, Page(1)).ok());
  EXPECT_EQ(relation->Sync(), status);
}

TEST_F(RelationTest, OnlyWhatWasWrittenIsSynced) {
  const std::unique_ptr<Relation> relation = MustOpen();
  ASSERT_TRUE(relation->Extend(12).ok());
  ASSERT_TRUE(relation->Sync().ok());
  const std::uint64_t syncs = device_.calls(DeviceCall::kSync);
  const std::uint64_t folder_syncs = device_.calls(DeviceCall::kSyncDirectory);
  ASSERT_TRUE(relation->Write(7, Page(1)).ok());
  ASSERT_TRUE(relation->Sync().ok());
  ASSERT_TRUE(relation->Sync().ok());
  EXPECT_EQ(device_.calls(DeviceCall::kSync), syncs + 1);
  EXPECT_EQ(device_.calls(DeviceCall::kSyncDirectory), folder_syncs);
}

}  // namespace
}  // namespace tornleaf
