// VACUUM and crashes: whatever prefix of the log is left, and wherever the device fails.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/tree/removal_test_util.h"
#include "engine/tree/replica_test_util.h"
#include "gmock/gmock.h"

namespace tornleaf {
namespace {

TEST(VacuumRedo, GivesTheSamePages) {
  for (const bool images : {false, true}) {
    RemovalIndex index;
    index.log.full_page_images = images;
    index.Fill(0, 3000);
    index.log.BeginCheckpoint();
    index.Kill(0, 1500);
    for (std::int64_t number = 1500; number < 3000; number += 3) index.Kill(number, 1);
    {
      const LinkUse scan(&index.transactions);
      index.Vacuum();
    }
    index.Vacuum();
    index.log.BeginCheckpoint();
    index.Fill(10'000, 1500);
    index.Numbers();  // leaves hints
    index.Kill(2000, 8000);
    index.Numbers();
    index.Vacuum();
    index.ExpectSound();
    EXPECT_GT(index.log.count(wal::kVacuum), 0U);
    EXPECT_GT(index.log.count(wal::kMarkPageHalfDead), 0U);
    EXPECT_GT(index.log.count(wal::kUnlinkPage), 0U);
    EXPECT_GT(index.log.count(wal::kMetaCleanup), 0U);
    EXPECT_GT(index.log.count(wal::kReusePage), 0U);
    ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index)) << images;
  }
}

// After each record of a VACUUM that deletes branches: the rows are there, every page is sound, and
// the next VACUUM finishes the work.
TEST(VacuumCrash, EveryPrefixOfItsLogIsAnIndexThatTheNextOneFinishes) {
  RemovalIndex index;
  index.Fill(0, 2500);
  index.Kill(300, 1900);
  const std::size_t before = index.log.records().size();
  index.Vacuum();
  const std::vector<RecordingLog::Record>& records = index.log.records();
  ASSERT_GT(index.log.count(wal::kUnlinkPage), 50U);
  std::vector<ItemPointer> expected;
  for (const std::int64_t number : index.rows()) {
    expected.push_back({static_cast<BlockNumber>(number), 1});
  }

  Replica replica(index.pool.page_size());
  std::uint64_t half_dead = 0;
  for (std::size_t count = 0; count < records.size(); ++count) {
    ASSERT_TRUE(replica.Apply(records[count]).ok()) << count;
    if (count < before) continue;
    ReopenedIndex reopened(&replica, &index.schema, &index.liveness);
    ASSERT_TRUE(reopened.Open().ok());
    VerifyReport report = reopened.Verify();
    ASSERT_TRUE(report.clean()) << count << ": " << FindingsOf(report);
    half_dead += report.counts.half_dead_pages;
    ASSERT_EQ(reopened.Rows(), expected) << count;
    VacuumRequest request;
    request.is_dead = [&](ItemPointer tid) { return index.liveness.IsDead(tid); };
    ASSERT_TRUE(Vacuum(reopened.tree.get(), request).ok()) << count;
    const absl::StatusOr<VacuumSummary> last = Vacuum(reopened.tree.get(), request);
    ASSERT_TRUE(last.ok()) << last.status();
    EXPECT_EQ(last->rows_removed, 0U);
    EXPECT_EQ(last->rows_left, expected.size());
    EXPECT_EQ(last->pages_free, last->pages_deleted);
    report = reopened.Verify();
    ASSERT_TRUE(report.clean()) << count << ": " << FindingsOf(report);
    ASSERT_EQ(report.counts.half_dead_pages, 0U);
    ASSERT_EQ(reopened.Rows(), expected) << count;
  }
  EXPECT_GT(half_dead, 50U);
}

TEST(VacuumErrors, AFailedCallLeavesALegalIndex) {
  std::uint64_t failed = 0;
  for (std::uint64_t nth = 1;; nth += 5) {
    RemovalIndex index;
    index.Fill(0, 600);
    index.Kill(100, 400);
    index.environment.device.Inject({.call = DeviceCall::kRead, .nth = nth, .path_part = "index"});
    const absl::Status status = index.TryVacuum().status();
    const bool fired = index.environment.device.faults_fired() != 0;
    index.environment.device.ClearFaults();
    ASSERT_EQ(status.ok(), !fired) << status;
    ASSERT_NO_FATAL_FAILURE(index.ExpectSound()) << nth;
    ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index)) << nth;
    if (!fired) break;
    ++failed;
    index.Vacuum();
    const VacuumSummary last = index.Vacuum();
    EXPECT_EQ(last.rows_left, 200U);
    EXPECT_EQ(last.pages_free, last.pages_deleted);
    EXPECT_GT(last.pages_deleted, 10U);
    ASSERT_NO_FATAL_FAILURE(index.ExpectSound()) << nth;
  }
  EXPECT_GT(failed, 5U);
}

// An index with its durable list of dead rows, whose addresses are used again after VACUUM.
class DurableIndex : public TestIndex {
 public:
  DurableIndex() : TestIndex("int4", FewFrames(512)) {
    list_ = OpenRelation(&environment, kDeadRowsId, "dead_rows", 512);
    dead_rows_ = std::make_unique<DeadRows>(&environment.executor, &pool,
                                            pool.Attach(list_.get(), &guard_), kDeadRowsId, &log);
    Tree::Parts parts = tree->parts();
    parts.liveness = dead_rows_.get();
    tree = std::make_unique<Tree>(parts, TreeOptions());
    CHECK(tree->Open().ok());
    NoteMoment();
  }

  void Put(std::int64_t number, ItemPointer tid) {
    const absl::StatusOr<InsertResult> inserted = Insert(NumberRow(schema, number, tid));
    ASSERT_TRUE(inserted.ok()) << inserted.status();
    ASSERT_EQ(inserted->outcome, InsertResult::kInserted);
    ASSERT_TRUE(rows_.emplace(number, tid).second);
    NoteMoment();
  }
  void Delete(std::int64_t number) {
    ASSERT_TRUE(dead_rows_->Add(rows_.at(number)).value());
    waiting_.push_back(rows_.at(number));
    rows_.erase(number);
    NoteMoment();
  }
  void Vacuum() {
    const absl::StatusOr<DeadRows::Batch> batch = dead_rows_->Seal();
    ASSERT_TRUE(batch.ok());
    VacuumRequest request;
    request.is_dead = [&](ItemPointer tid) { return batch->Contains(tid); };
    ASSERT_TRUE(tornleaf::Vacuum(tree.get(), request).ok());
    ASSERT_TRUE(dead_rows_->Clear(*batch).ok());
    for (const ItemPointer tid : std::exchange(waiting_, {})) free_tids_.push_back(tid);
    NoteMoment();
  }
  // An address that no row has, of an earlier row if there is one.
  ItemPointer FreeTid() {
    if (free_tids_.empty()) return {next_block_++, 1};
    const ItemPointer tid = free_tids_.back();
    free_tids_.pop_back();
    return tid;
  }
  bool Has(std::int64_t number) const { return rows_.contains(number); }
  bool empty() const { return rows_.empty(); }
  std::int64_t First(std::int64_t from) const {
    const auto at = rows_.lower_bound(from);
    return at == rows_.end() ? rows_.begin()->first : at->first;
  }

  // The rows in index order, by the number of records that the log had.
  std::map<std::size_t, std::vector<ItemPointer>> moments;

 private:
  void NoteMoment() {
    std::vector<ItemPointer> tids;
    for (const auto& [number, tid] : rows_) tids.push_back(tid);
    moments[log.records().size()] = std::move(tids);
  }

  DeadRowsPageGuard guard_;
  std::unique_ptr<Relation> list_;
  std::unique_ptr<DeadRows> dead_rows_;
  std::map<std::int64_t, ItemPointer> rows_;
  std::vector<ItemPointer> waiting_;
  std::vector<ItemPointer> free_tids_;
  BlockNumber next_block_ = 1;
};

TEST(VacuumCrash, NoPrefixOfTheLogLosesARowOrBringsOneBack) {
  DurableIndex index;
  Prng prng(31);
  for (int step = 0; step < 900; ++step) {
    const auto number = static_cast<std::int64_t>(prng.Below(400));
    if (step % 150 == 149) {
      ASSERT_NO_FATAL_FAILURE(index.Vacuum());
    } else if (prng.Below(100) < 45 && !index.empty()) {
      ASSERT_NO_FATAL_FAILURE(index.Delete(index.First(number)));
    } else if (!index.Has(number)) {
      ASSERT_NO_FATAL_FAILURE(index.Put(number, index.FreeTid()));
    }
    if (step % 40 == 0) index.Rows();  // leaves hints
  }
  const std::vector<RecordingLog::Record>& records = index.log.records();
  Replica replica(512);
  std::size_t compared = 0;
  for (std::size_t count = 1; count <= records.size(); ++count) {
    ASSERT_TRUE(replica.Apply(records[count - 1]).ok());
    if (prng.Below(3) != 0 && count != records.size()) continue;
    ReopenedIndex reopened(&replica, &index.schema, nullptr);
    ASSERT_TRUE(reopened.Open().ok());
    const std::vector<ItemPointer> rows = reopened.Rows();
    // Amid an operation: as before it, or as after it.
    const auto after = index.moments.lower_bound(count);
    ASSERT_NE(after, index.moments.end());
    if (after->first == count || after == index.moments.begin()) {
      ASSERT_EQ(rows, after->second) << count;
      ++compared;
    } else {
      ASSERT_TRUE(rows == after->second || rows == std::prev(after)->second) << count;
    }
    const VerifyReport report = reopened.Verify();
    ASSERT_TRUE(report.clean()) << count << ": " << FindingsOf(report);
  }
  EXPECT_GT(compared, 200U);
}

}  // namespace
}  // namespace tornleaf
