#include "engine/store/buffer_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/pool_test_util.h"

namespace tornleaf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BufferPoolTest : public PoolTest {};

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST_F(BufferPoolTest, PagesComeBackAfterEvictionAndAfterAStart) {
  Start();
  Make(100);  // over four files
  EXPECT_GT(pool_->statistics().evictions, 80U);
  for (BlockNumber block = 0; block < 100; ++block) EXPECT_EQ(NumberOf(block), 100 + block);
  ASSERT_TRUE(pool_->WriteAll().ok());
  device_.Crash(Survival::kNothing);
  Start();
  EXPECT_EQ(BufferPool::block_count(pooled_), 100U);
  for (BlockNumber block = 0; block < 100; ++block) {
    EXPECT_EQ(NumberOf(block), 100 + block);
    EXPECT_EQ(BlockOnPage(Pin(block, Hold::kShared).view()), block);
  }
  EXPECT_EQ(pool_->statistics().reads, 100U);
  EXPECT_EQ(pool_->statistics().hits, 100U);
  EXPECT_EQ(pool_->statistics().writes, 0U);
}

TEST_F(BufferPoolTest, APageInUseStays) {
  Start();
  Make(20);
  const PageRef page = Pin(3, Hold::kShared);
  const std::uint8_t* bytes = page.bytes().data();
  for (int round = 0; round < 3; ++round) {
    for (BlockNumber block = 4; block < 20; ++block) EXPECT_EQ(NumberOf(block), 100 + block);
  }
  EXPECT_EQ(NumberOnPage(page.view()), 103U);
  EXPECT_EQ(Pin(3, Hold::kNone).bytes().data(), bytes);
}

TEST_F(BufferPoolTest, AReferenceMovesAndLetsGo) {
  Start();
  Make(2);
  PageRef page = Pin(0, Hold::kExclusive);
  PageRef other = std::move(page);
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): that is what is asked
  EXPECT_FALSE(page.valid());
  EXPECT_EQ(other.hold(), Hold::kExclusive);
  EXPECT_FALSE(Pin(0, Hold::kNone).TryHoldExclusive());
  other = Pin(1, Hold::kShared);
  EXPECT_EQ(other.block(), 1U);
  EXPECT_TRUE(Pin(0, Hold::kNone).TryHoldExclusive());
  other.Release();
  EXPECT_TRUE(Pin(1, Hold::kNone).TryHoldExclusive());
  other.Drop();
  EXPECT_FALSE(other.valid());
  pool_->DiscardAll();  // CHECKs that nothing is pinned
}

TEST_F(BufferPoolTest, SaysSoWhenEveryFrameIsPinned) {
  Start();
  Make(9);
  std::vector<PageRef> pages;
  for (BlockNumber block = 0; block < kFramesMin; ++block) pages.push_back(Pin(block, Hold::kNone));
  EXPECT_TRUE(absl::IsResourceExhausted(PinStatus(8)));
  EXPECT_TRUE(absl::IsResourceExhausted(pool_->Extend(pooled_).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(pool_->PinForRestore(pooled_, 8).status()));
  EXPECT_EQ(BufferPool::block_count(pooled_), 9U);
  pages.pop_back();
  EXPECT_TRUE(PinStatus(8).ok());
}

TEST_F(BufferPoolTest, ABlockThatIsNotThereIsDamage) {
  Start();
  Make(2);
  const absl::Status status = PinStatus(2);
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(Message(status), HasSubstr("db/index: block 2: beyond the end"));
  EXPECT_TRUE(absl::IsDataLoss(PinStatus(kInvalidBlock)));
}

TEST_F(BufferPoolTest, DamageIsFoundAndLeavesNothingBehind) {
  Start();
  Make(3);
  ASSERT_TRUE(pool_->WriteAll().ok());
  const std::vector<std::uint8_t> good = FileBytes(kTestPath);
  std::vector<std::uint8_t> bad = good;
  bad[kTestPageSize + 300] ^= 1;                    // a bit of block 1
  std::fill_n(&bad[2 * kTestPageSize + 12], 4, 0);  // block 2 looks new
  device_.Put(kTestPath, bad);
  Start();
  for (int again = 0; again < 2; ++again) {
    const absl::Status status = PinStatus(1);
    EXPECT_TRUE(absl::IsDataLoss(status));
    EXPECT_THAT(Message(status), HasSubstr("db/index: block 1: checksum 0x"));
    EXPECT_TRUE(absl::IsDataLoss(PinStatus(2)));
    EXPECT_THAT(Message(PinStatus(2)), HasSubstr("block 2: a new page that is not zero"));
  }
  EXPECT_EQ(NumberOf(0), 100U);
  // Mended behind the pool's back, it is read again.
  device_.Put(kTestPath, good);
  Start();
  EXPECT_EQ(NumberOf(1), 101U);
}

TEST_F(BufferPoolTest, APageOfZerosIsNew) {
  Start();
  {
    const absl::StatusOr<PageRef> page = pool_->Extend(pooled_);
    ASSERT_TRUE(page.ok());
    EXPECT_TRUE(AllZero(page->bytes()));
  }
  ASSERT_TRUE(pool_->WriteAll().ok());
  EXPECT_EQ(pool_->statistics().writes, 0U);
  device_.Crash(Survival::kNothing);
  Start();
  EXPECT_TRUE(Pin(0, Hold::kShared).view().is_new());
}

class OnlyEvenNumbers final : public PageGuard {
 public:
  absl::Status Check(ByteView page, BlockNumber block) override {
    if (NumberOnPage(PageView(page)) % 2 == 0) return absl::OkStatus();
    return absl::DataLossError("block " + std::to_string(block) + ": odd");
  }
};

TEST_F(BufferPoolTest, TheGuardIsAskedAboutPagesThatAreRead) {
  OnlyEvenNumbers guard;
  guard_ = &guard;
  Start();
  Make(20);
  EXPECT_EQ(NumberOf(0), 100U);
  EXPECT_EQ(Message(PinStatus(1)), "db/index: block 1: odd");
}

TEST_F(BufferPoolTest, RestoringDoesNotLookAtTheDisk) {
  Start();
  Make(2);
  ASSERT_TRUE(pool_->WriteAll().ok());
  std::vector<std::uint8_t> bytes = FileBytes(kTestPath);
  bytes[40] ^= 1;
  device_.Put(kTestPath, bytes);
  Start();
  EXPECT_TRUE(absl::IsDataLoss(PinStatus(0)));
  {
    absl::StatusOr<PageRef> page = pool_->PinForRestore(pooled_, 0);
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->hold(), Hold::kExclusive);
    EXPECT_TRUE(AllZero(page->bytes()));
    FillPage(page->writer(), 0, 5);
  }
  {
    absl::StatusOr<PageRef> page = pool_->PinForRestore(pooled_, 0);
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(NumberOnPage(page->view()), 5U);  // It is in memory.
  }
  {
    absl::StatusOr<PageRef> page = pool_->PinForRestore(pooled_, 40);
    ASSERT_TRUE(page.ok());
    FillPage(page->writer(), 40, 6);
  }
  EXPECT_EQ(BufferPool::block_count(pooled_), 41U);
  EXPECT_TRUE(Pin(39, Hold::kShared).view().is_new());
  ASSERT_TRUE(pool_->WriteAll().ok());
  Start();
  EXPECT_EQ(NumberOf(0), 5U);
  EXPECT_EQ(NumberOf(40), 6U);
}

TEST_F(BufferPoolTest, NoPageIsWrittenBeforeItsRecords) {
  Start();
  std::uint64_t seen = 0;
  watched_.on_write = [&](std::uint64_t, ByteView bytes) {
    if (AllZero(bytes)) return;  // an extension
    ++seen;
    ASSERT_EQ(bytes.size(), kTestPageSize);
    EXPECT_LE(PageView(bytes).lsn(), log_.durable());
  };
  Make(40);
  Prng prng(1, "pages");
  for (int round = 0; round < 500; ++round) {
    PageRef page = Pin(static_cast<BlockNumber>(prng.Below(40)), Hold::kExclusive);
    Put(&page, prng.Next());
  }
  ASSERT_TRUE(pool_->WriteAll().ok());
  EXPECT_EQ(seen, pool_->statistics().writes);
  EXPECT_GT(seen, 300U);
  EXPECT_GT(log_.flushes(), 300U);
}

TEST_F(BufferPoolTest, NothingIsWrittenOnceTheLogHasFailed) {
  Start();
  Make(8);
  ASSERT_TRUE(pool_->WriteAll().ok());
  {
    PageRef page = Pin(0, Hold::kExclusive);
    Put(&page, 1);
  }
  ASSERT_TRUE(log_.Sync().ok());
  log_.Fail(absl::UnknownError("the log is gone"));
  watched_.on_write = [](std::uint64_t, ByteView) { ADD_FAILURE() << "a write"; };
  EXPECT_EQ(Message(pool_->WriteAll()), "the log is gone");
  // No clean page has to go for it: the frame of the dirty one is asked for sooner or later.
  EXPECT_EQ(NumberOf(0), 1U);
}

TEST_F(BufferPoolTest, WritesInOrderOfBlocksAndOnlyWhatIsDirty) {
  Start();
  Make(8);
  ASSERT_TRUE(pool_->WriteAll().ok());
  for (const BlockNumber block : {6, 1, 4}) {
    PageRef page = Pin(block, Hold::kExclusive);
    Put(&page, block);
  }
  {
    PageRef page = Pin(2, Hold::kExclusive);
    page.MarkDirtyHint();
  }
  std::vector<std::uint64_t> blocks;
  watched_.on_write = [&](std::uint64_t offset, ByteView) {
    blocks.push_back(offset / kTestPageSize);
  };
  ASSERT_TRUE(pool_->WriteAll().ok());
  ASSERT_TRUE(pool_->WriteAll().ok());
  EXPECT_THAT(blocks, ElementsAre(1, 2, 4, 6));
}

TEST_F(BufferPoolTest, WhatIsDiscardedIsReadAgain) {
  Start();
  Make(4);
  ASSERT_TRUE(pool_->WriteAll().ok());
  {
    PageRef page = Pin(2, Hold::kExclusive);
    Put(&page, 7);
  }
  pool_->DiscardAll();
  EXPECT_EQ(NumberOf(2), 102U);
}

TEST_F(BufferPoolTest, AChangeMarksStampsAndNames) {
  Start();
  Make(2);
  ASSERT_TRUE(pool_->WriteAll().ok());
  PageRef first = Pin(0, Hold::kExclusive);
  PageRef second = Pin(1, Hold::kExclusive);
  const std::uint64_t blocks = log_.blocks();
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  LoggedChange change(&log_, wal::ResourceManager::kBtree, 0x30);
  change.AddMain(bytes);
  change.AddPage(0, relation_->id(), &first, wal::kStandardPage);
  change.AddData(bytes);
  change.AddPage(1, relation_->id(), &second, wal::kWillInit);
  const Lsn lsn = change.Commit();
  EXPECT_EQ(lsn, log_.inserted());
  EXPECT_EQ(log_.blocks(), blocks + 2);
  EXPECT_EQ(first.view().lsn(), lsn);
  EXPECT_EQ(second.view().lsn(), lsn);
}

TEST_F(BufferPoolTest, WithoutALogChangesStillMoveTheLsn) {
  Start();
  Make(1);
  pool_->SetLog(nullptr);
  PageRef page = Pin(0, Hold::kExclusive);
  page.set_lsn(0);
  for (int again = 0; again < 2; ++again) {
    const Lsn before = page.view().lsn();
    LoggedChange change(nullptr, wal::ResourceManager::kBtree, 0);
    change.AddPage(0, relation_->id(), &page, wal::kStandardPage);
    EXPECT_EQ(change.Commit(), 0U);
    EXPECT_GT(page.view().lsn(), before);
  }
}

TEST_F(BufferPoolTest, WithoutChecksumsNoneIsSetOrAskedFor) {
  RelationOptions options{
      .id = {}, .path = "db/plain", .page_size = kTestPageSize, .checksums = false};
  absl::StatusOr<std::unique_ptr<Relation>> relation =
      Relation::Open(environment_, options, /*create=*/true);
  ASSERT_TRUE(relation.ok());
  BufferPool pool(environment_, kFramesMin, kTestPageSize, nullptr);
  PooledRelation* pooled = pool.Attach(relation->get(), nullptr);
  {
    absl::StatusOr<PageRef> page = pool.Extend(pooled);
    ASSERT_TRUE(page.ok());
    FillPage(page->writer(), 0, 9);
    page->MarkDirty();
  }
  ASSERT_TRUE(pool.WriteAll().ok());
  EXPECT_EQ(PageView(FileBytes("db/plain")).checksum(), 0);
  pool.DiscardAll();
  const absl::StatusOr<PageRef> page = pool.Pin(pooled, 0, Hold::kShared);
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(NumberOnPage(page->view()), 9U);
}

TEST_F(BufferPoolTest, HoldingTwiceAndChangingUnheldAreMistakes) {
  Start();
  Make(1);
  PageRef page = Pin(0, Hold::kShared);
  EXPECT_DEATH(page.HoldShared(), "hold_ == Hold::kNone");
  EXPECT_DEATH(page.MarkDirty(), "hold_ == Hold::kExclusive");
  EXPECT_DEATH(pool_->DiscardAll(), "Pins");
  EXPECT_DEATH(BufferPool(environment_, 7, kTestPageSize, nullptr), "frames >= kFramesMin");
}

}  // namespace
}  // namespace tornleaf
