#include "engine/build/bulk_build.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/build/index_build.h"
#include "engine/build/index_rows.h"
#include "engine/build/pages_in_memory.h"
#include "engine/page/page_check.h"

namespace tornleaf {
namespace {

using nbtree::NbtreePage;

Schema MakeSchema(std::string_view text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return *std::move(schema);
}

PagesInMemory Build(const Schema& schema, const BuildOptions& options, const std::string& rows) {
  PagesInMemory pages(options.page_size);
  StringSource source(rows);
  BuildSummary summary;
  const absl::Status status = BuildIndex(schema, options, {&source}, &pages, &summary);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(summary.pages, pages.block_count());
  EXPECT_TRUE(pages.complete());
  return pages;
}

NbtreePage NodeAt(const PagesInMemory& pages, BlockNumber block) {
  return NbtreePage(PageView(pages.page(block)));
}

std::string RowsOf(const Schema& schema, const PagesInMemory& pages, std::uint32_t page_size) {
  MemoryPages source(pages.image(), page_size);
  IndexRows rows(schema, &source);
  std::string text;
  for (;;) {
    const absl::StatusOr<bool> read = rows.Next();
    EXPECT_TRUE(read.ok()) << read.status();
    if (!read.ok() || !*read) return text;
    AppendRowText(schema, rows.values(), rows.tid(), &text);
  }
}

// Every page is in order by itself; every level is one chain of sibling links whose pages number
// one more below than the level above has downlinks.
void ExpectSoundTree(const PagesInMemory& pages) {
  const nbtree::MetaPage meta = nbtree::MetaPage::Load(PageView(pages.page(0)));
  ASSERT_EQ(meta.magic, nbtree::kMagicNumber);
  std::uint32_t nodes = 0;
  std::uint32_t downlinks_above = 1;
  BlockNumber leftmost = meta.root;
  for (std::uint32_t level = meta.level + 1; level-- > 0;) {
    std::uint32_t nodes_here = 0;
    std::uint32_t downlinks = 0;
    BlockNumber left = nbtree::kNoSibling;
    BlockNumber next_leftmost = 0;
    for (BlockNumber block = leftmost; block != nbtree::kNoSibling;) {
      ASSERT_LT(block, pages.block_count());
      const NbtreePage node = NodeAt(pages, block);
      Findings findings;
      ASSERT_TRUE(CheckPageHeader(node.page(), block, nbtree::kOpaqueSize, &findings));
      ASSERT_TRUE(CheckLinePointers(node.page(), block, &findings));
      ASSERT_TRUE(findings.empty());
      ASSERT_EQ(node.prev(), left);
      ASSERT_EQ(node.level(), level);
      ASSERT_EQ(node.is_leaf(), level == 0);
      ASSERT_EQ(node.is_root(), level == meta.level);
      ASSERT_GE(node.item_count(), node.first_data_slot());
      if (level > 0) {
        if (nodes_here == 0) next_leftmost = nbtree::Downlink(node.tuple(node.first_data_slot()));
        downlinks += node.item_count() - node.first_data_slot() + 1U;
      }
      ++nodes_here;
      left = block;
      block = node.next();
    }
    EXPECT_EQ(nodes_here, downlinks_above);
    downlinks_above = downlinks;
    nodes += nodes_here;
    leftmost = next_leftmost;
  }
  EXPECT_EQ(nodes + 1, pages.block_count()) << "a page that nothing leads to";
}

TEST(BulkBuildTest, AnEmptyIndexIsItsMetapage) {
  const PagesInMemory pages = Build(MakeSchema("int4"), {}, "");
  ASSERT_EQ(pages.block_count(), 1U);
  const nbtree::MetaPage meta = nbtree::MetaPage::Load(PageView(pages.page(0)));
  EXPECT_EQ(meta.magic, nbtree::kMagicNumber);
  EXPECT_EQ(meta.version, 4U);
  EXPECT_EQ(meta.root, 0U);
  EXPECT_EQ(meta.fast_root, 0U);
  EXPECT_EQ(meta.level, 0U);
  EXPECT_TRUE(meta.all_equal_image);
}

TEST(BulkBuildTest, OneRowIsARootThatIsALeaf) {
  const PagesInMemory pages = Build(MakeSchema("int4"), {}, "1\t(0,1)\n");
  ASSERT_EQ(pages.block_count(), 2U);
  const NbtreePage root = NodeAt(pages, 1);
  EXPECT_EQ(root.flags(), nbtree::kLeaf | nbtree::kRoot);
  EXPECT_EQ(root.item_count(), 1);
  EXPECT_EQ(nbtree::MetaPage::Load(PageView(pages.page(0))).root, 1U);
}

// Rows wide and narrow, unique and repeated, over several levels, at every page size.
TEST(BulkBuildTest, EveryPageSizeGivesASoundTreeWithTheRows) {
  struct Case {
    const char* schema;
    std::uint32_t distinct;
    std::uint32_t width;
  };
  const Case cases[] = {
      {"text collate C", 5000, 0},     {"text collate C", 7, 3},
      {"text collate C", 1, 10},       {"text collate C; include int4", 60, 20},
      {"text collate C, int4", 50, 1}, {"text collate C storage plain", 4000, 90}};
  for (std::uint32_t page_size = 512; page_size <= 32768; page_size *= 2) {
    for (const Case& shape : cases) {
      SCOPED_TRACE(absl::StrCat(shape.schema, " ", shape.distinct, " at ", page_size));
      const Schema schema = MakeSchema(shape.schema);
      std::string rows;
      for (std::uint32_t row = 0; row < 5000; ++row) {
        absl::StrAppendFormat(&rows, "%05d%s", row * 31 % shape.distinct,
                              std::string(shape.width, 'w'));
        if (schema.attribute_count() == 2) absl::StrAppend(&rows, "\t", row % 9);
        absl::StrAppend(&rows, "\t(", row / 10, ",", row % 10 + 1, ")\n");
      }
      BuildOptions options;
      options.page_size = page_size;
      const PagesInMemory pages = Build(schema, options, rows);
      ExpectSoundTree(pages);
      const std::string sorted = RowsOf(schema, pages, page_size);
      EXPECT_EQ(sorted.size(), rows.size());

      // The rows in order, streamed, give the same pages.
      StringSource source(sorted);
      PagesInMemory streamed(page_size);
      BuildSummary summary;
      ASSERT_TRUE(BuildIndex(schema, options, {&source, true}, &streamed, &summary).ok());
      EXPECT_EQ(summary.rows, 5000U);
      EXPECT_TRUE(streamed.image() == pages.image());
    }
  }
}

// The largest rows that a page takes, all with the same key: pivots need a heap TID on top.
TEST(BulkBuildTest, TheLargestRowsFitAtEveryPageSize) {
  for (std::uint32_t page_size = 512; page_size <= 32768; page_size *= 2) {
    SCOPED_TRACE(page_size);
    const Schema schema = MakeSchema("text collate C storage external");
    const std::uint32_t largest = MaxBuildTupleSize(page_size);
    const std::string value(largest - index_tuple::kHeaderSize - 4, 'v');
    std::string rows;
    for (int row = 1; row <= 40; ++row) absl::StrAppend(&rows, value, "\t(", row, ",1)\n");
    BuildOptions options;
    options.page_size = page_size;
    const PagesInMemory pages = Build(schema, options, rows);
    ExpectSoundTree(pages);
    EXPECT_EQ(RowsOf(schema, pages, page_size), rows);

    const std::string too_large = absl::StrCat(value, "v\t(0,1)\n");
    StringSource source(too_large);
    PagesInMemory unused(page_size);
    BuildSummary summary;
    EXPECT_EQ(BuildIndex(schema, options, {&source}, &unused, &summary).code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(BulkBuildTest, FillFactorLeavesItsShareFree) {
  const Schema schema = MakeSchema("int4");
  std::string rows;
  for (int row = 0; row < 20000; ++row) absl::StrAppend(&rows, row, "\t(", row, ",1)\n");
  for (const std::uint32_t fillfactor : {10U, 50U, 90U, 100U}) {
    BuildOptions options;
    options.fillfactor = fillfactor;
    const PagesInMemory pages = Build(schema, options, rows);
    const NbtreePage leaf = NodeAt(pages, 1);
    const std::uint32_t free = leaf.page().upper() - leaf.page().lower();
    const std::uint32_t target = options.page_size * (100 - fillfactor) / 100;
    EXPECT_LE(free, target + 40) << fillfactor;
    EXPECT_GE(free + 40, target) << fillfactor;
  }
}

TEST(BulkBuildTest, OptionsReachEveryPage) {
  const Schema schema = MakeSchema("int4");
  std::string rows;
  for (int row = 0; row < 3000; ++row) absl::StrAppend(&rows, row, "\t(", row, ",1)\n");
  BuildOptions options;
  options.checksums = true;
  options.lsn = 0x123456789ABCDEF0;
  const PagesInMemory pages = Build(schema, options, rows);
  ASSERT_GT(pages.block_count(), 5U);
  for (BlockNumber block = 0; block < pages.block_count(); ++block) {
    const PageView page(pages.page(block));
    EXPECT_EQ(page.lsn(), options.lsn);
    EXPECT_EQ(page.checksum(), ComputeChecksum(page.bytes(), block));
  }
}

TEST(BulkBuildTest, TheHoleHoldsZeros) {
  const Schema schema = MakeSchema("text collate C");
  std::string rows;
  for (int row = 0; row < 9000; ++row) absl::StrAppend(&rows, "key ", row * 7, "\t(", row, ",1)\n");
  const PagesInMemory pages = Build(schema, {}, rows);
  for (BlockNumber block = 0; block < pages.block_count(); ++block) {
    const PageView page(pages.page(block));
    EXPECT_TRUE(AllZero(page.bytes().subspan(page.lower(), page.upper() - page.lower()))) << block;
  }
}

class Refusing final : public PageSink {
 public:
  absl::Status WritePage(BlockNumber, ByteView) override {
    return absl::ResourceExhaustedError("disk full");
  }
};

TEST(BulkBuildTest, ErrorsOfTheSinkEndTheBuild) {
  const Schema schema = MakeSchema("int4");
  std::string rows;
  for (int row = 0; row < 3000; ++row) absl::StrAppend(&rows, row, "\t(", row, ",1)\n");
  for (const bool sorted : {false, true}) {
    Refusing sink;
    StringSource source(rows);
    BuildSummary summary;
    EXPECT_EQ(BuildIndex(schema, {}, {&source, sorted}, &sink, &summary).code(),
              absl::StatusCode::kResourceExhausted);
  }
}

}  // namespace
}  // namespace tornleaf
