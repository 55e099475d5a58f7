#include "engine/tree/vacuum.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/tree/removal_test_util.h"
#include "engine/tree/replica_test_util.h"
#include "gmock/gmock.h"

namespace tornleaf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Vacuum, OfAnEmptyIndexDoesNothing) {
  RemovalIndex index;
  const VacuumSummary summary = index.Vacuum();
  EXPECT_EQ(summary.rows_removed, 0U);
  EXPECT_EQ(summary.pages_scanned, 1U);
  EXPECT_EQ(index.log.count(wal::kMetaCleanup), 0U);
  index.ExpectSound();
}

TEST(Vacuum, RemovesDeadRowsAndNoOthers) {
  RemovalIndex index;
  index.Fill(0, 1000);
  for (std::int64_t number = 0; number < 1000; number += 3) index.Kill(number, 1);
  const VacuumSummary summary = index.Vacuum();
  EXPECT_EQ(summary.rows_removed, 334U);
  EXPECT_EQ(summary.rows_left, 666U);
  EXPECT_EQ(summary.pages_deleted, 0U);
  EXPECT_GT(index.log.count(wal::kVacuum), 0U);
  index.ExpectSound();
  EXPECT_EQ(index.Verify().counts.heap_tids, 666U);
}

TEST(Vacuum, RemovesRowsFromPostingLists) {
  RemovalIndex index("int4", FewFrames(1024));
  for (BlockNumber block = 0; block < 400; ++block) {
    for (OffsetNumber offset = 1; offset <= 3; ++offset) {
      ASSERT_TRUE(index.Insert(NumberRow(index.schema, block % 4, {block, offset})).ok());
    }
  }
  ASSERT_GT(index.Verify().counts.posting_lists, 0U);
  const MarkWatch partly("vacuum.partly_dead_posting");
  for (BlockNumber block = 0; block < 400; ++block) {
    if (block % 5 == 0) index.liveness.Kill({block, 2});
    if (block % 4 == 3) {
      for (OffsetNumber offset = 1; offset <= 3; ++offset) index.liveness.Kill({block, offset});
    }
  }
  const VacuumSummary summary = index.Vacuum();
  EXPECT_EQ(summary.rows_removed, 60U + 300U);
  EXPECT_EQ(summary.rows_left, 840U);
  EXPECT_GT(partly.passed(), 0U);
  EXPECT_EQ(index.Verify().counts.heap_tids, 840U);
  index.ExpectClean();
}

TEST(Vacuum, DeletesEmptyPagesAndFindsThemFree) {
  RemovalIndex index;
  index.Fill(0, 2000);
  const BlockNumber pages = BufferPool::block_count(index.pooled);
  index.Kill(500, 1000);
  const VacuumSummary first = index.Vacuum();
  EXPECT_EQ(first.rows_removed, 1000U);
  EXPECT_GT(first.pages_deleted_now, 30U);
  EXPECT_EQ(first.pages_deleted, first.pages_deleted_now);
  // Nobody looks: they are free at once.
  EXPECT_EQ(first.pages_free, first.pages_deleted);
  EXPECT_EQ(index.free_pages.size(), first.pages_free);
  index.ExpectSound();

  const VacuumSummary second = index.Vacuum();
  EXPECT_EQ(second.rows_removed, 0U);
  EXPECT_EQ(second.pages_deleted_now, 0U);
  EXPECT_EQ(second.pages_deleted, first.pages_deleted);
  EXPECT_EQ(second.pages_free, first.pages_deleted);

  index.Fill(10'000, 900);
  EXPECT_EQ(BufferPool::block_count(index.pooled), pages);
  EXPECT_GT(index.log.count(wal::kReusePage), 30U);
  index.ExpectSound();
}

TEST(Vacuum, OfAllRowsLeavesTheRightEdge) {
  RemovalIndex index;
  index.Fill(0, 3000);
  const std::uint32_t level = index.Meta().level;
  ASSERT_GE(level, 2U);
  index.Kill(0, 3000);
  const MarkWatch moves_down("page_unlink.fast_root_moves_down");
  index.Vacuum();
  index.Vacuum();
  EXPECT_GT(moves_down.passed(), 0U);
  EXPECT_GT(index.log.count(wal::kUnlinkPageMeta), 0U);
  const nbtree::MetaPage meta = index.Meta();
  EXPECT_EQ(meta.level, level);  // the true root stays
  EXPECT_EQ(meta.fast_level, 0U);
  EXPECT_THAT(index.Level(0), ElementsAre(meta.fast_root));
  index.ExpectSound();
  // The tree grows again from its narrow trunk.
  index.Fill(10'000, 3000);
  index.ExpectSound();
}

TEST(Vacuum, RunsOneAtATime) {
  RemovalIndex index;
  index.Fill(0, 100);
  VacuumRequest request;
  absl::Status inner;
  request.is_dead = [](ItemPointer) { return false; };
  request.progress = [&](BlockNumber, BlockNumber) { inner = index.TryVacuum().status(); };
  ASSERT_TRUE(Vacuum(index.tree.get(), request).ok());
  EXPECT_EQ(inner.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(index.TryVacuum().ok());
}

TEST(Vacuum, TellsItsProgress) {
  RemovalIndex index;
  index.Fill(0, 300);
  const BlockNumber pages = BufferPool::block_count(index.pooled);
  VacuumRequest request;
  std::vector<BlockNumber> done;
  request.is_dead = [](ItemPointer) { return false; };
  request.progress = [&](BlockNumber at, BlockNumber of) {
    EXPECT_EQ(of, pages);
    done.push_back(at);
  };
  ASSERT_TRUE(Vacuum(index.tree.get(), request).ok());
  EXPECT_EQ(done.size(), pages - 1);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), pages);
}

TEST(Vacuum, PagesThatAScanMayBeOnTheWayToAreNotFree) {
  RemovalIndex index;
  index.Fill(0, 1000);
  index.Kill(100, 800);
  const MarkWatch waits("vacuum.newly_deleted_not_free_yet");
  {
    const LinkUse scan(&index.transactions);
    const VacuumSummary summary = index.Vacuum();
    EXPECT_GT(summary.pages_deleted, 0U);
    EXPECT_EQ(summary.pages_free, 0U);
    EXPECT_EQ(index.free_pages.size(), 0U);
    EXPECT_EQ(index.Meta().last_cleanup_deleted_pages, summary.pages_deleted);
    EXPECT_EQ(index.log.count(wal::kMetaCleanup), 1U);

    const MarkWatch still("vacuum.deleted_page_not_free_yet");
    const VacuumSummary again = index.Vacuum();
    EXPECT_EQ(again.pages_deleted, summary.pages_deleted);
    EXPECT_EQ(again.pages_free, 0U);
    EXPECT_EQ(still.passed(), summary.pages_deleted);
  }
  EXPECT_GT(waits.passed(), 0U);
  const VacuumSummary later = index.Vacuum();
  EXPECT_EQ(later.pages_free, later.pages_deleted);
  EXPECT_EQ(index.Meta().last_cleanup_deleted_pages, 0U);
  EXPECT_EQ(index.log.count(wal::kMetaCleanup), 2U);
  index.ExpectSound();
}

TEST(Vacuum, FindsPagesThatTheMapHasLost) {
  RemovalIndex index;
  index.Fill(0, 1000);
  index.Kill(100, 800);
  const VacuumSummary summary = index.Vacuum();
  ASSERT_GT(summary.pages_free, 0U);
  // As a start without the file of the map does. And a crash has left a page of zeros.
  while (index.free_pages.Take().has_value()) {
  }
  ASSERT_TRUE(index.pool.Extend(index.pooled).ok());
  const VacuumSummary again = index.Vacuum();
  EXPECT_EQ(again.pages_free, summary.pages_free + 1);
  EXPECT_EQ(index.free_pages.size(), summary.pages_free + 1);
  index.ExpectMapIsRight();
}

enum class Newcomers : std::uint8_t { kLive, kDead };

// Once it has passed page 15, rows with the keys [begin, end) come at three more addresses each, so
// that leaves it has not come to are split. They may be dead as soon as they are there.
absl::StatusOr<VacuumSummary> VacuumWhileLeavesSplit(RemovalIndex* index, std::int64_t begin,
                                                     std::int64_t end, Newcomers newcomers) {
  VacuumRequest request;
  request.is_dead = [&](ItemPointer tid) { return index->liveness.IsDead(tid); };
  bool split = false;
  request.progress = [&](BlockNumber done, BlockNumber) {
    if (done < 15 || split) return;
    split = true;
    for (std::int64_t number = begin; number < end; ++number) {
      for (OffsetNumber offset = 2; offset <= 4; ++offset) {
        const ItemPointer tid{static_cast<BlockNumber>(number), offset};
        ASSERT_TRUE(index->Insert(NumberRow(index->schema, number, tid)).ok());
        if (newcomers == Newcomers::kDead) index->liveness.Kill(tid);
      }
    }
  };
  const absl::StatusOr<VacuumSummary> summary = Vacuum(index->tree.get(), request);
  EXPECT_TRUE(split);
  return summary;
}

TEST(Vacuum, GoesBackForEntriesThatASplitMovedBehindIt) {
  RemovalIndex index;
  index.Fill(0, 1000);
  index.Kill(100, 300);
  index.Vacuum();  // so that there are free pages at the beginning of the file
  ASSERT_GT(index.free_pages.size(), 5U);
  ASSERT_GT(index.LeafOf(800), 20U);

  // While it runs, leaves that it has not come to are split, and their right halves go to pages
  // that it has passed. It must find what has died on them.
  index.Kill(780, 100);
  const MarkWatch back("vacuum.goes_back");
  const absl::StatusOr<VacuumSummary> summary =
      VacuumWhileLeavesSplit(&index, 770, 900, Newcomers::kLive);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_GT(back.passed(), 0U);
  EXPECT_EQ(summary->rows_removed, 100U);
  index.ExpectClean();
  for (const BlockNumber block : index.Level(0)) {
    const PageRef page = index.PinPage(block);
    const nbtree::NbtreePage node(page.view());
    EXPECT_EQ(node.cycle_id(), 0) << block;
  }
}

TEST(Vacuum, APageThatBecomesEmptyOnTheWayBackWaitsForTheNextOne) {
  RemovalIndex index;
  index.Fill(0, 1000);
  index.Kill(100, 300);
  index.Vacuum();
  index.Kill(780, 100);
  const MarkWatch left("vacuum.empty_page_left_when_going_back");
  const absl::StatusOr<VacuumSummary> summary =
      VacuumWhileLeavesSplit(&index, 780, 880, Newcomers::kDead);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->rows_removed, 400U);
  EXPECT_GT(left.passed(), 0U);
  index.ExpectSound();
  EXPECT_GT(index.Vacuum().pages_deleted_now, 0U);
  index.ExpectSound();
}

TEST(Vacuum, CycleIdsGoRoundWithoutThoseOfOtherAccessMethods) {
  RemovalIndex index;
  index.Fill(0, 5);
  std::vector<std::uint16_t> ids;
  VacuumRequest request;
  request.is_dead = [](ItemPointer) { return false; };
  request.progress = [&](BlockNumber, BlockNumber) { ids.push_back(index.tree->cycle_id()); };
  for (std::uint32_t run = 0; run < nbtree::kMaxCycleId + 2U; ++run) {
    ASSERT_TRUE(Vacuum(index.tree.get(), request).ok());
    ASSERT_EQ(index.tree->cycle_id(), 0);
  }
  ASSERT_EQ(ids.size(), nbtree::kMaxCycleId + 2U);
  EXPECT_EQ(ids[nbtree::kMaxCycleId], ids[0]);
  std::sort(ids.begin(), ids.end() - 2);
  EXPECT_EQ(ids.front(), 1);
  EXPECT_EQ(ids[nbtree::kMaxCycleId - 1], nbtree::kMaxCycleId);
}

TEST(Vacuum, StopsAtADamagedPageAndCanRunAgain) {
  RemovalIndex index;
  index.Fill(0, 1000);
  index.Kill(0, 500);
  const std::vector<BlockNumber> leaves = index.Level(0);
  {
    PageRef page = index.PinPage(leaves[5], Hold::kExclusive);
    nbtree::SetPrev(page.writer(), leaves[1]);
    page.MarkDirty();
  }
  const absl::Status status = index.TryVacuum().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(index.tree->cycle_id(), 0);
  {
    PageRef page = index.PinPage(leaves[5], Hold::kExclusive);
    nbtree::SetPrev(page.writer(), leaves[4]);
  }
}

// Random deletions over many shapes; everything that VACUUM leaves is checked.
struct Shape {
  const char* name;
  const char* schema;
  std::uint32_t page_size;
  std::uint32_t distinct;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class RandomVacuum : public ::testing::TestWithParam<Shape> {};

TEST_P(RandomVacuum, LeavesWhatTheModelHolds) {
  RemovalIndex index(GetParam().schema, FewFrames(GetParam().page_size));
  RowModel model(RowLess{&index.schema});
  Prng prng(23, GetParam().name);
  BlockNumber next_block = 1;
  const auto random_row = [&] {
    const std::string text = std::to_string(prng.Below(GetParam().distinct));
    const std::vector<const char*> texts(index.schema.attribute_count(), text.c_str());
    return RowOf(index.schema, texts, {next_block++, static_cast<OffsetNumber>(1 + prng.Below(8))});
  };
  for (int round = 0; round < 6; ++round) {
    for (int count = 0; count < 400; ++count) {
      const TestRow row = random_row();
      ASSERT_TRUE(index.Insert(row, UniqueCheck::kNone, prng.Chance(1, 3)).ok());
      model.insert(row);
    }
    // Single rows, then a range: so whole pages become empty.
    const auto kill = [&](RowModel::iterator at) {
      index.liveness.Kill(at->tid);
      return model.erase(at);
    };
    for (int count = 0; count < 60 && !model.empty(); ++count) {
      const auto at = model.lower_bound(random_row());
      if (at != model.end()) kill(at);
    }
    auto at = model.lower_bound(random_row());
    for (std::uint64_t count = prng.Below(350); count > 0 && at != model.end(); --count) {
      at = kill(at);
    }
    // Scans between deletion and VACUUM give hints; insertions use them.
    if (prng.Chance(1, 2)) {
      ASSERT_EQ(index.Rows().size(), model.size());
    }
    const VacuumSummary summary = index.Vacuum();
    EXPECT_EQ(summary.rows_left, model.size());
    EXPECT_EQ(summary.pages_free, summary.pages_deleted);
    EXPECT_EQ(index.Verify().counts.heap_tids, model.size());
    ASSERT_EQ(index.Rows(), std::vector<TestRow>(model.begin(), model.end()));
    ScanRequest backward;
    backward.backward = true;
    ASSERT_EQ(index.Rows(backward), std::vector<TestRow>(model.rbegin(), model.rend()));
    ASSERT_NO_FATAL_FAILURE(index.ExpectClean());
  }
  ASSERT_NO_FATAL_FAILURE(ExpectRedoGivesItsPages(&index));
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomVacuum,
                         ::testing::Values(Shape{"int4_few", "int4", 512, 5},
                                           Shape{"int4_many", "int4", 512, 1'000'000},
                                           Shape{"int8_some", "int8", 1024, 300},
                                           Shape{"two_columns", "int4, text", 512, 40},
                                           Shape{"descending", "int4 desc nulls first", 512, 500},
                                           Shape{"numeric_no_dedup", "numeric", 512, 50},
                                           Shape{"included", "int4; include text", 512, 100},
                                           Shape{"large_pages", "text", 8192, 3000}),
                         [](const ::testing::TestParamInfo<Shape>& shape) {
                           return shape.param.name;
                         });

}  // namespace
}  // namespace tornleaf
