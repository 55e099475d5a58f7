#include "engine/db/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/db/db_test_util.h"

namespace tornleaf {
namespace {

using ::testing::HasSubstr;

TEST_F(DatabaseTest, BeginsEmpty) {
  Make();
  const auto database = Open();
  ASSERT_NE(database, nullptr);
  EXPECT_EQ(*database->Count(), 0U);
  EXPECT_TRUE(RowsOf(database.get()).empty());
  EXPECT_EQ(database->schema().ToString(), "int4");
  EXPECT_TRUE(database->recovery().applied.empty());
}

TEST_F(DatabaseTest, KeepsRowsFromOneStartToTheNext) {
  Make();
  TestRows rows;
  auto database = Open();
  for (std::uint32_t number = 0; number < 500; ++number) {
    const TestRow row = {static_cast<std::int32_t>(number * 7919 % 501), TidOf(number)};
    rows.insert(row);
    const auto put = PutRow(database.get(), row);
    ASSERT_TRUE(put.ok()) << put.status();
    EXPECT_EQ(put->outcome, InsertResult::kInserted);
    EXPECT_EQ(PutRow(database.get(), row)->outcome, InsertResult::kAlreadyThere);
  }
  EXPECT_EQ(RowsOf(database.get()), rows);
  EXPECT_EQ(*database->Count(), rows.size());
  ASSERT_EQ(database->Close(), absl::OkStatus());
  database = Open();
  EXPECT_TRUE(database->recovery().applied.empty()) << "closed in order, and replayed";
  EXPECT_EQ(RowsOf(database.get()), rows);
  database.reset();
  ExpectCleanCheck(&world_);
}

TEST_F(DatabaseTest, RecoversWhatWasSynced) {
  Make();
  auto database = Open();
  for (std::uint32_t number = 0; number < 300; ++number) {
    ASSERT_TRUE(PutRow(database.get(), {static_cast<std::int32_t>(number), TidOf(number)}).ok());
  }
  ASSERT_TRUE(database->Sync().ok());
  world_.device.Crash(Survival::kNothing);
  database = Open();
  ASSERT_NE(database, nullptr);
  EXPECT_FALSE(database->recovery().applied.empty());
  EXPECT_EQ(*database->Count(), 300U);
}

TEST_F(DatabaseTest, FindsTheRowsOfAKey) {
  Make();
  const auto database = Open();
  std::vector<ItemPointer> tids;
  for (std::uint32_t number = 0; number < 50; ++number) {
    ASSERT_TRUE(PutRow(database.get(), {number % 2 == 0 ? 7 : 8, TidOf(number)}).ok());
    if (number % 2 == 0) tids.push_back(UnpackTid(TidOf(number)));
  }
  const std::int32_t key = 7;
  const Value value = ValueOf(&key);
  EXPECT_EQ(*database->Get(&value, 1), tids);
}

TEST_F(DatabaseTest, DeletesARowOnce) {
  Make();
  const auto database = Open();
  const TestRow row = {1, TidOf(1)};
  EXPECT_FALSE(*DeleteRow(database.get(), row));
  ASSERT_TRUE(PutRow(database.get(), row).ok());
  EXPECT_FALSE(*DeleteRow(database.get(), {2, TidOf(1)}));
  EXPECT_FALSE(*DeleteRow(database.get(), {1, TidOf(2)}));
  EXPECT_TRUE(*DeleteRow(database.get(), row));
  EXPECT_FALSE(*DeleteRow(database.get(), row));
  EXPECT_EQ(*database->Count(), 0U);
  EXPECT_EQ(database->deleted_rows(), 1U);
  EXPECT_TRUE(database->IsDeleted(UnpackTid(TidOf(1))));
}

TEST_F(DatabaseTest, DeletesRowsOutOfPostingLists) {
  Make();
  const auto database = Open();
  TestRows rows;
  for (std::uint32_t number = 0; number < 200; ++number) {
    rows.emplace(5, TidOf(number));
    ASSERT_TRUE(PutRow(database.get(), {5, TidOf(number)}).ok());
  }
  for (std::uint32_t number = 0; number < 200; number += 3) {
    EXPECT_TRUE(*DeleteRow(database.get(), {5, TidOf(number)}));
    rows.erase({5, TidOf(number)});
  }
  EXPECT_EQ(RowsOf(database.get()), rows);
  ASSERT_TRUE(database->Vacuum().ok());
  EXPECT_EQ(RowsOf(database.get()), rows);
}

TEST_F(DatabaseTest, GivesAnAddressBackOnlyByVacuum) {
  Make();
  const auto database = Open();
  ASSERT_TRUE(PutRow(database.get(), {1, TidOf(1)}).ok());
  ASSERT_TRUE(*DeleteRow(database.get(), {1, TidOf(1)}));
  EXPECT_TRUE(absl::IsFailedPrecondition(PutRow(database.get(), {9, TidOf(1)}).status()));
  const auto summary = database->Vacuum();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->rows_removed, 1U);
  EXPECT_EQ(database->deleted_rows(), 0U);
  EXPECT_EQ(PutRow(database.get(), {9, TidOf(1)})->outcome, InsertResult::kInserted);
  EXPECT_EQ(RowsOf(database.get()), (TestRows{{9, TidOf(1)}}));
}

TEST_F(DatabaseTest, RefusesASecondRowOfAUniqueKey) {
  Make(TestFormat(), "int4; unique");
  const auto database = Open();
  ASSERT_TRUE(PutRow(database.get(), {1, TidOf(1)}).ok());
  const auto second = PutRow(database.get(), {1, TidOf(2)});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->outcome, InsertResult::kConflict);
  EXPECT_EQ(PackTid(second->conflict), TidOf(1));
  EXPECT_EQ(PutRow(database.get(), {1, TidOf(1)})->outcome, InsertResult::kAlreadyThere);
  ASSERT_TRUE(*DeleteRow(database.get(), {1, TidOf(1)}));
  EXPECT_EQ(PutRow(database.get(), {1, TidOf(2)})->outcome, InsertResult::kInserted);
}

TEST_F(DatabaseTest, IsOpenOnce) {
  Make();
  auto database = Open();
  EXPECT_TRUE(absl::IsFailedPrecondition(OpenStatus()));
  ASSERT_EQ(database->Close(), absl::OkStatus());
  EXPECT_EQ(OpenStatus(), absl::OkStatus());
  EXPECT_TRUE(absl::IsFailedPrecondition(database->Count().status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(database->Close()));
}

TEST_F(DatabaseTest, CheckpointsByItself) {
  Make();
  auto database = Open();
  const Lsn redo = database->log()->redo();
  for (std::uint32_t number = 0; number < 1000; ++number) {
    ASSERT_TRUE(PutRow(database.get(), {static_cast<std::int32_t>(number), TidOf(number)}).ok());
  }
  EXPECT_GT(database->log()->redo(), redo);
  EXPECT_LT(database->log()->inserted() - database->log()->redo(),
            TestOptions().checkpoint_distance + 8192);
  // Old segments went: each checkpoint keeps the log of the one before it, and some are kept to be
  // used again.
  EXPECT_LT(world_.device.List(Path("wal"))->size(), 20U);
}

TEST_F(DatabaseTest, WritesNothingWhenNothingWasDone) {
  Make();
  auto database = Open();
  ASSERT_EQ(database->Close(), absl::OkStatus());
  const auto control = world_.device.Get(Path("control"));
  database = Open();
  EXPECT_EQ(*database->Count(), 0U);
  ASSERT_EQ(database->Close(), absl::OkStatus());
  EXPECT_EQ(world_.device.Get(Path("control")), control);
}

TEST_F(DatabaseTest, StopsAfterAFailedSync) {
  Make();
  auto database = Open();
  ASSERT_TRUE(PutRow(database.get(), {1, TidOf(1)}).ok());
  ASSERT_TRUE(database->Sync().ok());
  ASSERT_TRUE(PutRow(database.get(), {2, TidOf(2)}).ok());
  world_.device.Inject({.call = DeviceCall::kSync, .path_part = "wal"});
  const absl::Status failed = database->Sync().status();
  EXPECT_FALSE(failed.ok());
  EXPECT_THAT(std::string(failed.message()), HasSubstr("Input/output error"));
  EXPECT_TRUE(absl::IsFailedPrecondition(PutRow(database.get(), {3, TidOf(3)}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(database->Sync().status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(database->Checkpoint()));
  EXPECT_TRUE(absl::IsFailedPrecondition(database->Count().status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(database->Vacuum().status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(DeleteRow(database.get(), {1, TidOf(1)}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(database->Close()));
  database.reset();
  database = Open();
  ASSERT_NE(database, nullptr);
  EXPECT_TRUE(RowsOf(database.get()).contains({1, TidOf(1)}));
}

TEST_F(DatabaseTest, VacuumsOneAtATime) {
  Make();
  const auto database = Open();
  ASSERT_TRUE(PutRow(database.get(), {1, TidOf(1)}).ok());
  int second = 0;
  const auto summary = database->Vacuum([&](BlockNumber, BlockNumber) {
    // From another thread: the one that vacuums has the latch.
    world_.executor
        .Spawn("second",
               [&] {
                 if (absl::IsFailedPrecondition(database->Vacuum().status())) ++second;
               })
        ->Join();
  });
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_GT(second, 0);
}

// A clock at which something happens when a checkpoint looks at it.
class EventfulClock final : public Clock {
 public:
  std::int64_t NowMicroseconds() override { return 0; }
  std::int64_t UnixSeconds() override {
    if (event) event();
    return 1'700'000'000;
  }
  std::function<void()> event;
};

TEST_F(DatabaseTest, MakesNoSecondCheckpointWhileOneRuns) {
  Make();
  EventfulClock clock;
  Environment environment = world_.environment();
  environment.clock = &clock;
  DatabaseOptions options = TestOptions();
  options.checkpoint_distance = 0;  // always due
  const auto database = Database::Open(environment, kTestDirectory, options);
  ASSERT_TRUE(database.ok()) << database.status();
  int puts = 0;
  clock.event = [&] {
    world_.executor
        .Spawn("meanwhile",
               [&] {
                 if (PutRow(database->get(), {puts, TidOf(7)}).ok()) ++puts;
               })
        ->Join();
  };
  EXPECT_EQ((*database)->Checkpoint(), absl::OkStatus());
  EXPECT_EQ(puts, 1) << "it would wait for ever, or make a checkpoint of its own";
  clock.event = nullptr;
  EXPECT_EQ(*(*database)->Count(), 1U);
}

TEST_F(DatabaseTest, RefusesTooFewFrames) {
  Make();
  DatabaseOptions options = TestOptions();
  options.frames = 7;
  EXPECT_TRUE(absl::IsInvalidArgument(
      Database::Open(world_.environment(), kTestDirectory, options).status()));
}

TEST_F(DatabaseTest, WorksWithEightFrames) {
  Make();
  DatabaseOptions options = TestOptions();
  options.frames = 8;
  const auto database = Open(options);
  for (std::uint32_t number = 0; number < 2000; ++number) {
    const TestRow row = {static_cast<std::int32_t>(number * 7919 % 2003), TidOf(number)};
    const auto put = PutRow(database.get(), row);
    ASSERT_TRUE(put.ok()) << put.status();
    if (number % 2 == 0) {
      ASSERT_TRUE(*DeleteRow(database.get(), row));
    }
  }
  const auto summary = database->Vacuum();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(*database->Count(), 1000U);
}

}  // namespace
}  // namespace tornleaf
