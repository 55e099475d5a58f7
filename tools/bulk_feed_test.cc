#include "tools/bulk_feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/env/thread_executor.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kRows = 5000;

// Rows 0, 1, 2 ... whose key is their number.
class BulkFeedTest : public ::testing::Test {
 protected:
  BulkFeedTest() : schema_(*Schema::Parse("int4")), applied_(kRows) {
    for (std::uint32_t row = 0; row < kRows; ++row) {
      absl::StrAppend(&text_, row, "\t(", row, ",1)\n");
    }
  }

  BulkResult Run(std::uint32_t tasks, std::uint64_t sync_every) {
    StringSource source(text_);
    RowReader reader(schema_, &source);
    BulkJob job;
    job.schema = &schema_;
    job.reader = &reader;
    job.tasks = tasks;
    job.sync_every = sync_every;
    job.apply = [&](const Value* values, ItemPointer tid) -> absl::StatusOr<bool> {
      const auto key = LoadLittleEndian<std::uint32_t>(values[0].data);
      EXPECT_EQ(key, tid.block) << "values of another row";
      if (key >= fails_from_) return absl::AlreadyExistsError(absl::StrCat("row ", key));
      applied_[key] = true;
      return key % 2 == 0;
    };
    job.sync = [&] {
      // What has been applied when a sync begins is what it covers.
      std::vector<bool> covered(kRows);
      for (std::uint32_t row = 0; row < kRows; ++row) covered[row] = applied_[row];
      const std::lock_guard<std::mutex> hold(mutex_);
      covered_ = covered;
      return sync_status_;
    };
    job.durable = [&](std::uint64_t rows) {
      const std::lock_guard<std::mutex> hold(mutex_);
      EXPECT_TRUE(durable_.empty() || rows > durable_.back());
      EXPECT_TRUE(std::all_of(covered_.begin(),
                              covered_.begin() + static_cast<std::ptrdiff_t>(rows),
                              [](bool covered) { return covered; }));
      durable_.push_back(rows);
    };
    job.interrupted = [&] { return interrupted_.load(); };
    return BulkFeed(&executor_, job).Run();
  }

  ThreadExecutor executor_;
  Schema schema_;
  std::string text_;
  std::vector<std::atomic<bool>> applied_;
  std::mutex mutex_;
  std::vector<bool> covered_;
  std::vector<std::uint64_t> durable_;
  absl::Status sync_status_;
  std::uint32_t fails_from_ = kRows;
  std::atomic<bool> interrupted_{false};
};

TEST_F(BulkFeedTest, CoversTheInputFromItsBegin) {
  for (const std::uint32_t tasks : {1U, 4U}) {
    durable_.clear();
    const BulkResult result = Run(tasks, 100);
    EXPECT_EQ(result.status, absl::OkStatus());
    EXPECT_EQ(result.rows, kRows);
    EXPECT_EQ(result.changed, kRows / 2);
    EXPECT_EQ(result.unchanged, kRows / 2);
    ASSERT_FALSE(durable_.empty());
    EXPECT_EQ(durable_.back(), kRows);
    // One sync stands for all rows that other tasks have done meanwhile: how many there are with
    // several tasks is the scheduler's affair.
    if (tasks == 1) {
      EXPECT_EQ(durable_.size(), kRows / 100);
    }
  }
}

TEST_F(BulkFeedTest, EndsAtTheFirstRowThatFails) {
  fails_from_ = 1234;
  for (const std::uint32_t tasks : {1U, 4U}) {
    durable_.clear();
    const BulkResult result = Run(tasks, 100);
    EXPECT_TRUE(absl::IsAlreadyExists(result.status));
    EXPECT_EQ(result.status.message(), "row 1234");
    EXPECT_EQ(result.line, 1235U);
    EXPECT_EQ(result.rows, 1234U);
    EXPECT_EQ(durable_.back(), 1234U);
  }
}

TEST_F(BulkFeedTest, EndsAtALineThatIsNoRow) {
  text_.insert(text_.find("\n700\t") + 1, "rubbish\n");
  const BulkResult result = Run(4, 100);
  EXPECT_TRUE(absl::IsInvalidArgument(result.status));
  EXPECT_EQ(result.line, 0U) << "the message names it";
  EXPECT_NE(result.status.message().find("line 701"), std::string::npos);
  EXPECT_EQ(result.rows, 700U);
}

TEST_F(BulkFeedTest, BelievesNoFailedSync) {
  sync_status_ = absl::UnknownError("Input/output error");
  const BulkResult result = Run(2, 100);
  EXPECT_EQ(result.status, sync_status_);
  EXPECT_EQ(result.rows, 0U);
  EXPECT_TRUE(durable_.empty());
}

TEST_F(BulkFeedTest, EndsWhenInterrupted) {
  interrupted_ = true;
  const BulkResult result = Run(2, 100);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.status, absl::OkStatus());
  EXPECT_EQ(result.rows, 0U);
}

}  // namespace
}  // namespace tornleaf
