#include "engine/tree/transactions.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/base/check.h"
#include "engine/env/thread_executor.h"

namespace tornleaf {
namespace {

TEST(TransactionsTest, TheHorizonIsTheOldestThatLooks) {
  ThreadExecutor executor;
  Transactions transactions(&executor, 10);
  EXPECT_EQ(transactions.horizon(), 10U);
  const FullXid first = transactions.Begin();
  EXPECT_EQ(transactions.Take(), 10U);
  EXPECT_EQ(transactions.next(), 11U);
  // The page deleted at 10 may still be linked to from what `first` has seen.
  EXPECT_EQ(transactions.horizon(), 10U);
  const FullXid second = transactions.Begin();
  const FullXid third = transactions.Begin();
  EXPECT_EQ(transactions.Take(), 11U);
  transactions.End(first);
  EXPECT_EQ(transactions.horizon(), 11U);
  transactions.End(second);
  EXPECT_EQ(transactions.horizon(), 11U);
  transactions.End(third);
  EXPECT_EQ(transactions.horizon(), 12U);
}

TEST(TransactionsTest, AdvancesOnlyForwardAndNotToWhatCannotBe) {
  ThreadExecutor executor;
  Transactions transactions(&executor, kFirstXid);
  transactions.AdvancePast(99);
  EXPECT_EQ(transactions.next(), 100U);
  transactions.AdvancePast(50);
  EXPECT_EQ(transactions.next(), 100U);
  transactions.AdvancePast(~FullXid{0});
  EXPECT_EQ(transactions.next(), 100U);
  EXPECT_EQ(transactions.Take(), 100U);
  transactions.AdvancePast(101);
  EXPECT_EQ(transactions.Begin(), 102U);
}

TEST(TransactionsTest, ThreadsBeginAndEndWhilePagesAreDeleted) {
  constexpr int kRounds = 20000;
  ThreadExecutor executor;
  Transactions transactions(&executor, kFirstXid);
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < 3; ++i) {
    tasks.push_back(executor.Spawn("look", [&] {
      for (int round = 0; round < kRounds; ++round) {
        const FullXid begun = transactions.Begin();
        CHECK(transactions.horizon() <= begun);
        transactions.End(begun);
      }
    }));
  }
  for (int round = 0; round < kRounds; ++round) transactions.Take();
  for (const auto& task : tasks) task->Join();
  EXPECT_EQ(transactions.next(), kFirstXid + kRounds);
  EXPECT_EQ(transactions.horizon(), transactions.next());
}

}  // namespace
}  // namespace tornleaf
