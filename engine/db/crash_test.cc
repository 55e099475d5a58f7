// Crashes at every call that changes something on the device, errors at every call, and both again
// while the database recovers.

#include <gtest/gtest.h>

#include <limits>

#include "engine/db/workload_test_util.h"

namespace tornleaf {
namespace {

struct CrashCase {
  const char* name;
  std::uint32_t page_size;
  bool full_page_images;
  std::uint64_t seed;
};

constexpr Survival kSurvivals[] = {Survival::kNothing, Survival::kEverything, Survival::kSome};

DatabaseOptions SmallOptions() {
  DatabaseOptions options;
  options.frames = 8;
  options.checkpoint_distance = 6000;
  return options;
}

class CrashTest : public ::testing::TestWithParam<CrashCase> {
 protected:
  void SetUp() override {
    // Pages of one sector cannot tear: they do without images.
    ASSERT_EQ(Database::Create(world_.environment(), kTestDirectory, TestSchema(),
                               TestFormat(GetParam().page_size, GetParam().full_page_images)),
              absl::OkStatus());
    begin_ = world_.device.Snapshot();
    plan_ = PlanWork(GetParam().seed, 300, 120);
  }

  absl::StatusOr<std::unique_ptr<Database>> Open() {
    return Database::Open(world_.environment(), kTestDirectory, SmallOptions());
  }

  // The device's state after the machine stopped at change `nth` of the workload. False if the
  // workload has fewer changes.
  bool CrashAt(std::uint64_t nth, Survival survival, WorkHistory* history) {
    world_.device.Restore(begin_);
    const std::uint64_t fired = world_.device.faults_fired();
    world_.device.Inject({.nth = nth, .for_ever = true, .torn = GetParam().full_page_images});
    auto database = Open();
    if (database.ok()) {
      history->Run(database->get(), plan_);
      if ((*database)->Close().ok()) history->Synced();
    }
    const bool crashed = world_.device.faults_fired() != fired;
    world_.device.ClearFaults();
    database = absl::UnknownError("");
    world_.device.Crash(survival);
    return crashed;
  }

  // The index's file as recovery leaves it. Scans would leave hints in it.
  std::optional<std::vector<std::uint8_t>> RecoveredIndex() {
    EXPECT_TRUE(Open().ok());
    return world_.device.Get("d/index");
  }

  // Recovers, and holds what is there to the history and the rules.
  TestRows ExpectSurvivors(const WorkHistory& history) {
    ExpectCleanCheck(&world_);
    auto database = Open();
    EXPECT_TRUE(database.ok()) << database.status();
    if (!database.ok()) return {};
    TestRows rows = RowsOf(database->get());
    EXPECT_TRUE(history.Allows(rows)) << rows.size() << " rows, " << history.synced() << " synced";
    EXPECT_EQ(*(*database)->Count(), rows.size());
    return rows;
  }

  TestEnvironment world_;
  MemoryFiles begin_;
  std::vector<WorkStep> plan_;
};

TEST_P(CrashTest, KeepsWhatWasSyncedAtEveryCall) {
  for (const Survival survival : kSurvivals) {
    for (std::uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE(::testing::Message()
                   << "change " << nth << " survival " << static_cast<int>(survival));
      WorkHistory history;
      const bool crashed = CrashAt(nth, survival, &history);
      const TestRows rows = ExpectSurvivors(history);
      if (HasFailure()) return;
      if (!crashed) {
        EXPECT_GT(nth, 100U);
        EXPECT_FALSE(rows.empty());
        EXPECT_EQ(history.failed_steps(), 0);
        break;
      }
    }
  }
}

TEST_P(CrashTest, RecoversFromCrashesWhileItRecovers) {
  constexpr std::uint64_t kStride = 37;
  std::uint64_t crashes = 0;
  for (std::uint64_t nth = 5;; nth += kStride) {
    const Survival survival = kSurvivals[nth % 3];
    WorkHistory history;
    if (!CrashAt(nth, survival, &history)) break;
    const MemoryFiles crashed = world_.device.Snapshot();
    const auto index = RecoveredIndex();
    const TestRows rows = ExpectSurvivors(history);
    for (std::uint64_t during = 1;; ++during) {
      SCOPED_TRACE(::testing::Message() << "change " << nth << ", of recovery " << during);
      world_.device.Restore(crashed);
      const std::uint64_t fired = world_.device.faults_fired();
      world_.device.Inject({.nth = during, .for_ever = true, .torn = GetParam().full_page_images});
      const bool opened = Open().ok();
      world_.device.ClearFaults();
      if (world_.device.faults_fired() == fired) {
        EXPECT_TRUE(opened);
        break;
      }
      world_.device.Crash(kSurvivals[during % 3]);
      EXPECT_EQ(RecoveredIndex(), index);
      EXPECT_EQ(ExpectSurvivors(history), rows);
      if (HasFailure()) return;
      ++crashes;
    }
  }
  EXPECT_GT(crashes, 30U);
}

// One call fails and the machine goes on. Whatever a failed sync has left in the system's cache,
// what a database that was opened again shows is durable when it has been opened.
TEST_P(CrashTest, LosesNothingByAnErrorAtAnyCall) {
  constexpr FailedSync kFailedSyncs[] = {FailedSync::kStillDirty, FailedSync::kMarkedClean,
                                         FailedSync::kSomeWritten, FailedSync::kCacheDropped};
  for (std::uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE(::testing::Message() << "change " << nth);
    world_.device.Restore(begin_);
    const std::uint64_t fired = world_.device.faults_fired();
    world_.device.Inject({.nth = nth,
                          .error = nth % 2 == 0 ? EIO : ENOSPC,
                          .torn = GetParam().full_page_images,
                          .failed_sync = kFailedSyncs[nth / 2 % 4]});
    WorkHistory history;
    {
      auto database = Open();
      if (database.ok()) history.Run(database->get(), plan_);
    }
    const bool failed = world_.device.faults_fired() != fired;
    world_.device.ClearFaults();
    // The process is started again; its machine has not lost its power yet.
    const TestRows rows = ExpectSurvivors(history);
    world_.device.Crash(Survival::kNothing);
    EXPECT_EQ(ExpectSurvivors(history), rows);
    if (HasFailure()) break;
    if (!failed) {
      EXPECT_GT(nth, 100U);
      break;
    }
  }
}

TEST_P(CrashTest, LosesNothingByAFailedReadAtAnyCall) {
  for (std::uint64_t nth = 1;; nth += 3) {
    SCOPED_TRACE(::testing::Message() << "read " << nth);
    world_.device.Restore(begin_);
    const std::uint64_t fired = world_.device.faults_fired();
    world_.device.Inject({.call = DeviceCall::kRead, .nth = nth});
    WorkHistory history;
    {
      auto database = Open();
      if (database.ok()) history.Run(database->get(), plan_);
    }
    const bool failed = world_.device.faults_fired() != fired;
    world_.device.ClearFaults();
    ExpectSurvivors(history);
    if (HasFailure()) break;
    if (!failed) {
      EXPECT_GT(nth, 5U);
      break;
    }
  }
}

TEST_P(CrashTest, AFullDiskLosesNothing) {
  int full = 0;
  int roomy = 0;
  for (std::uint64_t room = 24'000; room < 80'000; room += 1024) {
    SCOPED_TRACE(::testing::Message() << "room for " << room);
    world_.device.Restore(begin_);
    world_.device.set_capacity(room);
    WorkHistory history;
    {
      auto database = Open();
      if (database.ok()) history.Run(database->get(), plan_);
      const bool failed = !database.ok() || history.failed_steps() != 0;
      ++(failed ? full : roomy);
    }
    world_.device.set_capacity(std::nullopt);
    ExpectSurvivors(history);
    if (HasFailure()) break;
  }
  EXPECT_GT(full, 3);
  EXPECT_GT(roomy, 3);
}

INSTANTIATE_TEST_SUITE_P(, CrashTest,
                         ::testing::Values(CrashCase{"SectorPagesWithoutImages", 512, false, 1},
                                           CrashCase{"SectorPages", 512, true, 2},
                                           CrashCase{"TornPages", 1024, true, 3}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace tornleaf
