// VACUUM beside insertions, deletions and scans on threads; and moments that only another task can
// bring about.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/tree/delete.h"
#include "engine/tree/node.h"
#include "engine/tree/removal_test_util.h"
#include "engine/tree/replica_test_util.h"
#include "engine/tree/split.h"
#include "gmock/gmock.h"

namespace tornleaf {
namespace {

// The index of a database in small: rows come under free addresses, die, and are vacuumed.
class SharedIndex : public TestIndex {
 public:
  SharedIndex() : TestIndex("int4", {512, 64, TreeOptions()}) {
    list_ = OpenRelation(&environment, kDeadRowsId, "dead_rows", 512);
    dead_rows = std::make_unique<DeadRows>(&environment.executor, &pool,
                                           pool.Attach(list_.get(), &guard_), kDeadRowsId, &log);
    Tree::Parts parts = tree->parts();
    parts.liveness = dead_rows.get();
    tree = std::make_unique<Tree>(parts, TreeOptions());
    CHECK(tree->Open().ok());
  }

  std::unique_ptr<DeadRows> dead_rows;

 private:
  DeadRowsPageGuard guard_;
  std::unique_ptr<Relation> list_;
};

// One thread's rows: a range of numbers that no other thread uses, but for the fixed ones in it, at
// addresses that come back after VACUUM.
class Worker {
 public:
  Worker(SharedIndex* index, std::uint32_t id) : index_(index), prng_(id), id_(id) {}

  void Run(int operations) {
    for (int count = 0; count < operations; ++count) {
      // Mostly growing, then mostly shrinking, and so on.
      const bool growing = count / 500 % 2 == 0;
      if (rows_.empty() || prng_.Below(100) < (growing ? 99 : 92)) {
        Put();
      } else {
        Delete();
      }
    }
  }
  void DeleteAll() {
    while (!rows_.empty()) Delete();
  }
  const std::map<std::int64_t, ItemPointer>& rows() const { return rows_; }

 private:
  // Neighbours are one worker's.
  std::int64_t RandomNumber() { return id_ * 8000 + static_cast<std::int64_t>(prng_.Below(8000)); }

  void Put() {
    const std::int64_t number = RandomNumber();
    const ItemPointer tid{next_block_ * 8 + id_, 1};
    if (rows_.contains(number) || number % 1000 == 500) return;
    // An address may be that of a row whose entries VACUUM has not cleared yet.
    if (index_->dead_rows->IsDead(tid)) {
      ++next_block_;
      return;
    }
    const absl::StatusOr<InsertResult> inserted =
        index_->Insert(NumberRow(index_->schema, number, tid));
    ASSERT_TRUE(inserted.ok()) << inserted.status();
    ASSERT_EQ(inserted->outcome, InsertResult::kInserted);
    rows_[number] = tid;
    used_.insert(tid);
    do {
      next_block_ = (next_block_ + 1) % 4000;
    } while (used_.contains(ItemPointer{next_block_ * 8 + id_, 1}));
  }
  void Delete() {
    auto at = rows_.lower_bound(RandomNumber());
    // A stretch at a time, so that pages become empty.
    for (int count = 0; count < 60 && at != rows_.end(); ++count) {
      const absl::StatusOr<bool> added = index_->dead_rows->Add(at->second);
      ASSERT_TRUE(added.ok()) << added.status();
      ASSERT_TRUE(*added);
      used_.erase(at->second);
      at = rows_.erase(at);
    }
  }

  SharedIndex* index_;
  Prng prng_;
  std::uint32_t id_;
  BlockNumber next_block_ = 0;
  std::map<std::int64_t, ItemPointer> rows_;
  std::set<ItemPointer> used_;
};

// Scans give rows in order, and every row of `fixed`.
void ScanUntil(const std::atomic<bool>* stop, SharedIndex* index, bool backward,
               const std::set<std::int64_t>& fixed) {
  while (!stop->load()) {
    ScanRequest request;
    request.backward = backward;
    Scan scan(index->tree.get(), request);
    std::size_t met = 0;
    std::optional<std::int64_t> last;
    while (true) {
      const absl::StatusOr<bool> more = scan.Next();
      ASSERT_TRUE(more.ok()) << more.status();
      if (!*more) break;
      const std::int64_t number = LoadLittleEndian<std::int32_t>(scan.values()[0].data);
      if (last.has_value()) {
        ASSERT_TRUE(backward ? number <= *last : number >= *last);
      }
      last = number;
      met += fixed.count(number);
    }
    ASSERT_EQ(met, fixed.size());
  }
}

TEST(VacuumThreads, RowsAreWhatTheThreadsLeft) {
  SharedIndex index;
  std::set<std::int64_t> fixed;
  for (std::int64_t number = 500; number < 24'000; number += 1000) {
    ASSERT_TRUE(index
                    .Insert(NumberRow(index.schema, number,
                                      {1'000'000 + static_cast<BlockNumber>(number), 1}))
                    .ok());
    fixed.insert(number);
  }
  std::vector<Worker> workers;
  for (std::uint32_t id = 0; id < 3; ++id) workers.emplace_back(&index, id);
  std::atomic<bool> stop = false;
  std::atomic<std::uint32_t> deleted = 0;
  const auto run_vacuum = [&] {
    const absl::StatusOr<DeadRows::Batch> batch = index.dead_rows->Seal();
    ASSERT_TRUE(batch.ok()) << batch.status();
    VacuumRequest request;
    request.is_dead = [&](ItemPointer tid) { return batch->Contains(tid); };
    const absl::StatusOr<VacuumSummary> summary = Vacuum(index.tree.get(), request);
    ASSERT_TRUE(summary.ok()) << summary.status();
    deleted += summary->pages_deleted_now;
    const absl::Status cleared = index.dead_rows->Clear(*batch);
    ASSERT_TRUE(cleared.ok()) << cleared;
  };
  std::thread vacuum([&] {
    while (!stop.load()) run_vacuum();
  });
  std::thread forward([&] { ScanUntil(&stop, &index, false, fixed); });
  std::thread backward([&] { ScanUntil(&stop, &index, true, fixed); });
  std::vector<std::thread> threads;
  for (Worker& worker : workers) threads.emplace_back([&worker] { worker.Run(4000); });
  for (std::thread& thread : threads) thread.join();
  stop = true;
  vacuum.join();
  forward.join();
  backward.join();
  RecordProperty("pages_deleted_beside_threads", static_cast<int>(deleted.load()));
  workers[0].DeleteAll();
  run_vacuum();
  EXPECT_GT(deleted.load(), 0U);

  std::map<std::int64_t, ItemPointer> expected;
  for (const std::int64_t number : fixed) {
    expected[number] = {1'000'000 + static_cast<BlockNumber>(number), 1};
  }
  for (const Worker& worker : workers) {
    expected.insert(worker.rows().begin(), worker.rows().end());
  }
  std::vector<ItemPointer> tids;
  for (const auto& [number, tid] : expected) tids.push_back(tid);
  std::vector<ItemPointer> given;
  for (const TestRow& row : index.Rows()) given.push_back(row.tid);
  EXPECT_EQ(given, tids);
  const VerifyReport report = index.Verify();
  EXPECT_TRUE(report.clean()) << FindingsOf(report);
  ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index));
}

void WaitAMoment() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// Deletion lets go of the leaf to look at its left sibling, which this test holds; meanwhile a row
// comes to the leaf. Whether deletion has come that far cannot be seen, so it is tried again.
TEST(VacuumThreads, ALeafThatIsFilledMeanwhileStays) {
  const MarkWatch refilled("page_delete.refilled");
  for (int attempt = 0; attempt < 50 && refilled.passed() == 0; ++attempt) {
    RemovalIndex index("int4", {512, 32, TreeOptions()});
    index.Fill(0, 300);
    const std::vector<BlockNumber> leaves = index.Level(0);
    const std::int64_t number = index.FirstNumberOn(leaves[3]);
    ASSERT_NO_FATAL_FAILURE(index.EmptyLeaf(leaves[3]));
    PageRef left = index.PinPage(leaves[2], Hold::kExclusive);
    std::vector<DeletedPage> deleted;
    absl::Status status;
    std::thread deletion([&] { status = DeletePage(index.tree.get(), leaves[3], &deleted); });
    WaitAMoment();
    const TestRow row = NumberRow(index.schema, number, {5000, 2});
    const std::vector<Value> values = row.Values();
    // Not by Insert(): it may wait for the frames that deletion has reserved.
    {
      PageRef leaf = index.PinPage(leaves[3], Hold::kExclusive);
      std::vector<std::uint8_t> tuple;
      FormTuple(index.schema, values.data(), 1, row.tid, &tuple);
      PageInsertion insertion;
      insertion.slot = NodeOf(leaf).first_data_slot();
      insertion.item = TupleView(tuple);
      insertion.page = std::move(leaf);
      Descent descent;
      ASSERT_TRUE(InsertUpwards(index.tree.get(), std::move(insertion), &descent).ok());
    }
    left.Drop();
    deletion.join();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_THAT(deleted, ::testing::IsEmpty());
    index.ExpectClean();
  }
  EXPECT_GT(refilled.passed(), 0U);
}

// The left sibling of a page that is being unlinked is split after its number has been read.
TEST(VacuumThreads, ALeftSiblingThatIsSplitMeanwhileIsFound) {
  const MarkWatch split("page_unlink.left_sibling_split");
  for (int attempt = 0; attempt < 50 && split.passed() == 0; ++attempt) {
    RemovalIndex index("int4", {512, 32, TreeOptions()});
    index.Fill(0, 300);
    const std::vector<BlockNumber> leaves = index.Level(0);
    const std::int64_t number = index.FirstNumberOn(leaves[3]);
    ASSERT_NO_FATAL_FAILURE(index.EmptyLeaf(leaves[3]));
    // The left sibling is filled up.
    OffsetNumber offset = 2;
    const auto next_row = [&] {
      return NumberRow(index.schema, number - 1, {static_cast<BlockNumber>(number - 1), offset++});
    };
    while (FreeSpaceOf(index.PinPage(leaves[2]).view()) >= 16) {
      ASSERT_TRUE(index.Insert(next_row()).ok());
    }
    const TestRow row = next_row();
    const std::vector<Value> values = row.Values();
    std::vector<std::uint8_t> tuple;
    FormTuple(index.schema, values.data(), 1, row.tid, &tuple);
    PageRef leaf = index.PinPage(leaves[3], Hold::kExclusive);
    SearchKey key;
    const TestRow gone = NumberRow(index.schema, number, {0, 1});
    const std::vector<Value> gone_values = gone.Values();
    key.values = gone_values.data();
    key.count = 1;
    leaf.Release();
    Descent descent;
    ASSERT_TRUE(FindLeaf(index.tree.get(), key, Access::kRead, &descent).ok());
    leaf.HoldExclusive();
    ASSERT_TRUE(MarkHalfDead(index.tree.get(), &leaf, &descent).value());
    leaf.Drop();

    PageRef left = index.PinPage(leaves[2], Hold::kExclusive);
    std::vector<DeletedPage> deleted;
    absl::Status status;
    std::thread deletion([&] { status = DeletePage(index.tree.get(), leaves[3], &deleted); });
    WaitAMoment();
    PageInsertion insertion;
    insertion.slot = static_cast<OffsetNumber>(NodeOf(left).item_count() + 1);
    insertion.item = TupleView(tuple);
    insertion.page = std::move(left);
    ASSERT_TRUE(InsertUpwards(index.tree.get(), std::move(insertion), &descent).ok());
    deletion.join();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_THAT(deleted, ::testing::SizeIs(1));
    index.ExpectClean();
  }
  EXPECT_GT(split.passed(), 0U);
}

}  // namespace
}  // namespace tornleaf
