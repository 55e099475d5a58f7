#include "engine/wal/record/xlog_records.h"

#include "gtest/gtest.h"

namespace tornleaf {
namespace wal {
namespace {

TEST(CheckpointRecord, HasTheServersLayout) {
  CheckpointRecord written;
  written.redo = 0x0000000123456789;
  written.timeline = 7;
  written.full_page_images = true;
  written.next_xid = 0x0000000500000003;
  written.unix_seconds = 1700000000;
  std::vector<std::uint8_t> bytes = {0xEE};
  written.Encode(&bytes);
  ASSERT_EQ(bytes.size(), 1 + 88U);
  const std::uint8_t* const at = bytes.data() + 1;
  EXPECT_EQ(LoadLittleEndian<std::uint64_t>(at), written.redo);
  EXPECT_EQ(LoadLittleEndian<std::uint32_t>(at + 8), 7U);
  EXPECT_EQ(LoadLittleEndian<std::uint32_t>(at + 12), 7U);
  EXPECT_EQ(at[16], 1);
  EXPECT_EQ(LoadLittleEndian<std::uint64_t>(at + 24), written.next_xid);
  EXPECT_EQ(LoadLittleEndian<std::int64_t>(at + 64), 1700000000);

  CheckpointRecord read;
  ASSERT_TRUE(CheckpointRecord::Decode(ByteView(bytes).subspan(1), &read));
  EXPECT_EQ(read.redo, written.redo);
  EXPECT_EQ(read.timeline, written.timeline);
  EXPECT_TRUE(read.full_page_images);
  EXPECT_EQ(read.next_xid, written.next_xid);
  EXPECT_EQ(read.unix_seconds, written.unix_seconds);
}

TEST(CheckpointRecord, RefusesEveryOtherLength) {
  const std::vector<std::uint8_t> bytes(100);
  CheckpointRecord record;
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    EXPECT_EQ(CheckpointRecord::Decode(ByteView(bytes).first(length), &record), length == 88)
        << length;
  }
}

TEST(OverwriteContrecordRecord, NamesTheLostRecord) {
  const std::vector<std::uint8_t> bytes = {1, 2, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9};
  OverwriteContrecordRecord record;
  ASSERT_TRUE(OverwriteContrecordRecord::Decode(bytes, &record));
  EXPECT_EQ(record.overwritten, 0x0201U);
  EXPECT_FALSE(OverwriteContrecordRecord::Decode(ByteView(bytes).first(15), &record));
}

TEST(XlogOperationName, KnowsThoseOfTheServer) {
  EXPECT_STREQ(XlogOperationName(kCheckpointOnline), "CHECKPOINT_ONLINE");
  EXPECT_STREQ(XlogOperationName(kFpiForHint), "FPI_FOR_HINT");
  int known = 0;
  for (int info = 0; info <= 0xF0; info += 0x10) {
    if (XlogOperationName(static_cast<std::uint8_t>(info)) != nullptr) ++known;
  }
  EXPECT_EQ(known, 13);
}

}  // namespace
}  // namespace wal
}  // namespace tornleaf
