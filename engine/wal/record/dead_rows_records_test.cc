#include "engine/wal/record/dead_rows_records.h"

#include "gtest/gtest.h"

namespace tornleaf {
namespace wal {
namespace {

TEST(AddDeadRowsRecord, IsFourLittleEndianBytes) {
  std::vector<std::uint8_t> bytes = {0xEE};
  AddDeadRowsRecord{0x0102, 0x0304}.Encode(&bytes);
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0xEE, 0x02, 0x01, 0x04, 0x03}));

  AddDeadRowsRecord record;
  ASSERT_TRUE(AddDeadRowsRecord::Decode(ByteView(bytes).subspan(1), &record));
  EXPECT_EQ(record.first, 0x0102);
  EXPECT_EQ(record.count, 0x0304);
}

TEST(AddDeadRowsRecord, RefusesEveryOtherLength) {
  const std::vector<std::uint8_t> bytes(8, 1);
  AddDeadRowsRecord record;
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    EXPECT_EQ(AddDeadRowsRecord::Decode(ByteView(bytes).first(length), &record), length == 4)
        << length;
  }
}

TEST(DeadRowsOperationName, KnowsBothAndNoOther) {
  EXPECT_STREQ(DeadRowsOperationName(kAddDeadRows), "ADD_DEAD_ROWS");
  EXPECT_STREQ(DeadRowsOperationName(kResetDeadRows), "RESET_DEAD_ROWS");
  EXPECT_EQ(DeadRowsOperationName(0x20), nullptr);
}

}  // namespace
}  // namespace wal
}  // namespace tornleaf
