#include "engine/wal/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/wal/log_test_util.h"
#include "engine/wal/segment.h"

namespace tornleaf {
namespace wal {
namespace {

using ::testing::HasSubstr;

class LogTest : public ::testing::Test {
 protected:
  LogTest() { MakeLogFolder(&env_.device); }

  std::unique_ptr<Log> OpenNew(const LogOptions& options) {
    return OpenAt(options, options.segment_bytes, 0);
  }
  std::unique_ptr<Log> OpenAt(const LogOptions& options, Lsn end, Lsn last_record) {
    auto log = Log::Open(env_.environment(), options, end, last_record, end);
    EXPECT_TRUE(log.ok()) << log.status();
    return *std::move(log);
  }
  // As recovery does: the log goes on where the reader found its end.
  std::unique_ptr<Log> Reopen(const LogOptions& options) {
    const ReadBack read = ReadAll(&env_.device);
    return OpenAt(options, read.end, read.last_record);
  }

  TestEnvironment env_;
};

struct ShapeCase {
  std::uint32_t page_bytes;
  std::uint32_t segment_bytes;
  std::uint32_t buffer_bytes;
};

class LogShapes : public LogTest, public ::testing::WithParamInterface<ShapeCase> {};

TEST_P(LogShapes, RecordsComeBackOverReopening) {
  LogOptions options = SmallLog();
  options.page_bytes = GetParam().page_bytes;
  options.segment_bytes = GetParam().segment_bytes;
  options.buffer_bytes = GetParam().buffer_bytes;
  Prng prng(5, "shapes");
  std::vector<Inserted> inserted;
  std::unique_ptr<Log> log = OpenNew(options);
  for (int life = 0; life < 6; ++life) {
    for (int round = 0; round < 150; ++round) {
      inserted.push_back(InsertRandom(log.get(), &prng));
      EXPECT_EQ(log->inserted(), inserted.back().end);
      EXPECT_EQ(log->last_record(), inserted.back().start);
      if (prng.Chance(1, 10)) {
        ASSERT_TRUE(log->Flush(inserted.back().end).ok());
        EXPECT_EQ(log->durable(), log->inserted());
      }
    }
    EXPECT_EQ(log->counts(), (RecordCounts{{{0, kNoop}, 150}}));
    ASSERT_TRUE(log->Sync().ok());
    env_.device.Crash(Survival::kNothing);
    const ReadBack read = ReadAll(&env_.device);
    ASSERT_EQ(read.records.size(), inserted.size()) << read.end_reason;
    ExpectPrefix(read.records, inserted);
    EXPECT_EQ(read.end, inserted.back().end);
    EXPECT_EQ(read.last_record, inserted.back().start);
    log = Reopen(options);
    EXPECT_EQ(log->durable(), inserted.back().end);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LogShapes,
                         ::testing::Values(ShapeCase{512, 2048, 0}, ShapeCase{512, 4096, 65536},
                                           ShapeCase{1024, 16384, 4096},
                                           ShapeCase{8192, 1U << 20, 1U << 16}),
                         [](const auto& test) {
                           return "Page" + std::to_string(test.param.page_bytes) + "Buffer" +
                                  std::to_string(test.param.buffer_bytes);
                         });

TEST_F(LogTest, BeginsAtASegmentAboveThePositionGiven) {
  EXPECT_EQ(OpenAt(SmallLog(), 0, 0)->inserted(), 2048U);
  EXPECT_EQ(OpenAt(SmallLog(), 2049, 0)->inserted(), 4096U);
  const auto log = OpenAt(SmallLog(), 3 * 2048, 0);
  EXPECT_EQ(log->inserted(), 3 * 2048U);
  EXPECT_EQ(log->BeginCheckpoint(), 3 * 2048U + 40);
  EXPECT_EQ(InsertData(log.get(), {1}).start, 3 * 2048U + 40);
  EXPECT_FALSE(Log::Open(env_.environment(), SmallLog(), 4096, 4096, 0).ok());
  EXPECT_FALSE(Log::Open(env_.environment(), SmallLog(), 4097, 4000, 0).ok());
  LogOptions options = SmallLog();
  options.segment_bytes = 1024;
  EXPECT_FALSE(Log::Open(env_.environment(), options, 0, 0, 0).ok());
}

// The main data of the record that changes `page`, and whether it had an image.
bool LoggedImage(TestEnvironment* env, Log* log, ByteView page, std::uint8_t flags) {
  RecordDraft draft;
  const std::vector<std::uint8_t> data{1, 2, 3};
  BlockChange& block = draft.blocks.emplace_back();
  block.relation = {1663, 5, 16384};
  block.page = page;
  block.flags = flags;
  block.data = {data};
  Lsn start = 0;
  log->Insert(draft, &start);
  EXPECT_TRUE(log->Sync().ok());
  auto reader = LogReader::Open(&env->device, kLogFolder, start);
  EXPECT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE(*(*reader)->Next());
  EXPECT_EQ((*reader)->start(), start);
  const DecodedBlock& decoded = (*reader)->record().blocks[0];
  EXPECT_EQ(decoded.has_data, !decoded.has_image || (flags & kWillInit) != 0);
  return decoded.has_image;
}

TEST_F(LogTest, AddsImagesOfPagesThatWereLastChangedBeforeTheCheckpoint) {
  std::vector<std::uint8_t> page(512);
  PageWriter writer(page);
  writer.Initialize(16);
  const auto log = OpenNew(SmallLog());
  const Lsn first = InsertData(log.get(), {1}).end;
  writer.set_lsn(first);
  EXPECT_FALSE(LoggedImage(&env_, log.get(), page, kStandardPage));
  EXPECT_FALSE(log->HintNeedsImage(first));
  const Lsn redo = log->BeginCheckpoint();
  EXPECT_EQ(log->redo(), redo);
  EXPECT_TRUE(log->HintNeedsImage(first));
  EXPECT_TRUE(LoggedImage(&env_, log.get(), page, kStandardPage));
  writer.set_lsn(redo);  // the record before ends where the checkpoint begins
  EXPECT_TRUE(LoggedImage(&env_, log.get(), page, kStandardPage));
  writer.set_lsn(redo + 1);
  EXPECT_FALSE(LoggedImage(&env_, log.get(), page, kStandardPage));
  EXPECT_TRUE(LoggedImage(&env_, log.get(), page, kForceImage));
  writer.set_lsn(0);
  EXPECT_FALSE(LoggedImage(&env_, log.get(), page, kNoImage));
  EXPECT_FALSE(LoggedImage(&env_, log.get(), page, kWillInit));
  EXPECT_TRUE(LoggedImage(&env_, log.get(), page, kWillInit | kForceImage));

  LogOptions options = SmallLog();
  options.full_page_images = false;
  const auto without = Reopen(options);
  EXPECT_FALSE(LoggedImage(&env_, without.get(), page, kStandardPage));
  EXPECT_TRUE(LoggedImage(&env_, without.get(), page, kForceImage));
}

TEST_F(LogTest, RefusesToFlushPastItsEnd) {
  const auto log = OpenNew(SmallLog());
  const Lsn end = InsertData(log.get(), {1}).end;
  EXPECT_TRUE(absl::IsDataLoss(log->Flush(end + 1)));
  EXPECT_TRUE(log->status().ok());
  EXPECT_TRUE(log->Flush(end).ok());
}

TEST_F(LogTest, GrowsItsBufferForALongRecord) {
  const auto log = OpenNew(SmallLog());
  Prng prng(1, "long");
  std::vector<Inserted> inserted;
  for (const std::size_t size : {10, 100000, 10, 300000}) {
    inserted.push_back(InsertData(log.get(), RandomData(&prng, size)));
  }
  ASSERT_TRUE(log->Sync().ok());
  const ReadBack read = ReadAll(&env_.device);
  ASSERT_EQ(read.records.size(), 4U);
  ExpectPrefix(read.records, inserted);
}

TEST_F(LogTest, RecyclesSegmentsAndReadsNothingOldInThem) {
  const LogOptions options = SmallLog();
  auto log = OpenNew(options);
  Prng prng(2, "recycle");
  for (int round = 0; round < 40; ++round) {
    for (int count = 0; count < 60; ++count) InsertData(log.get(), RandomData(&prng, 50));
    ASSERT_TRUE(log->Sync().ok());
    const Lsn redo = log->BeginCheckpoint();
    ASSERT_TRUE(log->Recycle(redo).ok());
    const std::size_t files = env_.device.List(kLogFolder)->size();
    EXPECT_LE(files, 8U);
    const Inserted last = InsertData(log.get(), {9});
    ASSERT_TRUE(log->Sync().ok());
    const ReadBack read = ReadAll(&env_.device, redo);
    ASSERT_EQ(read.records.size(), 1U) << read.end_reason;
    EXPECT_EQ(read.records[0].start, redo);
    EXPECT_EQ(read.end, last.end);
    if (round % 7 == 6) {
      log = nullptr;
      env_.device.Crash(Survival::kNothing);
      log = OpenAt(options, read.end, read.last_record);
    }
  }
  EXPECT_GT(env_.device.calls(DeviceCall::kRename), 20U);
}

TEST_F(LogTest, PassesOverWhatACrashLeftOfANewSegment) {
  env_.device.Put(absl::StrCat(kLogFolder, "/xlogtemp"), std::vector<std::uint8_t>(99, 1));
  const auto log = OpenNew(SmallLog());
  InsertData(log.get(), {1});
  EXPECT_TRUE(log->Sync().ok());
  EXPECT_EQ(ReadAll(&env_.device).records.size(), 1U);
}

// Records of two lives have the same sizes, and each fills a page, so that an old one on the next
// page looks like the successor of a new one: position, xl_prev and CRC are right.
TEST_F(LogTest, NeverLetsAnOldRecordFollowANewOne) {
  const LogOptions options = SmallLog();
  const auto insert_page = [&options](Log* log, std::uint8_t byte) {
    const bool is_first = log->inserted() % options.segment_bytes == 0;
    const std::size_t size = options.page_bytes - (is_first ? 40 : 24) - kRecordHeaderSize - 5;
    const Inserted inserted = InsertData(log, std::vector<std::uint8_t>(size, byte));
    EXPECT_EQ(inserted.end % options.page_bytes, 0U);
    return inserted;
  };
  auto log = OpenNew(options);
  std::vector<Inserted> old;
  for (std::uint8_t count = 0; count < 20; ++count) old.push_back(insert_page(log.get(), count));
  ASSERT_TRUE(log->Sync().ok());
  // The sixth record is lost, all others are there.
  const std::string path = absl::StrCat(kLogFolder, "/", SegmentName(1, 2, options.segment_bytes));
  std::vector<std::uint8_t> bytes = env_.device.Get(path).value_or(std::vector<std::uint8_t>());
  bytes[old[5].start % options.segment_bytes + 30] ^= 1;
  env_.device.Put(path, bytes);
  const ReadBack read = ReadAll(&env_.device);
  ASSERT_EQ(read.records.size(), 5U);
  EXPECT_THAT(read.end_reason, HasSubstr("CRC"));

  log = OpenAt(options, read.end, read.last_record);
  for (std::uint8_t count = 5; count < 25; ++count) {
    const Inserted again = insert_page(log.get(), 200);
    ASSERT_TRUE(log->Sync().ok());
    const ReadBack reread = ReadAll(&env_.device);
    ASSERT_EQ(reread.records.size(), count + 1U) << reread.end_reason;
    EXPECT_EQ(reread.records.back().start, again.start);
    EXPECT_EQ(reread.records.back().data[0], 200);
  }
}

TEST_F(LogTest, ShortTransfersChangeNothing) {
  env_.device.set_short_transfers(true);
  Prng prng(8, "short");
  const auto log = OpenNew(SmallLog());
  std::vector<Inserted> inserted;
  for (int count = 0; count < 300; ++count) inserted.push_back(InsertRandom(log.get(), &prng));
  ASSERT_TRUE(log->Sync().ok());
  const ReadBack read = ReadAll(&env_.device);
  EXPECT_EQ(read.records.size(), inserted.size());
  ExpectPrefix(read.records, inserted);
}

TEST_F(LogTest, ManyTasksCommitInGroups) {
  const auto log = OpenNew(SmallLog());
  constexpr int kTasks = 8;
  constexpr int kEach = 200;
  std::vector<std::unique_ptr<Task>> tasks;
  for (int task = 0; task < kTasks; ++task) {
    tasks.push_back(env_.executor.Spawn("committer", [&log, task] {
      for (int count = 0; count < kEach; ++count) {
        const Inserted inserted = InsertData(log.get(), {static_cast<std::uint8_t>(task), 1, 2, 3});
        EXPECT_TRUE(log->Flush(inserted.end).ok());
        EXPECT_GE(log->durable(), inserted.end);
      }
    }));
  }
  for (const auto& task : tasks) task->Join();
  EXPECT_LE(env_.device.calls(DeviceCall::kSync), kTasks * kEach + 100U);
  env_.device.Crash(Survival::kNothing);
  EXPECT_EQ(ReadAll(&env_.device).records.size(), std::size_t{kTasks * kEach});
}

}  // namespace
}  // namespace wal
}  // namespace tornleaf
