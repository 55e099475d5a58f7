#include "engine/tree/dead_rows.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/prng.h"
#include "engine/format/dead_rows_v1.h"
#include "engine/wal/record/dead_rows_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_environment.h"

namespace tornleaf {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kPageSize = 512;
constexpr RelationId kRelation{1663, 5, 16400};

// A record as it would be read back.
struct KeptRecord {
  std::uint8_t info = 0;
  BlockNumber block = 0;
  bool will_init = false;
  std::vector<std::uint8_t> main_data;
  std::vector<std::uint8_t> data;
};

// A log that keeps records in memory and is durable when it is told to be.
class KeepingLog final : public wal::Log {
 public:
  using Log::Insert;
  Lsn Insert(const wal::RecordDraft& draft, Lsn* start) override {
    const std::unique_lock lock(mutex_);
    CHECK(draft.manager == wal::ResourceManager::kTornleaf);
    CHECK(draft.blocks.size() == 1);
    KeptRecord kept;
    kept.info = draft.info;
    kept.block = draft.blocks[0].block;
    kept.will_init = (draft.blocks[0].flags & wal::kWillInit) != 0;
    for (const ByteView piece : draft.main_data) {
      kept.main_data.insert(kept.main_data.end(), piece.begin(), piece.end());
    }
    for (const ByteView piece : draft.blocks[0].data) {
      kept.data.insert(kept.data.end(), piece.begin(), piece.end());
    }
    records_.push_back(std::move(kept));
    *start = inserted_;
    inserted_ += 64;
    return inserted_;
  }
  absl::Status Flush(Lsn lsn) override {
    const std::unique_lock lock(mutex_);
    durable_ = std::max(durable_, lsn);
    return absl::OkStatus();
  }
  absl::Status Sync() override { return Flush(inserted()); }
  absl::Status status() const override { return absl::OkStatus(); }
  Lsn inserted() const override {
    const std::unique_lock lock(mutex_);
    return inserted_;
  }
  Lsn durable() const override {
    const std::unique_lock lock(mutex_);
    return durable_;
  }
  Lsn redo() const override { return 0; }
  Lsn BeginCheckpoint() override { return inserted(); }
  Lsn last_record() const override { return inserted() - 64; }
  absl::Status Recycle(Lsn) override { return absl::OkStatus(); }
  wal::RecordCounts counts() const override { return {}; }

  std::vector<KeptRecord> records() const {
    const std::unique_lock lock(mutex_);
    return records_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<KeptRecord> records_;
  Lsn inserted_ = 4096;
  Lsn durable_ = 4096;
};

class DeadRowsTest : public ::testing::Test {
 protected:
  DeadRowsTest() { Open(); }

  // Opens the relation and reads the list, as a start does. What was not written is lost.
  void Open() {
    rows_.reset();
    if (pool_ != nullptr) pool_->DiscardAll();
    pool_.reset();
    relation_.reset();
    RelationOptions options{.id = kRelation, .path = "dead_rows", .page_size = kPageSize};
    auto opened = Relation::Open(test_.environment(), options, true);
    ASSERT_TRUE(opened.ok()) << opened.status();
    relation_ = *std::move(opened);
    pool_ = std::make_unique<BufferPool>(test_.environment(), 8, kPageSize, &log_);
    pooled_ = pool_->Attach(relation_.get(), &guard_);
    rows_ = std::make_unique<DeadRows>(&test_.executor, pool_.get(), pooled_, kRelation, &log_);
    loaded_ = rows_->Load();
  }
  bool Add(ItemPointer tid) {
    const absl::StatusOr<bool> added = rows_->Add(tid);
    EXPECT_TRUE(added.ok()) << added.status();
    return added.ok() && *added;
  }
  DeadRows::Batch Seal() {
    absl::StatusOr<DeadRows::Batch> batch = rows_->Seal();
    EXPECT_TRUE(batch.ok()) << batch.status();
    return batch.ok() ? *std::move(batch) : DeadRows::Batch();
  }

  TestEnvironment test_;
  KeepingLog log_;
  DeadRowsPageGuard guard_;
  std::unique_ptr<Relation> relation_;
  std::unique_ptr<BufferPool> pool_;
  PooledRelation* pooled_ = nullptr;
  std::unique_ptr<DeadRows> rows_;
  absl::Status loaded_;
};

TEST_F(DeadRowsTest, KnowsWhatWasAddedAndNothingElse) {
  EXPECT_FALSE(rows_->AnyDead());
  EXPECT_TRUE(Add({3, 7}));
  EXPECT_FALSE(Add({3, 7}));
  EXPECT_TRUE(rows_->AnyDead());
  EXPECT_TRUE(rows_->IsDead({3, 7}));
  EXPECT_FALSE(rows_->IsDead({3, 8}));
  EXPECT_FALSE(rows_->IsDead({7, 3}));
  EXPECT_EQ(rows_->size(), 1U);
}

TEST_F(DeadRowsTest, RefusesAnAddressThatNoRowHas) {
  EXPECT_EQ(rows_->Add({3, 0}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(rows_->AnyDead());
}

TEST_F(DeadRowsTest, ComesBackFromTheRelation) {
  const std::uint32_t count = 3 * dead_rows_v1::Capacity(kPageSize) + 5;
  for (std::uint32_t row = 0; row < count; ++row) ASSERT_TRUE(Add({row, 1}));
  ASSERT_TRUE(pool_->WriteAll().ok());
  Open();
  ASSERT_TRUE(loaded_.ok()) << loaded_;
  EXPECT_EQ(rows_->size(), count);
  for (std::uint32_t row = 0; row < count; ++row) EXPECT_TRUE(rows_->IsDead({row, 1})) << row;
  // The page with room is filled up first.
  ASSERT_TRUE(Add({count, 1}));
  EXPECT_EQ(relation_->block_count(), 4U);
}

TEST_F(DeadRowsTest, HintsWaitUntilTheDeletionIsDurable) {
  ASSERT_TRUE(Add({3, 7}));
  EXPECT_TRUE(rows_->IsDead({3, 7}));
  EXPECT_FALSE(rows_->IsSafelyDead({3, 7}));
  ASSERT_TRUE(log_.Sync().ok());
  EXPECT_TRUE(rows_->IsSafelyDead({3, 7}));
  EXPECT_FALSE(rows_->IsSafelyDead({3, 8}));
}

TEST_F(DeadRowsTest, ABatchTakesWhatWasDeadWhenItWasSealed) {
  ASSERT_TRUE(Add({1, 1}));
  const DeadRows::Batch batch = Seal();
  ASSERT_TRUE(Add({2, 1}));
  EXPECT_TRUE(batch.Contains({1, 1}));
  EXPECT_FALSE(batch.Contains({2, 1}));
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_TRUE(rows_->IsDead({1, 1}));

  ASSERT_TRUE(rows_->Clear(batch).ok());
  EXPECT_FALSE(rows_->IsDead({1, 1}));
  EXPECT_TRUE(rows_->IsDead({2, 1}));
  // The address is free for another row, which may die as well.
  EXPECT_TRUE(Add({1, 1}));
}

TEST_F(DeadRowsTest, APageBelongsToTheBatchThatSealedItLast) {
  ASSERT_TRUE(Add({1, 1}));
  const DeadRows::Batch first = Seal();
  const DeadRows::Batch second = Seal();
  ASSERT_TRUE(rows_->Clear(first).ok());
  EXPECT_TRUE(rows_->IsDead({1, 1}));
  ASSERT_TRUE(rows_->Clear(second).ok());
  EXPECT_FALSE(rows_->IsDead({1, 1}));
  // The page is used again, and old batches have no say in it.
  ASSERT_TRUE(Add({2, 1}));
  ASSERT_TRUE(rows_->Clear(first).ok());
  ASSERT_TRUE(rows_->Clear(second).ok());
  EXPECT_TRUE(rows_->IsDead({2, 1}));
}

TEST_F(DeadRowsTest, DoesNotGrowForEver) {
  for (std::uint32_t round = 0; round < 200; ++round) {
    for (std::uint32_t row = 0; row < 100; ++row) ASSERT_TRUE(Add({row, 1}));
    const DeadRows::Batch batch = Seal();
    ASSERT_TRUE(Add({1000 + round, 2}));  // dies while VACUUM is running
    ASSERT_TRUE(rows_->Clear(batch).ok());
  }
  EXPECT_EQ(rows_->size(), 1U);
  EXPECT_LE(relation_->block_count(), 4U);
}

TEST_F(DeadRowsTest, ARowThatCouldNotBeLoggedIsNotDead) {
  test_.device.Inject({.call = DeviceCall::kWrite, .path_part = "dead_rows"});
  const absl::StatusOr<bool> added = rows_->Add({3, 7});
  ASSERT_EQ(test_.device.faults_fired(), 1U);
  EXPECT_FALSE(added.ok());
  EXPECT_FALSE(rows_->IsDead({3, 7}));
  EXPECT_TRUE(Add({3, 7}));
  EXPECT_TRUE(rows_->IsDead({3, 7}));
}

TEST_F(DeadRowsTest, SaysSoWhereAPageIsDamaged) {
  ASSERT_TRUE(Add({1, 1}));
  ASSERT_TRUE(pool_->WriteAll().ok());
  std::vector<std::uint8_t> file = test_.device.Get("dead_rows").value();
  file[kPageSize - dead_rows_v1::kSpecialSize] ^= 1;
  SetChecksum(file, 0);
  test_.device.Put("dead_rows", file);
  Open();
  EXPECT_EQ(loaded_.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(loaded_.message()), HasSubstr("block 0: the magic number is another"));
}

TEST_F(DeadRowsTest, SaysSoWhereARowIsListedTwice) {
  ASSERT_TRUE(Add({1, 1}));
  ASSERT_TRUE(pool_->WriteAll().ok());
  std::vector<std::uint8_t> page = test_.device.Get("dead_rows").value();
  std::vector<std::uint8_t> file = page;
  SetChecksum(page, 1);
  file.insert(file.end(), page.begin(), page.end());
  test_.device.Put("dead_rows", file);
  Open();
  EXPECT_EQ(loaded_.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(loaded_.message()), HasSubstr("block 1: a row is listed twice"));
}

bool Redo(const KeptRecord& kept, PageWriter page) {
  auto record = std::make_unique<wal::DecodedRecord>();
  record->info = kept.info;
  record->manager = static_cast<std::uint8_t>(wal::ResourceManager::kTornleaf);
  record->main_data = kept.main_data;
  record->block_count = 1;
  record->blocks[0].in_use = true;
  record->blocks[0].block = kept.block;
  record->blocks[0].will_init = kept.will_init;
  record->blocks[0].has_data = !kept.data.empty();
  record->blocks[0].data = kept.data;
  return RedoDeadRows(*record, page);
}

// A crash may leave any prefix of the log: the rows that it brings back are those that were dead
// when its last record was written.
TEST_F(DeadRowsTest, EveryPrefixOfTheLogGivesTheRowsOfItsMoment) {
  Prng prng(7);
  std::set<PackedTid> model;
  std::vector<std::set<PackedTid>> moments = {model};
  std::set<PackedTid> sealed;
  DeadRows::Batch batch;
  const auto note = [&] {
    const std::size_t records = log_.records().size();
    while (moments.size() <= records) moments.push_back(model);
  };
  for (std::uint32_t step = 0; step < 600; ++step) {
    if (prng.Below(100) == 0) {
      batch = Seal();
      sealed = model;
    } else if (prng.Below(100) == 0) {
      ASSERT_TRUE(rows_->Clear(batch).ok());
      for (const PackedTid row : sealed) model.erase(row);
      sealed.clear();
      // The records between reset one page each; only before and after is said here.
      const std::size_t records = log_.records().size();
      moments.resize(records, {});
      note();
      batch = Seal();
      sealed = model;
    } else {
      const ItemPointer tid{static_cast<BlockNumber>(prng.Below(500)), 1};
      if (Add(tid)) model.insert(PackTid(tid));
      note();
    }
  }
  const std::vector<KeptRecord> records = log_.records();
  ASSERT_EQ(moments.size(), records.size() + 1);

  std::vector<std::vector<std::uint8_t>> pages(relation_->block_count(),
                                               std::vector<std::uint8_t>(kPageSize));
  for (std::size_t count = 1; count <= records.size(); ++count) {
    const KeptRecord& last = records[count - 1];
    ASSERT_TRUE(Redo(last, PageWriter(pages[last.block])));
    const bool amid_clear = count < records.size() && records[count].info == wal::kResetDeadRows;
    if (last.info == wal::kResetDeadRows && amid_clear) continue;
    std::set<PackedTid> redone;
    for (const std::vector<std::uint8_t>& page : pages) {
      const PageView view(page);
      const std::uint32_t rows = view.is_new() ? 0 : dead_rows_v1::RowCount(view);
      for (std::uint32_t row = 0; row < rows; ++row) {
        EXPECT_TRUE(redone.insert(PackTid(dead_rows_v1::RowAt(view, row))).second);
      }
    }
    ASSERT_EQ(redone, moments[count]) << "after " << count << " records";
  }
  // And redo gives the live pages, to the byte, LSN and checksum apart.
  ASSERT_TRUE(pool_->WriteAll().ok());
  const std::vector<std::uint8_t> file = test_.device.Get("dead_rows").value();
  for (std::size_t block = 0; block < pages.size(); ++block) {
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(block * kPageSize);
    EXPECT_TRUE(std::equal(pages[block].begin() + 10, pages[block].end(), begin + 10)) << block;
  }
}

TEST(RedoDeadRows, RefusesWhatIsNoRecordOfThePage) {
  std::vector<std::uint8_t> page(kPageSize);
  dead_rows_v1::InitializePage(PageWriter(page));
  const std::vector<std::uint8_t> empty = page;
  std::vector<std::uint8_t> row(index_tuple::kTidSize);
  StoreTid(row.data(), {3, 7});
  const std::vector<std::uint8_t> nobody(index_tuple::kTidSize);
  const KeptRecord bad[] = {
      {wal::kAddDeadRows, 0, false, {1, 0, 1, 0}, row},    // the page has no row yet
      {wal::kAddDeadRows, 0, false, {0, 0, 1, 0}, row},    // the first row makes the page anew
      {wal::kAddDeadRows, 0, true, {1, 0, 1, 0}, row},     // and no other does
      {wal::kAddDeadRows, 0, true, {0, 0, 2, 0}, row},     // one address for two
      {wal::kAddDeadRows, 0, true, {0, 0, 1}, row},        // main data cut
      {wal::kAddDeadRows, 0, true, {0, 0, 1, 0}, nobody},  // offset number 0
      {wal::kResetDeadRows, 0, false, {}, {}},
      {0x20, 0, true, {}, {}},
  };
  for (const KeptRecord& record : bad) {
    EXPECT_FALSE(Redo(record, PageWriter(page)));
    EXPECT_EQ(page, empty);
  }
  EXPECT_TRUE(Redo({wal::kAddDeadRows, 0, true, {0, 0, 1, 0}, row}, PageWriter(page)));
  EXPECT_EQ(dead_rows_v1::RowAt(PageView(page), 0), (ItemPointer{3, 7}));
}

TEST_F(DeadRowsTest, ManyTasksAddAndAskAtOnce) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kRows = 500;
  std::vector<std::thread> threads;
  std::atomic<std::uint32_t> added = 0;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread, &added] {
      for (std::uint32_t row = 0; row < kRows; ++row) {
        // Every second row is everybody's: one of them adds it.
        const ItemPointer tid{row, static_cast<OffsetNumber>(row % 2 == 0 ? 1 : 2 + thread)};
        if (*rows_->Add(tid)) ++added;
        EXPECT_TRUE(rows_->IsDead(tid));
      }
    });
  }
  for (std::uint32_t round = 0; round < 20; ++round) {
    const DeadRows::Batch batch = Seal();
    EXPECT_LE(batch.size(), rows_->size());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(added.load(), kRows / 2 + kThreads * kRows / 2);
  EXPECT_EQ(rows_->size(), added.load());
  EXPECT_EQ(Seal().size(), added.load());
}

}  // namespace
}  // namespace tornleaf
