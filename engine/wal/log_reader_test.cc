#include "engine/wal/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "engine/base/crc32c.h"
#include "engine/wal/log_test_util.h"
#include "engine/wal/segment.h"

namespace tornleaf {
namespace wal {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

// A log of a few segments in memory, whose bytes a test then changes.
class LogReaderTest : public ::testing::Test {
 protected:
  LogReaderTest() {
    MakeLogFolder(&env_.device);
    auto log = Log::Open(env_.environment(), SmallLog(), 0, 0, 0);
    EXPECT_TRUE(log.ok()) << log.status();
    Prng prng(4, "reader");
    for (int count = 0; count < 80; ++count) records_.push_back(InsertRandom(log->get(), &prng));
    EXPECT_TRUE((*log)->Sync().ok());
  }

  MemoryDevice& device() { return env_.device; }
  static std::string PathOf(Lsn lsn) {
    return absl::StrCat(kLogFolder, "/", SegmentName(1, lsn / 2048, 2048));
  }
  // Overwrites bytes of the log.
  void Put(Lsn lsn, ByteView bytes) {
    Bytes file = device().Get(PathOf(lsn)).value_or(Bytes());
    std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(lsn % 2048));
    device().Put(PathOf(lsn), file);
  }
  template <typename T>
  void PutNumber(Lsn lsn, T value) {
    Bytes bytes(sizeof(T));
    StoreLittleEndian(bytes.data(), value);
    Put(lsn, bytes);
  }
  // The first record from `index` on that is followed by another on its page, and ends on it.
  std::size_t ShortRecord(std::size_t index) const {
    while (records_[index].start / 512 != records_[index + 1].start / 512) ++index;
    return index;
  }
  // The first one that goes on on another page of its segment.
  std::size_t LongRecord(std::size_t index) const {
    while (records_[index].start / 512 == (records_[index].end - 1) / 512 ||
           records_[index].start / 2048 != records_[index].end / 2048) {
      ++index;
    }
    return index;
  }
  // The log ends before record `index`, for the reason.
  void ExpectEnd(std::size_t index, const std::string& reason) {
    const ReadBack read = ReadAll(&device());
    EXPECT_EQ(read.records.size(), index);
    ExpectPrefix(read.records, records_);
    EXPECT_THAT(read.end_reason, HasSubstr(reason));
    EXPECT_EQ(read.end, index == 0 ? 2048 : records_[index - 1].end);
  }

  TestEnvironment env_;
  std::vector<Inserted> records_;
};

TEST_F(LogReaderTest, TellsTheShape) {
  auto reader = LogReader::Open(&device(), kLogFolder, 0);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->segment_bytes(), 2048U);
  EXPECT_EQ((*reader)->page_bytes(), 512U);
  EXPECT_EQ((*reader)->system_identifier(), 77U);
  EXPECT_EQ((*reader)->timeline(), 1U);
  EXPECT_EQ((*reader)->start(), records_[0].start);
}

TEST_F(LogReaderTest, BeginsAtTheFirstRecordNotBefore) {
  std::size_t index = 0;
  for (Lsn start = 2048; start < records_.back().start; start += 8) {
    while (records_[index].start < start) ++index;
    auto reader = LogReader::Open(&device(), kLogFolder, start);
    ASSERT_TRUE(reader.ok()) << reader.status();
    ASSERT_TRUE(*(*reader)->Next()) << (*reader)->end_reason();
    ASSERT_EQ((*reader)->start(), records_[index].start) << start;
  }
}

TEST_F(LogReaderTest, NeedsNothingBeforeTheStart) {
  const std::size_t index = ShortRecord(30) + 1;
  PutNumber(records_[index - 1].start + 20, 0xDEAD);
  ReadBack read = ReadAll(&device(), records_[index].start);
  EXPECT_EQ(read.records.size(), records_.size() - index);
  // Inside a damaged record there is no start to be found.
  read = ReadAll(&device(), records_[index - 1].start + 8);
  EXPECT_EQ(read.records.size(), 0U);
  EXPECT_EQ(read.end, records_[index - 1].start + 8);
}

TEST_F(LogReaderTest, KnowsALogThatGoesOnBehindItsEnd) {
  const auto behind_end = [this]() {
    auto reader = LogReader::Open(&device(), kLogFolder, 0);
    EXPECT_TRUE(reader.ok()) << reader.status();
    while (*(*reader)->Next()) {
    }
    return *(*reader)->FindLogBehindEnd();
  };
  EXPECT_EQ(behind_end(), 0U);
  const Lsn last_segment = (records_.back().end - 1) / 2048 * 2048;
  ASSERT_GT(last_segment, 3 * 2048U);
  // A torn tail, in the last segment or at the seam before it, has nothing behind it.
  const std::optional<Bytes> last = device().Get(PathOf(last_segment));
  Put(last_segment, Bytes(512));
  EXPECT_EQ(behind_end(), 0U);
  // Neither has one before segments that wait for use and hold what they held before.
  device().Put(PathOf(last_segment + 2048), device().Get(PathOf(2048)).value_or(Bytes()));
  EXPECT_EQ(behind_end(), 0U);
  device().Put(PathOf(last_segment), last.value_or(Bytes()));
  Put(2 * 2048 + 512, Bytes(512));
  EXPECT_EQ(behind_end(), 3 * 2048U);
  ASSERT_TRUE(device().Remove(PathOf(2 * 2048)).ok());
  EXPECT_EQ(behind_end(), 3 * 2048U);
}

TEST_F(LogReaderTest, SaysWhyALogEnds) {
  ExpectEnd(records_.size(), LsnText(records_.back().end));
  const std::size_t index = ShortRecord(50);
  const Lsn start = records_[index].start;
  PutNumber(start + 8, records_[index].start);
  ExpectEnd(index, "wrong CRC");
  PutNumber(start, std::uint32_t{23});
  ExpectEnd(index, "impossible length");
  PutNumber(start, std::uint32_t{1U << 31});
  ExpectEnd(index, "impossible length");
  PutNumber(start, std::uint32_t{0});
  ExpectEnd(index, "zeros");
  const std::size_t straddling = LongRecord(30);
  const Lsn next_page = records_[straddling].start / 512 * 512 + 512;
  PutNumber(next_page + 16, std::uint32_t{3});
  ExpectEnd(straddling, "another length");
  PutNumber(next_page + 16, std::uint32_t{0});
  ExpectEnd(straddling, "xlp_rem_len");
  PutNumber(next_page + 2, std::uint16_t{0});
  ExpectEnd(straddling, "rest is missing");
  PutNumber(next_page + 8, Lsn{1});
  ExpectEnd(straddling, "another position");
  PutNumber(next_page + 2, v15::kLongHeader);
  ExpectEnd(straddling, "another log");
  PutNumber(next_page + 2, std::uint16_t{0x8000});
  ExpectEnd(straddling, "unknown flags");
  PutNumber(next_page, std::uint16_t{0xD10D});
  ExpectEnd(straddling, "no page of version 15");
  Put(next_page, Bytes(512));
  ExpectEnd(straddling, "page of zeros");
  Bytes file = device().Get(PathOf(next_page)).value_or(Bytes());
  file.resize(next_page % 2048 + 100);
  device().Put(PathOf(next_page), file);
  ExpectEnd(straddling, "cut short");
  ASSERT_TRUE(device().Remove(PathOf(4096)).ok());
  EXPECT_THAT(ReadAll(&device()).end_reason, HasSubstr("no such segment"));
}

// A valid record, with a right CRC, that names another one as the one before it.
TEST_F(LogReaderTest, ARecordOfAnotherPositionEndsTheLog) {
  const std::size_t index = ShortRecord(40);
  const Inserted& record = records_[index];
  const Bytes file = device().Get(PathOf(record.start)).value_or(Bytes());
  const auto* const begin = file.data() + record.start % 2048;
  Bytes bytes(begin, begin + LoadLittleEndian<std::uint32_t>(begin));
  StoreLittleEndian(bytes.data() + 8, records_[index - 2].start);
  std::uint32_t crc = ExtendCrc32c(kCrc32cStart, ByteView(bytes).subspan(kRecordHeaderSize));
  crc = FinishCrc32c(ExtendCrc32c(crc, ByteView(bytes).first(20)));
  StoreLittleEndian(bytes.data() + 20, crc);
  Put(record.start, bytes);
  ExpectEnd(index, "a record of another position");
}

TEST_F(LogReaderTest, ErrorsOfTheDeviceAreNoEnd) {
  auto reader = LogReader::Open(&device(), kLogFolder, 0);
  ASSERT_TRUE(reader.ok());
  device().Inject({.call = DeviceCall::kRead, .for_ever = true});
  absl::StatusOr<bool> next = (*reader)->Next();
  while (next.ok() && *next) next = (*reader)->Next();
  EXPECT_FALSE(next.ok());
  EXPECT_FALSE(LogReader::Open(&device(), kLogFolder, 0).ok());
}

TEST_F(LogReaderTest, RefusesWhatIsNoLog) {
  const auto open = [this](const char* folder, Lsn start) {
    return LogReader::Open(&device(), folder, start).status();
  };
  EXPECT_TRUE(absl::IsNotFound(open("elsewhere", 0)));
  EXPECT_TRUE(absl::IsNotFound(open(kLogFolder, 1000)));
  EXPECT_TRUE(absl::IsNotFound(open(kLogFolder, UINT64_MAX)));
  device().Put("other/README", Bytes(3));
  EXPECT_TRUE(absl::IsNotFound(open("other", 0)));
  device().Put(absl::StrCat("other/", SegmentName(1, 1, 2048)), Bytes(2048));
  EXPECT_TRUE(absl::IsInvalidArgument(open("other", 0)));
  EXPECT_TRUE(absl::IsInvalidArgument(open("other", 2048)));
  device().Put(absl::StrCat("other/", SegmentName(1, 2, 2048)), Bytes(20, 1));
  EXPECT_TRUE(absl::IsInvalidArgument(open("other", 0)));
}

// Any bytes: an answer, in time, and no more records than there were.
TEST_F(LogReaderTest, DamageNeverInventsRecords) {
  const MemoryFiles files = device().Snapshot();
  Prng prng(6, "damage");
  for (int round = 0; round < 400; ++round) {
    device().Restore(files);
    for (std::uint64_t change = prng.Between(1, 4); change > 0; --change) {
      const Lsn lsn = 2048 + prng.Below(records_.back().end - 2048 - 8);
      const Lsn within = prng.Chance(1, 2) ? lsn / 512 * 512 + prng.Below(24) : lsn;
      if (within % 2048 <= 2040) PutNumber(within, static_cast<std::uint8_t>(prng.Next()));
    }
    auto reader = LogReader::Open(&device(), kLogFolder, records_[0].start);
    if (!reader.ok()) continue;
    std::size_t count = 0;
    while (*(*reader)->Next()) {
      ASSERT_LT(count, records_.size());
      ASSERT_EQ((*reader)->start(), records_[count].start);
      ASSERT_TRUE(std::ranges::equal((*reader)->record().main_data, records_[count].data));
      ++count;
    }
    EXPECT_FALSE((*reader)->end_reason().empty());
    EXPECT_FALSE(*(*reader)->Next());
  }
}

// What a server leaves of a record whose rest was lost: the beginning, then a page that begins with
// a notice of it.
class OverwrittenTest : public LogReaderTest {
 protected:
  // Puts the notice where the rest of record `lost` was, and one more record behind it.
  void Overwrite(std::size_t lost, Lsn named) {
    const Lsn page = records_[lost].start / 512 * 512 + 512;
    Bytes bytes(512);
    WritePageHeader({512, 2048, 1, 77}, page, 0, bytes.data());
    StoreLittleEndian(bytes.data() + 2, v15::kFirstIsOverwrite);
    Bytes notice(16);
    StoreLittleEndian(notice.data(), named);
    RecordDraft draft;
    draft.manager = ResourceManager::kXlog;
    draft.info = kOverwriteContrecord;
    draft.main_data = {notice};
    Bytes record;
    EncodeRecord(draft, records_[lost - 1].start, 0, &record);
    std::copy(record.begin(), record.end(), bytes.begin() + 24);
    Put(page, bytes);
  }
};

TEST_F(OverwrittenTest, IsSteppedOver) {
  const std::size_t lost = LongRecord(20);
  Overwrite(lost, records_[lost].start);
  const ReadBack read = ReadAll(&device());
  ASSERT_EQ(read.records.size(), lost + 1) << read.end_reason;
  EXPECT_EQ(read.records.back().start, records_[lost].start / 512 * 512 + 512 + 24);
  EXPECT_THAT(read.end_reason, HasSubstr("zeros"));
}

TEST_F(OverwrittenTest, MustNameTheRecord) {
  const std::size_t lost = LongRecord(20);
  Overwrite(lost, records_[lost].start + 8);
  ExpectEnd(lost, "no notice");
}

TEST(SegmentNameTest, IsThatOfPostgres) {
  EXPECT_EQ(SegmentName(1, 1, 16U << 20), "000000010000000000000001");
  EXPECT_EQ(SegmentName(0x1A, 0x1FF, 16U << 20), "0000001A00000001000000FF");
  EXPECT_EQ(SegmentName(1, 4096, 1U << 20), "000000010000000100000000");
  SegmentId id;
  ASSERT_TRUE(ParseSegmentName("0000001A00000001000000FF", 16U << 20, &id));
  EXPECT_EQ(id.timeline, 0x1AU);
  EXPECT_EQ(id.number, 0x1FFU);
  EXPECT_FALSE(ParseSegmentName("000000010000000000000100", 16U << 20, &id));
  EXPECT_FALSE(ParseSegmentName("00000001000000000000000a", 16U << 20, &id));
  EXPECT_FALSE(ParseSegmentName("00000001000000000000001", 16U << 20, &id));
  EXPECT_FALSE(ParseSegmentName("000000010000000000000001.partial", 16U << 20, &id));
}

}  // namespace
}  // namespace wal
}  // namespace tornleaf
