#include "engine/page/page_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tornleaf {
namespace {

constexpr std::uint32_t kSpecialSize = 16;
constexpr BlockNumber kBlock = 3;

// A page of three tuples, of 16, 8 and 24 bytes.
class PageCheckTest : public testing::Test {
 protected:
  PageCheckTest() : bytes_(1024), page_(bytes_) {
    page_.Initialize(kSpecialSize);
    for (const std::uint32_t size : {16, 8, 24}) {
      page_.AppendItem(std::vector<std::uint8_t>(size, 1));
    }
  }

  // Ids of the findings of header and line pointers, in order.
  std::vector<std::string> Check() const {
    Findings findings;
    const PageView view(bytes_);
    if (CheckPageHeader(view, kBlock, kSpecialSize, &findings)) {
      CheckLinePointers(view, kBlock, &findings);
    }
    std::vector<std::string> ids;
    for (const Finding& finding : findings) ids.emplace_back(finding.invariant->id);
    return ids;
  }

  LinePointer Pointer(OffsetNumber slot) const { return PageView(bytes_).line_pointer(slot); }

  template <typename T>
  void Overwrite(const FieldOf<T>& field, T value) {
    Store(bytes_.data(), field, value);
  }

  std::vector<std::uint8_t> bytes_;
  PageWriter page_;
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(PageCheckTest, AcceptsAPageThatIsInOrder) { EXPECT_THAT(Check(), IsEmpty()); }

TEST_F(PageCheckTest, HeaderFields) {
  Overwrite(slotted_v4::kFlags, std::uint16_t{0x0008});
  EXPECT_THAT(Check(), ElementsAre("PAGE-004"));
  Overwrite(slotted_v4::kFlags, std::uint16_t{0x0001});
  EXPECT_THAT(Check(), ElementsAre("PAGE-009"));
  Overwrite(slotted_v4::kFlags, std::uint16_t{0});
  Overwrite(slotted_v4::kPageSizeVersion, std::uint16_t{1024 | 3});
  EXPECT_THAT(Check(), ElementsAre("PAGE-003"));
  Overwrite(slotted_v4::kPageSizeVersion, std::uint16_t{1024 | 4});
  Overwrite(slotted_v4::kPruneXid, std::uint32_t{1});
  EXPECT_THAT(Check(), ElementsAre("PAGE-010"));
}

TEST_F(PageCheckTest, RegionsOutOfOrderEndTheCheck) {
  Overwrite(slotted_v4::kLower, std::uint16_t{23});
  EXPECT_THAT(Check(), ElementsAre("PAGE-005"));
  Overwrite(slotted_v4::kLower, static_cast<std::uint16_t>(page_.view().upper() + 4));
  EXPECT_THAT(Check(), ElementsAre("PAGE-005"));
}

TEST_F(PageCheckTest, SpecialAreaOfAnotherSize) {
  Overwrite(slotted_v4::kSpecial, std::uint16_t{1024 - 24});
  EXPECT_THAT(Check(), ElementsAre("PAGE-006"));
}

TEST_F(PageCheckTest, UpperMustBeTheLowestTuple) {
  Overwrite(slotted_v4::kUpper, static_cast<std::uint16_t>(page_.view().upper() - 8));
  EXPECT_THAT(Check(), ElementsAre("ITEM-006"));
}

TEST_F(PageCheckTest, EachLinePointerRule) {
  const LinePointer good = Pointer(2);
  page_.set_line_pointer(2, {good.offset, good.length, LineFlags::kRedirect});
  EXPECT_THAT(Check(), ElementsAre("ITEM-001"));
  page_.set_line_pointer(2, {good.offset, 4, LineFlags::kNormal});
  EXPECT_THAT(Check(), ElementsAre("ITEM-002"));
  page_.set_line_pointer(2, {good.offset + 4, good.length, LineFlags::kNormal});
  EXPECT_THAT(Check(), ElementsAre("ITEM-003"));
  page_.set_line_pointer(2, {page_.view().upper() - 8, good.length, LineFlags::kNormal});
  EXPECT_THAT(Check(), ElementsAre("ITEM-004"));
  page_.set_line_pointer(2, {good.offset, good.length, LineFlags::kDead});
  EXPECT_THAT(Check(), IsEmpty());
}

// One pointer moved onto another leaves its own bytes without an owner; the cause alone is said.
TEST_F(PageCheckTest, OverlapHidesTheGapThatItLeaves) {
  page_.set_line_pointer(2, Pointer(1));
  EXPECT_THAT(Check(), ElementsAre("ITEM-005"));
}

// Three arrangements that tile the tuple region: in slot order, with the first item last as a split
// leaves a high key, and in no order.
TEST_F(PageCheckTest, TuplesMayLieInAnyOrder) {
  const std::vector<LinePointer> built = {Pointer(1), Pointer(2), Pointer(3)};
  for (const std::vector<int>& order :
       {std::vector<int>{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}) {
    for (OffsetNumber slot = 1; slot <= 3; ++slot) {
      page_.set_line_pointer(slot, built[static_cast<std::size_t>(order[slot - 1U])]);
    }
    EXPECT_THAT(Check(), IsEmpty());
  }
}

// The same arrangements with one pointer where another one is: never mistaken for a tiling.
TEST_F(PageCheckTest, NoArrangementHidesAnOverlap) {
  const std::vector<LinePointer> built = {Pointer(1), Pointer(2), Pointer(3)};
  for (int first = 0; first < 3; ++first) {
    for (int second = 0; second < 3; ++second) {
      for (int third = 0; third < 3; ++third) {
        const int picks[] = {first, second, third};
        for (OffsetNumber slot = 1; slot <= 3; ++slot) {
          page_.set_line_pointer(slot, built[static_cast<std::size_t>(picks[slot - 1])]);
        }
        const bool distinct = first != second && second != third && first != third;
        EXPECT_EQ(Check().empty(), distinct) << first << second << third;
      }
    }
  }
}

TEST_F(PageCheckTest, LostLinePointer) {
  Overwrite(slotted_v4::kLower, static_cast<std::uint16_t>(page_.view().lower() - 4));
  EXPECT_THAT(Check(), ElementsAre("ITEM-006"));
}

TEST_F(PageCheckTest, ChecksumNamesBothValues) {
  Findings findings;
  SetChecksum(bytes_, kBlock);
  EXPECT_TRUE(CheckPageChecksum(page_.view(), kBlock, &findings));
  EXPECT_FALSE(CheckPageChecksum(page_.view(), kBlock + 1, &findings));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_STREQ(findings[0].invariant->id, "PAGE-002");
  EXPECT_NE(findings[0].expected.view(), findings[0].actual.view());
}

TEST_F(PageCheckTest, NewPageMustBeZero) {
  std::vector<std::uint8_t> zeroes(1024);
  Findings findings;
  EXPECT_TRUE(CheckNewPage(PageView(zeroes), kBlock, &findings));
  zeroes[700] = 1;
  EXPECT_FALSE(CheckNewPage(PageView(zeroes), kBlock, &findings));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].bytes.begin, 700U);
}

TEST(PageInvariants, IdsAreDistinctAndFilledIn) {
  std::vector<std::string> ids;
  for (const Invariant* invariant : PageInvariants()) {
    ids.emplace_back(invariant->id);
    for (const char* text : {invariant->title, invariant->rule, invariant->damage}) {
      EXPECT_GT(std::string(text).size(), 5U) << invariant->id;
    }
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace
}  // namespace tornleaf
