// Every call of the device fails once, each in a run of its own; what the pool says is on the pages
// stays right.

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <vector>

#include "engine/base/prng.h"
#include "engine/store/pool_test_util.h"

namespace tornleaf {
namespace {

struct FaultCase {
  const char* name;
  DeviceCall call;
  std::uint64_t least_calls;  // that the course makes
  bool torn = false;
  int error = EIO;
};
void PrintTo(const FaultCase& fault_case, std::ostream* out) { *out << fault_case.name; }

class BufferPoolFaultTest : public PoolTest, public testing::WithParamInterface<FaultCase> {
 protected:
  // A fixed course of changes and checkpoints. Remembers what is on each page in numbers_; what
  // fails has not happened.
  void Run() {
    Prng prng(3, "course");
    for (int step = 0; step < 300; ++step) {
      const std::uint64_t draw = prng.Next();
      if (numbers_.empty() || prng.Chance(1, 8)) {
        absl::StatusOr<PageRef> page = pool_->Extend(pooled_);
        if (!page.ok()) continue;
        ASSERT_EQ(page->block(), numbers_.size());
        Put(&*page, draw);
        numbers_.push_back(draw);
      } else if (prng.Chance(1, 20)) {
        const absl::Status status = pool_->WriteAll();
        if (!status.ok()) ++failed_checkpoints_;
      } else {
        const auto block = static_cast<BlockNumber>(prng.Below(numbers_.size()));
        absl::StatusOr<PageRef> page = pool_->Pin(pooled_, block, Hold::kExclusive);
        if (!page.ok()) continue;
        ASSERT_EQ(NumberOnPage(page->view()), numbers_[block]);
        Put(&*page, draw);
        numbers_[block] = draw;
      }
      ASSERT_EQ(BufferPool::block_count(pooled_), numbers_.size());
    }
  }

  void ExpectAllPages() {
    for (BlockNumber block = 0; block < numbers_.size(); ++block) {
      EXPECT_EQ(NumberOf(block), numbers_[block]) << "block " << block;
    }
  }

  std::vector<std::uint64_t> numbers_;
  int failed_checkpoints_ = 0;
};

TEST_P(BufferPoolFaultTest, PagesStayRightWhicheverCallFails) {
  const FaultCase& fault = GetParam();
  std::uint64_t fired = 0;
  std::uint64_t nth = 1;
  for (; nth == 1 || fired > 0; ++nth) {
    SCOPED_TRACE(nth);
    device_.Restore(MemoryFiles());
    ASSERT_TRUE(device_.MakeDirectory("db").ok());
    ASSERT_TRUE(device_.SyncDirectory(".").ok());
    numbers_.clear();
    failed_checkpoints_ = 0;
    Start();  // opening is relation_test's
    const std::uint64_t before = device_.faults_fired();
    device_.Inject({.call = fault.call,
                    .nth = nth,
                    .error = fault.error,
                    .path_part = "",
                    .torn = fault.torn});
    Run();
    if (HasFatalFailure()) return;
    fired = device_.faults_fired() - before;
    device_.ClearFaults();
    ExpectAllPages();
    const bool sync_failed =
        fired > 0 && (fault.call == DeviceCall::kSync || fault.call == DeviceCall::kSyncDirectory);
    EXPECT_EQ(pool_->WriteAll().ok(), !sync_failed);
    if (sync_failed) {
      EXPECT_GT(failed_checkpoints_, 0);
      continue;
    }
    device_.Crash(Survival::kNothing);
    Start();
    ASSERT_EQ(BufferPool::block_count(pooled_), numbers_.size());
    ExpectAllPages();
  }
  EXPECT_GE(nth, fault.least_calls);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, BufferPoolFaultTest,
    testing::Values(FaultCase{"read", DeviceCall::kRead, 100},
                    FaultCase{"write", DeviceCall::kWrite, 200},
                    FaultCase{"torn_write", DeviceCall::kWrite, 200, /*torn=*/true},
                    FaultCase{"full_disk", DeviceCall::kWrite, 200, false, ENOSPC},
                    FaultCase{"create", DeviceCall::kCreate, 2},
                    FaultCase{"sync", DeviceCall::kSync, 10},
                    FaultCase{"sync_folder", DeviceCall::kSyncDirectory, 3}),
    [](const testing::TestParamInfo<FaultCase>& test) { return test.param.name; });

class ShortTransferTest : public PoolTest {};

TEST_F(ShortTransferTest, ShortReadsAndWritesAreNothingSpecial) {
  Start();
  device_.set_short_transfers(true);
  Make(50);
  for (BlockNumber block = 0; block < 50; ++block) EXPECT_EQ(NumberOf(block), 100 + block);
  ASSERT_TRUE(pool_->WriteAll().ok());
  Start();
  for (BlockNumber block = 0; block < 50; ++block) EXPECT_EQ(NumberOf(block), 100 + block);
}

}  // namespace
}  // namespace tornleaf
