// Threads that insert, look, scan and remove at the same time. Under ThreadSanitizer this is the
// test of every latch of the tree.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/tree/removal_test_util.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kWriters = 4;
constexpr std::uint32_t kReaders = 3;
constexpr std::uint32_t kRowsOfWriter = 1500;

// Row `number` of a writer: keys of all writers lie between each other.
ItemPointer AddressOf(std::uint32_t writer, std::uint32_t number) {
  return {number, static_cast<OffsetNumber>(writer + 1)};
}
std::int64_t KeyOf(std::uint32_t writer, std::uint32_t number, bool duplicates) {
  const std::int64_t scattered = std::int64_t{number} * 7919 % 100003;
  return duplicates ? scattered % 40 : scattered * 8 + writer;
}

class Threads : public testing::TestWithParam<bool> {
 protected:
  Threads() : index_("int4", {1024, 64, TreeOptions()}) {}

  void Write(std::uint32_t writer) {
    for (std::uint32_t number = 0; number < kRowsOfWriter; ++number) {
      const TestRow row =
          NumberRow(index_.schema, KeyOf(writer, number, GetParam()), AddressOf(writer, number));
      const absl::StatusOr<InsertResult> result = index_.Insert(row);
      ASSERT_TRUE(result.ok()) << result.status();
      ASSERT_EQ(result->outcome, InsertResult::kInserted);
      // Every third row dies soon.
      if (number % 3 == 2) index_.liveness.Kill(row.tid);
    }
    ++writers_done_;
  }

  // Rows that are there from the beginning are given once, in order, whatever goes on beside it.
  void Read(bool backward) {
    while (writers_done_ < kWriters) {
      ScanRequest request;
      request.backward = backward;
      Scan scan(index_.tree.get(), request);
      std::int64_t last = backward ? INT64_MAX : INT64_MIN;
      std::uint32_t old_rows = 0;
      for (;;) {
        const absl::StatusOr<bool> more = scan.Next();
        ASSERT_TRUE(more.ok()) << more.status();
        if (!*more) break;
        const std::int64_t key = LoadLittleEndian<std::int32_t>(scan.values()[0].data);
        ASSERT_TRUE(backward ? key <= last : key >= last);
        last = key;
        if (scan.tid().offset == kOldOffset) ++old_rows;
      }
      ASSERT_EQ(old_rows, kOldRows);
    }
  }

  void Vacuum() {
    while (writers_done_ < kWriters) {
      VacuumRequest request;
      request.is_dead = [this](ItemPointer tid) { return index_.liveness.IsDead(tid); };
      const absl::StatusOr<VacuumSummary> summary = tornleaf::Vacuum(index_.tree.get(), request);
      ASSERT_TRUE(summary.ok()) << summary.status();
    }
  }

  static constexpr OffsetNumber kOldOffset = 9;
  static constexpr std::uint32_t kOldRows = 300;

  TestIndex index_;
  std::atomic<std::uint32_t> writers_done_{0};
};

TEST_P(Threads, DoNotDisturbEachOther) {
  std::set<ItemPointer> expected;
  for (std::uint32_t number = 0; number < kOldRows; ++number) {
    const ItemPointer tid{number, kOldOffset};
    ASSERT_TRUE(index_.Insert(NumberRow(index_.schema, std::int64_t{number} * 2700, tid)).ok());
    expected.insert(tid);
  }
  std::vector<std::unique_ptr<Task>> tasks;
  ThreadExecutor* executor = &index_.environment.executor;
  for (std::uint32_t writer = 0; writer < kWriters; ++writer) {
    tasks.push_back(executor->Spawn("writer", [this, writer] { Write(writer); }));
  }
  for (std::uint32_t reader = 0; reader < kReaders; ++reader) {
    tasks.push_back(executor->Spawn("reader", [this, reader] { Read(reader % 2 == 1); }));
  }
  tasks.push_back(executor->Spawn("vacuum", [this] { Vacuum(); }));
  for (const std::unique_ptr<Task>& task : tasks) task->Join();

  for (std::uint32_t writer = 0; writer < kWriters; ++writer) {
    for (std::uint32_t number = 0; number < kRowsOfWriter; ++number) {
      if (number % 3 != 2) expected.insert(AddressOf(writer, number));
    }
  }
  std::set<ItemPointer> found;
  ScanRequest request;
  request.with_values = false;
  for (const TestRow& row : index_.Rows(request)) found.insert(row.tid);
  EXPECT_EQ(found, expected);
  const VerifyReport report = index_.Verify();
  EXPECT_TRUE(report.clean()) << FindingsOf(report);
}

INSTANTIATE_TEST_SUITE_P(Keys, Threads, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& duplicates) {
                           return std::string(duplicates.param ? "duplicates" : "distinct");
                         });

// Of many insertions of one key into a unique index one succeeds.
TEST(ThreadsTest, OneOfManyInsertsAUniqueKey) {
  TestIndex index("int4; unique", {512, 64, TreeOptions()});
  std::atomic<std::uint32_t> inserted{0};
  constexpr std::uint32_t kKeys = 400;
  std::vector<std::unique_ptr<Task>> tasks;
  for (std::uint32_t writer = 0; writer < 8; ++writer) {
    tasks.push_back(index.environment.executor.Spawn("writer", [&index, &inserted, writer] {
      for (std::uint32_t number = 0; number < kKeys; ++number) {
        const std::int64_t key = std::int64_t{number} * 101 % kKeys;
        const absl::StatusOr<InsertResult> result = index.Insert(
            NumberRow(index.schema, key, AddressOf(writer, number)), UniqueCheck::kEnforce);
        ASSERT_TRUE(result.ok()) << result.status();
        if (result->outcome == InsertResult::kInserted) ++inserted;
      }
    }));
  }
  for (const std::unique_ptr<Task>& task : tasks) task->Join();
  EXPECT_EQ(inserted, kKeys);
  EXPECT_EQ(index.Rows().size(), kKeys);
}

}  // namespace
}  // namespace tornleaf
