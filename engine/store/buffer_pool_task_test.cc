// The pool under several tasks.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/prng.h"
#include "engine/store/pool_test_util.h"

namespace tornleaf {
namespace {

class BufferPoolTaskTest : public PoolTest {
 protected:
  void WaitUntil(const std::function<bool()>& condition) {
    while (!condition()) executor_.Yield();
  }
};

TEST_F(BufferPoolTaskTest, APageThatManyWantIsReadOnce) {
  constexpr int kTasks = 4;
  Start();
  Make(1);
  ASSERT_TRUE(pool_->WriteAll().ok());
  std::atomic<int> started{0};
  // The read ends when all tasks are about to ask for the page, or have.
  watched_.on_read = [&](std::uint64_t) { WaitUntil([&] { return started == kTasks; }); };
  Start();
  const std::uint64_t reads = device_.calls(DeviceCall::kRead);
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < kTasks; ++i) {
    tasks.push_back(executor_.Spawn("pin", [this, &started, i] {
      ++started;
      const PageRef page = Pin(0, i % 2 == 0 ? Hold::kShared : Hold::kNone);
      CHECK(i % 2 != 0 || NumberOnPage(page.view()) == 100);
    }));
  }
  for (const auto& task : tasks) task->Join();
  EXPECT_EQ(device_.calls(DeviceCall::kRead), reads + 1);
}

TEST_F(BufferPoolTaskTest, AllWhoWaitForAFailedReadAreTold) {
  constexpr int kTasks = 4;
  Start();
  Make(1);
  ASSERT_TRUE(pool_->WriteAll().ok());
  Start();
  device_.Inject({.call = DeviceCall::kRead, .for_ever = true, .path_part = ""});
  std::atomic<int> told{0};
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < kTasks; ++i) {
    tasks.push_back(executor_.Spawn("pin", [this, &told] {
      for (int round = 0; round < 200; ++round) told += PinStatus(0).ok() ? 0 : 1;
    }));
  }
  for (const auto& task : tasks) task->Join();
  EXPECT_EQ(told, kTasks * 200);
  device_.ClearFaults();
  EXPECT_EQ(NumberOf(0), 100U);
}

TEST_F(BufferPoolTaskTest, CleanupWaitsUntilNobodyElseHasThePage) {
  Start();
  Make(1);
  PageRef pinned = Pin(0, Hold::kNone);
  const std::uint64_t waits = PassesOf("pool.cleanup.waits");
  std::atomic<bool> held{false};
  const std::unique_ptr<Task> task = executor_.Spawn("cleanup", [this, &held] {
    PageRef page = Pin(0, Hold::kNone);
    page.HoldForCleanup();
    held = true;
    CHECK(page.hold() == Hold::kExclusive);
  });
  WaitUntil([&] { return PassesOf("pool.cleanup.waits") > waits; });
  EXPECT_FALSE(held);
  // The page is not held while it is waited for.
  EXPECT_TRUE(pinned.TryHoldExclusive());
  pinned.Drop();
  task->Join();
  EXPECT_TRUE(held);
}

TEST_F(BufferPoolTaskTest, SharesOfTheBudgetAreWaitedFor) {
  Start();
  FrameBudget* budget = pool_->budget();
  ASSERT_EQ(budget->capacity(), 6U);
  auto share = std::make_unique<FrameBudget::Share>(budget, 4);
  const FrameBudget::Share another(budget, 2);
  const std::uint64_t waits = PassesOf("pool.budget.waits");
  std::atomic<bool> got{false};
  const std::unique_ptr<Task> task = executor_.Spawn("share", [budget, &got] {
    const FrameBudget::Share taken(budget, 4);
    got = true;
  });
  WaitUntil([&] { return PassesOf("pool.budget.waits") > waits; });
  EXPECT_FALSE(got);
  share.reset();
  task->Join();
  EXPECT_TRUE(got);
  EXPECT_DEATH(FrameBudget::Share(budget, 7), "frames <= capacity_");
}

// Four tasks change random pages, two at once in the order of blocks, and add pages; a fifth
// writes everything, and a sixth wants pages alone.
class Crowd {
 public:
  static constexpr int kTasks = 4;
  static constexpr int kRounds = 1500;
  static constexpr BlockNumber kPages = 40;

  Crowd(BufferPool* pool, PooledRelation* relation,
        std::function<void(PageRef*, std::uint64_t)> put)
      : pool_(pool), relation_(relation), put_(std::move(put)) {}

  void Change(std::uint64_t seed) {
    Prng prng(seed, "task");
    for (int round = 0; round < kRounds; ++round) {
      const FrameBudget::Share share(pool_->budget(), 2);
      auto low = static_cast<BlockNumber>(prng.Below(kPages));
      auto high = static_cast<BlockNumber>(prng.Below(kPages));
      if (low > high) std::swap(low, high);
      PageRef first = Pin(low, Hold::kExclusive);
      Add(&first);
      if (low == high) continue;
      if (prng.Chance(1, 2)) {
        PageRef second = Pin(high, Hold::kExclusive);
        Add(&second);
      } else {
        CHECK(BlockOnPage(Pin(high, Hold::kShared).view()) == high);
      }
    }
  }
  void AddPages() {
    for (int round = 0; round < 100; ++round) {
      const FrameBudget::Share share(pool_->budget(), 1);
      absl::StatusOr<PageRef> page = pool_->Extend(relation_);
      CHECK(page.ok());
      CHECK(AllZero(page->bytes()));
      put_(&*page, 1);
    }
  }
  void WantAlone() {
    Prng prng(9, "alone");
    while (running_ > 0) {
      const FrameBudget::Share share(pool_->budget(), 1);
      PageRef page = Pin(static_cast<BlockNumber>(prng.Below(kPages)), Hold::kNone);
      page.HoldForCleanup();
      Add(&page);
    }
  }
  void WriteAll() {
    while (running_ > 0) CHECK(pool_->WriteAll().ok());
  }

  PageRef Pin(BlockNumber block, Hold hold) {
    absl::StatusOr<PageRef> page = pool_->Pin(relation_, block, hold);
    CHECK(page.ok());
    return *std::move(page);
  }
  void Add(PageRef* page) {
    CHECK(BlockOnPage(page->view()) == page->block());
    put_(page, NumberOnPage(page->view()) + 1);
    ++additions_;
  }

  std::atomic<int> running_{kTasks};
  std::atomic<std::uint64_t> additions_{0};

 private:
  BufferPool* pool_;
  PooledRelation* relation_;
  std::function<void(PageRef*, std::uint64_t)> put_;
};

TEST_F(BufferPoolTaskTest, EightFramesServeACrowd) {
  std::atomic<std::uint64_t> early{0};  // writes before the log
  watched_.on_write = [&](std::uint64_t, ByteView bytes) {
    if (bytes.size() == kTestPageSize && PageView(bytes).lsn() > log_.durable()) ++early;
  };
  Start();
  Make(Crowd::kPages);
  Crowd crowd(pool_.get(), pooled_,
              [this](PageRef* page, std::uint64_t number) { Put(page, number); });
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < Crowd::kTasks; ++i) {
    tasks.push_back(executor_.Spawn("change", [&crowd, i] {
      crowd.Change(static_cast<std::uint64_t>(i));
      --crowd.running_;
    }));
  }
  tasks.push_back(executor_.Spawn("extend", [&crowd] { crowd.AddPages(); }));
  tasks.push_back(executor_.Spawn("alone", [&crowd] { crowd.WantAlone(); }));
  tasks.push_back(executor_.Spawn("write", [&crowd] { crowd.WriteAll(); }));
  for (const auto& task : tasks) task->Join();
  EXPECT_EQ(early, 0U);

  ASSERT_TRUE(pool_->WriteAll().ok());
  device_.Crash(Survival::kNothing);
  Start();
  ASSERT_EQ(BufferPool::block_count(pooled_), Crowd::kPages + 100);
  std::uint64_t additions = 0;
  for (BlockNumber block = 0; block < Crowd::kPages; ++block) {
    additions += NumberOf(block) - (100 + block);
  }
  EXPECT_EQ(additions, crowd.additions_);
  for (BlockNumber block = Crowd::kPages; block < Crowd::kPages + 100; ++block) {
    EXPECT_EQ(NumberOf(block), 1U);
  }
}

}  // namespace
}  // namespace tornleaf
