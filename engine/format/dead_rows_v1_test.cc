#include "engine/format/dead_rows_v1.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tornleaf {
namespace {

std::vector<std::uint8_t> Stored(std::initializer_list<ItemPointer> rows) {
  std::vector<std::uint8_t> bytes(rows.size() * index_tuple::kTidSize);
  std::size_t at = 0;
  for (const ItemPointer row : rows) {
    StoreTid(bytes.data() + at, row);
    at += index_tuple::kTidSize;
  }
  return bytes;
}

class DeadRowsPageTest : public ::testing::Test {
 protected:
  DeadRowsPageTest() { dead_rows_v1::InitializePage(PageWriter(bytes_)); }

  PageWriter page() { return PageWriter(bytes_); }
  std::string Verdict() {
    const char* rule = dead_rows_v1::GuardPage(bytes_);
    return rule == nullptr ? "" : rule;
  }

  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(512, 0xAA);
};

TEST_F(DeadRowsPageTest, EmptyPageIsTaken) {
  EXPECT_EQ(Verdict(), "");
  EXPECT_EQ(dead_rows_v1::RowCount(page().view()), 0U);
}

TEST_F(DeadRowsPageTest, RowsComeBackInTheOrderInWhichTheyWereAdded) {
  ASSERT_TRUE(dead_rows_v1::AppendRows(page(), 0, Stored({{7, 3}, {0xFFFFFFFE, 0xFFFF}})));
  ASSERT_TRUE(dead_rows_v1::AppendRows(page(), 2, Stored({{1, 1}})));
  EXPECT_EQ(dead_rows_v1::RowCount(page().view()), 3U);
  EXPECT_EQ(dead_rows_v1::RowAt(page().view(), 0), (ItemPointer{7, 3}));
  EXPECT_EQ(dead_rows_v1::RowAt(page().view(), 1), (ItemPointer{0xFFFFFFFE, 0xFFFF}));
  EXPECT_EQ(dead_rows_v1::RowAt(page().view(), 2), (ItemPointer{1, 1}));
  EXPECT_EQ(Verdict(), "");
}

TEST_F(DeadRowsPageTest, AFullPageTakesNoMore) {
  for (std::uint32_t row = 0; row < dead_rows_v1::Capacity(512); ++row) {
    ASSERT_TRUE(dead_rows_v1::AppendRows(page(), row, Stored({{row, 1}})));
  }
  EXPECT_EQ(Verdict(), "");
  const std::vector<std::uint8_t> full = bytes_;
  EXPECT_FALSE(dead_rows_v1::AppendRows(page(), dead_rows_v1::Capacity(512), Stored({{9999, 1}})));
  EXPECT_EQ(bytes_, full);
}

TEST_F(DeadRowsPageTest, RefusesWhatADamagedRecordMaySay) {
  const std::vector<std::uint8_t> empty = bytes_;
  std::vector<std::uint8_t> cut = Stored({{7, 3}});
  cut.pop_back();
  EXPECT_FALSE(dead_rows_v1::AppendRows(page(), 0, cut));
  EXPECT_FALSE(dead_rows_v1::AppendRows(page(), 0, Stored({{7, 3}, {7, 0}})));
  EXPECT_FALSE(dead_rows_v1::AppendRows(page(), 1, Stored({{7, 3}})));
  EXPECT_EQ(bytes_, empty);
}

TEST_F(DeadRowsPageTest, GuardNamesWhatIsWrong) {
  struct Case {
    std::uint32_t offset;
    std::uint8_t value;
    const char* rule;
  };
  const std::uint32_t special = 512 - dead_rows_v1::kSpecialSize;
  const Case cases[] = {
      {18, 5, "page size or layout version is another"},
      {16, 0, "pd_special is not the page size less 16"},
      {14, 0, "pd_upper is not pd_special"},
      {12, 23, "pd_lower is inside the header"},
      {13, 2, "pd_lower is past pd_upper"},
      {12, 25, "a row address is cut, or has offset number 0"},
      {12, 30, "a row address is cut, or has offset number 0"},
      {10, 1, "pd_flags are set"},
      {20, 1, "pd_prune_xid is set"},
      {special, 0, "the magic number is another"},
      {special + 4, 2, "the version is not known"},
      {special + 6, 1, "reserved bytes are not zero"},
      {special + 15, 1, "reserved bytes are not zero"},
  };
  for (const Case& damage : cases) {
    dead_rows_v1::InitializePage(page());
    bytes_[damage.offset] = damage.value;
    EXPECT_EQ(Verdict(), damage.rule) << "byte " << damage.offset;
  }
}

}  // namespace
}  // namespace tornleaf
