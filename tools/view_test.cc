// The viewer: equal to the server's own view on every fixture, and safe on any bytes.

#include <gtest/gtest.h>

#include "tests/support/fixtures.h"
#include "tools/page_picture.h"
#include "tools/page_text.h"
#include "tools/pageinspect.h"

namespace tornleaf {
namespace {

// A matcher would print whole pages.
bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Pageinspect, EqualsTheServerOnEveryFixture) {
  for (const std::string& name : FixtureNames()) {
    const Fixture fixture = LoadFixture(name);
    MemoryPages pages(fixture.index, fixture.page_size);
    // EXPECT_TRUE, since a difference of these texts would print megabytes.
    EXPECT_TRUE(pageinspect::MetaCsv(&pages) == FixtureText(name, "meta.csv")) << name;
    EXPECT_TRUE(pageinspect::StatsCsv(&pages) == FixtureText(name, "stats.csv.zst")) << name;
    EXPECT_TRUE(pageinspect::ItemsCsv(&pages) == FixtureText(name, "items.csv.zst")) << name;
  }
}

class PageOf {
 public:
  PageOf(const char* fixture, BlockNumber block) : block_(block) {
    const Fixture loaded = LoadFixture(fixture);
    const ByteView page = loaded.page(block);
    bytes_.assign(page.begin(), page.end());
  }
  PageView view() const { return PageView(bytes_); }
  BlockNumber block() const { return block_; }
  std::uint8_t* data() { return bytes_.data(); }

 private:
  BlockNumber block_;
  std::vector<std::uint8_t> bytes_;
};

TEST(PageText, ShowsRegionsFieldsAndKeys) {
  const PageOf page("multi-column-truncated", 1);
  const Schema schema = *Schema::Parse("text collate C, int4, int8");
  const std::string text = PageText("index", page.view(), page.block(), {&schema, false});
  EXPECT_TRUE(text.starts_with("index page 1 leaf lsn 0/"));
  EXPECT_TRUE(Has(text, "level 0  items 204  dead 0  free 812  prev 0  next 2\n"));
  EXPECT_TRUE(Has(text,
                  "H header [0,24)  L line pointers [24,840)  . hole [840,1656)  "
                  "T tuples [1656,8176)  S special [8176,8192)  a letter is 64 bytes"));
  EXPECT_TRUE(Has(text, "\n     0  HLLLLLLLLLLLL.............TTTTTTTTTTTT"));
  EXPECT_TRUE(Has(text, "TTTTS\n"));
  EXPECT_TRUE(Has(text, "0x0001 BTP_LEAF"));
  EXPECT_TRUE(Has(text,
                  "      1   1656    24  high key                                "
                  "tenant-10, 506\n"));
  EXPECT_TRUE(Has(text,
                  "      3   8112    32  plain           (0,2)                   "
                  "tenant-0, 1, 2\n"));
  EXPECT_FALSE(Has(text, "\033"));
  EXPECT_TRUE(Has(PageText("index", page.view(), page.block(), {&schema, true}), "\033[32mT"));
}

TEST(PageText, ShowsADamagedLinePointerAsSuch) {
  PageOf page("int4", 1);
  StoreLittleEndian(page.data() + PageView::LinePointerOffset(5),
                    LinePointer{8160, 400, LineFlags::kNormal}.Encode());
  const std::string text = PageText("index", page.view(), page.block(), {});
  EXPECT_TRUE(Has(text,
                  "      5   8160   400    ! [8160,8560) holds no tuple on a page of "
                  "8192 bytes\n"));
  EXPECT_TRUE(Has(text, "! bad ["));
  EXPECT_EQ(RegionsOf(page.view(), 1)[PageView::LinePointerOffset(5)], Region::kBad);
  EXPECT_EQ(RegionsOf(page.view(), 1)[PageView::LinePointerOffset(6)], Region::kLinePointers);
}

TEST(PageItems, FollowsSharedBytesOnlySoOften) {
  PageOf page("int4", 1);
  // Every line pointer names the same large tuple.
  const LinePointer large = {6000, 2000, LineFlags::kNormal};
  StoreLittleEndian(page.data() + large.offset + index_tuple::kInfo.offset, std::uint16_t{2000});
  for (OffsetNumber slot = 1; slot <= page.view().item_count(); ++slot) {
    StoreLittleEndian(page.data() + PageView::LinePointerOffset(slot), large.Encode());
  }
  const std::vector<PageItem> items = ItemsOf(page.view(), page.block());
  ASSERT_GT(items.size(), 9U);
  EXPECT_TRUE(items[8].has_tuple) << "up to twice the page";
  EXPECT_FALSE(items[9].has_tuple);
  EXPECT_EQ(items[9].damage, "left out: the items before it are larger than two pages");
}

TEST(PageText, ShowsDeletedNewAndMetaPages) {
  const std::string deleted = PageText("i", PageOf("page-deletion", 4).view(), 4, {});
  EXPECT_TRUE(Has(deleted, "i page 4 deleted lsn 0/"));
  EXPECT_TRUE(Has(deleted, "safexid"));
  EXPECT_TRUE(Has(deleted, "M contents [24,32)"));
  EXPECT_TRUE(Has(PageText("i", PageOf("zero-pages-inside", 5).view(), 5, {}), "i page 5 new"));
  const std::string meta = PageText("i", PageOf("int4", 0).view(), 0, {});
  EXPECT_TRUE(Has(meta, "btm_fastroot"));
  EXPECT_TRUE(Has(meta, "M contents [24,72)"));
}

TEST(HexDump, NamesWhatBeginsInARowAndLeavesOutTheHole) {
  const PageOf page("int4", 1);
  const std::string text = HexDump(page.view(), page.block(), false);
  EXPECT_TRUE(Has(text,
                  "| pd_lsn.xlogid pd_lsn.xrecoff pd_checksum pd_flags pd_lower "
                  "pd_upper\n"));
  EXPECT_TRUE(Has(text, "HHHHHHHHLLLLLLLL"));
  EXPECT_TRUE(Has(text, " item 2\n"));
  EXPECT_TRUE(Has(text, "SSSSSSSSSSSSSSSS"));
  EXPECT_TRUE(Has(text, "     *\n"));
}

TEST(ItemJson, HasOneObjectForASlot) {
  const PageOf page("pairs", 1);
  const std::vector<PageItem> items = ItemsOf(page.view(), 1);
  const Schema schema = *Schema::Parse("int8");
  const Json json = ItemJson("index", page.view(), 1, items[2], {&schema, false});
  EXPECT_EQ(json["schema"], "tornleaf.view.item/1");
  EXPECT_EQ(json["kind"], "posting");
  EXPECT_EQ(json["tids"], Json::array({"(0,2)", "(0,3)"}));
  EXPECT_EQ(json["key"], Json::array({"1"}));
  EXPECT_EQ(json["damage"], nullptr);
}

// Everything that the viewer can be asked about a page.
std::size_t ShowAll(PageView page, BlockNumber block, const Schema& schema) {
  std::size_t size = 0;
  for (const Schema* shown : {static_cast<const Schema*>(nullptr), &schema}) {
    size += PageText("index", page, block, {shown, true}).size();
    for (const PageItem& item : ItemsOf(page, block)) {
      size += ItemJson("index", page, block, item, {shown, false}).size();
      size += pageinspect::ItemRow(item).size();
    }
  }
  pageinspect::StatsOf(page, block);
  return size + HexDump(page, block, false).size();
}

TEST(View, SurvivesAnyByteInEveryFieldThatIsRead) {
  const Schema schema = *Schema::Parse("text collate C, int4");
  for (const char* fixture : {"text-then-int4", "multi-column-duplicates"}) {
    for (BlockNumber block = 0; block < 4; ++block) {
      const PageOf original(fixture, block);
      std::vector<std::uint32_t> offsets;
      for (std::uint32_t at = 0; at < 48; ++at) offsets.push_back(at);
      for (std::uint32_t at = 8176; at < 8192; ++at) offsets.push_back(at);
      for (std::uint32_t at = 8064; at < 8176; at += 16) offsets.push_back(at);
      for (const std::uint32_t at : offsets) {
        for (const std::uint8_t value : {0x00, 0x7F, 0xFF}) {
          PageOf page = original;
          page.data()[at] = value;
          EXPECT_GT(ShowAll(page.view(), block, schema), 2000u);
        }
      }
    }
  }
}

TEST(View, SurvivesNoise) {
  const Schema schema = *Schema::Parse("text collate C, numeric; include name");
  std::uint64_t state = 20240607;
  for (int round = 0; round < 60; ++round) {
    PageOf page("text-c", 1);
    // The header stays plausible in half of the rounds, so that the noise is decoded.
    for (std::uint32_t at = round % 2 == 0 ? 24 : 0; at < 8176; ++at) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      page.data()[at] = static_cast<std::uint8_t>(state >> 56);
    }
    EXPECT_GT(ShowAll(page.view(), 1, schema), 2000u);
  }
}

}  // namespace
}  // namespace tornleaf
