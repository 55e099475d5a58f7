// Logs in memory for tests: random records in, and what a reader finds.

#ifndef TORNLEAF_ENGINE_WAL_LOG_TEST_UTIL_H_
#define TORNLEAF_ENGINE_WAL_LOG_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/prng.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/wal/log.h"
#include "engine/wal/log_reader.h"
#include "engine/wal/record/xlog_records.h"
#include "tests/support/test_environment.h"

namespace tornleaf {
namespace wal {

inline constexpr char kLogFolder[] = "wal";

inline void MakeLogFolder(Device* device) {
  EXPECT_TRUE(device->MakeDirectory(kLogFolder).ok());
  EXPECT_TRUE(device->SyncDirectory(".").ok());
}

// Small, so that a few records fill pages, and a few pages a segment.
inline LogOptions SmallLog() {
  LogOptions options;
  options.folder = kLogFolder;
  options.page_bytes = 512;
  options.segment_bytes = 2048;
  options.system_identifier = 77;
  options.buffer_bytes = 2048;
  return options;
}

// One record as it was inserted.
struct Inserted {
  Lsn start = 0;
  Lsn end = 0;
  std::vector<std::uint8_t> data;
};

// Inserts a record with the main data given.
inline Inserted InsertData(Log* log, std::vector<std::uint8_t> data) {
  Inserted inserted;
  inserted.data = std::move(data);
  RecordDraft draft;
  draft.manager = ResourceManager::kXlog;
  draft.info = kNoop;
  draft.main_data = {inserted.data};
  inserted.end = log->Insert(draft, &inserted.start);
  return inserted;
}

inline std::vector<std::uint8_t> RandomData(Prng* prng, std::size_t size) {
  std::vector<std::uint8_t> data(size);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(prng->Next());
  return data;
}

// Mostly short, some longer than a page, a few than a segment.
inline std::size_t RandomSize(Prng* prng) {
  if (prng->Chance(1, 40)) return prng->Between(1, 5000);
  return prng->Between(1, prng->Chance(1, 8) ? 800 : 90);
}

inline Inserted InsertRandom(Log* log, Prng* prng) {
  return InsertData(log, RandomData(prng, RandomSize(prng)));
}

struct ReadBack {
  std::vector<Inserted> records;
  Lsn end = 0;
  Lsn last_record = 0;
  std::string end_reason;
};

// Everything from the first record on.
inline ReadBack ReadAll(Device* device, Lsn start = 0) {
  ReadBack read;
  auto reader = LogReader::Open(device, kLogFolder, start);
  EXPECT_TRUE(reader.ok()) << reader.status();
  if (!reader.ok()) return read;
  while (true) {
    const absl::StatusOr<bool> next = (*reader)->Next();
    EXPECT_TRUE(next.ok()) << next.status();
    if (!next.ok() || !*next) break;
    const ByteView data = (*reader)->record().main_data;
    read.records.push_back({(*reader)->start(), (*reader)->end(), {data.begin(), data.end()}});
  }
  read.end = (*reader)->end();
  read.last_record = (*reader)->start();
  read.end_reason = (*reader)->end_reason();
  return read;
}

// How many of `records` are the first ones of `expected`; all must be.
inline void ExpectPrefix(const std::vector<Inserted>& records,
                         const std::vector<Inserted>& expected) {
  ASSERT_LE(records.size(), expected.size());
  for (std::size_t index = 0; index < records.size(); ++index) {
    ASSERT_EQ(records[index].start, expected[index].start) << index;
    ASSERT_EQ(records[index].end, expected[index].end) << index;
    ASSERT_EQ(records[index].data, expected[index].data) << index;
  }
}

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_LOG_TEST_UTIL_H_
