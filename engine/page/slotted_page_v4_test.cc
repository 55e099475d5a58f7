#include "engine/page/slotted_page_v4.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kSpecialSize = 16;

TEST(LinePointer, PacksIntoOneWord) {
  const LinePointer pointer{8160, 16, LineFlags::kNormal};
  EXPECT_EQ(pointer.Encode(), 0x00209FE0U);  // As on a server's page: "e09f2000".
  const LinePointer decoded = LinePointer::Decode(0x00219FE0U);
  EXPECT_EQ(decoded.offset, 8160U);
  EXPECT_EQ(decoded.length, 16U);
  EXPECT_EQ(decoded.flags, LineFlags::kDead);
}

TEST(PageWriter, LaysOutAnEmptyPageAtEverySize) {
  for (std::uint32_t size = slotted_v4::kPageSizeMin; size <= slotted_v4::kPageSizeMax; size *= 2) {
    std::vector<std::uint8_t> bytes(size, 0xAA);
    PageWriter page(bytes);
    page.Initialize(kSpecialSize);
    const PageView view(bytes);
    EXPECT_EQ(view.lower(), 24U);
    EXPECT_EQ(view.upper(), size - kSpecialSize);
    EXPECT_EQ(view.special(), size - kSpecialSize);
    EXPECT_EQ(view.page_size_version(), (size | 4) & 0xFFFF);
    EXPECT_EQ(view.item_count(), 0);
    EXPECT_TRUE(AllZero(view.bytes().subspan(24)));
  }
}

TEST(PageWriter, PlacesTuplesFromTheEndDownwards) {
  std::vector<std::uint8_t> bytes(1024);
  PageWriter page(bytes);
  page.Initialize(kSpecialSize);
  EXPECT_EQ(page.FreeSpace(), 1024U - 16 - 24 - 4);
  const std::uint8_t tuple[16] = {1, 2, 3};
  page.AppendItem(tuple);
  page.AppendItem(ByteView(tuple).first(8));
  const PageView view(bytes);
  ASSERT_EQ(view.item_count(), 2);
  EXPECT_EQ(view.line_pointer(1).offset, 1024U - 16 - 16);
  EXPECT_EQ(view.line_pointer(2).offset, 1024U - 16 - 16 - 8);
  EXPECT_EQ(view.line_pointer(2).length, 8U);
  EXPECT_EQ(view.upper(), view.line_pointer(2).offset);
  EXPECT_EQ(bytes[view.line_pointer(1).offset + 2], 3);
}

TEST(PageWriterDeathTest, RefusesATupleThatDoesNotFit) {
  std::vector<std::uint8_t> bytes(512);
  PageWriter page(bytes);
  page.Initialize(kSpecialSize);
  const std::vector<std::uint8_t> tuple(480);
  EXPECT_DEATH(page.AppendItem(tuple), "CHECK failed");
}

TEST(PageView, ItemCountStaysInsideThePage) {
  std::vector<std::uint8_t> bytes(512, 0xFF);
  EXPECT_EQ(PageView(bytes).item_count(), (512 - 24) / 4);
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  EXPECT_EQ(PageView(bytes).item_count(), 0);
}

// Every page that a server with checksums wrote agrees with ours.
TEST(Checksum, MatchesAServersPages) {
  std::uint32_t pages = 0;
  for (const std::string& name : FixtureNames()) {
    const Fixture fixture = LoadFixture(name);
    if (!fixture.checksums) continue;
    for (BlockNumber block = 0; block < fixture.page_count(); ++block) {
      const PageView page(fixture.page(block));
      if (page.is_new()) continue;
      ASSERT_EQ(ComputeChecksum(page.bytes(), block), page.checksum()) << name << " " << block;
      ++pages;
    }
  }
  EXPECT_GT(pages, 300U);
}

TEST(Checksum, DependsOnTheBlockAndNotOnItself) {
  std::vector<std::uint8_t> bytes(8192, 7);
  const std::uint16_t checksum = ComputeChecksum(bytes, 5);
  EXPECT_NE(checksum, ComputeChecksum(bytes, 6));
  SetChecksum(bytes, 5);
  EXPECT_EQ(PageView(bytes).checksum(), checksum);
  EXPECT_EQ(ComputeChecksum(bytes, 5), checksum);
}

}  // namespace
}  // namespace tornleaf
