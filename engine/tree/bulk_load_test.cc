#include "engine/tree/bulk_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/build/index_build.h"
#include "engine/build/pages_in_memory.h"
#include "engine/tree/removal_test_util.h"
#include "engine/tree/replica_test_util.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kPageSize = 1024;
constexpr int kRows = 2000;

// Rows 0, 10, 20 ... twice each, so that there are posting lists, in order of keys and addresses.
std::string SortedText(int rows) {
  std::string text;
  for (int row = 0; row < rows; ++row) {
    const int key = row / 2 * 10;
    text += std::to_string(key) + "\t(" + std::to_string(row / 10) + "," +
            std::to_string(row % 10 + 1) + ")\n";
  }
  return text;
}

TestIndexOptions SmallPages() {
  TestIndexOptions options;
  options.page_size = kPageSize;
  options.frames = kFramesMin;
  return options;
}

absl::Status BuildInto(const Schema& schema, const BuildOptions& options, int rows,
                       PageSink* sink) {
  const std::string text = SortedText(rows);
  StringSource source(text);
  BuildInput input;
  input.rows = &source;
  input.sorted = true;
  BuildSummary summary;
  return BuildIndex(schema, options, input, sink, &summary);
}

absl::Status Load(Tree* tree, LoadLog log, int rows = kRows) {
  absl::StatusOr<BulkLoad> load = BulkLoad::Begin(tree, log);
  if (!load.ok()) return load.status();
  return BuildInto(tree->schema(), load->options(), rows, &*load);
}

std::vector<std::uint8_t> Masked(std::vector<std::uint8_t> image) {
  for (std::size_t at = 0; at < image.size(); at += kPageSize) {
    nbtree::MaskForRedo(MutableBytes(image).subspan(at, kPageSize));
  }
  return image;
}

class BulkLoadTest : public testing::TestWithParam<LoadLog> {
 protected:
  TestIndex index_{"int4", SmallPages()};
};

TEST_P(BulkLoadTest, MakesThePagesOfABuildAndATreeThatGoesOn) {
  ASSERT_TRUE(Load(index_.tree.get(), GetParam()).ok());
  PagesInMemory built(kPageSize);
  BuildOptions options;
  options.page_size = kPageSize;
  ASSERT_TRUE(BuildInto(index_.schema, options, kRows, &built).ok());
  EXPECT_EQ(Masked(index_.Image()), Masked(built.image()));
  EXPECT_EQ(FindingsOf(index_.Verify()), "");
  EXPECT_EQ(index_.Rows().size(), static_cast<std::size_t>(kRows));

  for (int key = 5; key < 3000; key += 10) {
    const absl::StatusOr<InsertResult> inserted =
        index_.Insert(NumberRow(index_.schema, key, {static_cast<BlockNumber>(10000 + key), 1}));
    ASSERT_TRUE(inserted.ok()) << inserted.status();
  }
  EXPECT_EQ(FindingsOf(index_.Verify()), "");
  EXPECT_EQ(index_.Rows().size(), static_cast<std::size_t>(kRows + 300));
}

TEST_P(BulkLoadTest, OfNoRowsLeavesAnEmptyIndex) {
  ASSERT_TRUE(Load(index_.tree.get(), GetParam(), 0).ok());
  EXPECT_EQ(index_.Rows().size(), 0U);
  EXPECT_EQ(FindingsOf(index_.Verify()), "");
  EXPECT_TRUE(Load(index_.tree.get(), GetParam(), 10).ok());
  EXPECT_EQ(index_.Rows().size(), 10U);
}

TEST_P(BulkLoadTest, IsRefusedWhereThereAreRows) {
  ASSERT_TRUE(Load(index_.tree.get(), GetParam(), 10).ok());
  const std::vector<std::uint8_t> before = index_.Image();
  EXPECT_TRUE(absl::IsFailedPrecondition(Load(index_.tree.get(), GetParam(), 10)));
  EXPECT_TRUE(RemoveUnfinishedLoad(index_.tree.get()).ok());
  EXPECT_EQ(index_.Image(), before);
}

// Whichever change of the device fails: either the load says so and can be removed and repeated, or
// nothing is missing.
TEST_P(BulkLoadTest, MayFailAtAnyCall) {
  std::uint64_t fired = 1;
  std::uint64_t failed = 0;
  for (std::uint64_t nth = 1; fired > 0; nth += 7) {
    TestIndex index("int4", SmallPages());
    index.environment.device.Inject({.call = std::nullopt, .nth = nth, .path_part = "index"});
    const absl::Status status = Load(index.tree.get(), GetParam());
    fired = index.environment.device.faults_fired();
    index.environment.device.ClearFaults();
    if (!status.ok()) {
      ++failed;
      EXPECT_EQ(fired, 1U);
      ASSERT_TRUE(RemoveUnfinishedLoad(index.tree.get()).ok());
      EXPECT_EQ(FindingsOf(index.Verify()), "");
      EXPECT_EQ(index.Rows().size(), 0U);
      ASSERT_TRUE(Load(index.tree.get(), GetParam()).ok());
    }
    EXPECT_EQ(FindingsOf(index.Verify()), "");
    EXPECT_EQ(index.Rows().size(), static_cast<std::size_t>(kRows));
  }
  EXPECT_GT(failed, 5U);
}

INSTANTIATE_TEST_SUITE_P(Logs, BulkLoadTest, testing::Values(LoadLog::kLogged, LoadLog::kUnlogged),
                         [](const testing::TestParamInfo<LoadLog>& test) {
                           return test.param == LoadLog::kLogged ? "logged" : "unlogged";
                         });

TEST(BulkLoadLogTest, RedoGivesItsPages) {
  TestIndex index("int4", SmallPages());
  ASSERT_TRUE(Load(index.tree.get(), LoadLog::kLogged).ok());
  ExpectRedoGivesItsPages(&index);
}

TEST(BulkLoadLogTest, CutAnywhereItLeavesAnIndexWithoutRowsThatCanBeLoaded) {
  TestIndex index("int4", SmallPages());
  ASSERT_TRUE(Load(index.tree.get(), LoadLog::kLogged).ok());
  const std::vector<RecordingLog::Record>& records = index.log.records();
  ASSERT_GT(records.size(), 20U);
  const MarkWatch unfinished("bulk_load.unfinished_page");
  for (std::size_t count = 1; count < records.size(); count += 3) {
    Replica replica(kPageSize);
    for (std::size_t at = 0; at < count; ++at) ASSERT_TRUE(replica.Apply(records[at]).ok());
    ReopenedIndex reopened(&replica, &index.schema, &index.liveness);
    ASSERT_TRUE(reopened.Open().ok());
    ASSERT_TRUE(RemoveUnfinishedLoad(reopened.tree.get()).ok());
    EXPECT_EQ(FindingsOf(reopened.Verify()), "");
    EXPECT_EQ(reopened.Rows().size(), 0U);
    // Of fewer rows, so that pages are left over.
    ASSERT_TRUE(Load(reopened.tree.get(), LoadLog::kUnlogged, 100).ok());
    EXPECT_EQ(FindingsOf(reopened.Verify()), "");
    EXPECT_EQ(reopened.Rows().size(), 100U);
  }
  EXPECT_GT(unfinished.passed(), 20U);
}

TEST(BulkLoadLogTest, WithoutTheLogPagesAreDurableBeforeTheyCount) {
  TestIndex index("int4", SmallPages());
  const std::size_t before = index.log.records().size();
  ASSERT_TRUE(Load(index.tree.get(), LoadLog::kUnlogged).ok());
  EXPECT_EQ(index.log.records().size(), before + 1);  // the metapage
  const std::vector<std::uint8_t> live = index.Image();
  index.environment.device.Crash(Survival::kNothing);
  std::vector<std::uint8_t> durable =
      index.environment.device.Get("index").value_or(std::vector<std::uint8_t>());
  ASSERT_EQ(durable.size(), live.size());
  // What redo brings back.
  std::copy_n(live.begin(), kPageSize, durable.begin());
  EXPECT_EQ(Masked(durable), Masked(live));
}

TEST(BulkLoadLogTest, PagesThatACrashToreCanBeRemoved) {
  TestIndex index("int4", SmallPages());
  index.environment.device.Inject({.call = DeviceCall::kSync, .path_part = "index"});
  ASSERT_FALSE(Load(index.tree.get(), LoadLog::kUnlogged).ok());
  const absl::StatusOr<std::unique_ptr<File>> file =
      index.environment.device.Open("index", OpenMode::kReadWrite);
  ASSERT_TRUE(file.ok());
  const std::vector<std::uint8_t> sector(512, 0xAA);
  ASSERT_TRUE(WriteFully(file->get(), std::uint64_t{3} * kPageSize, sector).ok());
  index.pool.DiscardAll();
  ASSERT_TRUE(absl::IsDataLoss(index.tree->Pin(3, Hold::kShared).status()));

  const MarkWatch torn("bulk_load.torn_page");
  ASSERT_TRUE(RemoveUnfinishedLoad(index.tree.get()).ok());
  EXPECT_EQ(torn.passed(), 1U);
  EXPECT_EQ(FindingsOf(index.Verify()), "");
  ASSERT_TRUE(Load(index.tree.get(), LoadLog::kLogged).ok());
  EXPECT_EQ(index.Rows().size(), static_cast<std::size_t>(kRows));
}

}  // namespace
}  // namespace tornleaf
