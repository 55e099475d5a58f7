// Cursors that are open while pages are deleted under them.

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/tree/removal_test_util.h"
#include "gmock/gmock.h"

namespace tornleaf {
namespace {

// A cursor that checks what it is given: in order, nothing twice, and every row of `live` that
// stays alive until the cursor has passed it.
class Walker {
 public:
  Walker(RemovalIndex* index, bool backward)
      : index_(index), backward_(backward), live_(index->rows()) {
    ScanRequest request;
    request.backward = backward;
    scan_ = std::make_unique<Scan>(index->tree.get(), request);
    Step();
  }

  bool done() const { return done_; }
  // The leaf that the cursor has pinned: its current row cannot leave it.
  BlockNumber leaf() { return index_->LeafOf(*current_); }
  void Step() {
    const absl::StatusOr<bool> more = scan_->Next();
    ASSERT_TRUE(more.ok()) << more.status();
    if (!*more) {
      done_ = true;
      scan_.reset();
      return;
    }
    const std::int64_t number = scan_->tid().block;
    if (current_.has_value()) {
      EXPECT_EQ(backward_ ? number < *current_ : number > *current_, true)
          << number << " after " << *current_;
    }
    current_ = number;
    given_.insert(number);
  }
  void Finish() {
    while (!done_) ASSERT_NO_FATAL_FAILURE(Step());
    for (const std::int64_t number : index_->rows()) {
      if (live_.contains(number)) {
        EXPECT_TRUE(given_.contains(number)) << number;
      }
    }
    for (const std::int64_t number : given_) EXPECT_TRUE(live_.contains(number)) << number;
  }

 private:
  RemovalIndex* index_;
  bool backward_;
  std::set<std::int64_t> live_;  // when it began
  std::unique_ptr<Scan> scan_;
  bool done_ = false;
  std::optional<std::int64_t> current_;
  std::set<std::int64_t> given_;
};

class VacuumUnderScan : public ::testing::TestWithParam<bool> {};

// VACUUM stops before each page and the cursors make some steps, on one thread: so the interleaving
// is the same each time. A cursor that stands on the next page has to move on, since VACUUM would
// wait for it.
TEST_P(VacuumUnderScan, CursorsGiveEachRowOnce) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RemovalIndex index("int4", {512, 32, TreeOptions()});
    index.Fill(0, 1500);
    Prng prng(seed);
    // Stretches of several pages, between rows that live.
    for (std::int64_t at = 20; at < 1450;) {
      const auto count = static_cast<std::int64_t>(1 + prng.Below(200));
      index.Kill(at, std::min<std::int64_t>(count, 1480 - at));
      at += count + static_cast<std::int64_t>(1 + prng.Below(60));
    }
    // Two cursors, one of which lets the other overtake it.
    Walker walkers[] = {Walker(&index, GetParam()), Walker(&index, GetParam())};
    const auto step = [&](BlockNumber next) {
      for (Walker& walker : walkers) {
        const bool slow = &walker == &walkers[1];
        std::uint64_t steps = prng.Below(slow ? 3 : 12);
        while (!walker.done() && (steps > 0 || walker.leaf() == next)) {
          ASSERT_NO_FATAL_FAILURE(walker.Step());
          if (steps > 0) --steps;
        }
      }
    };
    for (int run = 0; run < 3; ++run) {
      // More dies before each run: the cursors may have copied it already.
      const auto from = static_cast<std::int64_t>(prng.Below(1300));
      index.Kill(from, 150);
      step(1);
      VacuumRequest request;
      request.is_dead = [&](ItemPointer tid) { return index.liveness.IsDead(tid); };
      request.progress = [&](BlockNumber done, BlockNumber) { step(done); };
      const absl::StatusOr<VacuumSummary> summary = Vacuum(index.tree.get(), request);
      ASSERT_TRUE(summary.ok()) << summary.status();
      EXPECT_GT(summary->pages_deleted, 0U);
      // Both cursors may hold links to whatever has been deleted.
      if (!walkers[1].done()) {
        EXPECT_EQ(summary->pages_free, 0U);
      }
    }
    for (Walker& walker : walkers) ASSERT_NO_FATAL_FAILURE(walker.Finish());
    const VacuumSummary last = index.Vacuum();
    EXPECT_EQ(last.pages_free, last.pages_deleted);
    index.ExpectSound();
  }
}

INSTANTIATE_TEST_SUITE_P(Directions, VacuumUnderScan, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool>& backward) {
                           return backward.param ? "backward" : "forward";
                         });

// A page that is used again must not be one that a cursor is about to follow a link to.
TEST(VacuumUnderScan, PagesAreUsedAgainOnlyWhenTheCursorIsGone) {
  RemovalIndex index("int4", {512, 32, TreeOptions()});
  index.Fill(0, 1000);
  index.Kill(200, 700);
  const BlockNumber pages = BufferPool::block_count(index.pooled);
  auto scan = std::make_unique<Scan>(index.tree.get(), ScanRequest());
  {
    // Begun, and not on any page.
    const VacuumSummary summary = index.Vacuum();
    ASSERT_GT(summary.pages_deleted, 20U);
    EXPECT_EQ(summary.pages_free, 0U);
  }
  index.Fill(10'000, 100);
  EXPECT_GT(BufferPool::block_count(index.pooled), pages);
  EXPECT_EQ(index.log.count(wal::kReusePage), 0U);
  scan.reset();
  index.Vacuum();
  index.Fill(20'000, 100);
  EXPECT_GT(index.log.count(wal::kReusePage), 0U);
  index.ExpectSound();
}

// The rightmost leaf has no high key: its first row stands where an emptied leaf has its end.
TEST(ScanOfAnEmptyLeaf, GoesOnWithTheFirstRowOfTheNext) {
  RemovalIndex index("int4", {512, 32, TreeOptions()});
  index.Fill(0, 300);
  const std::vector<BlockNumber> leaves = index.Level(0);
  const BlockNumber emptied = leaves[leaves.size() - 2];
  const auto gone = static_cast<std::int32_t>(index.FirstNumberOn(emptied));
  const std::int64_t next = index.FirstNumberOn(leaves.back());
  ASSERT_NO_FATAL_FAILURE(index.EmptyLeaf(emptied));
  ScanRequest request;
  request.lower.values = {Value::Of({reinterpret_cast<const std::uint8_t*>(&gone), sizeof(gone)})};
  const std::vector<TestRow> rows = index.Rows(request);
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(300 - next));
  EXPECT_EQ(RemovalIndex::NumberOf(rows.front()), next);
}

}  // namespace
}  // namespace tornleaf
