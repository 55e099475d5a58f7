#include "engine/env/thread_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace tornleaf {
namespace {

constexpr int kTasks = 4;

class ThreadExecutorTest : public ::testing::Test {
 protected:
  // Runs `body` in several tasks and waits for all.
  void RunInTasks(const std::function<void()>& body) {
    std::vector<std::unique_ptr<Task>> tasks;
    for (int number = 0; number < kTasks; ++number) tasks.push_back(executor_.Spawn("test", body));
    for (const std::unique_ptr<Task>& task : tasks) task->Join();
  }

  // Runs `body` in a task of its own, for questions that the owner of a latch may not ask.
  bool InAnotherTask(const std::function<bool()>& body) {
    bool answer = false;
    executor_.Spawn("other", [&] { answer = body(); })->Join();
    return answer;
  }

  ThreadExecutor executor_;
};

TEST_F(ThreadExecutorTest, AnExclusiveLatchLetsOneIn) {
  constexpr int kRounds = 5000;
  const auto latch = executor_.NewLatch("count");
  int count = 0;  // not atomic: the latch guards it
  RunInTasks([&] {
    for (int round = 0; round < kRounds; ++round) {
      const std::unique_lock lock(*latch);
      ++count;
    }
  });
  EXPECT_EQ(count, kTasks * kRounds);
}

TEST_F(ThreadExecutorTest, ASharedLatchLetsAllInAtOnce) {
  const auto latch = executor_.NewLatch("page");
  std::atomic<int> inside = 0;
  RunInTasks([&] {
    const std::shared_lock lock(*latch);
    ++inside;
    // Ends only if everybody gets in while the others are there.
    while (inside.load() < kTasks) executor_.Yield();
  });
  EXPECT_EQ(inside.load(), kTasks);
}

TEST_F(ThreadExecutorTest, TryLockSaysWhatIsFree) {
  const auto latch = executor_.NewLatch("page");
  const auto try_exclusive = [&] { return std::unique_lock(*latch, std::try_to_lock).owns_lock(); };
  const auto try_shared = [&] { return std::shared_lock(*latch, std::try_to_lock).owns_lock(); };
  EXPECT_TRUE(InAnotherTask(try_exclusive));
  {
    const std::shared_lock shared(*latch);
    EXPECT_TRUE(InAnotherTask(try_shared));
    EXPECT_FALSE(InAnotherTask(try_exclusive));
  }
  {
    const std::unique_lock exclusive(*latch);
    EXPECT_FALSE(InAnotherTask(try_shared));
    EXPECT_FALSE(InAnotherTask(try_exclusive));
  }
  EXPECT_TRUE(InAnotherTask(try_exclusive)) << "given up";
}

TEST_F(ThreadExecutorTest, NotifyAllWakesEveryWaiter) {
  const auto latch = executor_.NewLatch("state");
  const auto condition = executor_.NewCondition("state");
  bool open = false;
  int waiting = 0;
  int passed = 0;
  const auto opener = executor_.Spawn("opener", [&] {
    for (;;) {
      executor_.Yield();
      const std::unique_lock lock(*latch);
      if (waiting < kTasks) continue;
      // They gave up the latch while they wait, or nobody could be here.
      EXPECT_EQ(passed, 0);
      open = true;
      condition->NotifyAll();
      return;
    }
  });
  RunInTasks([&] {
    const std::unique_lock lock(*latch);
    ++waiting;
    while (!open) condition->Wait(latch.get());
    ++passed;  // under the latch again
  });
  opener->Join();
  EXPECT_EQ(passed, kTasks);
}

TEST_F(ThreadExecutorTest, ATaskMustBeJoined) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(executor_.Spawn("forgotten", [] {}).reset(), "joinable");
}

}  // namespace
}  // namespace tornleaf
