// What becomes of the log when the device fails, and when the machine loses its power: nothing that
// was said to be durable is lost, and nothing is read that was not written in that place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/wal/log_test_util.h"

namespace tornleaf {
namespace wal {
namespace {

// A log, and what is known of it, over any number of lives.
class Journal {
 public:
  explicit Journal(std::uint64_t seed) : env_(seed), prng_(seed, "journal") {
    MakeLogFolder(&env_.device);
  }

  MemoryDevice& device() { return env_.device; }
  Prng& prng() { return prng_; }
  std::size_t durable_count() const { return durable_count_; }

  // Opens the log where the last reading found its end.
  absl::Status Open() {
    log_ = nullptr;
    absl::StatusOr<std::unique_ptr<Log>> log =
        Log::Open(env_.environment(), SmallLog(), end_, last_record_, end_);
    if (!log.ok()) return log.status();
    log_ = *std::move(log);
    return absl::OkStatus();
  }

  // Inserts, syncs and recycles; ends early when the log has failed.
  absl::Status Work(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      records_.push_back(InsertRandom(log_.get(), &prng_));
      if (prng_.Chance(1, 6)) {
        if (absl::Status status = log_->Sync(); !status.ok()) return status;
        durable_count_ = records_.size();
      }
      if (prng_.Chance(1, 60)) {
        const Lsn redo = log_->BeginCheckpoint();
        if (absl::Status status = log_->Sync(); !status.ok()) return status;
        durable_count_ = records_.size();
        first_ = records_.size();
        start_ = redo;
        if (absl::Status status = log_->Recycle(redo); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  // After a failure nothing becomes durable any more, whatever is tried.
  void ExpectFailedForEver() {
    device().ClearFaults();
    const Lsn durable = log_->durable();
    const Lsn end = InsertData(log_.get(), {1}).end;
    EXPECT_GE(end, records_.empty() ? 0 : records_.back().end);
    EXPECT_FALSE(log_->Flush(end).ok());
    EXPECT_FALSE(log_->Flush(durable).ok());
    EXPECT_FALSE(log_->Sync().ok());
    EXPECT_FALSE(log_->Recycle(end).ok());
    EXPECT_FALSE(log_->status().ok());
    EXPECT_EQ(log_->durable(), durable);
  }

  // Reads from the last checkpoint on. The records found are the first ones of those inserted, and
  // all the durable ones are among them; what is not found never happened.
  void Recover() {
    log_ = nullptr;
    auto reader = LogReader::Open(&device(), kLogFolder, start_);
    // Where nothing has been made durable yet, there may be no segment.
    if (!reader.ok()) {
      ASSERT_EQ(durable_count_, first_) << reader.status();
      Forget(first_, records_.empty() || first_ == 0 ? 0 : records_[first_ - 1].start);
      return;
    }
    std::size_t count = first_;
    while (*(*reader)->Next()) {
      ASSERT_LT(count, records_.size());
      ASSERT_EQ((*reader)->start(), records_[count].start);
      const ByteView data = (*reader)->record().main_data;
      ASSERT_TRUE(std::ranges::equal(data, records_[count].data)) << count;
      ++count;
    }
    ASSERT_GE(count, durable_count_) << (*reader)->end_reason();
    Forget(count, count == 0 ? 0 : records_[count - 1].start);
  }

 private:
  void Forget(std::size_t count, Lsn last_record) {
    records_.resize(count);
    durable_count_ = count;
    last_record_ = last_record;
    end_ = count == 0 ? SmallLog().segment_bytes : records_[count - 1].end;
  }

  TestEnvironment env_;
  Prng prng_;
  std::unique_ptr<Log> log_;
  std::vector<Inserted> records_;
  std::size_t durable_count_ = 0;
  std::size_t first_ = 0;  // the first record that recovery needs
  Lsn start_ = 0;          // and where it starts
  Lsn end_ = SmallLog().segment_bytes;
  Lsn last_record_ = 0;
};

TEST(LogCrashTest, DurableRecordsSurviveAndTheOthersAreAPrefix) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Journal journal(seed);
    for (int life = 0; life < 12; ++life) {
      ASSERT_TRUE(journal.Open().ok());
      ASSERT_TRUE(journal.Work(static_cast<int>(journal.prng().Between(1, 120))).ok());
      journal.device().Crash(journal.prng().Chance(1, 4) ? Survival::kNothing : Survival::kSome);
      ASSERT_NO_FATAL_FAILURE(journal.Recover());
    }
  }
}

// A process that dies leaves everything in the cache, and the machine may lose its power later.
TEST(LogCrashTest, AProcessDiesAndThenTheMachine) {
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    SCOPED_TRACE(seed);
    Journal journal(seed);
    for (int life = 0; life < 10; ++life) {
      ASSERT_TRUE(journal.Open().ok());
      ASSERT_TRUE(journal.Work(static_cast<int>(journal.prng().Between(1, 60))).ok());
      ASSERT_NO_FATAL_FAILURE(journal.Recover());
      // Opening has made durable what the reader saw.
      ASSERT_TRUE(journal.Open().ok());
      journal.device().Crash(Survival::kSome);
      ASSERT_NO_FATAL_FAILURE(journal.Recover());
    }
  }
}

// One run for every call that changes the device: that call fails, then the machine crashes.
void FailEveryCall(DeviceFault fault) {
  std::uint64_t failed = 0;
  for (std::uint64_t nth = 1; nth < 400; ++nth) {
    SCOPED_TRACE(nth);
    Journal journal(7);
    ASSERT_TRUE(journal.Open().ok());
    fault.nth = nth;
    journal.device().Inject(fault);
    const absl::Status status = journal.Work(150);
    if (journal.device().faults_fired() == 0) break;
    ASSERT_FALSE(status.ok());
    ++failed;
    ASSERT_NO_FATAL_FAILURE(journal.ExpectFailedForEver());
    // The process starts again first, and is told that all is well.
    ASSERT_NO_FATAL_FAILURE(journal.Recover());
    ASSERT_TRUE(journal.Open().ok());
    ASSERT_TRUE(journal.Work(20).ok());
    journal.device().Crash(Survival::kSome);
    ASSERT_NO_FATAL_FAILURE(journal.Recover());
    ASSERT_TRUE(journal.Open().ok());
  }
  EXPECT_GT(failed, 5U);
}

TEST(LogCrashTest, EveryFailedSyncEndsTheLog) {
  for (const FailedSync left : {FailedSync::kStillDirty, FailedSync::kMarkedClean,
                                FailedSync::kSomeWritten, FailedSync::kCacheDropped}) {
    SCOPED_TRACE(static_cast<int>(left));
    FailEveryCall({.call = DeviceCall::kSync, .failed_sync = left});
  }
}

TEST(LogCrashTest, EveryFailedWriteEndsTheLog) {
  FailEveryCall({.call = DeviceCall::kWrite, .torn = true});
  FailEveryCall({.call = DeviceCall::kWrite, .error = ENOSPC});
}

TEST(LogCrashTest, EveryFailedChangeOfANameEndsTheLog) {
  FailEveryCall({.call = DeviceCall::kCreate, .error = ENOSPC});
  FailEveryCall({.call = DeviceCall::kRename});
  FailEveryCall({.call = DeviceCall::kSyncDirectory});
}

TEST(LogCrashTest, AFailureWhileOpeningIsToldAndHarmless) {
  for (std::uint64_t nth = 1; nth < 100; ++nth) {
    SCOPED_TRACE(nth);
    Journal journal(9);
    ASSERT_TRUE(journal.Open().ok());
    ASSERT_TRUE(journal.Work(70).ok());
    journal.device().Crash(Survival::kSome);
    ASSERT_NO_FATAL_FAILURE(journal.Recover());
    journal.device().Inject({.nth = nth, .torn = true, .failed_sync = FailedSync::kSomeWritten});
    const absl::Status status = journal.Open();
    if (journal.device().faults_fired() == 0) {
      EXPECT_GT(nth, 3U);
      break;
    }
    ASSERT_FALSE(status.ok());
    journal.device().ClearFaults();
    journal.device().Crash(Survival::kSome);
    ASSERT_NO_FATAL_FAILURE(journal.Recover());
    ASSERT_TRUE(journal.Open().ok());
    ASSERT_TRUE(journal.Work(50).ok());
    journal.device().Crash(Survival::kNothing);
    ASSERT_NO_FATAL_FAILURE(journal.Recover());
  }
}

TEST(LogCrashTest, AFullDiskIsAnErrorOfTheFlush) {
  Journal journal(11);
  ASSERT_TRUE(journal.Open().ok());
  journal.device().set_capacity(6 * 4096);
  const absl::Status status = journal.Work(1000);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  journal.ExpectFailedForEver();
  journal.device().set_capacity(std::nullopt);
  ASSERT_NO_FATAL_FAILURE(journal.Recover());
  ASSERT_TRUE(journal.Open().ok());
  EXPECT_TRUE(journal.Work(100).ok());
}

}  // namespace
}  // namespace wal
}  // namespace tornleaf
